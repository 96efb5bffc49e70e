//! Window parameters that a function bounds by what it returns early: a constant on one path, the
//! parameter on another, alone or as a part of what comes back.
//!
//! Only records; judges nothing.

use super::formula::F;
use super::session::Session;
use super::value::{Node, Origin, V};
use crate::ir::Range;

/// Most results of one function that are compared with each other.
const MAX_RESULTS: usize = 8;

impl<'p> Session<'p> {
    /// Compares the results of a function, each with its condition and the place of its return.
    pub(super) fn note_bounded_results(&mut self, ended: &[(F, V)], places: &[Range]) {
        if ended.len() < 2 || ended.len() > MAX_RESULTS {
            return;
        }
        let statement = self.statement;
        for (i, (f, new)) in ended.iter().enumerate() {
            if self.bears_error(*new, *f) {
                continue;
            }
            for (_, old) in ended.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, e)| *e) {
                for (new, old) in self.parts_of_both(*new, old) {
                    if self.is_fixed(new) && self.is_of_window(old) {
                        self.statement = places.get(i).copied().unwrap_or(statement);
                        self.note_reset(*f, new, old);
                    }
                }
            }
        }
        self.statement = statement;
    }

    /// Whether a part of a result may be an error: then the others say nothing.
    fn bears_error(&mut self, result: V, when: F) -> bool {
        let Node::List(id) = *self.store.values.node(result) else { return false };
        let parts: Vec<V> = self.store.list(id).elements.iter().map(|(_, v)| *v).take(4).collect();
        parts.into_iter().any(|part| {
            let leaves = self.store.values.leaves(part, when);
            let is_error = |v: V| {
                let symbol = self.store.values.symbol_of(v);
                symbol.is_some_and(|s| matches!(s.origin, Origin::Error))
            };
            leaves.into_iter().any(|(_, leaf)| is_error(leaf))
        })
    }

    /// What stands in the same place of two results.
    fn parts_of_both(&mut self, a: V, b: V) -> Vec<(V, V)> {
        match (self.store.values.node(a), self.store.values.node(b)) {
            (Node::List(x), Node::List(y)) => {
                let (x, y) = (self.store.list(*x), self.store.list(*y));
                x.elements.iter().zip(&y.elements).map(|(p, q)| (p.1, q.1)).take(4).collect()
            }
            (Node::Object(x), Node::Object(_)) => {
                let keys = self.store.keys(*x);
                let known = keys.into_iter().filter(|k| self.store.values.as_text(*k).is_some());
                known
                    .take(8)
                    .collect::<Vec<V>>()
                    .into_iter()
                    .map(|k| (self.store.read(a, k, F::TRUE), self.store.read(b, k, F::TRUE)))
                    .collect()
            }
            _ => vec![(a, b)],
        }
    }
}
