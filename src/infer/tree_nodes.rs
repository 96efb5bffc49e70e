//! Which objects are nodes of a tree: made by a function that calls itself. A mark of theirs that
//! something was cut is about the depth of the tree, not about rows of a page.
//!
//! Asks no pack.

use super::session::Session;
use super::value::{FunctionId, V};
use crate::ir::walk::each_value;
use crate::ir::ValueKind;

/// Whether an object was made by a function that calls itself.
pub(super) fn is_tree_node(session: &Session<'_>, v: V) -> bool {
    let Some(id) = session.store.body(v) else { return false };
    calls_itself(session, session.store.object(id).created.function)
}

fn calls_itself(session: &Session<'_>, id: FunctionId) -> bool {
    let Some(function) = session.index.function_at(id).filter(|f| !f.name.is_empty()) else {
        return false;
    };
    let mut found = false;
    each_value(&function.body, &mut |v| {
        let ValueKind::Call { callee, .. } = &v.kind else { return };
        found |= match &callee.kind {
            ValueKind::Global(name) => *name == function.name,
            ValueKind::Member(base, name, _) => {
                matches!(base.kind, ValueKind::This) && *name == function.name
            }
            _ => false,
        };
    });
    found
}
