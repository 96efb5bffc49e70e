//! Which of an object that leaves is the page: the object itself or a member of it.
//!
//! Knows names only by their roles.

use super::envelope::{fill, worth, Sent};
use super::facts::Worth;
use super::formula::F;
use super::session::Session;
use super::tree_nodes::is_tree_node;
use super::value::{Node, V};
use crate::pack::Role;

/// Most fields of an object that only carries a page, or the failure in its place.
pub(super) const MAX_CARRIER: usize = 6;

/// The members of an object, however deep, that say by themselves that they are a page: by the
/// field that they stand in, each with when it is there.
pub(super) fn paging_members(
    session: &mut Session<'_>,
    presences: &[(V, F, V)],
) -> Vec<(V, Vec<(V, F)>)> {
    let mut found: Vec<(V, Vec<(V, F)>)> = Vec::new();
    // What stands under a key that only the run knows is a row of a table, not a member.
    let named = |session: &Session<'_>, key: V| session.store.values.as_text(key).is_some();
    for (field, presence, value) in presences {
        if !named(session, *field) {
            continue;
        }
        let mut parts = Vec::new();
        let mut stack = vec![(*value, *presence, 0, presences.len())];
        while let Some((value, presence, depth, width)) = stack.pop() {
            for (guard, leaf) in session.store.values.leaves(value, presence) {
                let Some(id) = session.store.body(leaf) else { continue };
                if guard == F::FALSE || parts.iter().any(|(known, _)| *known == leaf) {
                    continue;
                }
                let keys = session.store.keys(id);
                let beside = keys.len();
                if is_tree_node(session, leaf) {
                    continue;
                }
                let says = keys.iter().any(|k| says_page(session, leaf, *k, guard));
                let note = says && width > MAX_CARRIER && is_note(session, leaf, &keys, guard);
                let counts =
                    !says && width <= MAX_CARRIER && counts_cut_rows(session, leaf, &keys, guard);
                if says && !note || counts {
                    parts.push((leaf, guard));
                } else if depth < 2 && keys.len() < 40 {
                    for key in keys.into_iter().filter(|k| named(session, *k)).collect::<Vec<_>>() {
                        let inside = session.store.has(leaf, key, guard);
                        let inside = session.store.values.forms.and(inside, guard);
                        let value = session.store.read(leaf, key, inside);
                        stack.push((value, inside, depth + 1, beside));
                    }
                }
            }
        }
        if !parts.is_empty() {
            found.push((*field, parts));
        }
    }
    found
}

/// Whether a member says no more of a page than a flag by its old name, and holds no rows that
/// were cut: a note that something was shortened, such as in a record of a measurement.
fn is_note(session: &mut Session<'_>, object: V, keys: &[V], guard: F) -> bool {
    keys.iter().all(|key| {
        let Some(name) = session.store.values.as_text(*key).cloned() else { return false };
        match session.pack.role(&name) {
            Some((Role::More, old)) => old,
            Some(_) => false,
            None => {
                session.pack.weak_role(&name).is_none()
                    && !holds_cut_rows(session, object, *key, guard)
            }
        }
    })
}

/// Whether a member says how many rows it holds and how many there are, and its rows were cut.
fn counts_cut_rows(session: &mut Session<'_>, object: V, keys: &[V], guard: F) -> bool {
    let (mut size, mut total, mut cut) = (false, false, false);
    for key in keys {
        let Some(name) = session.store.values.as_text(*key).cloned() else { continue };
        match session.pack.role(&name).map(|(role, _)| role) {
            Some(Role::Size) => size = true,
            Some(Role::Total) => total = true,
            Some(Role::More | Role::Resume | Role::Clamped | Role::Hint) => {}
            None => cut |= holds_cut_rows(session, object, *key, guard),
        }
    }
    size && total && cut
}

/// Whether a field of an object holds rows that were cut.
fn holds_cut_rows(session: &mut Session<'_>, object: V, key: V, guard: F) -> bool {
    let value = session.store.read(object, key, guard);
    session
        .store
        .values
        .any_leaf(value, |leaf, node| matches!(node, Node::List(_)) && !session.list_is_whole(leaf))
}

/// Whether a field of a member makes the member a page by itself.
fn says_page(session: &mut Session<'_>, object: V, key: V, guard: F) -> bool {
    let Some(name) = session.store.values.as_text(key).cloned() else { return false };
    let there = session.store.has(object, key, guard);
    let there = session.store.values.forms.and(there, guard);
    match session.pack.role(&name) {
        _ if there == F::FALSE => false,
        Some((Role::More, _)) => {
            let value = session.store.read(object, key, there);
            !matches!(worth(session, value, there), Worth::Text | Worth::Number)
        }
        Some((Role::Resume | Role::Clamped, _)) => true,
        _ => false,
    }
}

/// Responses with what their objects hold; an object that carries one of several pages, each made
/// in a place of its own, is a response for each.
pub(super) fn filled(session: &mut Session<'_>, sent: Vec<Sent>) -> Vec<Sent> {
    let mut filled = Vec::with_capacity(sent.len());
    for mut one in sent {
        let plain = one.response.clone();
        fill(session, &mut one);
        let apart = pages_apart(session, &one);
        for guard in &apart {
            let mut page = Sent {
                response: plain.clone(),
                object: one.object,
                guard: *guard,
                activity: one.activity.clone(),
                more: None,
                clamped: F::FALSE,
                members: Vec::new(),
            };
            fill(session, &mut page);
            filled.push(page);
        }
        if apart.is_empty() {
            filled.push(one);
        }
    }
    filled
}

/// When each of several pages leaves that one object carries, each made in a place of its own:
/// answers of many tools that one wrapper sends. None where the object is a page, or one page's.
fn pages_apart(session: &Session<'_>, sent: &Sent) -> Vec<F> {
    let own = sent.response.fields.iter().any(|f| f.role.is_some() && !f.nested);
    if own || sent.members.len() < 2 {
        return Vec::new();
    }
    let made = |v: V| session.store.body(v).map(|id| session.store.object(id).created.span);
    let mut places = std::collections::BTreeSet::new();
    let apart = sent.members.iter().all(|(member, _)| places.insert(made(*member)));
    match apart {
        true => sent.members.iter().map(|(_, guard)| *guard).collect(),
        false => Vec::new(),
    }
}
