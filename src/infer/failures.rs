//! Which objects tell of a failure and so are no page: by a flag that is false in them, by a
//! reason that only failures have, or by the name of the call that makes them.
//!
//! Judges nothing; what the failure answers is for others to ask.

use super::formula::F;
use super::members::MAX_CARRIER;
use super::session::Session;
use super::value::{Node, Op, Origin, V};
use crate::ir::{Entry, EntryKey, Range};
use crate::pack::folded;

impl<'p> Session<'p> {
    /// When an object, as it is where `care` holds, tells of a failure.
    pub(super) fn failing(&mut self, v: V, care: F) -> F {
        if super::envelope::is_error(self, v) {
            return F::TRUE;
        }
        let mut failing = F::FALSE;
        for (key, is_flag) in self.telling(v) {
            let value = self.store.read(v, key, care);
            if !self.store.values.any_leaf(value, |v, _| self.tells(v, is_flag)) {
                continue;
            }
            let here = self.store.has(v, key, care);
            let there = self.store.values.forms.and(here, care);
            for (guard, leaf) in self.store.values.leaves(value, there) {
                if self.tells(leaf, is_flag) {
                    failing = self.store.values.forms.or(failing, guard);
                }
            }
        }
        failing
    }

    /// When an object tells of a failure, by itself or by what it only carries.
    pub(super) fn failing_inside(&mut self, v: V, care: F) -> F {
        let mut failing = self.failing(v, care);
        let Some(id) = self.store.body(v) else { return failing };
        let keys = self.store.keys(id);
        if failing == care || keys.len() > MAX_CARRIER {
            return failing;
        }
        for key in keys {
            let here = self.store.has(v, key, care);
            let there = self.store.values.forms.and(here, care);
            let value = self.store.read(v, key, there);
            let inside = self.failing_member(key, &[(key, there, value)]);
            failing = self.store.values.forms.or(failing, inside);
        }
        failing
    }

    /// When the field that carries a page holds a failure in its place.
    pub(super) fn failing_member(&mut self, field: V, presences: &[(V, F, V)]) -> F {
        let mut failing = F::FALSE;
        for (_, presence, value) in presences.iter().filter(|(key, ..)| *key == field) {
            for (guard, leaf) in self.store.values.leaves(*value, *presence) {
                let here = self.failing(leaf, guard);
                let here = self.store.values.forms.and(here, guard);
                failing = self.store.values.forms.or(failing, here);
            }
        }
        failing
    }

    /// Whether a value is false on every path.
    fn is_no(&self, v: V) -> bool {
        matches!(self.store.values.node(v), Node::Cond(F::FALSE))
    }

    /// Whether a value can say why something failed; numbers and flags do not.
    fn is_reason(&self, v: V) -> bool {
        match self.store.values.node(v) {
            Node::Null | Node::Int(_) | Node::Float(_) | Node::Cond(_) => false,
            Node::Text(text) => !text.is_empty(),
            Node::Op(op, _) => !matches!(op, Op::Size | Op::Sub | Op::Mul | Op::Min | Op::Max),
            Node::Symbol(_) => !matches!(
                self.store.values.symbol_of(v).map(|s| &s.origin),
                Some(Origin::Counter(_) | Origin::Round | Origin::Carried(_))
            ),
            _ => true,
        }
    }

    /// Remembers an object that is written down as a failure.
    pub(super) fn note_failed_literal(&mut self, v: V, entries: &[Entry], range: Range) {
        let named = entries.iter().any(|e| match &e.key {
            EntryKey::Known(name) => self.telling_word(name).is_some(),
            _ => false,
        });
        if named && self.may_fail(v, self.pc) {
            self.note_error_at(v, &[], range);
        }
    }

    /// Whether an object, as it is where `care` holds, may tell of a failure.
    fn may_fail(&mut self, v: V, care: F) -> bool {
        super::envelope::is_error(self, v)
            || self.telling(v).into_iter().any(|(key, is_flag)| {
                let value = self.store.read(v, key, care);
                self.store.values.any_leaf(value, |v, _| self.tells(v, is_flag))
            })
    }

    /// The keys of an object that may tell of a failure, and whether each is a flag.
    fn telling(&self, v: V) -> Vec<(V, bool)> {
        let Some(id) = self.store.body(v) else { return Vec::new() };
        let keys = self.store.keys(id).into_iter().filter_map(|key| {
            let is_flag = self.telling_word(self.store.values.as_text(key)?)?;
            Some((key, is_flag))
        });
        keys.collect()
    }

    /// Whether a name is that of a flag or of a reason of failures: `true` for a flag.
    fn telling_word(&self, name: &str) -> Option<bool> {
        let is_one = |words: &[String]| words.iter().any(|word| word == name);
        let is_flag = is_one(&self.pack.failure_flags);
        (is_flag || is_one(&self.pack.failure_reasons)).then_some(is_flag)
    }

    /// Whether the value of a flag or a reason tells of a failure.
    fn tells(&self, v: V, is_flag: bool) -> bool {
        if is_flag {
            self.is_no(v)
        } else {
            self.is_reason(v)
        }
    }

    /// Remembers an object that a written field turns into a failure.
    pub(super) fn note_failed_write(&mut self, target: V, key: V, v: V, range: Range) {
        let Some(name) = self.store.values.as_text(key) else { return };
        if self.telling_word(name).is_some_and(|is_flag| self.tells(v, is_flag)) {
            self.note_error_at(target, &[], range);
        }
    }

    /// Remembers a failure that is made or sent by a call of which only the name is known.
    pub(super) fn note_failed_call(&mut self, name: &str, v: V, range: Range) {
        if self.names_failure(name) {
            self.note_error_at(v, &[], range);
        }
    }

    /// Remembers a failure that a function of the workspace makes by its name, in a form of its
    /// own.
    pub(super) fn note_failed_result(&mut self, name: &str, v: V, range: Range) {
        if self.store.body(v).is_some() && self.names_failure(name) {
            self.note_error_at(v, &[], range);
        }
    }

    /// Whether a name has a word of failures in it, a short one as a word of its own.
    fn names_failure(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        self.pack.failure_words.iter().any(|w| match w.len() {
            0..4 => folded(name).split('_').any(|word| word == w),
            _ => lower.contains(w.as_str()),
        })
    }
}
