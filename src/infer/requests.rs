//! What a tool's handler asks of its request: whether it takes a place to start from, and which
//! parameters narrow its rows.
//!
//! Judges nothing.

use std::collections::BTreeSet;

use super::activity::Activity;
use super::session::Session;
use super::value::{Node, Op, Origin, V};
use super::work::Work;
use crate::ir::Name;
use crate::pack::{folded, WindowKind};

/// Whether an activity's handler takes an offset or a start line, and which parameters of the
/// request narrow its rows.
pub fn request_of(session: &Session<'_>, activity: &Activity) -> (bool, BTreeSet<String>) {
    let linear = session.seen.windows.iter().any(|w| {
        w.activity.reaches(activity) && matches!(w.kind, WindowKind::Offset | WindowKind::Start)
    });
    let bases: Vec<V> = session
        .seen
        .windows
        .iter()
        .filter(|w| w.activity.root == activity.root)
        .filter_map(|w| match session.store.values.node(w.value) {
            Node::Op(Op::Field, parts) => Some(parts[0]),
            _ => None,
        })
        .collect();
    // Names are folded and copied for each of them.
    let steps = 4 * Work::NODE * session.seen.reads.len();
    if session.store.values.forms.work.is_out_after(steps) {
        return (linear, BTreeSet::new());
    }
    let is_request = |base: V| bases.contains(&base) || session.came_in(base);
    let scopes = session
        .seen
        .reads
        .iter()
        .filter(|r| r.activity.reaches(activity) && is_request(r.base))
        .filter(|r| session.pack.window(&r.key).is_none() && !resumes(&r.key))
        .map(|r| r.key.to_string())
        .collect();
    (linear, scopes)
}

/// First words of functions that look something up or make it.
const MAKING_WORDS: &[&str] =
    &["get", "find", "load", "instantiate", "create", "make", "new", "duplicate", "spawn", "add"];
/// Words of functions that give what a caller sent.
const REQUEST_WORDS: &[&str] = &[
    "arg",
    "args",
    "argument",
    "arguments",
    "param",
    "params",
    "parameters",
    "request",
    "req",
    "option",
    "options",
    "opts",
    "input",
    "payload",
    "body",
    "json",
    "data",
    "message",
    "query",
    // What came over the line: `get_packet().get_string_from_utf8()`.
    "packet",
    "utf8",
    "ascii",
];

/// Whether a call that could not be followed gives a thing of the program's own by its name,
/// such as a node that was looked up: its fields are no parameters.
pub(super) fn gives_a_thing(called: &Name) -> bool {
    let name = folded(called);
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default();
    MAKING_WORDS.contains(&first)
        && name.contains('_')
        && !words.any(|w| REQUEST_WORDS.contains(&w))
}

impl Session<'_> {
    /// Whether a value came in from outside: a parameter, or a part of a message that was read.
    fn came_in(&self, v: V) -> bool {
        let (mut at, mut decoded) = (v, false);
        loop {
            match self.store.values.node(at) {
                Node::Op(Op::Field, parts) => at = parts[0],
                Node::Op(Op::Decode, parts) => (at, decoded) = (parts[0], true),
                _ => break,
            }
        }
        match self.store.values.symbol_of(at).map(|s| &s.origin) {
            Some(Origin::Param(_)) => decoded || at == v,
            Some(Origin::Call(name)) => decoded && !gives_a_thing(name),
            _ => false,
        }
    }
}

/// Whether a parameter goes on where the last answer ended rather than narrowing the rows.
fn resumes(key: &Name) -> bool {
    key.starts_with("since_") || key.starts_with("after_")
}
