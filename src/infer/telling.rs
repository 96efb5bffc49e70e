//! What a program without a framework shows by its types and its encoding, so that a function is
//! worth a look.
//!
//! Knows no function.

use rustc_hash::FxHashSet;

use super::look::Look;
use super::resolve::Index;
use crate::ir::{Builtin, Name};
use crate::pack::Pack;

/// Types with a paging field on the wire, where what is encoded leaves.
pub(super) fn paging_types(index: &Index<'_>, pack: &Pack) -> FxHashSet<Name> {
    if pack.outlets.is_empty() {
        return FxHashSet::default();
    }
    let types = index.program.modules.iter().flat_map(|m| &m.types);
    let paging =
        types.filter(|t| t.fields.iter().any(|f| f.wire.as_ref().is_some_and(|w| pack.is_raw(w))));
    paging.map(|t| t.name.clone()).collect()
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
