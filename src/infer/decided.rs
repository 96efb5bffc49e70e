//! Whether a condition can hold at all, also where parts of it were shortened to one fact: a part
//! that the rest decides need not be put back whole.
//!
//! Knows nothing of what the other facts mean.

use rustc_hash::{FxHashMap, FxHashSet};

use super::formula::{AtomId, F};
use super::shortened::Short;
use super::value::Values;

/// Most nesting of shortened parts that is followed.
const MAX_DEPTH: u8 = 24;

/// Most shortened parts that one question looks into.
const MAX_PARTS: usize = 120;

/// Most nodes of a part that is put back though it is not decided.
const MAX_PART: usize = 200;

/// Most steps of putting parts back once.
const MAX_STEPS: u32 = 3_000;

/// Most nodes of what is known on a path by which shortened parts are decided.
const MAX_GIVEN: usize = 80;

impl Values {
    /// Whether a condition that is too much to spell out cannot hold: what it takes for certain
    /// decides its shortened parts against it. The question is about the facts of `asked`.
    pub(super) fn excludes_itself(&mut self, f: F, asked: F) -> bool {
        // What holds whatever the shortened parts say.
        let short: Vec<AtomId> =
            self.forms.support(f).into_iter().filter(|a| self.is_short(*a)).collect();
        let first = short.first().copied().unwrap_or_default();
        let mut given = self.forms.exists(f, first, &|a| short.contains(&a));
        if self.forms.larger_than(given, MAX_GIVEN) {
            let asked = self.forms.support(asked);
            given = self.forms.exists(given, 0, &|a| asked.binary_search(&a).is_err());
        }
        let certain = self.certain_facts(f);
        given = self.forms.and(given, certain);
        if given == F::FALSE {
            return true;
        }
        let decided = self.decided(f, given, 0, &mut FxHashMap::default());
        let rest = self.forms.and(decided, given);
        rest == F::FALSE || self.spelled_out(rest).formula == F::FALSE
    }

    /// The facts that are certain where a condition holds, also for what its shortened parts say.
    fn certain_facts(&mut self, f: F) -> F {
        let mut facts = F::TRUE;
        let mut known = FxHashSet::default();
        let mut left = vec![f];
        while let Some(f) = left.pop() {
            for (atom, holds) in self.forms.certain(f).iter().copied() {
                if known.len() > MAX_PARTS || !known.insert(atom) {
                    continue;
                }
                match self.stands_for(atom) {
                    Some(Short::Part(part)) => left.push(part.denied_if(!holds)),
                    Some(Short::Either(..)) => {}
                    None => {
                        let fact = self.forms.atom(atom).denied_if(!holds);
                        facts = self.forms.and(facts, fact);
                    }
                }
            }
        }
        facts
    }

    /// A condition where another holds, with the shortened parts put in that it decides.
    fn decided(
        &mut self,
        f: F,
        given: F,
        depth: u8,
        known: &mut FxHashMap<AtomId, Option<F>>,
    ) -> F {
        let f = self.forms.restrict(f, given);
        if depth > MAX_DEPTH {
            return f;
        }
        let mut parts = Vec::new();
        for atom in self.forms.support(f) {
            let found = match known.get(&atom) {
                Some(found) => *found,
                None if known.len() > MAX_PARTS => None,
                None => {
                    known.insert(atom, None);
                    let found = self.decide(atom, given, depth, known);
                    known.insert(atom, found);
                    found
                }
            };
            parts.extend(found.map(|found| (atom, found)));
        }
        // What is decided costs nothing; the rest is put in only as far as that stays small.
        let mut f = f;
        let (sure, open): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(_, p)| p.is_constant());
        for parts in [sure, open] {
            if let Some((first, _)) = parts.first() {
                let pick = |a| parts.iter().find(|(atom, _)| *atom == a).map(|(_, part)| *part);
                f = self.forms.substitute_within(f, *first, &pick, MAX_STEPS).unwrap_or(f);
            }
        }
        f
    }

    /// What a shortened part is where a condition holds, if that is plain.
    fn decide(
        &mut self,
        atom: AtomId,
        given: F,
        depth: u8,
        known: &mut FxHashMap<AtomId, Option<F>>,
    ) -> Option<F> {
        let found = match self.stands_for(atom)? {
            Short::Part(part) => self.decided(part, given, depth + 1, known),
            Short::Either(condition, a, b) => {
                match self.decided(condition, given, depth + 1, known) {
                    F::TRUE => self.decided(a, given, depth + 1, known),
                    F::FALSE => self.decided(b, given, depth + 1, known),
                    _ => return None,
                }
            }
        };
        (!self.forms.larger_than(found, MAX_PART)).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::atom::Atom;
    use super::*;

    #[test]
    fn what_a_long_path_asked_is_known_though_the_path_is_not_spelled_out() {
        let mut values = Values::default();
        let page = values.free_atom();
        let ready = values.free_atom();
        // Sixteen alternatives whose halves lie far apart are too much to write.
        let first: Vec<F> = (0..16).map(|_| values.free_atom()).collect();
        let mut either = F::FALSE;
        for one in first {
            let other = values.free_atom();
            let pair = values.forms.and(one, other);
            let pair = values.atom(Atom::Once(0, pair));
            either = values.forms.or(either, pair);
        }
        let asked = values.forms.minus(ready, page);
        let no_page = values.atom(Atom::Once(0, asked));
        let path = values.forms.and(no_page, either);
        let both = values.forms.and(path, page);
        assert_ne!(values.spelled_out(both).formula, F::FALSE, "the path is too easy");
        assert!(!values.possible(path, page));
        assert!(values.possible(path, ready));
    }
}
