//! Whether a condition can hold beside another, also where parts of it were shortened to one fact:
//! a part that the other decides need not be put back whole.
//!
//! Knows nothing of what the other facts mean.

use rustc_hash::FxHashMap;

use super::atom::Atom;
use super::formula::{AtomId, F};
use super::value::Values;

/// Most nesting of shortened parts that is followed.
const MAX_DEPTH: u8 = 24;

/// Most shortened parts that one question looks into.
const MAX_PARTS: usize = 120;

/// Most nodes of a part that is put back though it is not decided.
const MAX_PART: usize = 40;

/// Most steps of putting parts back once.
const MAX_STEPS: u32 = 3_000;

/// Most nodes of what is known on a path by which shortened parts are decided.
const MAX_GIVEN: usize = 80;

impl Values {
    /// Whether a condition may hold where another does.
    pub fn possible(&mut self, f: F, given: F) -> bool {
        let both = self.forms.and(f, given);
        if both == F::FALSE {
            return false;
        }
        // What holds on this path whatever the shortened parts say.
        let short: Vec<AtomId> =
            self.forms.support(both).into_iter().filter(|a| self.is_short(*a)).collect();
        if short.is_empty() {
            return true;
        }
        let given = self.forms.exists(both, &|a| short.contains(&a));
        if self.forms.larger_than(given, MAX_GIVEN) {
            return self.spelled_out(both).formula != F::FALSE;
        }
        let decided = self.decided(both, given, 0, &mut FxHashMap::default());
        let both = self.forms.and(decided, given);
        both != F::FALSE && self.spelled_out(both).formula != F::FALSE
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
        if parts.is_empty() {
            return f;
        }
        let pick = |a| parts.iter().find(|(atom, _)| *atom == a).map(|(_, part)| *part);
        self.forms.substitute_within(f, &pick, MAX_STEPS).unwrap_or(f)
    }

    /// What a shortened part is where a condition holds, if that is plain.
    fn decide(
        &mut self,
        atom: AtomId,
        given: F,
        depth: u8,
        known: &mut FxHashMap<AtomId, Option<F>>,
    ) -> Option<F> {
        let found = match *self.atom_meaning(atom) {
            Atom::Once(0, part) => self.decided(part, given, depth + 1, known),
            Atom::Either(condition, a, b) => {
                match self.decided(condition, given, depth + 1, known) {
                    F::TRUE => self.decided(a, given, depth + 1, known),
                    F::FALSE => self.decided(b, given, depth + 1, known),
                    _ => return None,
                }
            }
            Atom::Truthy(_)
            | Atom::Null(_)
            | Atom::IsText(..)
            | Atom::AtLeast(..)
            | Atom::Less(..)
            | Atom::Equal(..)
            | Atom::Has(..)
            | Atom::IsType(..)
            | Atom::Free(_)
            | Atom::Once(..) => return None,
        };
        (!self.forms.larger_than(found, MAX_PART)).then_some(found)
    }
}
