//! What choices between formulas gave, as far as a table of bounded size remembers.
//!
//! Knows no formula, only ids.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::formula::F;

/// The results of the last choices, each at the place that its operands hash to: a later one may
/// take the place of an earlier one, which then is found out again.
#[derive(Default)]
pub struct Choices {
    kept: Vec<[F; 4]>,
    taken: usize,
}

impl Choices {
    /// Places at first, and at most.
    const SIZES: (usize, usize) = (1 << 8, 1 << 16);
    /// What an empty place holds: no operands of a choice that is looked up.
    const EMPTY: [F; 4] = [F::TRUE; 4];

    fn place(&self, operands: [F; 3]) -> usize {
        FxBuildHasher.hash_one(operands) as usize & (self.kept.len() - 1)
    }

    /// What a choice gave, if that is still known.
    pub fn get(&self, operands: [F; 3]) -> Option<F> {
        if self.kept.is_empty() {
            return None;
        }
        let [a, b, c, result] = self.kept[self.place(operands)];
        ([a, b, c] == operands).then_some(result)
    }

    /// Keeps what a choice gave.
    pub fn keep(&mut self, operands: [F; 3], result: F) {
        if self.taken >= self.kept.len() && self.kept.len() < Self::SIZES.1 {
            let more = (self.kept.len() * 4).max(Self::SIZES.0);
            let old = std::mem::replace(&mut self.kept, vec![Self::EMPTY; more]);
            for [a, b, c, result] in old.into_iter().filter(|kept| *kept != Self::EMPTY) {
                let place = self.place([a, b, c]);
                self.kept[place] = [a, b, c, result];
            }
        }
        let place = self.place(operands);
        self.taken += usize::from(self.kept[place] == Self::EMPTY);
        self.kept[place] = [operands[0], operands[1], operands[2], result];
    }
}
