//! Calls to the service: which tools page, which values come from a response, and whether a
//! request asks for a page.
//!
//! Judges nothing; knows of fields only the names that the pack gives.

use rustc_hash::FxHashSet;

use super::facts::Facts;
use super::formula::F;
use super::observe::UpstreamCall;
use super::session::Session;
use super::store::Event;
use super::value::{Node, Op, Origin, V};

/// Remembers which tools of the service page: their requests ask for it, or their responses'
/// raw fields are read.
pub fn paged_tools(session: &mut Session<'_>, facts: &mut Facts) {
    for call in session.seen.upstreams.clone() {
        if call.request.is_some_and(|r| asks_for_page(session, r)) {
            for tool in tools_of(session, &call) {
                facts.paged_tools.entry(tool).or_default().asked.get_or_insert(call.site.span);
            }
        }
    }
    for read in session.seen.reads.clone() {
        if !session.pack.is_raw(&read.key) && !session.pack.is_weak_cursor(&read.key) {
            continue;
        }
        let Some(number) = upstream_of(session, read.base) else { continue };
        let call = session.seen.upstreams[number as usize].clone();
        let mut tools = tools_of(session, &call);
        tools.extend(tools_tested(session, &call, read.guard));
        for tool in tools {
            facts.paged_tools.entry(tool).or_default().read.insert(read.site.span);
        }
    }
}

/// The tools that a call can name.
pub fn tools_of(session: &mut Session<'_>, call: &UpstreamCall) -> Vec<String> {
    let Some(tool) = call.tool else { return Vec::new() };
    let leaves = session.store.values.leaves(tool, F::TRUE);
    let texts = leaves.iter().filter_map(|(_, leaf)| session.store.values.as_text(*leaf));
    texts.map(|t| t.to_string()).collect()
}

/// The tool that a call names wherever a condition holds, though the call itself serves many.
fn tools_tested(session: &mut Session<'_>, call: &UpstreamCall, guard: F) -> Vec<String> {
    let Some(known) = call.tool.and_then(|t| session.store.values.texts.get(&t)).cloned() else {
        return Vec::new();
    };
    let forms = &mut session.store.values.forms;
    known
        .into_iter()
        .filter(|(_, f)| forms.implies(guard, *f))
        .map(|(t, _)| t.to_string())
        .collect()
}

/// The upstream call that a value comes from.
pub fn upstream_of(session: &Session<'_>, v: V) -> Option<u32> {
    let values = &session.store.values;
    let mut stack = vec![v];
    for _ in 0..64 {
        let at = stack.pop()?;
        match values.node(at) {
            Node::Symbol(_) => match values.symbol_of(at).map(|s| &s.origin) {
                Some(Origin::Upstream(n)) => return Some(*n),
                Some(Origin::Item(of) | Origin::Key(of) | Origin::Carried(of)) => stack.push(*of),
                _ => {}
            },
            Node::Op(Op::Field | Op::Decode | Op::Encode | Op::Other, parts) => {
                stack.push(parts[0])
            }
            Node::Choice(_, a, b) => stack.extend([*b, *a]),
            Node::Object(id) => {
                let object = session.store.object(*id);
                stack.extend(object.base);
                for event in &object.log {
                    if let Event::Copy { from, .. } = event {
                        stack.push(*from);
                    }
                }
            }
            Node::List(id) => stack.extend(session.store.list(*id).base),
            _ => {}
        }
    }
    None
}

/// The calls that the alternatives of a value come from.
pub fn upstream_numbers(session: &mut Session<'_>, v: V) -> Vec<u32> {
    let leaves = session.store.values.leaves(v, F::TRUE);
    leaves.into_iter().filter_map(|(_, leaf)| upstream_of(session, leaf)).collect()
}

/// Whether a request takes a cursor or token, at its top or one level down.
pub fn asks_for_page(session: &Session<'_>, request: V) -> bool {
    let mut stack = vec![(request, 0u8)];
    let mut seen = FxHashSet::default();
    while let Some((v, depth)) = stack.pop() {
        if let Node::Choice(_, a, b) = session.store.values.node(v) {
            stack.extend([(*a, depth), (*b, depth)]);
            continue;
        }
        let Some(id) = session.store.body(v) else { continue };
        if !seen.insert(id) {
            continue;
        }
        for event in &session.store.object(id).log {
            match event {
                Event::Write { key, value, .. } => {
                    let asks = session.store.values.mentions(*key, &|_, n| match n {
                        Node::Text(text) => session.pack.asks_by(text),
                        _ => false,
                    });
                    if asks {
                        return true;
                    }
                    if depth < 2 {
                        stack.push((*value, depth + 1));
                    }
                }
                Event::Copy { from, .. } => stack.push((*from, depth)),
                _ => {}
            }
        }
    }
    false
}
