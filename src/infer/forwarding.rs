//! What code that only passes responses on does to them: whose they are, which paging fields it
//! reads, takes out or sends under another name.
//!
//! Knows who answers only by the names of tools.

use super::activity::Activity;
use super::envelope::{function_name, Sent};
use super::facts::Forwarded;
use super::formula::F;
use super::session::Session;
use super::store::Event;
use super::upstream::{tools_of, upstream_of};
use super::value::{Node, Op, Origin, V};
use crate::pack::Role;

/// Whether a module only passes on what others send.
pub fn is_forwarding(session: &Session<'_>, module: u32) -> bool {
    session.index.program.forwards.get(module as usize).copied().unwrap_or(false)
}

/// Whether what runs asked for something on its way: what leaves after all arms may be of any.
pub fn asked_by(asking: &Activity, leaving: &Activity) -> bool {
    asking.root == leaving.root && (leaving.arm.is_empty() || asking.arm == leaving.arm)
}

impl Session<'_> {
    /// Whether an object says by a flag of its own that it is an error.
    pub(super) fn is_flagged_error(&self, v: V) -> bool {
        let Some(id) = self.store.body(v).filter(|_| !self.pack.error_flags.is_empty()) else {
            return false;
        };
        let is_flag = |key: V| {
            let text = self.store.values.as_text(key);
            text.is_some_and(|t| self.pack.error_flags.iter().any(|f| f == t))
        };
        self.store.values.forms.work.did(self.store.object(id).log.len());
        self.store.object(id).log.iter().any(|event| match event {
            Event::Write { key, value, literal: true, .. } => {
                is_flag(*key) && matches!(self.store.values.node(*value), Node::Cond(F::TRUE))
            }
            _ => false,
        })
    }
}

/// What is done to the response that an object passes on.
pub fn forwarded(session: &mut Session<'_>, sent: &Sent, presences: &[(V, F, V)]) -> Forwarded {
    let mut done = Forwarded {
        asked: asked(session, sent, presences),
        whole: holds_whole(session, sent.object, 0),
        ..Forwarded::default()
    };
    for read in &session.seen.reads {
        let same = asked_by(&read.activity, &sent.activity)
            && paging(session, &read.key)
            && upstream_of(session, read.base).is_some()
            && function_name(session, read.site.function) == sent.response.function;
        if same {
            done.reads.insert(read.key.to_string());
            let earlier = done.read_at.is_none_or(|known| read.site.span < known);
            done.read_at = if earlier { Some(read.site.span) } else { done.read_at };
        }
    }
    drops(session, sent, &mut done);
    for (key, _, value) in presences {
        renames(session, sent, *key, *value, &mut done);
        if puts_back(session, sent, *key, *value) {
            done.kept.extend(session.store.values.as_text(*key).map(|name| name.to_string()));
        }
    }
    done
}

/// Whether a name is one of a page's own, not an old one and not prose.
fn paging(session: &Session<'_>, name: &str) -> bool {
    matches!(session.pack.role(name), Some((role, false)) if role != Role::Hint)
}

/// The tools that an object's fields come from; where no field tells, those that were asked on
/// the way.
fn asked(
    session: &mut Session<'_>,
    sent: &Sent,
    presences: &[(V, F, V)],
) -> std::collections::BTreeSet<String> {
    let parts = presences.iter().map(|(_, _, value)| *value).chain([sent.object]);
    let numbers: Vec<u32> = parts.filter_map(|v| upstream_of(session, v)).collect();
    let calls = session.seen.upstreams.clone().into_iter().enumerate();
    calls
        .filter(|(i, call)| match numbers.is_empty() {
            true => asked_by(&call.activity, &sent.activity),
            false => numbers.contains(&(*i as u32)),
        })
        .flat_map(|(_, call)| tools_of(session, &call))
        .collect()
}

/// Paging fields that are taken out of the response, or of a copy of it, and not put back.
fn drops(session: &mut Session<'_>, sent: &Sent, done: &mut Forwarded) {
    for removal in session.seen.removals.clone() {
        let Some(name) = session.store.values.as_text(removal.key).cloned() else { continue };
        if !asked_by(&removal.activity, &sent.activity)
            || !paging(session, &name)
            || upstream_of(session, removal.from).is_none()
            || !is_made_of(session, sent.object, removal.from, 0)
        {
            continue;
        }
        let within = session.store.values.forms.and(removal.guard, sent.guard);
        let there = session.store.has(sent.object, removal.key, within);
        if within != F::FALSE && !session.store.values.forms.compatible(there, within) {
            done.dropped.push((name.to_string(), removal.site.span));
        }
    }
}

/// Whether an object is a response of the service, or has all fields of one copied in.
fn holds_whole(session: &Session<'_>, object: V, depth: u8) -> bool {
    let origin = |v| session.store.values.symbol_of(v).map(|s| &s.origin);
    if matches!(origin(object), Some(Origin::Upstream(_))) {
        return true;
    }
    let Some(id) = session.store.body(object).filter(|_| depth < 6) else { return false };
    session.store.object(id).log.iter().any(|event| match event {
        Event::Copy { from, .. } => holds_whole(session, *from, depth + 1),
        _ => false,
    })
}

/// Whether an object is another one, or has all of its fields copied in.
fn is_made_of(session: &Session<'_>, object: V, of: V, depth: u8) -> bool {
    if object == of {
        return true;
    }
    let Some(id) = session.store.body(object).filter(|_| depth < 6) else { return false };
    session.store.object(id).log.iter().any(|event| match event {
        Event::Copy { from, .. } => is_made_of(session, *from, of, depth + 1),
        _ => false,
    })
}

/// Whether a field is the response's own by the same name, in an object that has all its others.
fn puts_back(session: &Session<'_>, sent: &Sent, key: V, value: V) -> bool {
    let Node::Op(Op::Field, parts) = session.store.values.node(value) else { return false };
    parts[1] == key
        && upstream_of(session, parts[0]).is_some()
        && is_made_of(session, sent.object, parts[0], 0)
}

/// A has-more flag or resume field of the response that leaves under a name that is none, in an
/// object that does not have it under its own.
fn renames(session: &mut Session<'_>, sent: &Sent, key: V, value: V, done: &mut Forwarded) {
    let Some(name) = session.store.values.as_text(key).cloned() else { return };
    if session.pack.role(&name).is_some() || name.starts_with('_') {
        return;
    }
    let Node::Op(Op::Field, parts) = session.store.values.node(value).clone() else { return };
    let Some(own) = session.store.values.as_text(parts[1]).cloned() else { return };
    let steers = matches!(session.pack.role(&own), Some((Role::More | Role::Resume, false)));
    if !steers || upstream_of(session, parts[0]).is_none() {
        return;
    }
    let there = session.store.has(sent.object, parts[1], sent.guard);
    if session.store.values.forms.compatible(there, sent.guard) {
        return;
    }
    let Some(id) = session.store.body(sent.object) else { return };
    let mut sites = Vec::new();
    super::envelope::sites_of(session, id, key, sent.guard, &mut sites);
    let span = sites.first().map_or(sent.response.created, |s| s.span);
    done.renamed.push((own.to_string(), name.to_string(), span));
}
