//! Learns from the shared builder's source which further names its pages use: resume fields and
//! totals that the pack does not list.
//!
//! Keeps no list of its own; what the builder does not stamp is not learned.

use super::drive::run_builder;
use super::formula::F;
use super::relevance::Relevance;
use super::resolve::Index;
use super::session::Session;
use super::store::Event;
use super::value::{FunctionId, Node, Op, Origin, V};
use crate::ir::FunctionKind;
use crate::pack::{Pack, Role};

/// The pack with the words that the workspace's builders stamp.
pub fn learn(index: &Index<'_>, pack: &Pack, relevance: &Relevance) -> Pack {
    let mut learned = pack.clone();
    for (m, module) in index.program.modules.iter().enumerate() {
        if !relevance.is_builder(m as u32) {
            continue;
        }
        for (i, function) in module.functions.iter().enumerate() {
            if function.kind == FunctionKind::Closure {
                continue;
            }
            let id = FunctionId { module: m as u32, index: i as u32 };
            let mut ran = run_builder(index, pack, relevance, id);
            if !ran.roots.iter().any(|root| root.cut) {
                stamped(&mut ran.session, id, &mut learned);
            }
        }
    }
    learned
}

/// Adds what one method stamps on its pages.
fn stamped(session: &mut Session<'_>, id: FunctionId, learned: &mut Pack) {
    for built in session.seen.built.clone() {
        if built.function != id {
            continue;
        }
        for (guard, page) in session.store.values.leaves(built.value, built.guard) {
            let Some(more) = more_of(session, page, guard) else { continue };
            let Some(object) = session.store.body(page) else { continue };
            for key in session.store.keys(object) {
                for (_, key) in session.store.values.leaves(key, F::TRUE) {
                    learn_key(session, id, page, key, (guard, more), learned);
                }
            }
        }
    }
}

/// When a built page says that more remains; `None` where it has no such flag.
fn more_of(session: &mut Session<'_>, page: V, guard: F) -> Option<F> {
    let id = session.store.body(page)?;
    let key = session.store.keys(id).into_iter().find(|k| {
        let text = session.store.values.as_text(*k);
        text.is_some_and(|t| matches!(session.pack.role(t), Some((Role::More, _))))
    })?;
    let value = session.store.read(page, key, guard);
    Some(session.store.values.truthy(value, guard))
}

fn learn_key(
    session: &mut Session<'_>,
    id: FunctionId,
    page: V,
    key: V,
    (guard, more): (F, F),
    learned: &mut Pack,
) {
    let there = stamped_when(session, page, key);
    let there = session.store.values.forms.and(there, guard);
    let guarded = session.store.values.forms.implies(there, more);
    if there == F::FALSE {
        return;
    }
    match session.store.values.node(key).clone() {
        Node::Text(name) => {
            let value = session.store.read(page, key, there);
            if session.pack.role(&name).is_none()
                && may_resume(session, value)
                && (guarded || name.starts_with("next_"))
            {
                add_resume(learned, &name);
            }
        }
        Node::Symbol(_) if guarded => {
            let Some(Origin::Param(name)) =
                session.store.values.symbol_of(key).map(|s| s.origin.clone())
            else {
                return;
            };
            let function = session.function(id);
            let Some(place) = function.params.iter().position(|p| p.name == name) else { return };
            for text in session.relevance.builder_texts(&function.name, place) {
                add_resume(learned, text);
            }
        }
        Node::Op(Op::Text | Op::Add, parts) => {
            let prefix = session.store.values.as_text(parts[0]).cloned();
            if let Some(prefix) = prefix.filter(|p| p.ends_with('_') && p.len() > 3) {
                let known = &mut learned.fields.total_prefix;
                if !guarded && !known.iter().any(|p| *p == *prefix) {
                    known.push(prefix.to_string());
                }
            }
        }
        _ => {}
    }
}

/// When the builder itself writes a field.
fn stamped_when(session: &mut Session<'_>, page: V, key: V) -> F {
    let Some(id) = session.store.body(page) else { return F::FALSE };
    let mut when = F::FALSE;
    for event in session.store.object(id).log.clone() {
        let Event::Write { key: k, guard, .. } = event else { continue };
        for (here, leaf) in session.store.values.leaves(k, guard) {
            if leaf == key {
                when = session.store.values.forms.or(when, here);
            }
        }
    }
    when
}

/// Whether a value can be a place to go on from.
fn may_resume(session: &Session<'_>, v: V) -> bool {
    !matches!(
        session.store.values.node(v),
        Node::Null
            | Node::Cond(_)
            | Node::Text(_)
            | Node::List(_)
            | Node::Object(_)
            | Node::Op(Op::Text | Op::Encode, _)
    ) && !matches!(
        session.store.values.symbol_of(v).and_then(|s| s.ty.as_ref()),
        Some((_, crate::ir::Type::Named(None, name))) if matches!(name.as_str(), "String" | "StringName" | "string" | "bool")
    )
}

fn add_resume(learned: &mut Pack, name: &str) {
    let fresh = !name.is_empty() && learned.role(name).is_none();
    if fresh {
        learned.fields.resume.push(name.to_string());
    }
}
