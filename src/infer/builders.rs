//! What the shared builder does on its own: the invariants that each of its methods stamps,
//! and those that a caller's extras overwrite.

use super::collect::builder_path;
use super::drive::run_builder;
use super::envelope::{outside_builder, Sent};
use super::facts::Facts;
use super::formula::F;
use super::relevance::Relevance;
use super::resolve::Index;
use super::session::Session;
use super::store::Event;
use super::value::{FunctionId, Node, Op, V};
use crate::ir::FunctionKind;
use crate::pack::{Pack, Role};
use crate::text::Span;

/// Looks at every method of the shared builders.
pub fn builder_facts(index: &Index<'_>, pack: &Pack, relevance: &Relevance, facts: &mut Facts) {
    for (m, module) in index.program.modules.iter().enumerate() {
        if !relevance.is_builder(m as u32) {
            continue;
        }
        for (i, function) in module.functions.iter().enumerate() {
            if function.kind == FunctionKind::Closure || function.name.starts_with('_') {
                continue;
            }
            let id = FunctionId { module: m as u32, index: i as u32 };
            let mut ran = run_builder(index, pack, relevance, id);
            let result = ran.roots[0].result;
            if let Some(missing) = missing(&mut ran.session, result) {
                let span = function.name_range.in_file(index.program.files[m]);
                facts.builders.push(builder_path(function.name.to_string(), span, missing));
            }
        }
    }
}

/// The invariants that a built page misses on some path; `None` where no page is built.
fn missing(session: &mut Session<'_>, result: V) -> Option<Vec<Role>> {
    let wanted = [Role::More, Role::Size, Role::Total];
    let mut page = false;
    let mut missing = Vec::new();
    for (guard, leaf) in session.store.values.leaves(result, F::TRUE) {
        let Some(id) = session.store.body(leaf) else { continue };
        let mut stamped = [F::FALSE; 3];
        for event in session.store.object(id).log.clone() {
            let Event::Write { key, guard: when, .. } = event else { continue };
            let Some(role) = key_role(session, key) else { continue };
            if let Some(at) = wanted.iter().position(|w| *w == role) {
                stamped[at] = session.store.values.forms.or(stamped[at], when);
            }
        }
        if stamped.iter().all(|f| *f == F::FALSE) {
            continue;
        }
        page = true;
        for (role, when) in wanted.iter().zip(stamped) {
            if !session.store.values.forms.implies(guard, when) && !missing.contains(role) {
                missing.push(*role);
            }
        }
    }
    page.then_some(missing)
}

/// The role of a key that may be put together at run time.
fn key_role(session: &Session<'_>, key: V) -> Option<Role> {
    let text = match session.store.values.node(key) {
        Node::Text(text) => text.to_string(),
        Node::Op(Op::Text | Op::Add, parts) => {
            let first = session.store.values.as_text(parts[0])?;
            format!("{first}x")
        }
        _ => return None,
    };
    session.pack.role(&text).map(|(role, _)| role)
}

/// Invariants that the builder writes twice on one page, the second time from what its caller
/// handed it.
pub fn overwritten(session: &mut Session<'_>, sent: &Sent) -> Vec<(String, Span)> {
    let Some(id) = session.store.body(sent.object) else { return Vec::new() };
    let mut first: Vec<(V, Span)> = Vec::new();
    let mut found = Vec::new();
    for event in session.store.object(id).log.clone() {
        let Event::Write { key, guard, site, .. } = event else { continue };
        if !site.builder || !session.store.values.forms.compatible(guard, sent.guard) {
            continue;
        }
        let Some(Role::More | Role::Size | Role::Total) = key_role(session, key) else { continue };
        let call = outside_builder(session, site).0;
        let again = first.iter().any(|(k, c)| *k == key && *c == call);
        if again {
            let name = session.store.values.as_text(key).map(|t| t.to_string()).unwrap_or_default();
            found.push((name, call));
        } else {
            first.push((key, call));
        }
    }
    found
}
