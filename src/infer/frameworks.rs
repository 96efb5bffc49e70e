//! Which of a pack's calls a program has: one that uses a sink of a framework needs no fallback,
//! and a function of the same name with another signature is not the pack's.
//!
//! Looks at names and signatures only; runs nothing.

use rustc_hash::FxHashSet;

use super::call_names::CallNames;
use super::resolve::Index;
use crate::ir::walk::{each_part, each_value};
use crate::ir::{Function, FunctionKind, Module, Name, Type, Value, ValueKind};
use crate::pack::{Pack, Sink, Upstream};

/// The pack as it fits a program.
pub fn fitting(index: &Index<'_>, pack: &Pack) -> Pack {
    let mut fitting = pack.clone();
    if !pack.forwarding.is_empty() {
        fitting.upstreams.extend(super::asking::calls(index));
    }
    if pack.outlets.is_empty() {
        return fitting;
    }
    let unlike = Defined::new(index);
    fitting.sinks.retain(|s| s.fallback || !unlike.other_sink(s));
    fitting.upstreams.retain(|u| !unlike.other_upstream(u));
    // Where calls to the service are known, no other call is taken for one.
    if uses(index, &[], &fitting.upstreams.iter().collect::<Vec<_>>()) {
        fitting.outlets.whole.clear();
    }
    let sinks: Vec<&Sink> = fitting.sinks.iter().filter(|s| !s.fallback).collect();
    let emitting: Vec<&Upstream> = fitting.upstreams.iter().filter(|u| u.emits).collect();
    if uses(index, &sinks, &emitting) {
        return fitting.without_fallbacks();
    }
    // Without the framework its package is one like any other.
    fitting.opaque.retain(|o| !o.ends_with(".*"));
    fitting.machinery.clear();
    fitting
}

/// Functions of the workspace by name, with what calls them as a pack writes it.
struct Defined<'p> {
    functions: Vec<(CallNames, &'p Function)>,
}

impl<'p> Defined<'p> {
    fn new(index: &Index<'p>) -> Self {
        let mut functions = Vec::new();
        for module in &index.program.modules {
            for function in &module.functions {
                if !matches!(function.kind, FunctionKind::Closure | FunctionKind::Init) {
                    functions.push((names_of(module, function), function));
                }
            }
        }
        Defined { functions }
    }

    fn named<'s>(&'s self, call: &'s str) -> impl Iterator<Item = &'p Function> + 's {
        self.functions.iter().filter(move |(names, _)| names.matches(call)).map(|(_, f)| *f)
    }

    /// Whether the workspace's own function of a sink's name takes something else there.
    fn other_sink(&self, sink: &Sink) -> bool {
        sink.field.is_none()
            && self.named(&sink.call).any(|f| !takes_data(f, sink.argument, sink.text))
    }

    /// Whether the workspace's own function of a call's name cannot be the pack's: it gives
    /// back what the pack says it prints, or its request is no object.
    fn other_upstream(&self, upstream: &Upstream) -> bool {
        self.named(&upstream.call).any(|f| {
            upstream.emits && f.results.len() > 1
                || upstream.request.is_some_and(|i| !takes_data(f, i, false))
        })
    }
}

fn names_of(module: &Module, function: &Function) -> CallNames {
    let mut chains = vec![vec![function.name.clone()]];
    match (&function.owner, &module.name) {
        (Some(owner), _) => chains = vec![vec![owner.clone(), function.name.clone()]],
        (None, Some(package)) => chains.push(vec![package.clone(), function.name.clone()]),
        (None, None) => {}
    }
    CallNames { chains }
}

/// Whether a parameter can take data that leaves.
fn takes_data(function: &Function, place: usize, text: bool) -> bool {
    let last = function.params.len().saturating_sub(1);
    let param =
        function.params.get(place).or_else(|| function.params.get(last).filter(|p| p.variadic));
    match param.map(|p| &p.ty) {
        None => false,
        Some(Type::Named(Some(_), name)) => {
            !matches!(name.as_str(), "Writer" | "ResponseWriter" | "Context" | "Command")
        }
        Some(Type::Named(None, name)) => {
            text || !matches!(name.as_str(), "string" | "bool" | "int" | "error")
        }
        Some(_) => true,
    }
}

/// Whether a program calls or fills one of these sinks, or asks by one of these calls.
fn uses(index: &Index<'_>, framework: &[&Sink], emitting: &[&Upstream]) -> bool {
    let calls = framework.iter().map(|s| &s.call).chain(emitting.iter().map(|u| &u.call));
    let last: FxHashSet<&str> = calls.map(|c| c.rsplit('.').next().unwrap_or(c)).collect();
    for module in &index.program.modules {
        let mut found = false;
        let mut look = |value: &Value| {
            found |= match &value.kind {
                ValueKind::Call { callee, args, .. } => {
                    let Some(names) = written(module, callee, &last) else { return };
                    framework.iter().any(|s| {
                        s.field.is_none() && args.len() > s.argument && names.matches(&s.call)
                    }) || emitting
                        .iter()
                        .any(|u| args.len() > u.request.unwrap_or(0) && names.matches(&u.call))
                }
                ValueKind::Struct(ty, entries) => framework.iter().any(|s| {
                    let Some(field) = &s.field else { return false };
                    let names = CallNames::of_type(&imported(module, ty));
                    names.matches(&s.call) && entries.iter().any(|e| is_key(&e.key, field))
                }),
                _ => false,
            }
        };
        for function in &module.functions {
            each_value(&function.body, &mut look);
        }
        for value in module.globals.iter().filter_map(|g| g.value.as_ref()) {
            each_part(value, &mut look);
        }
        if found {
            return true;
        }
    }
    false
}

fn is_key(key: &crate::ir::EntryKey, name: &str) -> bool {
    matches!(key, crate::ir::EntryKey::Known(k) if k == name)
}

/// A callee as it is written, with imports by the last element of their paths; in a package of
/// the pack's name also as others would write it. `None` where its last name is not asked for.
fn written(module: &Module, callee: &Value, last: &FxHashSet<&str>) -> Option<CallNames> {
    let mut chain: Vec<Name> = Vec::new();
    let mut at = callee;
    loop {
        match &at.kind {
            ValueKind::Member(base, name, _) => {
                chain.push(name.clone());
                at = base;
            }
            ValueKind::Global(name) => {
                chain.push(import_name(module, name));
                break;
            }
            ValueKind::Local(_) if !chain.is_empty() => {
                chain.push(Name::default());
                break;
            }
            ValueKind::Call { callee, .. } => at = callee,
            _ => break,
        }
    }
    if !last.contains(chain.first()?.as_str()) {
        return None;
    }
    let mut chains = Vec::new();
    if let ([only], Some(package)) = (chain.as_slice(), &module.name) {
        chains.push(vec![package.clone(), only.clone()]);
    }
    chain.reverse();
    chains.push(chain);
    Some(CallNames { chains })
}

/// A type with its package by the last element of the import's path.
pub fn imported(module: &Module, ty: &Type) -> Type {
    match ty {
        Type::Named(Some(package), name) => {
            Type::Named(Some(import_name(module, package)), name.clone())
        }
        other => other.clone(),
    }
}

/// The last element of an import's path that says something; a name that is no import stays.
fn import_name(module: &Module, local: &Name) -> Name {
    let import = module.imports.iter().find(|i| i.local == *local && i.item.is_none());
    let Some(target) = import.and_then(|i| i.targets.first()) else { return local.clone() };
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok());
    let last = target.rsplit('/').find(|part| !is_version(part)).unwrap_or(target);
    Name::new(last.split('.').next().unwrap_or(last))
}
