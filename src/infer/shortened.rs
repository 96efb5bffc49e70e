//! Puts back the parts of formulas that were shortened to one fact each, within a budget.
//!
//! Knows nothing of what the other facts mean.

use super::atom::Atom;
use super::formula::{AtomId, F};
use super::value::Values;

/// Most times that shortened parts of a formula are put back.
const MAX_ROUNDS: usize = 8;

/// Most steps that may be spent on one round of it.
const MAX_STEPS: u32 = 6_000;

/// Most steps that one session may spend on it.
const MAX_ALL: u32 = 150_000;

/// A formula with its shortened parts put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spelled {
    /// The formula.
    pub formula: F,
    /// Whether no part is short any more. Else the formula is weaker knowledge: what it admits
    /// may be excluded by a part that could not be put back.
    pub whole: bool,
}

/// What a shortened part of a formula stands for.
pub(super) enum Short {
    /// A formula that has grown large.
    Part(F),
    /// The second where the first holds, else the third.
    Either(F, F, F),
}

impl Values {
    /// A formula with the parts that were shortened put back, as far as the budget allows.
    pub fn spelled_out(&mut self, f: F) -> Spelled {
        if let Some(known) = self.spelled.get(&f) {
            return *known;
        }
        let before = self.forms.steps();
        let spelled = match self.spelling < MAX_ALL {
            true => self.spell(f),
            false => Spelled {
                formula: f,
                whole: self.forms.support(f).iter().all(|a| !self.is_short(*a)),
            },
        };
        self.spelling += self.forms.steps() - before;
        self.spelled.insert(f, spelled);
        spelled
    }

    /// Whether both can hold at once, with their shortened parts put back as far as the budget
    /// allows. The second is the question; the first may be large.
    pub fn possible(&mut self, a: F, b: F) -> bool {
        let both = self.forms.and(a, b);
        if both == F::FALSE || self.forms.support(both).iter().all(|a| !self.is_short(*a)) {
            return both != F::FALSE;
        }
        // One of them is often asked about again with another.
        let (a, b) = (self.spelled_out(a), self.spelled_out(b));
        match self.forms.choose_within(a.formula, b.formula, F::FALSE, MAX_STEPS) {
            Some(F::FALSE) => false,
            Some(_) if a.whole && b.whole => true,
            Some(_) | None => !self.excludes_itself(both, b.formula),
        }
    }

    pub(super) fn is_short(&self, atom: AtomId) -> bool {
        self.stands_for(atom).is_some()
    }

    /// What a fact stands for, where it is a shortened part.
    pub(super) fn stands_for(&self, atom: AtomId) -> Option<Short> {
        match self.atom_meaning(atom) {
            Atom::Once(0, part) => Some(Short::Part(*part)),
            Atom::Either(condition, a, b) => Some(Short::Either(*condition, *a, *b)),
            Atom::Truthy(_)
            | Atom::Null(_)
            | Atom::IsText(..)
            | Atom::AtLeast(..)
            | Atom::Less(..)
            | Atom::Equal(..)
            | Atom::Has(..)
            | Atom::IsType(..)
            | Atom::Free(_)
            | Atom::Once(..) => None,
        }
    }

    fn spell(&mut self, f: F) -> Spelled {
        let mut f = f;
        for _ in 0..MAX_ROUNDS {
            let Some(parts) = self.short_parts(f) else { break };
            if parts.is_empty() {
                return Spelled { formula: f, whole: !self.forms.overflowed() };
            }
            let first = parts.first().map_or(0, |(first, _)| *first);
            let pick = |atom| parts.iter().find(|(a, _)| *a == atom).map(|(_, part)| *part);
            match self.forms.substitute_within(f, first, &pick, MAX_STEPS) {
                Some(longer) => f = longer,
                None => break,
            }
        }
        Spelled { formula: f, whole: f.is_constant() }
    }

    /// The facts of a formula that stand for others, with what they stand for; `None` where one
    /// is too much to write.
    fn short_parts(&mut self, f: F) -> Option<Vec<(AtomId, F)>> {
        let mut parts = Vec::new();
        for atom in self.forms.support(f) {
            let part = match self.stands_for(atom) {
                Some(Short::Part(part)) => part,
                Some(Short::Either(condition, a, b)) => {
                    self.forms.choose_within(condition, a, b, MAX_STEPS)?
                }
                None => continue,
            };
            parts.push((atom, part));
        }
        Some(parts)
    }
}
