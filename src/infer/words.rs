//! Which names of a program a pack has something to say of.
//!
//! A look at names only; says nothing of what stands behind them.

use rustc_hash::FxHashSet;

use crate::ir::Name;
use crate::pack::Pack;

/// The last names of all calls that the pack speaks of.
pub fn pack_call_names(pack: &Pack) -> FxHashSet<Name> {
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
        .chain(pack.stage_guards.iter().map(|c| &c.call));
    calls.map(|c| Name::new(c.rsplit('.').next().unwrap_or(c))).collect()
}

/// Whether a type's name is one by which commands, results, groups or pagination are declared.
pub fn declares(name: &str, pack: &Pack) -> bool {
    let meta = &pack.meta;
    let lists = [
        &meta.declaration_types,
        &meta.result_declaration_types,
        &meta.result_types,
        &meta.group_types,
    ];
    pack.commands.iter().any(|c| c.type_name == name)
        || lists.iter().any(|list| list.iter().any(|t| t == name))
}

/// Whether a type's name is one by which something is declared or leaves.
pub fn is_declaration(name: &str, pack: &Pack) -> bool {
    declares(name, pack)
        || pack.sinks.iter().any(|s| s.field.is_some() && s.call.rsplit('.').next() == Some(name))
}

/// Whether a text is a word of the pack.
pub fn is_word(text: &str, pack: &Pack) -> bool {
    let told = |list: &[String]| list.iter().any(|word| word == text);
    text.len() < 40
        && (told(&pack.meta.exhausted)
            || told(&pack.meta.token)
            || pack.commands.iter().any(|c| c.stage == text)
            || pack.role(text).is_some()
            || pack.weak_role(text).is_some()
            || pack.is_raw(text)
            || pack.is_weak_cursor(text)
            || pack.window(text).is_some())
}
