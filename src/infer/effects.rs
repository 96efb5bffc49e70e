//! What the statements of a function say of the cost and use of running it on a call.
//!
//! Knows no pack word and follows no call.

use crate::ir::walk::each_stmt;
use crate::ir::{Builtin, Function, Name, Stmt, StmtKind, Value, ValueKind};

/// Whether a statement adds to a list that the function was given.
pub fn collects(function: &Function, stmt: &Stmt) -> bool {
    let StmtKind::Eval(Value { kind: ValueKind::Call { callee, builtin, .. }, .. }) = &stmt.kind
    else {
        return false;
    };
    let ValueKind::Member(base, ..) = &callee.kind else { return false };
    let ValueKind::Local(local) = &base.kind else { return false };
    matches!(builtin, Some(Builtin::Append | Builtin::AppendAll))
        && local.up == 0
        && function.params.iter().any(|p| p.slot == local.slot)
}

/// Whether a statement writes into a parameter, or hands one or a fresh object out.
pub fn passes(function: &Function, stmt: &Stmt) -> bool {
    let is_param = |v: &Value| match &v.kind {
        ValueKind::Local(local) => {
            local.up == 0 && function.params.iter().any(|p| p.slot == local.slot)
        }
        _ => false,
    };
    match &stmt.kind {
        StmtKind::Assign { targets, .. } => targets.iter().any(|t| match &t.kind {
            // A key that only the caller knows may be any.
            ValueKind::Index(base, key) => {
                is_param(base) || matches!(key.kind, ValueKind::Local(_))
            }
            ValueKind::Member(base, ..) => is_param(base),
            _ => false,
        }),
        StmtKind::Return(values) => values
            .iter()
            .any(|v| is_param(v) || matches!(v.kind, ValueKind::Object(_) | ValueKind::Struct(..))),
        _ => false,
    }
}

/// Whether a body is a handful of statements without a loop.
pub fn is_small(body: &[Stmt]) -> bool {
    let mut left = 3i32;
    let mut stack: Vec<&Stmt> = body.iter().collect();
    while let Some(stmt) = stack.pop() {
        left -= 1;
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => stack.extend(then.iter().chain(otherwise)),
            StmtKind::Assign { .. } | StmtKind::Return(_) | StmtKind::Eval(_) => {}
            _ => return false,
        }
        if left < 0 {
            return false;
        }
    }
    true
}

/// The fields of its parameters that a function writes: by parameter and name.
pub fn fields_written(function: &Function) -> Vec<(usize, Name)> {
    let mut found = Vec::new();
    each_stmt(&function.body, &mut |stmt| {
        let StmtKind::Assign { targets, .. } = &stmt.kind else { return };
        for target in targets {
            let (base, name) = match &target.kind {
                ValueKind::Member(base, name, _) => (base, name),
                ValueKind::Index(base, key) => match &key.kind {
                    ValueKind::Str(name) => (base, name),
                    _ => continue,
                },
                _ => continue,
            };
            let ValueKind::Local(local) = &base.kind else { continue };
            let place = function.params.iter().position(|p| p.slot == local.slot);
            if let Some(place) = place.filter(|_| local.up == 0) {
                found.push((place, name.clone()));
            }
        }
    });
    found.dedup();
    found
}
