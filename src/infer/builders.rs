//! What the shared builder does on its own: the invariants that each of its methods stamps,
//! and those that a caller's extras overwrite.

use super::drive::run_builder;
use super::envelope::{outside_builder, Sent};
use super::facts::Facts;
use super::formula::F;
use super::relevance::Relevance;
use super::resolve::Index;
use super::session::Session;
use super::store::Event;
use super::value::{FunctionId, Node, ObjectId, Op, V};
use crate::ir::FunctionKind;
use crate::pack::{Pack, Role};
use crate::text::{FileId, Span};

/// What a method of the shared builder returns.
#[derive(Clone, Debug)]
pub struct BuilderPath {
    /// The method.
    pub function: String,
    /// Its name in the source.
    pub span: Span,
    /// Invariants that some path misses.
    pub missing: Vec<Role>,
}

/// A path of a builder's method on which a page misses something.
struct Lacking {
    function: FunctionId,
    /// The page.
    page: V,
    /// The return that hands it out.
    span: Span,
    missing: Vec<Role>,
}

/// Looks at every method of the shared builders.
pub fn builder_facts(index: &Index<'_>, pack: &Pack, relevance: &Relevance, facts: &mut Facts) {
    for (m, module) in index.program.modules.iter().enumerate() {
        if !relevance.is_builder(m as u32) || index.program.files[m] == FileId::NOWHERE {
            continue;
        }
        for (i, function) in module.functions.iter().enumerate() {
            if function.kind == FunctionKind::Closure || function.name.starts_with('_') {
                continue;
            }
            let id = FunctionId { module: m as u32, index: i as u32 };
            let mut ran = run_builder(index, pack, relevance, id);
            let lacking = lacking(&mut ran.session, id);
            // What could not be looked at to the end is not judged.
            let out = ran.session.store.values.forms.work.is_out();
            for path in lacking.into_iter().filter(|_| !out) {
                facts.builders.push(BuilderPath {
                    function: function.name.to_string(),
                    span: path.span,
                    missing: path.missing,
                });
            }
        }
    }
}

/// The returns of one method that hand out a page without an invariant. What another public
/// method hands on already counts there.
fn lacking(session: &mut Session<'_>, id: FunctionId) -> Vec<Lacking> {
    let mut paths: Vec<Lacking> = Vec::new();
    for built in session.seen.built.clone() {
        for (guard, page) in session.store.values.leaves(built.value, built.guard) {
            if let Some(missing) = missing(session, page, guard) {
                paths.push(Lacking { function: built.function, page, span: built.span, missing });
            }
        }
    }
    let public = |f: FunctionId| !session.function(f).name.starts_with('_');
    let mut own: Vec<Lacking> = Vec::new();
    for path in paths.iter().filter(|p| p.function == id) {
        let missing: Vec<Role> = path
            .missing
            .iter()
            .copied()
            .filter(|role| {
                !paths.iter().any(|p| {
                    p.function != id
                        && public(p.function)
                        && p.page == path.page
                        && p.missing.contains(role)
                })
            })
            .collect();
        if !missing.is_empty() && !own.iter().any(|o| o.span == path.span) {
            own.push(Lacking { missing, ..*path });
        }
    }
    own
}

/// The invariants that a built page misses under a condition; `None` where no page is built.
fn missing(session: &mut Session<'_>, page: V, guard: F) -> Option<Vec<Role>> {
    let id = session.store.body(page)?;
    let wanted = [Role::More, Role::Size, Role::Total];
    let mut stamped = [F::FALSE; 3];
    for key in session.store.keys(id) {
        let Some(role) = key_role(session, key) else { continue };
        if let Some(at) = wanted.iter().position(|w| *w == role) {
            let there = session.store.has(page, key, guard);
            stamped[at] = session.store.values.forms.or(stamped[at], there);
        }
    }
    if stamped.iter().all(|f| *f == F::FALSE) {
        return None;
    }
    let mut missing = Vec::new();
    for (role, when) in wanted.iter().zip(stamped) {
        if !session.store.values.forms.implies(guard, when) {
            missing.push(*role);
        }
    }
    Some(missing)
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
        let (writes, guard, site) = match event {
            Event::Write { key, value, guard, site, .. } => (vec![(key, value)], guard, site),
            Event::Copy { from, guard, site, overwrite: true, .. } => {
                match session.store.body(from) {
                    Some(other) if other != id => {
                        let keys = session.store.keys(other);
                        let read = |k: V| (k, session.store.read(from, k, F::TRUE));
                        (keys.into_iter().map(read).collect(), guard, site)
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        if !site.builder || !session.store.values.forms.compatible(guard, sent.guard) {
            continue;
        }
        let call = outside_builder(session, site).0;
        for (key, value) in writes {
            let Some(Role::More | Role::Size | Role::Total) = key_role(session, key) else {
                continue;
            };
            if !first.contains(&(key, call)) {
                first.push((key, call));
            } else if handed_over(session, id, key, value) {
                let name =
                    session.store.values.as_text(key).map(|t| t.to_string()).unwrap_or_default();
                found.push((name, call));
            }
        }
    }
    found
}

/// Whether another object has this field with this value from outside the builder.
fn handed_over(session: &Session<'_>, page: ObjectId, key: V, value: V) -> bool {
    session.store.objects.iter().enumerate().any(|(i, object)| {
        i != page.0 as usize
            && object.log.iter().any(|event| {
                matches!(event, Event::Write { key: k, value: v, site, .. }
                    if *k == key && *v == value && !site.builder)
            })
    })
}
