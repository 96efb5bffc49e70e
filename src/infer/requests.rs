//! What a tool's handler asks of its request: whether it takes a place to start from, and which
//! parameters narrow its rows.
//!
//! Judges nothing.

use std::collections::BTreeSet;

use super::observe::Activity;
use super::session::Session;
use super::value::{Node, Op, Origin, V};
use crate::ir::Name;
use crate::pack::WindowKind;

/// Whether an activity's handler takes an offset or a start line, and which parameters of the
/// request narrow its rows.
pub fn request_of(session: &Session<'_>, activity: &Activity) -> (bool, BTreeSet<String>) {
    let linear = session.seen.windows.iter().any(|w| {
        w.activity == *activity && matches!(w.kind, WindowKind::Offset | WindowKind::Start)
    });
    let bases: Vec<V> = session
        .seen
        .windows
        .iter()
        .filter(|w| w.activity == *activity)
        .filter_map(|w| match session.store.values.node(w.value) {
            Node::Op(Op::Field, parts) => Some(parts[0]),
            _ => None,
        })
        .collect();
    let is_request = |base: V| {
        bases.contains(&base)
            || matches!(
                session.store.values.symbol_of(base).map(|s| &s.origin),
                Some(Origin::Param(_))
            )
    };
    let scopes = session
        .seen
        .reads
        .iter()
        .filter(|r| r.activity == *activity && is_request(r.base))
        .filter(|r| session.pack.window(&r.key).is_none() && !resumes(&r.key))
        .map(|r| r.key.to_string())
        .collect();
    (linear, scopes)
}

/// Whether a parameter goes on where the last answer ended rather than narrowing the rows.
fn resumes(key: &Name) -> bool {
    key.starts_with("since_") || key.starts_with("after_")
}
