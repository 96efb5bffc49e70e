//! Choices between formulas: which are the same, and what they gave, as far as a table of bounded
//! size remembers.
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
    /// Room for a larger table.
    spare: Vec<[F; 4]>,
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

    /// Forgets all of it, but not the room that it took.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.taken = 0;
    }

    /// Keeps what a choice gave.
    pub fn keep(&mut self, operands: [F; 3], result: F) {
        if self.taken >= self.kept.len() && self.kept.len() < Self::SIZES.1 {
            let more = (self.kept.len() * 4).max(Self::SIZES.0);
            std::mem::swap(&mut self.kept, &mut self.spare);
            self.kept.clear();
            self.kept.resize(more, Self::EMPTY);
            let old = std::mem::take(&mut self.spare);
            for [a, b, c, result] in old.iter().copied().filter(|kept| *kept != Self::EMPTY) {
                let place = self.place([a, b, c]);
                self.kept[place] = [a, b, c, result];
            }
            self.spare = old;
        }
        let place = self.place(operands);
        self.taken += usize::from(self.kept[place] == Self::EMPTY);
        self.kept[place] = [operands[0], operands[1], operands[2], result];
    }
}

/// What a choice comes to before any diagram is looked at.
pub(super) enum Plain {
    /// This.
    Known(F),
    /// A choice between these, of which the first two are not denied, and whether to deny it.
    Choice([F; 3], bool),
}

/// Puts choices that are the same alike: which of two facts is asked first, and what is denied, is
/// no difference. The forms are those of Brace, Rudell and Bryant, "Efficient implementation of a
/// BDD package" (1990).
pub(super) fn plainly(condition: F, a: F, b: F) -> Plain {
    let (mut c, mut a, mut b) = (condition, a, b);
    if c.is_constant() {
        return Plain::Known(if c == F::TRUE { a } else { b });
    }
    if a.id() == c.id() {
        a = F::constant(a == c);
    }
    if b.id() == c.id() {
        b = F::constant(b != c);
    }
    if a == b {
        return Plain::Known(a);
    }
    match (a, b) {
        (F::TRUE, F::FALSE) => return Plain::Known(c),
        (F::FALSE, F::TRUE) => return Plain::Known(c.denied()),
        (F::TRUE, _) if b.id() < c.id() => (c, b) = (b, c),
        (_, F::FALSE) if a.id() < c.id() => (c, a) = (a, c),
        (F::FALSE, _) if b.id() < c.id() => (c, b) = (b.denied(), c.denied()),
        (_, F::TRUE) if a.id() < c.id() => (c, a) = (a.denied(), c.denied()),
        _ if a == b.denied() && a.id() < c.id() => (c, a, b) = (a, c, c.denied()),
        _ => {}
    }
    if c.is_denied() {
        (c, a, b) = (c.denied(), b, a);
    }
    let denied = a.is_denied();
    Plain::Choice([c, a.denied_if(denied), b.denied_if(denied)], denied)
}
