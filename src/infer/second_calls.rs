//! Pages whose meta half comes from another response than their data.
//!
//! Judges nothing; where no call to the service is known by name, those count that are asked for
//! a page.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::facts::{Emitter, Facts};
use super::observe::Emission;
use super::session::Session;
use super::store::{Event, Site};
use super::value::{Node, Origin, V};
use crate::text::Span;

/// Most values that the sources of a page are looked for in.
const MAX_VALUES: usize = 600;

/// A page whose meta half comes from another response than its data.
#[derive(Clone, Debug)]
pub struct SecondCall {
    /// The later of the two calls.
    pub span: Span,
    /// The other one.
    pub first: Span,
    /// Where the page leaves.
    pub sink: Span,
    /// Who sends it.
    pub emitter: Emitter,
}

/// A call that a value comes from; in the order of the calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// A known call to the service, by its number.
    Upstream(u32),
    /// A call that could not be followed and that was asked for a page, by its result.
    Asked(V),
}

/// Adds a page to the facts whose state, the values of its meta half, comes from another response
/// than its data.
pub fn second_call(
    session: &mut Session<'_>,
    emission: &Emission,
    states: &[V],
    emitter: &Emitter,
    facts: &mut Facts,
) {
    let meta = sources(session, states);
    let data = sources(session, &[emission.value]);
    if meta.is_empty() || data.is_empty() || !meta.is_disjoint(&data) {
        return;
    }
    // Rows that are asked for by what the page holds belong to it.
    let follows = |n: &Source| !sources(session, &request(session, *n)).is_disjoint(&meta);
    if data.iter().any(follows) {
        return;
    }
    // What is asked for by what another of the data's calls gave goes along with that one.
    let goes_along = |n: &&Source| {
        let asked = sources(session, &request(session, **n));
        asked.iter().any(|m| m != *n && data.contains(m))
    };
    let data: BTreeSet<Source> = data.iter().filter(|n| !goes_along(n)).copied().collect();
    let (Some(a), Some(b)) = (meta.iter().next_back(), data.iter().next_back()) else { return };
    let (early, late) = if a > b { (*b, *a) } else { (*a, *b) };
    let Some((first, span)) = places(session, early, late) else { return };
    let sink = emission.site.span;
    facts.second_calls.push(SecondCall { span, first, sink, emitter: emitter.clone() });
}

/// What a call was asked with.
fn request(session: &Session<'_>, source: Source) -> Vec<V> {
    match source {
        Source::Upstream(n) => session.seen.upstreams[n as usize].request.into_iter().collect(),
        Source::Asked(v) => session.seen.made_of.get(&v).map_or(Vec::new(), |from| from.to_vec()),
    }
}

/// Where two calls stand. Of calls that a helper makes, its own calls are told; `None` where the
/// two are one.
fn places(session: &Session<'_>, first: Source, second: Source) -> Option<(Span, Span)> {
    let site = |source: Source| match source {
        Source::Upstream(n) => Some(session.seen.upstreams[n as usize].site),
        Source::Asked(v) => session.seen.made_at.get(&v).copied(),
    };
    let (a, b) = (site(first)?, site(second)?);
    if let (Source::Upstream(_), Source::Upstream(_)) = (first, second) {
        return Some((a.span, b.span));
    }
    let (a, b) = (calls_around(session, a), calls_around(session, b));
    let (frame, a) = a.into_iter().find(|(frame, _)| b.iter().any(|(other, _)| frame == other))?;
    let (_, b) = b.into_iter().find(|(other, _)| frame == *other)?;
    (a != b).then_some((a, b))
}

/// A place, and the calls that led to it, innermost first, each with the frame that it stands in.
fn calls_around(session: &Session<'_>, site: Site) -> Vec<(u32, Span)> {
    let mut places = vec![(site.frame, site.span)];
    let mut at = site.frame;
    loop {
        let frame = &session.frames[at as usize];
        let (Some(call), Some(caller)) = (frame.call, frame.caller) else { return places };
        places.push((caller, call));
        at = caller;
    }
}

/// The calls that values hold anything of.
fn sources(session: &Session<'_>, values: &[V]) -> BTreeSet<Source> {
    let mut found = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut stack = values.to_vec();
    while let Some(v) = stack.pop() {
        if seen.len() > MAX_VALUES || !seen.insert(v) {
            continue;
        }
        match session.store.values.node(v) {
            Node::Symbol(_) => match session.store.values.symbol_of(v).map(|s| &s.origin) {
                Some(Origin::Upstream(n)) => drop(found.insert(Source::Upstream(*n))),
                Some(Origin::Item(of) | Origin::Key(of) | Origin::Carried(of)) => stack.push(*of),
                _ if session.seen.made_at.contains_key(&v) && session.came_of_paging(v, true) => {
                    found.insert(Source::Asked(v));
                }
                _ => {}
            },
            Node::Op(_, parts) => stack.extend(parts.iter().copied()),
            Node::Choice(_, a, b) => stack.extend([*a, *b]),
            Node::List(id) => {
                let list = session.store.list(*id);
                stack.extend(list.elements.iter().map(|(_, v)| *v));
                stack.extend(list.fills.iter().map(|(.., v)| *v));
                stack.extend(list.base);
            }
            _ => {}
        }
        if let Some(id) = session.store.body(v) {
            let object = session.store.object(id);
            stack.extend(object.base);
            for event in &object.log {
                match event {
                    // What is counted by its key is of the response that the key is of.
                    Event::Write { key, value, .. } => stack.extend([*key, *value]),
                    Event::Copy { from, .. } => stack.push(*from),
                    Event::Remove { .. } | Event::Clear { .. } => {}
                }
            }
        }
    }
    found
}
