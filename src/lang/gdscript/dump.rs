//! A module as compact text, for tests. Knows the IR only.

use std::fmt::Write;

use crate::ir::{
    Arm, Block, Entry, EntryKey, LoopKind, Module, Pattern, Stmt, StmtKind, Value, ValueKind,
};

/// Everything in a module but ranges.
pub(super) fn module(module: &Module) -> String {
    let mut out = String::new();
    for import in &module.imports {
        let item = import.item.as_ref().map_or(String::new(), |i| format!("::{i}"));
        let _ = writeln!(out, "import {} = {}{item}", import.local, import.targets.join(" | "));
    }
    for ty in &module.types {
        let fields: Vec<_> = ty.fields.iter().map(|f| f.name.as_str()).collect();
        let _ = writeln!(out, "type {} : {:?} {{{}}}", ty.name, ty.extends, fields.join(" "));
    }
    for global in &module.globals {
        let owner = global.owner.as_ref().map_or(String::new(), |o| format!("{o}."));
        let word = if global.constant { "const" } else { "var" };
        let init = global.value.as_ref().map_or("?".to_owned(), value);
        let _ = writeln!(out, "{word} {owner}{} = {init}", global.name);
    }
    for (index, function) in module.functions.iter().enumerate() {
        let owner = function.owner.as_ref().map_or(String::new(), |o| format!("{o}."));
        let parent = function.parent.map_or(String::new(), |p| format!(" in {p}"));
        let params = function.params.iter().map(|p| {
            let default = p.default.as_ref().map_or(String::new(), |d| format!("={}", value(d)));
            format!("{}{}{default}", if p.variadic { "..." } else { "" }, p.name)
        });
        let _ = writeln!(
            out,
            "{index} {:?} {owner}{}({}){parent} [{}]{}",
            function.kind,
            function.name,
            params.collect::<Vec<_>>().join(", "),
            function.slot_names.join(" "),
            if function.has_error { " broken" } else { "" },
        );
        block(&mut out, &function.body, 1);
    }
    out
}

fn block(out: &mut String, block: &Block, depth: usize) {
    for stmt in block {
        statement(out, stmt, depth);
    }
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{}{text}", "  ".repeat(depth));
}

fn statement(out: &mut String, stmt: &Stmt, depth: usize) {
    match &stmt.kind {
        StmtKind::Assign { targets, value: v, op } => {
            let op = op.map_or(String::new(), |o| format!("{o:?}"));
            line(out, depth, &format!("{} {op}= {}", values(targets), value(v)));
        }
        StmtKind::If { condition, then, otherwise } => {
            line(out, depth, &format!("if {}", value(condition)));
            block(out, then, depth + 1);
            if !otherwise.is_empty() {
                line(out, depth, "else");
                block(out, otherwise, depth + 1);
            }
        }
        StmtKind::Loop { kind, body, .. } => {
            let head = match kind {
                LoopKind::While(None) => "loop".to_owned(),
                LoopKind::While(Some(v)) => format!("while {}", value(v)),
                LoopKind::Each { value: v, over, keys_to_value, .. } => {
                    let place = v.as_deref().map_or("_".to_owned(), value);
                    let keys = if *keys_to_value { " keys" } else { "" };
                    format!("for {place} in {}{keys}", value(over))
                }
            };
            line(out, depth, &head);
            block(out, body, depth + 1);
        }
        StmtKind::Switch { subject, arms } => {
            let subject = subject.as_ref().map_or(String::new(), value);
            line(out, depth, &format!("switch {subject}"));
            for arm in arms {
                line(out, depth + 1, &head(arm));
                block(out, &arm.body, depth + 2);
            }
        }
        StmtKind::Return(v) => line(out, depth, &format!("return {}", values(v))),
        StmtKind::Eval(v) => line(out, depth, &value(v)),
        StmtKind::Opaque(v, blocks) => {
            line(out, depth, &format!("opaque {}", values(v)));
            blocks.iter().for_each(|b| block(out, b, depth + 1));
        }
        other => line(out, depth, &format!("{other:?}")),
    }
}

fn head(arm: &Arm) -> String {
    let patterns = arm.patterns.iter().map(|p| match p {
        Pattern::Value(v) => value(v),
        Pattern::Any(None) => "_".to_owned(),
        Pattern::Any(Some(slot)) => format!("${slot}"),
        other => format!("{other:?}"),
    });
    let guard = arm.guard.as_ref().map_or(String::new(), |g| format!(" when {}", value(g)));
    format!("case {}{guard}", patterns.collect::<Vec<_>>().join(" | "))
}

fn values(values: &[Value]) -> String {
    values.iter().map(value).collect::<Vec<_>>().join(", ")
}

fn entry(entry: &Entry) -> String {
    let key = match &entry.key {
        EntryKey::Known(name) => name.to_string(),
        EntryKey::Computed(v) => format!("[{}]", value(v)),
        other => format!("{other:?}"),
    };
    format!("{key}: {}", value(&entry.value))
}

/// One expression.
pub(super) fn value(v: &Value) -> String {
    match &v.kind {
        ValueKind::Null => "null".to_owned(),
        ValueKind::Bool(b) => b.to_string(),
        ValueKind::Int(n) => n.to_string(),
        ValueKind::Float(n) => format!("{n:?}"),
        ValueKind::Str(s) => format!("{s:?}"),
        ValueKind::Format(parts) => format!("text({})", values(parts)),
        ValueKind::List(items) => format!("[{}]", values(items)),
        ValueKind::Object(entries) => {
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        ValueKind::Spread(inner) => format!("...{}", value(inner)),
        ValueKind::Local(local) => format!("{}{}", "^".repeat(local.up.into()), dollar(local.slot)),
        ValueKind::Global(name) => name.to_string(),
        ValueKind::This => "this".to_owned(),
        ValueKind::Member(base, name, _) => format!("{}.{name}", value(base)),
        ValueKind::Index(base, index) => format!("{}[{}]", value(base), value(index)),
        ValueKind::Call { callee, args, builtin } => {
            let args: Vec<_> = args.iter().map(|a| value(&a.value)).collect();
            let core = builtin.map_or(String::new(), |b| format!("#{b:?}"));
            format!("{}({}){core}", value(callee), args.join(", "))
        }
        ValueKind::New(ty, args) => {
            let args: Vec<_> = args.iter().map(|a| value(&a.value)).collect();
            format!("new {ty:?}({})", args.join(", "))
        }
        ValueKind::Builtin(core, operands) => format!("#{core:?}({})", values(operands)),
        ValueKind::Unary(op, inner) => format!("{op:?}({})", value(inner)),
        ValueKind::Binary(op, l, r) => format!("({} {op:?} {})", value(l), value(r)),
        ValueKind::Ternary(c, l, r) => format!("({} ? {} : {})", value(c), value(l), value(r)),
        ValueKind::Closure(index) => format!("closure {index}"),
        ValueKind::Await(inner) => format!("await {}", value(inner)),
        ValueKind::Assert(inner, ty) => format!("{} as {ty:?}", value(inner)),
        ValueKind::Opaque(parts) => format!("?({})", values(parts)),
        other => format!("{other:?}"),
    }
}

fn dollar(slot: u16) -> String {
    format!("${slot}")
}
