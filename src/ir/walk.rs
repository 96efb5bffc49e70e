//! Every expression of a body, for quick looks that run nothing.
//!
//! Must not know what an expression means. Closures are functions of their own and not entered.

use super::{EntryKey, LoopKind, Pattern, Stmt, StmtKind, Value, ValueKind};

/// Shows every expression of a body, outer ones before what they hold.
pub fn each_value<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a Value)) {
    let mut blocks: Vec<&'a Stmt> = body.iter().collect();
    let mut values: Vec<&'a Value> = Vec::new();
    while let Some(stmt) = blocks.pop() {
        match &stmt.kind {
            StmtKind::Assign { targets, value, .. } => {
                values.extend(targets);
                values.push(value);
            }
            StmtKind::If { condition, then, otherwise } => {
                values.push(condition);
                blocks.extend(then.iter().chain(otherwise));
            }
            StmtKind::Loop { kind, body, post } => {
                match kind {
                    LoopKind::While(condition) => values.extend(condition),
                    LoopKind::Each { over, .. } => values.push(over),
                }
                blocks.extend(body.iter().chain(post));
            }
            StmtKind::Switch { subject, arms } => {
                values.extend(subject);
                for arm in arms {
                    values.extend(&arm.guard);
                    values.extend(arm.patterns.iter().filter_map(|p| match p {
                        Pattern::Value(v) => Some(v),
                        Pattern::Type(..) | Pattern::Any(_) | Pattern::Opaque => None,
                    }));
                    blocks.extend(&arm.body);
                }
            }
            StmtKind::Return(list) => values.extend(list),
            StmtKind::Eval(v) | StmtKind::Defer(v) | StmtKind::Throw(v) => values.push(v),
            StmtKind::Try { body, handler, finally, .. } => {
                blocks.extend(body.iter().chain(handler).chain(finally));
            }
            StmtKind::Opaque(list, inner) => {
                values.extend(list);
                blocks.extend(inner.iter().flatten());
            }
            StmtKind::Break(_) | StmtKind::Continue(_) => {}
        }
        while let Some(value) = values.pop() {
            visit(value);
            push_parts(value, &mut values);
        }
    }
}

/// Shows an expression and all that it holds.
pub fn each_part<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a Value)) {
    let mut values = vec![value];
    while let Some(value) = values.pop() {
        visit(value);
        push_parts(value, &mut values);
    }
}

fn push_parts<'a>(value: &'a Value, out: &mut Vec<&'a Value>) {
    match &value.kind {
        ValueKind::Object(entries) | ValueKind::Struct(_, entries) => {
            for entry in entries {
                if let EntryKey::Computed(key) = &entry.key {
                    out.push(key);
                }
                out.push(&entry.value);
            }
        }
        ValueKind::Call { callee, args, .. } => {
            out.push(callee);
            out.extend(args.iter().map(|a| &a.value));
        }
        ValueKind::New(_, args) => out.extend(args.iter().map(|a| &a.value)),
        ValueKind::Format(parts)
        | ValueKind::List(parts)
        | ValueKind::Opaque(parts)
        | ValueKind::Builtin(_, parts) => out.extend(parts),
        ValueKind::Member(v, ..)
        | ValueKind::Spread(v)
        | ValueKind::Unary(_, v)
        | ValueKind::Await(v)
        | ValueKind::Assert(v, _)
        | ValueKind::CommaOk(v) => out.push(v),
        ValueKind::Index(a, b) | ValueKind::Binary(_, a, b) | ValueKind::Assign(a, b) => {
            out.extend([&**a, &**b])
        }
        ValueKind::Ternary(a, b, c) => out.extend([&**a, &**b, &**c]),
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Int(_)
        | ValueKind::Float(_)
        | ValueKind::Str(_)
        | ValueKind::Local(_)
        | ValueKind::Global(_)
        | ValueKind::Closure(_)
        | ValueKind::This => {}
    }
}
