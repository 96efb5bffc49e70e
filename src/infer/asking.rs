//! Functions of forwarding code by which it asks those who answer: they put the name of a tool and
//! its request into one message, and wait.
//!
//! Looks at bodies only; runs nothing, and knows no function by its name.

use rustc_hash::FxHashSet;

use super::resolve::Index;
use crate::ir::walk::each_value;
use crate::ir::{
    Entry, EntryKey, Function, FunctionKind, LocalRef, Module, Name, Type, Value, ValueKind,
};
use crate::pack::Upstream;

/// Keys of a message that name what is asked for.
const TOOL_KEYS: &[&str] = &["method", "command", "cmd", "tool", "action"];
/// Keys of a message that hold what it is asked with.
const REQUEST_KEYS: &[&str] = &["params", "arguments", "args", "payload", "input"];

/// The asking functions of a program as calls of a pack.
pub(super) fn calls(index: &Index<'_>) -> Vec<Upstream> {
    let program = index.program;
    let mut found = Vec::new();
    for (m, module) in program.modules.iter().enumerate() {
        let own = !program.tests.get(m).copied().unwrap_or(false);
        if own && program.forwards.get(m).copied().unwrap_or(false) {
            in_module(module, &mut found);
        }
    }
    found
}

fn in_module(module: &Module, found: &mut Vec<Upstream>) {
    let waiting: FxHashSet<&Name> = module
        .functions
        .iter()
        .enumerate()
        .filter(|(i, f)| f.kind != FunctionKind::Closure && waits(module, *i as u32))
        .map(|(_, f)| &f.name)
        .collect();
    if waiting.is_empty() {
        return;
    }
    for (i, function) in module.functions.iter().enumerate() {
        if matches!(function.kind, FunctionKind::Closure | FunctionKind::Init)
            || !(waiting.contains(&function.name) || calls_any(module, i as u32, &waiting))
        {
            continue;
        }
        let Some((tool, request)) = message(module, i as u32) else { continue };
        let call = match &function.owner {
            Some(owner) => format!("{owner}.{}", function.name),
            None => function.name.to_string(),
        };
        let (tool, request) = (Some(tool), Some(request));
        found.push(Upstream { call, tool, request, bare: true, ..Upstream::default() });
    }
}

/// Whether a function makes a promise of its own, or fetches.
fn waits(module: &Module, index: u32) -> bool {
    let mut waits = false;
    with_closures(module, index, &mut |_, value| {
        waits |= match &value.kind {
            ValueKind::New(ty, _) => matches!(&**ty, Type::Named(_, name) if name == "Promise"),
            ValueKind::Call { callee, .. } => {
                matches!(&callee.kind, ValueKind::Global(name) if name == "fetch")
            }
            _ => false,
        };
    });
    waits
}

/// Whether a function calls one of its module's own functions of these names.
fn calls_any(module: &Module, index: u32, names: &FxHashSet<&Name>) -> bool {
    let mut calls = false;
    with_closures(module, index, &mut |_, value| {
        let ValueKind::Call { callee, .. } = &value.kind else { return };
        calls |= match &callee.kind {
            ValueKind::Global(name) => names.contains(name),
            ValueKind::Member(base, name, _) => {
                matches!(base.kind, ValueKind::This) && names.contains(name)
            }
            _ => false,
        };
    });
    calls
}

/// The parameters that one object of a function takes as the name of a tool and its request; none
/// where the function also makes the answer.
fn message(module: &Module, index: u32) -> Option<(usize, usize)> {
    let function = &module.functions[index as usize];
    let (mut found, mut answers) = (None, false);
    with_closures(module, index, &mut |depth, value| {
        let ValueKind::Object(entries) = &value.kind else { return };
        let param = |keys: &[&str]| {
            let entry = entries.iter().find(|e| is_key(e, keys))?;
            match &entry.value.kind {
                ValueKind::Local(local) => place(function, *local, depth),
                _ => None,
            }
        };
        answers |= entries.iter().any(|e| is_key(e, &["content"]));
        if let (Some(tool), Some(request)) = (param(TOOL_KEYS), param(REQUEST_KEYS)) {
            found.get_or_insert((tool, request));
        }
    });
    found.filter(|_| !answers)
}

fn is_key(entry: &Entry, keys: &[&str]) -> bool {
    matches!(&entry.key, EntryKey::Known(name) if keys.contains(&name.as_str()))
}

/// Which parameter of a function a variable is, seen from so many closures inside it.
fn place(function: &Function, local: LocalRef, depth: u32) -> Option<usize> {
    let own = u32::from(local.up) == depth;
    function.params.iter().position(|p| own && p.slot == local.slot)
}

/// Visits the expressions of a function and of the closures in it, each with how deep it stands.
fn with_closures<'p>(module: &'p Module, index: u32, visit: &mut dyn FnMut(u32, &'p Value)) {
    let mut inside = vec![(index, 0)];
    while let Some((at, depth)) = inside.pop() {
        let Some(function) = module.functions.get(at as usize) else { continue };
        each_value(&function.body, &mut |value| {
            if let ValueKind::Closure(inner) = &value.kind {
                if *inner > at {
                    inside.push((*inner, depth + 1));
                }
            }
            visit(depth, value);
        });
    }
}
