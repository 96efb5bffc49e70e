//! Which facts a formula depends on, which of them are certain, and how large it is.
//!
//! Knows nothing of what they mean; makes no formula.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::formula::{AtomId, Formulas, Node, Seen, F};

impl Formulas {
    /// Whether a formula's diagram has more than `limit` nodes.
    pub fn larger_than(&self, f: F, limit: usize) -> bool {
        if self.node(f).size as usize <= limit {
            return false;
        }
        let mut nodes = 0;
        self.each_node(f, 0, |_| {
            nodes += 1;
            nodes <= limit
        });
        nodes > limit
    }

    /// Tells each node of a diagram once whose fact is no older than `first`, as long as `go_on`
    /// says so.
    fn each_node(&self, f: F, first: AtomId, mut go_on: impl FnMut(&Node) -> bool) {
        let (mut seen, mut stack) = (self.seen.borrow_mut(), self.stack.borrow_mut());
        let Seen { round, at } = &mut *seen;
        *round += 1;
        at.resize(self.nodes.len(), 0);
        stack.clear();
        stack.push(f);
        let mut steps = 0;
        while let Some(f) = stack.pop() {
            if self.is_older(f, first) || std::mem::replace(&mut at[f.id()], *round) == *round {
                continue;
            }
            let node = &self.nodes[f.id()];
            steps += 2;
            if !go_on(node) {
                break;
            }
            stack.push(node.low);
            stack.push(node.high);
        }
        self.work.did(steps);
    }

    /// The single fact that `f` is or denies, with its sign.
    pub fn literal(&self, f: F) -> Option<(AtomId, bool)> {
        let node = self.node(f);
        match (node.low, node.high) {
            (F::FALSE, F::TRUE) if !f.is_constant() => Some((node.level - 1, true)),
            (F::TRUE, F::FALSE) if !f.is_constant() => Some((node.level - 1, false)),
            _ => None,
        }
    }

    /// The facts that `f` depends on, ascending.
    pub fn support(&self, f: F) -> Vec<AtomId> {
        self.support_since(f, 0)
    }

    /// The facts that `f` depends on and that are no older than `first`, ascending.
    pub fn support_since(&self, f: F, first: AtomId) -> Vec<AtomId> {
        let mut atoms = Vec::new();
        self.each_node(f, first, |node| {
            atoms.push(node.level - 1);
            true
        });
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// The facts that hold, and those that do not, wherever `f` holds; ascending.
    pub fn certain(&self, f: F) -> Rc<[(AtomId, bool)]> {
        self.certain_in(f, &mut FxHashMap::default())
    }

    /// The facts that are certain in a formula that can hold, ascending.
    fn certain_in(
        &self,
        f: F,
        done: &mut FxHashMap<F, Rc<[(AtomId, bool)]>>,
    ) -> Rc<[(AtomId, bool)]> {
        if f.is_constant() {
            return Rc::default();
        }
        if let Some(known) = done.get(&f) {
            return known.clone();
        }
        self.work.did(1);
        let node = self.node(f);
        let with = |facts: Rc<[(AtomId, bool)]>, holds| -> Rc<[(AtomId, bool)]> {
            facts.iter().copied().chain([(node.level - 1, holds)]).collect()
        };
        let facts = match (node.low, node.high) {
            (F::FALSE, high) => with(self.certain_in(high, done), true),
            (low, F::FALSE) => with(self.certain_in(low, done), false),
            (low, high) => {
                let (a, b) = (self.certain_in(low, done), self.certain_in(high, done));
                a.iter().copied().filter(|fact| b.binary_search(fact).is_ok()).collect()
            }
        };
        done.insert(f, facts.clone());
        facts
    }
}
