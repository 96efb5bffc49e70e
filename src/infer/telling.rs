//! Which names and texts of a pack make a function worth a look.
//!
//! Knows no function.

use rustc_hash::FxHashSet;

use super::resolve::Index;
use crate::ir::{Builtin, Name};
use crate::pack::Pack;

/// The last names of all calls that a pack speaks of.
pub(super) fn pack_call_names(pack: &Pack) -> FxHashSet<Name> {
    let calls = pack
        .sinks
        .iter()
        .map(|s| &s.call)
        .chain(&pack.errors)
        .chain(pack.registrars.iter().map(|r| &r.call))
        .chain(&pack.settings)
        .chain(pack.upstreams.iter().map(|u| &u.call))
        .chain(pack.stage_calls.iter().map(|c| &c.call))
        .chain(&pack.dry_run_guards)
        .chain(&pack.opaque)
        .chain(&pack.stage_reads)
        .chain(&pack.meta.option)
        .chain(pack.metadata_calls.iter().map(|c| &c.call))
        .chain(pack.stage_guards.iter().map(|c| &c.call))
        .chain(pack.outlets.calls());
    calls.map(|c| Name::new(c.rsplit('.').next().unwrap_or(c))).collect()
}

/// Whether a core operation changes what fields an object has.
pub(super) fn shapes_objects(builtin: Option<Builtin>) -> bool {
    matches!(builtin, Some(Builtin::Merge | Builtin::Assign | Builtin::Remove | Builtin::Set))
}

/// The names that are a reason to run a function: calls, but not those that print a text, and
/// types with a paging field on the wire.
pub(super) fn telling_names(
    index: &Index<'_>,
    calls: &FxHashSet<Name>,
    pack: &Pack,
) -> FxHashSet<Name> {
    let last = |call: &str| Name::new(call.rsplit('.').next().unwrap_or(call));
    let mut telling = calls.clone();
    for sink in pack.sinks.iter().filter(|s| s.fallback && s.encoded) {
        telling.remove(&last(&sink.call));
    }
    let texts = pack.outlets.write.iter().chain(&pack.outlets.contents);
    for call in texts {
        telling.remove(&last(call));
    }
    if !pack.outlets.is_empty() {
        let types = index.program.modules.iter().flat_map(|m| &m.types);
        let paging = types
            .filter(|t| t.fields.iter().any(|f| f.wire.as_ref().is_some_and(|w| pack.is_raw(w))));
        telling.extend(paging.map(|t| t.name.clone()));
    }
    telling
}

/// Whether a call makes or reads JSON in a program that sends what it encodes.
pub(super) fn encodes(builtin: Option<Builtin>, pack: &Pack) -> bool {
    matches!(builtin, Some(Builtin::EncodeChecked | Builtin::DecodeInto))
        && !pack.outlets.is_empty()
}

/// Whether a type's name is one by which commands or pagination are declared.
pub(super) fn is_declaration(name: &str, pack: &Pack) -> bool {
    pack.commands.iter().any(|c| c.type_name == name)
        || pack.meta.declaration_types.iter().any(|t| t == name)
        || pack.sinks.iter().any(|s| s.field.is_some() && s.call.rsplit('.').next() == Some(name))
}

/// Whether a text is a word of the pack.
pub(super) fn is_word(text: &str, pack: &Pack) -> bool {
    pack.asks_in_text(text)
        || text.len() < 40
            && (pack.role(text).is_some()
                || pack.weak_role(text).is_some()
                || pack.is_raw(text)
                || pack.is_weak_cursor(text)
                || pack.window(text).is_some())
}
