//! Whether a page's total and has-more flag say the truth about its rows.

use super::atom::Atom;
use super::envelope::Sent;
use super::facts::{Field, Inexact, Worth};
use super::formula::F;
use super::rows::rows_when;
use super::session::Session;
use super::value::{Node, Op, Origin, V};
use crate::pack::{Role, WindowKind};

/// Finds what is inexact in a response.
pub fn inexact(session: &mut Session<'_>, sent: &Sent) -> Vec<(Inexact, usize)> {
    let mut holders = vec![(sent.object, sent.guard)];
    holders.extend(sent.members.iter().copied());
    let mut presences = Vec::new();
    for (object, guard) in &holders {
        let Some(id) = session.store.body(*object) else { continue };
        for key in session.store.keys(id) {
            let presence = session.store.has(*object, key, *guard);
            let presence = session.store.values.forms.and(presence, *guard);
            if presence != F::FALSE {
                let value = session.store.read(*object, key, presence);
                presences.push((key, presence, value));
            }
        }
    }
    let when = rows_when(session, &presences);
    let rows: Vec<V> = when.iter().map(|(_, list)| *list).collect();
    let mut found = Vec::new();
    for (i, field) in sent.response.fields.iter().enumerate() {
        let Some((role, _)) = field.role else { continue };
        let key = session.store.values.text(&field.name);
        let own = if field.nested { &holders[1..] } else { &holders[..1] };
        for (object, guard) in own.iter().copied() {
            let presence = session.store.has(object, key, guard);
            let presence = session.store.values.forms.and(presence, guard);
            if presence == F::FALSE {
                continue;
            }
            let value = session.store.read(object, key, presence);
            let what = match role {
                Role::Total => total_is_off(session, value, presence, &when),
                Role::More => more_is_off(session, sent, field, value, presence, &rows),
                _ => None,
            };
            if let Some(what) = what.filter(|_| found.iter().all(|(_, at)| *at != i)) {
                found.push((what, i));
            }
        }
    }
    found
}

fn total_is_off(session: &mut Session<'_>, value: V, care: F, rows: &[(F, V)]) -> Option<Inexact> {
    for (guard, leaf) in session.store.values.leaves(value, care) {
        match session.store.values.node(leaf).clone() {
            Node::Op(Op::Size, parts) => {
                let list = parts[0];
                if !session.list_is_whole(list) {
                    return Some(Inexact::CutRows);
                }
                // The total and the rows must be those of one path.
                let others = rows.iter().any(|(when, r)| {
                    *r != list
                        && session.filters(*r, list)
                        && session.store.values.forms.compatible(guard, *when)
                });
                if others {
                    return Some(Inexact::OtherRows);
                }
            }
            Node::Symbol(_) => {
                let origin = session.store.values.symbol_of(leaf).map(|s| s.origin.clone());
                if let Some(Origin::Counter(fact)) = origin {
                    if fact.stops_at_cap || fact.counts_capped {
                        return Some(Inexact::CountStops);
                    }
                }
            }
            _ => {}
        }
    }
    None
}

fn more_is_off(
    session: &mut Session<'_>,
    sent: &Sent,
    field: &Field,
    value: V,
    care: F,
    rows: &[V],
) -> Option<Inexact> {
    // A flag that is there only where it holds is no constant.
    let constant = field.worth == Worth::Constant(false)
        || field.always && field.worth == Worth::Constant(true);
    let cut = |r: &V| !session.list_is_whole(*r) && !asks_for_size(session, sent.guard, *r);
    if constant && rows.iter().any(cut) {
        return Some(Inexact::ConstantMore);
    }
    for (_, leaf) in session.store.values.leaves(value, care) {
        let Node::Cond(f) = *session.store.values.node(leaf) else { continue };
        if only_full(session, f, rows) {
            return Some(Inexact::FullPage);
        }
    }
    let takes_offset = session
        .seen
        .windows
        .iter()
        .filter(|w| w.activity.reaches(&sent.activity) && w.kind == WindowKind::Offset)
        .map(|w| w.value)
        .collect::<Vec<_>>();
    if takes_offset.is_empty() {
        return None;
    }
    for (_, leaf) in session.store.values.leaves(value, care) {
        let Node::Cond(f) = *session.store.values.node(leaf) else { continue };
        if f.is_constant() {
            continue;
        }
        if ignores(session, f, &takes_offset, rows) {
            return Some(Inexact::IgnoresOffset);
        }
    }
    None
}

/// Whether a page is only sent after a test of how much there is beside its rows: there the flag
/// is known.
fn asks_for_size(session: &Session<'_>, guard: F, rows: V) -> bool {
    let whole = |v: V| match session.store.values.node(v) {
        Node::Op(Op::Size, parts) => session.is_part_of(rows, parts[0]),
        _ => false,
    };
    let mut atoms = session.store.values.forms.support(guard).into_iter();
    atoms.any(|id| match session.store.values.atom_meaning(id) {
        Atom::Less(a, b) => whole(*a) || whole(*b),
        Atom::AtLeast(a, k) => *k > 1 && whole(*a),
        _ => false,
    })
}

/// Whether a has-more test asks only whether a cut page is full.
fn only_full(session: &Session<'_>, f: F, rows: &[V]) -> bool {
    let support = session.store.values.forms.support(f);
    let mut full = false;
    for id in support {
        let (a, b) = match session.store.values.atom_meaning(id) {
            Atom::Less(a, b) | Atom::Equal(a, b) => (*a, *b),
            // A constant bound; an empty page is none.
            Atom::AtLeast(a, k) if *k > 1 => (*a, V::TRUE),
            Atom::Has(..) | Atom::Null(_) => continue,
            _ => return false,
        };
        let page = |v: V| match session.store.values.node(v) {
            Node::Op(Op::Size, parts) => {
                rows.contains(&parts[0]) && !session.list_is_whole(parts[0])
            }
            _ => false,
        };
        let bound = |v: V| {
            v == V::TRUE
                || session.is_fixed_or_window(v)
                || matches!(
                    session.store.values.symbol_of(v).map(|s| &s.origin),
                    Some(Origin::Param(_))
                )
        };
        if !(page(a) && bound(b) || page(b) && bound(a)) {
            return false;
        }
        full = true;
    }
    full
}

/// Whether a has-more test compares the page's own rows with something, and never looks at the
/// offset.
fn ignores(session: &mut Session<'_>, f: F, offsets: &[V], rows: &[V]) -> bool {
    let mut compares_rows = false;
    for id in session.store.values.forms.support(f) {
        let (a, b) = match session.store.values.atom_meaning(id) {
            Atom::Less(a, b) | Atom::Equal(a, b) => (*a, *b),
            Atom::AtLeast(a, _) => (*a, *a),
            Atom::Has(..) | Atom::Null(_) => continue,
            _ => return false,
        };
        for v in [a, b] {
            let values = &session.store.values;
            if values.mentions(v, &|x, _| offsets.contains(&x)) {
                return false;
            }
            compares_rows |= values.mentions(
                v,
                &|_, n| matches!(n, Node::Op(Op::Size, parts) if rows.contains(&parts[0])),
            );
        }
    }
    compares_rows && rows.iter().any(|r| session.window_touches(*r, offsets))
}
