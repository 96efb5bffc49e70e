//! Which names of a program a pack has something to say of.
//!
//! A look at names only; says nothing of what stands behind them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::resolve::Index;
use crate::ir::{Global, Name, Value, ValueKind};
use crate::pack::Pack;

/// The calls that a pack speaks of, by last name.
pub type PackCalls = FxHashMap<Name, PackCall>;

/// A call that a pack speaks of.
#[derive(Debug, Default, PartialEq)]
pub struct PackCall {
    /// Packages that it must be called on; none where it may be called on something else too.
    pub packages: Vec<Name>,
    /// Whether it sends, asks a service, registers or declares.
    pub acts: bool,
}

/// The calls that the pack speaks of, by last name.
pub fn pack_call_names(pack: &Pack) -> PackCalls {
    // To print a text is no reason to look: what makes the text is.
    let (prints, sinks): (Vec<_>, Vec<_>) =
        pack.sinks.iter().partition(|s| s.fallback && s.encoded);
    let outlets = &pack.outlets;
    let acting = sinks
        .iter()
        .map(|s| &s.call)
        .chain(outlets.encoders.iter().chain(&outlets.encode))
        .chain(outlets.gives.iter().map(|g| &g.call))
        .chain(&pack.errors)
        .chain(pack.registrars.iter().map(|r| &r.call))
        .chain(pack.upstreams.iter().map(|u| &u.call))
        .chain(pack.stage_calls.iter().map(|c| &c.call))
        .chain(&pack.meta.option)
        .chain(pack.metadata_calls.iter().map(|c| &c.call));
    let asking = pack
        .settings
        .iter()
        .chain(prints.iter().map(|s| &s.call))
        .chain(outlets.write.iter().chain(&outlets.contents).chain(&outlets.around))
        .chain(&pack.dry_run_guards)
        .chain(&pack.opaque)
        .chain(&pack.stage_reads)
        .chain(pack.stage_guards.iter().map(|c| &c.call));
    let mut found = PackCalls::default();
    let mut anywhere = FxHashSet::default();
    for (call, acts) in acting.map(|c| (c, true)).chain(asking.map(|c| (c, false))) {
        let (base, last) = call.rsplit_once('.').unwrap_or(("", call));
        let package = base.rsplit('.').next().filter(|b| b.starts_with(char::is_lowercase));
        let known = found.entry(Name::new(last)).or_default();
        known.acts |= acts;
        match package {
            Some(package) => known.packages.push(Name::new(package)),
            None => {
                anywhere.insert(Name::new(last));
            }
        }
    }
    for (name, call) in &mut found {
        if anywhere.contains(name) {
            call.packages.clear();
        }
    }
    found
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
    pack.asks_in_text(text)
        || text.len() < 40
            && (told(&pack.meta.exhausted)
                || told(&pack.meta.token)
                || told(&pack.meta.alias_flags)
                || pack.commands.iter().any(|c| c.stage == text)
                || pack.role(text).is_some()
                || pack.weak_role(text).is_some()
                || pack.is_raw(text)
                || pack.is_weak_cursor(text)
                || pack.window(text).is_some())
}

/// Names of constants and variables that hold a word of the pack.
pub(super) fn word_names(index: &Index<'_>, pack: &Pack) -> FxHashSet<Name> {
    let globals = index.program.modules.iter().flat_map(|m| &m.globals);
    let holds = |g: &&Global| matches!(g.value.as_ref(), Some(Value { kind: ValueKind::Str(text), .. }) if is_word(text.as_str(), pack));
    globals.filter(holds).map(|g| g.name.clone()).collect()
}
