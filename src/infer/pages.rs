//! The meta half of pages as commands send it: whether it goes along, whether its pair of
//! exhausted and token can contradict itself, and which response it comes from.
//!
//! Judges nothing; knows of fields only the names that the pack gives.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::atom::Atom;
use super::commands::last_write;
use super::data::is_machinery;
use super::drive::Ran;
use super::envelope::function_name;
use super::facts::{Emitter, Facts};
use super::formula::F;
use super::observe::Emission;
use super::second_calls::second_call;
use super::session::Session;
use super::upstream::asks_for_page;
use super::value::{Node, ObjectId, Op, Origin, Values, V};
use crate::ir::Type;
use crate::text::Span;

/// Most nesting of a meta half that is looked through for its pair.
const MAX_DEPTH: u8 = 3;

/// What is known of the meta half of a command's pages.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// Whether some path sends it.
    pub emits: bool,
    /// Whether some path sends data without it.
    pub plain: bool,
    /// Whether the command was not followed to its end.
    pub unsure: bool,
    /// Whether some request of the command asks for a page.
    pub asks: bool,
    /// Whether it goes along in an answer that the program encodes by itself.
    pub own: bool,
    /// Where it is sent, and where the pair is made.
    pub sites: BTreeSet<Span>,
}

/// What a pair can say that it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// Exhausted, and a token.
    EndWithToken,
    /// Not exhausted, and no token.
    MoreWithout,
}

/// A pair of exhausted and token that can contradict itself.
#[derive(Clone, Debug)]
pub struct Unpaired {
    /// How.
    pub what: Contradiction,
    /// The write that makes it so.
    pub span: Span,
    /// Who makes it.
    pub emitter: Emitter,
}

/// Adds what an emission shows of a page's meta half to the facts.
pub fn emitted(
    ran: &mut Ran<'_>,
    emission: &Emission,
    guard: F,
    emitter: &Emitter,
    facts: &mut Facts,
) {
    let exhausted = ran.roots[emission.activity.root as usize].exhausted;
    let session = &mut ran.session;
    let meta = emission.meta.map(|meta| (meta, carries_state(session, meta, guard)));
    let there = meta.filter(|(_, guard)| *guard != F::FALSE);
    let pairs = there.map_or(Vec::new(), |(meta, guard)| pairs_in(session, meta, guard));
    if let Some(command) = &emitter.command {
        let asks = there.is_some() && asks(session);
        let delivery = facts.deliveries.entry(command.clone()).or_default();
        delivery.unsure |= exhausted;
        delivery.asks |= asks;
        delivery.own |= there.is_some() && session.is_library(emission.exit);
        delivery.emits |= there.is_some();
        delivery.plain |= there.is_none_or(|(_, with)| with != guard);
        if there.is_some() {
            delivery.sites.insert(emission.site.span);
            delivery.sites.extend(pairs.iter().map(|p| session.store.object(p.id).created.span));
        }
    }
    if exhausted {
        return;
    }
    for pair in &pairs {
        unpaired(session, pair, emitter, facts);
    }
    let states: Vec<V> = pairs.iter().flat_map(|p| [p.exhausted.1, p.token.1]).collect();
    second_call(session, emission, &states, emitter, facts);
}

/// Adds the pairs that a root gives back to the facts: who calls it is not known.
pub fn given_back(ran: &mut Ran<'_>, facts: &mut Facts) {
    for root in ran.roots.clone() {
        if root.exhausted || root.function.index == u32::MAX || root.result == V::NULL {
            continue;
        }
        let emitter = Emitter {
            command: root.name.as_ref().filter(|n| !n.is_empty()).map(|n| n.to_string()),
            stage: ran.session.stage.as_ref().map(|s| s.to_string()),
            function: function_name(&ran.session, root.function),
            calls: Vec::new(),
        };
        let machinery = is_machinery(&ran.session, root.function);
        for pair in pairs_in(&mut ran.session, root.result, F::TRUE) {
            if !machinery {
                unpaired(&mut ran.session, &pair, &emitter, facts);
            }
        }
    }
}

