//! What a program without a framework shows by its types, its encoding and its names, so that a
//! function is worth a look and what it is given leaves.
//!
//! Knows no function.

use rustc_hash::FxHashSet;

use super::look::Look;
use super::resolve::Index;
use super::session::Session;
use super::value::V;
use crate::ir::{Builtin, Name, Type, TypeField, Value, ValueKind};
use crate::pack::Pack;

/// Types with a paging field on the wire, where what is encoded leaves.
pub(super) fn paging_types(index: &Index<'_>, pack: &Pack) -> FxHashSet<Name> {
    if pack.outlets.is_empty() {
        return FxHashSet::default();
    }
    let types = || index.program.modules.iter().flat_map(|m| &m.types);
    let raw = |f: &TypeField| f.wire.as_ref().is_some_and(|w| pack.is_raw(w));
    let own = types().filter(|t| t.fields.iter().any(raw));
    let mut paging: FxHashSet<Name> = own.map(|t| t.name.clone()).collect();
    // What holds the page information beside the rows pages too.
    let inside = |f: &TypeField| matches!(&f.ty, Type::Named(_, name) if paging.contains(name));
    let around = types().filter(|t| t.fields.iter().any(inside));
    let around: Vec<Name> = around.map(|t| t.name.clone()).collect();
    paging.extend(around);
    paging
}

/// Whether a call makes or reads JSON in a program that sends what it encodes.
pub(super) fn encodes(builtin: Option<Builtin>, pack: &Pack) -> bool {
    matches!(builtin, Some(Builtin::EncodeChecked | Builtin::DecodeInto))
        && !pack.outlets.is_empty()
}

/// Whether a function calls something whose name says that it sends what it is given.
pub(super) fn sends(look: &Look, pack: &Pack) -> bool {
    look.called.iter().any(|name| {
        let lower = name.to_lowercase();
        pack.sending_words.iter().any(|w| lower.contains(w.as_str()))
    })
}

impl Session<'_> {
    /// Whether a call that could not be followed says by its name that it sends its arguments;
    /// one that raises an event, by the event's name.
    pub(super) fn tells_that_it_sends(&self, name: &Name, of: Option<&Value>, args: &[V]) -> bool {
        let has = |name: &str, words: &[String]| {
            let lower = name.to_lowercase();
            words.iter().any(|w| lower.contains(w.as_str()))
        };
        if !self.pack.events.iter().any(|e| e == name.as_str()) {
            return has(name, &self.pack.sending_words);
        }
        let given = args.first().and_then(|v| self.store.values.as_text(*v));
        let event = match of.map(|of| &of.kind) {
            Some(ValueKind::Member(_, event, _) | ValueKind::Global(event)) => Some(event),
            _ => None,
        };
        let names = given.into_iter().chain(event);
        names.into_iter().any(|name| has(name, &self.pack.answering_words))
    }
}
