//! What a call gives: the values of all its paths as one, with equal or many ones taken together.
//!
//! Knows no pack word.

use super::formula::F;
use super::session::Session;
use super::value::{Node, Op, Origin, V};
use crate::ir::Range;

/// Most answers that can be told apart where they come together.
const MAX_ANSWERS: usize = 16;
/// Fewest returns of a function that answers for many tools.
const FEWEST_RETURNS: usize = 6;
/// Most plain values that one function's results are told apart by.
const MAX_PLAIN_RESULTS: usize = 8;

impl Session<'_> {
    /// What a function gives that has more objects to give than can be told apart behind it: it
    /// hands out the answers of many tools, which leave as they are.
    pub(super) fn hand_out_answers(&mut self, range: Range) {
        if self.returns.len() < FEWEST_RETURNS || !self.pack.outlets.is_empty() {
            return;
        }
        let mut answers = Vec::new();
        for (f, v) in self.returns.clone() {
            let leaves = self.store.values.leaves(v, f);
            answers.extend(leaves.into_iter().filter(|(_, v)| self.store.body(*v).is_some()));
        }
        if answers.len() > MAX_ANSWERS {
            for (guard, answer) in answers {
                self.hand_out(answer, guard, range);
            }
        }
    }

    /// Results with their conditions as the caller sees them. Where a function returns many
    /// plain values, they become one that is not known.
    pub(super) fn few_results(&mut self, ended: Vec<(F, V)>) -> Vec<(F, V)> {
        let plain = |s: &Self, v: V| {
            matches!(
                s.store.values.node(v),
                Node::Symbol(_) | Node::Text(_) | Node::Int(_) | Node::Float(_)
            ) || matches!(s.store.values.node(v), Node::Op(op, _) if *op != Op::Tuple)
        };
        let many = ended.iter().filter(|(_, v)| plain(self, *v)).count() > MAX_PLAIN_RESULTS;
        let is_error = |s: &Self, v: V| {
            matches!(s.store.values.symbol_of(v).map(|s| &s.origin), Some(Origin::Error))
                && s.store.body(v).is_none()
        };
        let errors = ended.iter().filter(|(_, v)| is_error(self, *v)).count() > 3;
        let mut failed: Option<(F, V)> = None;
        let mut parts = Vec::with_capacity(ended.len());
        for (f, v) in ended {
            if errors && is_error(self, v) {
                failed = Some(match failed {
                    None => (f, v),
                    Some((known, v)) => (self.store.values.forms.or(known, f), v),
                });
                continue;
            }
            if many && plain(self, v) {
                continue;
            }
            let f = self.store.values.forms.restrict(f, self.pc);
            parts.push((self.store.values.short(f), v));
        }
        if let Some((f, v)) = failed {
            let f = self.store.values.forms.restrict(f, self.pc);
            parts.insert(0, (self.store.values.short(f), v));
        }
        if many {
            let rest = self.store.values.unknown();
            parts.push((F::TRUE, rest));
        }
        parts
    }

    /// Joins returned values; tuples are joined part by part.
    pub(super) fn join_results(&mut self, parts: &[(F, V)]) -> V {
        let tuples: Option<Vec<(F, Box<[V]>)>> = parts
            .iter()
            .map(|(f, v)| match self.store.values.node(*v) {
                Node::Op(Op::Tuple, items) => Some((*f, items.clone())),
                _ => None,
            })
            .collect();
        match tuples {
            Some(tuples) if tuples.len() > 1 => {
                let width = tuples.iter().map(|(_, t)| t.len()).min().unwrap_or(0);
                let mut joined = Vec::with_capacity(width);
                for i in 0..width {
                    let column: Vec<(F, V)> = tuples.iter().map(|(f, t)| (*f, t[i])).collect();
                    let column = self.each_once(column);
                    joined.push(self.store.values.join(&column));
                }
                self.store.values.op(Op::Tuple, &joined)
            }
            _ => self.store.values.join(parts),
        }
    }

    /// Results of different paths with equal ones taken together, so that many paths to few
    /// values stay few.
    fn each_once(&mut self, parts: Vec<(F, V)>) -> Vec<(F, V)> {
        if parts.len() <= MAX_PLAIN_RESULTS {
            return parts;
        }
        let mut once: Vec<(F, V)> = Vec::with_capacity(parts.len());
        for (f, v) in parts {
            match once.iter_mut().find(|(_, known)| *known == v) {
                Some((known, _)) => *known = self.store.values.forms.or(*known, f),
                None => once.push((f, v)),
            }
        }
        for (f, _) in &mut once {
            *f = self.store.values.short(*f);
        }
        once
    }
}