/// When a meta half carries a paging state; one that was not seen being made does.
fn carries_state(session: &mut Session<'_>, meta: V, guard: F) -> F {
    let mut carries = F::FALSE;
    for (when, leaf) in session.store.values.leaves(meta, guard) {
        let null = session.store.values.is_null(leaf, when);
        let mut here = session.store.values.forms.minus(when, null);
        let known = session.store.body(leaf).filter(|id| session.store.object(*id).base.is_none());
        if known.is_some() {
            let mut some = F::FALSE;
            for name in &session.pack.meta.state {
                let key = session.store.values.text(name);
                let state = session.store.read(leaf, key, here);
                let none = session.store.values.is_null(state, here);
                let set = session.store.values.forms.minus(here, none);
                some = session.store.values.forms.or(some, set);
            }
            here = some;
        }
        carries = session.store.values.forms.or(carries, here);
    }
    carries
}

/// Whether some request that the session made, or handed to code that is not followed, asks for
/// a page.
fn asks(session: &Session<'_>) -> bool {
    let requests = session.seen.upstreams.iter().filter_map(|call| call.request);
    let handed = session.store.objects.iter().enumerate().filter(|(_, o)| o.escaped);
    let handed = handed.filter_map(|(i, _)| value_of(session, ObjectId(i as u32)));
    requests.chain(handed).any(|v| asks_for_page(session, v))
}

/// The value that an object is, where there is one.
fn value_of(session: &Session<'_>, id: ObjectId) -> Option<V> {
    let base = session.store.object(id).base.filter(|b| session.store.body(*b) == Some(id));
    base.or_else(|| session.store.values.known(&Node::Object(id)))
}

/// An object that pairs exhausted with token.
struct Pair {
    id: ObjectId,
    guard: F,
    exhausted: (V, V),
    token: (V, V),
}

fn pairs_in(session: &mut Session<'_>, v: V, guard: F) -> Vec<Pair> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![(v, guard, 0u8)];
    while let Some((v, guard, depth)) = stack.pop() {
        for (guard, leaf) in session.store.values.leaves(v, guard) {
            if guard == F::FALSE || !seen.insert(leaf) {
                continue;
            }
            if let Node::Op(Op::Tuple, parts) = session.store.values.node(leaf).clone() {
                stack.extend(parts.iter().map(|p| (*p, guard, depth + 1)));
                continue;
            }
            let Some(id) = session.store.body(leaf) else { continue };
            match pair(session, leaf, id, guard) {
                Some(pair) => found.push(pair),
                None if depth < MAX_DEPTH => {
                    for key in session.store.keys(id) {
                        let value = session.store.read(leaf, key, guard);
                        stack.push((value, guard, depth + 1));
                    }
                }
                None => {}
            }
        }
    }
    found
}

fn pair(session: &mut Session<'_>, v: V, id: ObjectId, guard: F) -> Option<Pair> {
    let meta = &session.pack.meta;
    let guard = {
        let made = session.store.object(id).guard;
        session.store.values.forms.and(guard, made)
    };
    if session.store.object(id).base.is_some() || guard == F::FALSE {
        return None;
    }
    let keys = session.store.keys(id);
    let find = |names: &[String]| {
        keys.iter().copied().find(|k| {
            session.store.values.as_text(*k).is_some_and(|t| names.iter().any(|n| n == t.as_str()))
        })
    };
    let (exhausted, token) = (find(&meta.exhausted), find(&meta.token));
    // Only a struct has fields that nobody writes; a map with a token alone may be a request.
    let is_struct = matches!(session.store.object(id).ty, Some((_, Type::Named(..))));
    exhausted.or(token.filter(|_| is_struct))?;
    let mut side = |key: Option<V>| match key {
        Some(key) => (key, session.store.read(v, key, guard)),
        None => (V::NULL, V::NULL),
    };
    let (exhausted, token) = (side(exhausted), side(token));
    Some(Pair { id, guard, exhausted, token })
}

