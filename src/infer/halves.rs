//! Answers that a program encodes whole, `{data, meta}`: which field is which half.
//!
//! Judges nothing; knows the halves by the names that the pack gives.

use super::formula::F;
use super::guessed::wire_names;
use super::observe::Exit;
use super::session::Session;
use super::value::{Node, Op, V};
use crate::pack::same_folded;

/// Most answers around one another (a text of an answer, an answer of a pair).
const MAX_WRAPPED: u8 = 4;

impl Session<'_> {
    /// Whether a field of an answer is its meta half, and so none of its data.
    pub(super) fn is_meta_half(&self, name: &str) -> bool {
        self.pack.meta.half.iter().any(|half| same_folded(half, name))
    }

    /// Whether an answer leaves by a call of a library and not of a framework.
    pub(super) fn is_library(&self, exit: Exit) -> bool {
        match exit {
            Exit::Sink(i) => self.pack.sinks[i].fallback,
            Exit::Result | Exit::Upstream(_) | Exit::Guess => false,
        }
    }

    /// The data and the meta half of an answer, on each way that it has both, with when.
    pub(super) fn halves(&mut self, v: V, guard: F) -> Vec<(F, V, V)> {
        if self.pack.meta.half.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut stack = vec![(guard, v, 0)];
        while let Some((guard, v, depth)) = stack.pop() {
            for (guard, leaf) in self.store.values.leaves(v, guard) {
                match self.store.values.node(leaf).clone() {
                    // Of several results of a handler one is the answer.
                    Node::Op(Op::Tuple, parts) if depth < MAX_WRAPPED => {
                        stack.extend(parts.iter().map(|part| (guard, *part, depth + 1)));
                    }
                    Node::Op(Op::Encode | Op::Decode, parts)
                        if self.store.body(leaf).is_none() && depth < MAX_WRAPPED =>
                    {
                        stack.push((guard, parts[0], depth + 1));
                    }
                    _ => found.extend(
                        self.halves_of(leaf, guard).map(|(data, meta)| (guard, data, meta)),
                    ),
                }
            }
        }
        found
    }

    fn halves_of(&mut self, v: V, guard: F) -> Option<(V, V)> {
        let id = self.store.body(v)?;
        let wire = wire_names(self, v, id);
        let (mut data, mut meta) = (None, None);
        for key in self.store.keys(id) {
            let Some(field) = self.store.values.as_text(key) else { continue };
            let known = wire.iter().flatten().find(|(f, _)| f == field.as_str());
            let name = known.and_then(|(_, wire)| wire.as_deref()).unwrap_or(field.as_str());
            if self.is_meta_half(name) {
                meta = Some(key);
            } else if self.pack.meta.data.iter().any(|half| same_folded(half, name)) {
                data = Some(key);
            }
        }
        let (data, meta) = (data?, meta?);
        Some((self.store.read(v, data, guard), self.store.read(v, meta, guard)))
    }
}
