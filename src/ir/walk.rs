//! Every statement and expression of a body, for quick looks that run nothing.
//!
//! Must not know what an expression means. Closures are functions of their own and not entered.

use super::{EntryKey, LoopKind, Pattern, Stmt, StmtKind, Value, ValueKind};

/// Visits every statement of a block, blocks inside included.
pub fn each_stmt<'b>(block: &'b [Stmt], visit: &mut dyn FnMut(&'b Stmt)) {
    let mut stack: Vec<&Stmt> = block.iter().rev().collect();
    while let Some(stmt) = stack.pop() {
        visit(stmt);
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                stack.extend(then.iter().chain(otherwise).rev());
            }
            StmtKind::Loop { body, post, .. } => stack.extend(body.iter().chain(post).rev()),
            StmtKind::Switch { arms, .. } => {
                stack.extend(arms.iter().flat_map(|arm| &arm.body).rev());
            }
            StmtKind::Try { body, handler, finally, .. } => {
                stack.extend(body.iter().chain(handler).chain(finally).rev());
            }
            StmtKind::Opaque(_, blocks) => stack.extend(blocks.iter().flatten().rev()),
            StmtKind::Assign { .. }
            | StmtKind::Return(_)
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Eval(_)
            | StmtKind::Defer(_)
            | StmtKind::Throw(_) => {}
        }
    }
}

/// Visits every expression of a block, outer ones first.
pub fn each_value<'b>(block: &'b [Stmt], visit: &mut dyn FnMut(&'b Value)) {
    each_stmt(block, &mut |stmt| each_of_stmt(stmt, visit));
}

/// Visits the expressions of a statement with all inside them, not those of the blocks inside it.
pub fn each_of_stmt<'b>(stmt: &'b Stmt, visit: &mut dyn FnMut(&'b Value)) {
    each_own(stmt, &mut |value| each_part(value, visit));
}

/// Visits the expressions of a statement as wholes, not those of the blocks inside it.
pub fn each_own<'b>(stmt: &'b Stmt, visit: &mut dyn FnMut(&'b Value)) {
    match &stmt.kind {
        StmtKind::Assign { targets, value, .. } => {
            targets.iter().for_each(&mut *visit);
            visit(value);
        }
        StmtKind::If { condition, .. } => visit(condition),
        StmtKind::Loop { kind: LoopKind::While(condition), .. } => condition.iter().for_each(visit),
        StmtKind::Loop { kind: LoopKind::Each { over, .. }, .. } => visit(over),
        StmtKind::Switch { subject, arms } => {
            subject.iter().for_each(&mut *visit);
            for arm in arms {
                arm.guard.iter().for_each(&mut *visit);
                for pattern in &arm.patterns {
                    if let Pattern::Value(v) = pattern {
                        visit(v);
                    }
                }
            }
        }
        StmtKind::Return(values) | StmtKind::Opaque(values, _) => values.iter().for_each(visit),
        StmtKind::Eval(v) | StmtKind::Defer(v) | StmtKind::Throw(v) => visit(v),
        StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Try { .. } => {}
    }
}

/// Visits an expression and all inside it, closures' bodies excepted.
pub fn each_part<'b>(value: &'b Value, visit: &mut dyn FnMut(&'b Value)) {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        visit(value);
        match &value.kind {
            ValueKind::Object(entries) | ValueKind::Struct(_, entries) => {
                for entry in entries {
                    if let EntryKey::Computed(key) = &entry.key {
                        stack.push(key);
                    }
                    stack.push(&entry.value);
                }
            }
            ValueKind::Call { callee, args, .. } => {
                stack.push(callee);
                stack.extend(args.iter().map(|a| &a.value));
            }
            ValueKind::New(_, args) => stack.extend(args.iter().map(|a| &a.value)),
            ValueKind::Builtin(_, parts)
            | ValueKind::Format(parts)
            | ValueKind::List(parts)
            | ValueKind::Opaque(parts) => stack.extend(parts),
            ValueKind::Member(v, ..)
            | ValueKind::Spread(v)
            | ValueKind::Unary(_, v)
            | ValueKind::Await(v)
            | ValueKind::Assert(v, _)
            | ValueKind::CommaOk(v) => stack.push(v),
            ValueKind::Index(a, b) | ValueKind::Binary(_, a, b) | ValueKind::Assign(a, b) => {
                stack.extend([&**a, &**b]);
            }
            ValueKind::Ternary(a, b, c) => stack.extend([&**a, &**b, &**c]),
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Int(_)
            | ValueKind::Float(_)
            | ValueKind::Str(_)
            | ValueKind::Local(_)
            | ValueKind::Global(_)
            | ValueKind::This
            | ValueKind::Closure(_) => {}
        }
    }
}
