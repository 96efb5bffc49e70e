//! Which of an object that leaves is the page: the object itself or a member of it.
//!
//! Knows names only by their roles.

use super::envelope::worth;
use super::facts::Worth;
use super::formula::F;
use super::session::Session;
use super::tree_nodes::is_tree_node;
use super::value::V;
use crate::pack::Role;

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
        let mut stack = vec![(*value, *presence, 0)];
        while let Some((value, presence, depth)) = stack.pop() {
            for (guard, leaf) in session.store.values.leaves(value, presence) {
                let Some(id) = session.store.body(leaf) else { continue };
                if guard == F::FALSE || parts.iter().any(|(known, _)| *known == leaf) {
                    continue;
                }
                let keys = session.store.keys(id);
                if is_tree_node(session, leaf) {
                    continue;
                }
                if keys.iter().any(|k| says_page(session, leaf, *k, guard)) {
                    parts.push((leaf, guard));
                } else if depth < 2 && keys.len() < 40 {
                    for key in keys.into_iter().filter(|k| named(session, *k)).collect::<Vec<_>>() {
                        let inside = session.store.has(leaf, key, guard);
                        let inside = session.store.values.forms.and(inside, guard);
                        let value = session.store.read(leaf, key, inside);
                        stack.push((value, inside, depth + 1));
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
