//! Formulas with facts replaced by others, or left open.
//!
//! Knows nothing of what they mean.

use rustc_hash::FxHashMap;

use super::formula::{AtomId, Formulas, F, MAX_STEPS};

impl Formulas {
    /// `f` with facts replaced: `pick` gives the value of an atom that is no older than `first`, or
    /// `None` to keep it.
    pub fn substitute(&mut self, f: F, first: AtomId, pick: &dyn Fn(AtomId) -> Option<F>) -> F {
        let mut done = FxHashMap::default();
        self.substitute_in(f, first, pick, &mut done)
    }

    fn substitute_in(
        &mut self,
        f: F,
        first: AtomId,
        pick: &dyn Fn(AtomId) -> Option<F>,
        done: &mut FxHashMap<F, F>,
    ) -> F {
        if self.is_older(f, first) {
            return f;
        }
        let denied = f.is_denied();
        let f = f.denied_if(denied);
        if let Some(known) = done.get(&f) {
            return known.denied_if(denied);
        }
        let node = self.node(f);
        let low = self.substitute_in(node.low, first, pick, done);
        let high = self.substitute_in(node.high, first, pick, done);
        let condition = match pick(node.level - 1) {
            Some(value) => value,
            None => self.atom(node.level - 1),
        };
        let result = self.choose(condition, high, low);
        done.insert(f, result);
        result.denied_if(denied)
    }

    /// As `substitute`, but `None` where that takes more than `most` steps.
    pub fn substitute_within(
        &mut self,
        f: F,
        first: AtomId,
        pick: &dyn Fn(AtomId) -> Option<F>,
        most: u32,
    ) -> Option<F> {
        self.limit = MAX_STEPS.min(self.steps + most);
        let f = self.substitute(f, first, pick);
        self.limit = MAX_STEPS;
        (!std::mem::take(&mut self.gave_up)).then_some(f)
    }

    /// `f` with a fact taken as given.
    pub fn assume(&mut self, f: F, atom: AtomId, value: bool) -> F {
        self.substitute(f, atom, &|a| (a == atom).then_some(F::constant(value)))
    }

    /// Whether some values of the facts that `local` names, none of them older than `first`, make
    /// `f` hold.
    pub fn exists(&mut self, f: F, first: AtomId, local: &dyn Fn(AtomId) -> bool) -> F {
        let mut done = FxHashMap::default();
        self.exists_in(f, first, local, &mut done)
    }

    fn exists_in(
        &mut self,
        f: F,
        first: AtomId,
        local: &dyn Fn(AtomId) -> bool,
        done: &mut FxHashMap<F, F>,
    ) -> F {
        if self.is_older(f, first) {
            return f;
        }
        if let Some(known) = done.get(&f) {
            return *known;
        }
        self.work.did(1);
        let node = self.node(f);
        let low = self.exists_in(node.low, first, local, done);
        let high = self.exists_in(node.high, first, local, done);
        let result = if local(node.level - 1) {
            self.or(low, high)
        } else {
            self.make(node.level - 1, low, high)
        };
        done.insert(f, result);
        result
    }
}