fn unpaired(session: &mut Session<'_>, pair: &Pair, emitter: &Emitter, facts: &mut Facts) {
    let ended = session.store.values.truthy(pair.exhausted.1, pair.guard);
    let token = there(session, pair.token.1, pair.guard);
    if !is_told(session, ended) || !is_told(session, token) || !is_told(session, pair.guard) {
        return;
    }
    let forms = &mut session.store.values.forms;
    let with = forms.and(ended, token);
    let either = forms.or(ended, token);
    let neither = either.denied();
    let found = [
        (Contradiction::EndWithToken, with, [pair.token.0, pair.exhausted.0]),
        (Contradiction::MoreWithout, neither, [pair.exhausted.0, pair.token.0]),
    ];
    for (what, when, keys) in found {
        if !session.store.values.forms.compatible(when, pair.guard) {
            continue;
        }
        let write = keys.iter().find_map(|k| last_write(session, pair.id, *k));
        let site = write.unwrap_or(session.store.object(pair.id).created);
        let emitter =
            Emitter { function: function_name(session, site.function), ..emitter.clone() };
        facts.unpaired.push(Unpaired { what, span: site.span, emitter });
    }
}

/// When a token is there: given, and not empty.
fn there(session: &mut Session<'_>, token: V, guard: F) -> F {
    let empty = session.store.values.text("");
    let mut there = F::FALSE;
    for (when, leaf) in session.store.values.leaves(token, guard) {
        if leaf == V::NULL {
            continue;
        }
        let values = &mut session.store.values;
        let none = values.equal(leaf, empty, when);
        let here = values.forms.minus(when, none);
        there = values.forms.or(there, here);
    }
    there
}

/// Whether a value is a number, or a constant of a library by its name.
fn is_constant(values: &Values, v: V) -> bool {
    match values.node(v) {
        Node::Int(_) | Node::Float(_) => true,
        Node::Op(Op::Field, parts) => {
            matches!(values.node(parts[0]), Node::Op(Op::Other, name) if name.len() == 1)
        }
        _ => false,
    }
}

/// Whether a condition asks only for fields and parameters, or for what was decoded here: what a
/// call gave that could not be followed may have been checked there.
fn is_told(session: &Session<'_>, f: F) -> bool {
    let values = &session.store.values;
    let decoded = |v: V| {
        let mut at = v;
        while let Node::Op(Op::Field, parts) = values.node(at) {
            at = parts[0];
        }
        // A struct that was only declared holds what was decoded into it, or nothing.
        let declared = values.symbol_of(at).is_some_and(|s| s.ty.is_some());
        let declared =
            declared && values.symbol_of(at).is_some_and(|s| matches!(s.origin, Origin::Unknown));
        declared || matches!(values.node(at), Node::Op(Op::Decode, _))
    };
    let open = |v: V| {
        !decoded(v)
            && values.mentions(v, &|x, _| {
                values.symbol_of(x).is_some_and(|s| {
                    !matches!(
                        s.origin,
                        Origin::Param(_) | Origin::Upstream(_) | Origin::Error | Origin::Item(_)
                    )
                })
            })
    };
    values.forms.support(f).into_iter().all(|atom| match values.atom_meaning(atom) {
        Atom::Truthy(v) | Atom::IsText(v, _) => !open(*v),
        // A status is no field of a page.
        Atom::Equal(a, b) if is_constant(values, *a) || is_constant(values, *b) => true,
        Atom::Equal(a, b) => !open(*a) && !open(*b),
        Atom::Once(..) | Atom::Either(..) => false,
        Atom::Null(_)
        | Atom::AtLeast(..)
        | Atom::Less(..)
        | Atom::Has(..)
        | Atom::IsType(..)
        | Atom::Free(_) => true,
    })
}
