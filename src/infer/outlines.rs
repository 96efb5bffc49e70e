//! What commands emit, in outline: the fields of data, and of the meta half that goes with it.
//!
//! Judges nothing and asks no pack.

use std::sync::Arc;

use super::envelope::{is_open, key_name};
use super::facts::{Emitter, Facts, Field, Worth};
use super::formula::F;
use super::observe::Emission;
use super::session::Session;
use super::upstream::upstream_of;
use super::value::{Node, Op, V};
use crate::text::Span;

/// An object that a command emits as data.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Where it leaves.
    pub sink: Span,
    /// Who emits it.
    pub emitter: Emitter,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Whether unknown fields may be there too.
    pub open: bool,
    /// The fields of the meta half that goes with it, and whether others may be there too.
    pub meta: Option<(Vec<Field>, bool)>,
    /// Whether it is, or is made of, a response of the service.
    pub upstream: bool,
    /// Whether only a name or a result that nobody takes says that it leaves.
    pub guessed: bool,
}

impl Outline {
    /// Whether anything is known of what leaves.
    pub fn is_understood(&self) -> bool {
        self.upstream || !self.open || !self.fields.is_empty()
    }
}

/// Most fields of an object that are told.
const MAX_FIELDS: usize = 60;
/// Most objects of one emission that are told.
const MAX_OBJECTS: usize = 8;
/// Most results that are taken out of one another (a text of a pair of a ...).
const MAX_WRAPPED: usize = 6;

/// Adds the objects that an emission can be, each with its meta half.
pub(super) fn add(
    session: &mut Session<'_>,
    emission: &Emission,
    guard: F,
    (sink, emitter): (Span, &Emitter),
    facts: &mut Facts,
) {
    let guessed = emission.exit == super::observe::Exit::Guess;
    let meta = emission.meta.and_then(|meta| {
        let (guard, object) = objects(session, meta, guard).into_iter().next()?;
        Some(fields(session, object, guard))
    });
    for (guard, object) in objects(session, emission.value, guard) {
        let upstream = upstream_of(session, object).is_some();
        let plain = matches!(
            session.store.values.node(object),
            Node::Null
                | Node::Cond(_)
                | Node::Int(_)
                | Node::Float(_)
                | Node::Text(_)
                | Node::List(_)
        );
        if plain && !upstream {
            continue;
        }
        let (fields, open) = fields(session, object, guard);
        let open = open || upstream;
        let emitter = emitter.clone();
        let outline =
            Outline { sink, emitter, fields, open, meta: meta.clone(), upstream, guessed };
        facts.outlines.push(Arc::new(outline));
    }
}

/// The objects that a value can be, out of what only carries them.
fn objects(session: &mut Session<'_>, v: V, guard: F) -> Vec<(F, V)> {
    let mut found = Vec::new();
    let mut stack = vec![(guard, v, 0)];
    while let Some((guard, v, depth)) = stack.pop() {
        for (guard, leaf) in session.store.values.leaves(v, guard) {
            if guard == F::FALSE
                || found.len() >= MAX_OBJECTS
                || session.sink_struct(leaf).is_some()
            {
                continue;
            }
            match session.store.values.node(leaf).clone() {
                Node::Op(Op::Tuple, parts) if depth < MAX_WRAPPED => {
                    stack.extend(parts.iter().map(|part| (guard, *part, depth + 1)));
                }
                Node::Op(Op::Encode | Op::Decode, parts)
                    if session.store.body(leaf).is_none() && depth < MAX_WRAPPED =>
                {
                    stack.push((guard, parts[0], depth + 1));
                }
                _ => found.push((guard, leaf)),
            }
        }
    }
    found
}

/// The fields of an object, and whether others may be there too.
fn fields(session: &mut Session<'_>, object: V, guard: F) -> (Vec<Field>, bool) {
    let Some(id) = session.store.body(object) else { return (Vec::new(), true) };
    let (named, unnamed) = named(session, object, guard);
    let open = is_open(session, id, 0) || unnamed;
    let mut fields: Vec<Field> = Vec::new();
    for Named { name, key, there, always } in named {
        let value = session.store.read(object, key, there);
        let inner = inner(session, value, there);
        match fields.iter_mut().find(|field| field.name == name) {
            Some(known) => known.always |= always,
            None => fields.push(Field {
                name,
                role: None,
                always,
                sites: Vec::new(),
                worth: Worth::Other,
                inner,
                nested: false,
            }),
        }
    }
    (fields, open)
}

/// The fields of a field's own value, where that is one object: name and whether always there.
fn inner(session: &mut Session<'_>, v: V, guard: F) -> Vec<(String, bool)> {
    let leaves = session.store.values.leaves(v, guard);
    let [(guard, leaf)] = leaves.as_slice() else { return Vec::new() };
    let (named, _) = named(session, *leaf, *guard);
    named.into_iter().map(|field| (field.name, field.always)).collect()
}

/// A field that may be there under a name that can be told.
struct Named {
    name: String,
    key: V,
    there: F,
    always: bool,
}

/// The fields of an object whose names can be told, and whether there may be one whose cannot.
fn named(session: &mut Session<'_>, object: V, guard: F) -> (Vec<Named>, bool) {
    let (mut found, mut unnamed) = (Vec::new(), false);
    let Some(id) = session.store.body(object) else { return (found, unnamed) };
    for key in session.store.keys(id).into_iter().take(MAX_FIELDS) {
        let there = session.store.has(object, key, guard);
        let there = session.store.values.forms.and(there, guard);
        if there == F::FALSE {
            continue;
        }
        let always = session.store.values.forms.implies(guard, there);
        match key_name(session, key) {
            Some(name) => found.push(Named { name, key, there, always }),
            None => unnamed = true,
        }
    }
    (found, unnamed)
}
