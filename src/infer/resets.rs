//! Window parameters that a branch bounds or replaces by a constant.
//!
//! Judges nothing.

use super::formula::F;
use super::observe::Bound;
use super::session::Session;
use super::value::{Node, Op, V};

impl Session<'_> {
    /// Remembers a window parameter that a branch replaces by a constant.
    pub(super) fn note_reset(&mut self, condition: F, a: V, b: V) {
        let joined_bound = {
            let v = self.store.values.choose(condition, a, b);
            matches!(self.store.values.node(v), Node::Op(Op::Min | Op::Max, _))
                || self.has_new_bound(v)
        };
        if joined_bound {
            let v = self.store.values.choose(condition, a, b);
            self.note_bound(v, self.statement);
            return;
        }
        let no = condition.denied();
        for (f, new, old) in [(condition, a, b), (no, b, a)] {
            if new == old || !self.is_fixed(new) || !self.is_number(new) {
                continue;
            }
            let windows: Vec<V> = self
                .store
                .values
                .leaves(old, F::TRUE)
                .into_iter()
                .map(|(_, leaf)| leaf)
                .filter(|leaf| self.window_of(*leaf).is_some())
                .collect();
            for window in windows {
                if self.tests(f, window) {
                    let site = self.site(self.statement);
                    let activity = self.activity();
                    self.seen.bounds.push(Bound {
                        value: window,
                        reset: Some((f, new)),
                        when: F::TRUE,
                        site,
                        activity,
                    });
                }
            }
        }
    }

    /// Remembers a window parameter that an object keeps and a branch replaces by a constant.
    pub(super) fn note_field_reset(&mut self, target: V, key: V, new: V) {
        let condition = self.pc;
        if condition == F::TRUE || !self.is_fixed(new) || !self.is_number(new) {
            return;
        }
        let old = self.store.read(target, key, condition);
        if self.is_of_window(old) {
            self.note_reset(condition, new, old);
        }
    }

    fn has_new_bound(&mut self, v: V) -> bool {
        let known = &self.seen.bound_values;
        let is_new = |v: V, node: &Node| {
            matches!(node, Node::Op(Op::Min | Op::Max, _)) && !known.contains_key(&v)
        };
        // Most values have none anywhere, and when it holds need not be asked.
        if !self.store.values.any_leaf(v, is_new) {
            return false;
        }
        self.store.values.leaves(v, F::TRUE).iter().any(|(_, leaf)| {
            matches!(self.store.values.node(*leaf), Node::Op(Op::Min | Op::Max, _))
                && !self.seen.bound_values.contains_key(leaf)
        })
    }
}
