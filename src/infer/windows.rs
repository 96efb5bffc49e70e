//! Reads off a session how a tool treats the window parameters that its callers send.
//!
//! Judges nothing; says only what is repaired, rejected, held at a bound and disclosed.

use super::atom::Atom;
use super::drive::Ran;
use super::envelope::{function_name, outside_builder, tools_of, Sent};
use super::facts::{Clamp, Window};
use super::formula::F;
use super::forwarding::is_forwarding;
use super::observe::{Bound, Exit, WindowRead};
use super::session::Session;
use super::value::{Node, Op, V};
use crate::pack::WindowKind;
use crate::report::Confidence;

/// The windows of a session; `sent` are its responses.
pub fn windows(ran: &mut Ran<'_>, sent: &[Sent]) -> Vec<Window> {
    let reads = ran.session.seen.windows.clone();
    let mut found = Vec::new();
    for read in &reads {
        let root = &ran.roots[read.activity.root as usize];
        let tools = tools_of(&ran.roots, &read.activity);
        // A window is judged where a handler reads it, not where a request passes through.
        if is_forwarding(&ran.session, read.site.function.module) {
            continue;
        }
        // A name alone, of a root that no known call registers, makes nothing certain.
        let known = root.registered || root.name.is_none() && !tools.is_empty();
        let certain = known || sends(&ran.session, read);
        if !certain && !pages(sent, read) {
            continue;
        }
        let dispatches = root.dispatches;
        found.push(window(&mut ran.session, read, (tools, dispatches, certain), sent));
    }
    found
}

fn sends(session: &Session<'_>, read: &WindowRead) -> bool {
    session
        .seen
        .emissions
        .iter()
        .any(|e| read.activity.reaches(&e.activity) && e.exit != Exit::Guess)
}

/// Whether what is only guessed to leave while a parameter is in force is a page.
fn pages(sent: &[Sent], read: &WindowRead) -> bool {
    sent.iter().any(|s| read.activity.reaches(&s.activity) && s.response.paging)
}

fn window(
    session: &mut Session<'_>,
    read: &WindowRead,
    (tools, dispatches, certain): (std::collections::BTreeSet<String>, bool, bool),
    sent: &[Sent],
) -> Window {
    let there = presence(session, read.value);
    let least = if read.kind == WindowKind::Offset { 0 } else { 1 };
    let valid = session.store.values.at_least(read.value, least);
    let below = session.store.values.forms.minus(there, valid);
    let accepts = match certain {
        true => accepts(session, read, below, dispatches),
        false => sends_page(session, read, below, sent),
    };
    let bounds: Vec<Bound> = session
        .seen
        .bounds
        .clone()
        .into_iter()
        .filter(|b| read.activity.reaches(&b.activity) && concerns(session, b.value, read.value))
        .collect();
    let repaired = bounds.iter().find(|b| repairs(session, b, read.value, least)).map(|b| {
        let (span, function) = outside_builder(session, b.site);
        (span, function)
    });
    let clamps = bounds.iter().filter_map(|b| clamp(session, b, read, there, sent)).collect();
    let function = function_name(session, read.site.function);
    Window {
        tools,
        confidence: if certain { Confidence::High } else { Confidence::Low },
        name: read.name.to_string(),
        kind: read.kind,
        read: read.site.span,
        function,
        repaired,
        accepts_invalid: accepts && read.kind != WindowKind::End,
        rejections: rejections(session, read),
        clamps,
    }
}

/// Whether something is sent that is no failure although the parameter makes no sense.
fn accepts(session: &mut Session<'_>, read: &WindowRead, below: F, dispatches: bool) -> bool {
    // Only numbers are judged: what a text or a list in its place does is another question.
    ["int", "float"].into_iter().all(|kind| {
        let emissions = session.seen.emissions.clone();
        emissions.into_iter().filter(|e| e.activity.root == read.activity.root).any(|e| {
            let leaves = session.store.values.leaves(e.value, e.guard);
            leaves.into_iter().any(|(guard, leaf)| {
                if !read.activity.reaches(&session.work_of(&e, leaf, dispatches)) {
                    return false;
                }
                let failing = session.failing_inside(leaf, guard);
                let guard = session.store.values.forms.minus(guard, failing);
                !unfollowed(session, leaf) && {
                    let sent = session.store.values.forms.and(guard, below);
                    of_kind(session, sent, read.value, kind) != F::FALSE
                }
            })
        })
    })
}

/// Whether a page is sent although the parameter makes no sense, where only a guess says what
/// leaves: anything else may be a refusal in a form of its own.
fn sends_page(session: &mut Session<'_>, read: &WindowRead, below: F, sent: &[Sent]) -> bool {
    let pages = sent.iter().filter(|s| s.response.paging && read.activity.reaches(&s.activity));
    let when: Vec<F> = pages.map(|s| s.guard).collect();
    ["int", "float"].into_iter().all(|kind| {
        when.iter().any(|guard| {
            let here = session.store.values.forms.and(*guard, below);
            of_kind(session, here, read.value, kind) != F::FALSE
        })
    })
}

/// Whether a result is one that could not be followed, such as a check's own error.
fn unfollowed(session: &Session<'_>, v: V) -> bool {
    session.store.body(v).is_none()
}

/// `f` where a value is of a kind of number, as far as `f` asks for its kind.
fn of_kind(session: &mut Session<'_>, f: F, value: V, kind: &str) -> F {
    let mut f = f;
    for id in session.store.values.forms.support(f) {
        let values = &session.store.values;
        let is = match values.atom_meaning(id) {
            Atom::IsType(x, name) if *x == value => name == kind,
            Atom::Null(x) if *x == value => false,
            Atom::Equal(a, b) => {
                let asks = |v: &V| matches!(values.node(*v), Node::Op(Op::TypeOf, parts) if parts[0] == value);
                let Some(other) = (if asks(a) {
                    Some(b)
                } else if asks(b) {
                    Some(a)
                } else {
                    None
                }) else {
                    continue;
                };
                let Node::Op(Op::Other, parts) = values.node(*other) else { continue };
                let named =
                    parts.first().and_then(|p| values.as_text(*p)).map(|t| t.to_lowercase());
                named.is_some_and(|n| n.ends_with(&format!("_{kind}")))
            }
            _ => continue,
        };
        f = session.store.values.forms.assume(f, id, is);
    }
    f
}

/// When the parameter is sent at all.
fn presence(session: &mut Session<'_>, value: V) -> F {
    let values = &mut session.store.values;
    let (mut there, mut at) = (F::TRUE, value);
    // A request inside a message is sent only where the message has it.
    while let Node::Op(Op::Field, parts) = values.node(at).clone() {
        let has = values.known_atom(&Atom::Has(parts[0], parts[1])).unwrap_or(F::TRUE);
        there = values.forms.and(there, has);
        at = parts[0];
    }
    match values.known_atom(&Atom::Null(value)) {
        Some(null) => values.forms.minus(there, null),
        None => there,
    }
}

/// Whether a bounded value is made of the parameter itself, not of what is left after it.
fn concerns(session: &Session<'_>, bounded: V, window: V) -> bool {
    if bounded == window {
        return true;
    }
    match session.store.values.node(bounded) {
        Node::Op(Op::Min | Op::Max, parts) => parts.iter().any(|p| concerns(session, *p, window)),
        _ => false,
    }
}

/// Whether a bound lifts an invalid value to a valid one.
fn repairs(session: &mut Session<'_>, bound: &Bound, window: V, least: i64) -> bool {
    match &bound.reset {
        // A mark for "makes no sense" is no repair.
        Some((_, to)) if session.store.values.as_int(*to).is_some_and(|n| n < least) => false,
        Some((f, _)) => {
            let f = *f;
            let valid = session.store.values.at_least(window, least);
            let below = valid.denied();
            session.store.values.forms.compatible(f, below) && depends(session, f, window, least).1
        }
        None => match session.store.values.node(bound.value) {
            Node::Op(Op::Max, parts) => parts.iter().any(|p| session.is_fixed(*p)),
            _ => false,
        },
    }
}

/// Whether a formula grows with a number's size, and whether it grows as the number falls
/// below `least`.
fn depends(session: &mut Session<'_>, f: F, window: V, least: i64) -> (bool, bool) {
    let (mut over, mut under) = (false, false);
    for id in session.store.values.forms.support(f) {
        let (upward, is_low) = match session.store.values.atom_meaning(id).clone() {
            Atom::AtLeast(x, k) if x == window => (true, k <= least),
            Atom::Less(bound, x) if x == window && session.is_fixed(bound) => (true, false),
            Atom::Less(x, bound) if x == window && session.is_fixed(bound) => (false, false),
            _ => continue,
        };
        let yes = session.store.values.forms.assume(f, id, true);
        let no = session.store.values.forms.assume(f, id, false);
        let grows = yes != no && session.store.values.forms.implies(no, yes);
        let falls = yes != no && session.store.values.forms.implies(yes, no);
        over |= !is_low && (if upward { grows } else { falls });
        under |= is_low && falls;
    }
    (over, under)
}

/// Errors that answer a value over a fixed maximum; each by the test that leads to it.
fn rejections(session: &mut Session<'_>, read: &WindowRead) -> Vec<(crate::text::Span, String)> {
    let errors = session.seen.errors.clone();
    let least = if read.kind == WindowKind::Offset { 0 } else { 1 };
    let mut found = Vec::new();
    for error in errors.iter().filter(|e| read.activity.reaches(&e.activity)) {
        let guard = others_sent(session, error.guard, read);
        if !depends(session, guard, read.value, least).0 {
            continue;
        }
        let mut place = outside_builder(session, error.site);
        for (f, span) in &error.tests {
            if depends(session, *f, read.value, least).0 {
                place.0 = *span;
                break;
            }
        }
        if !found.contains(&place) {
            found.push(place);
        }
    }
    found
}

/// `f` where the other windows of the request are sent: a default of theirs is no maximum.
fn others_sent(session: &mut Session<'_>, f: F, read: &WindowRead) -> F {
    let mut f = f;
    for id in session.store.values.forms.support(f) {
        let Atom::Has(_, key) = session.store.values.atom_meaning(id) else { continue };
        let name = session.store.values.as_text(*key);
        if name.is_some_and(|n| *n != read.name && session.pack.window(n).is_some()) {
            f = session.store.values.forms.assume(f, id, true);
        }
    }
    f
}

fn clamp(
    session: &mut Session<'_>,
    bound: &Bound,
    read: &WindowRead,
    there: F,
    sent: &[Sent],
) -> Option<Clamp> {
    let window = read.value;
    let over = match &bound.reset {
        Some((f, _)) => {
            let least = if read.kind == WindowKind::Offset { 0 } else { 1 };
            if !depends(session, *f, window, least).0 {
                return None;
            }
            let valid = session.store.values.at_least(window, least);
            session.store.values.forms.and(*f, valid)
        }
        None => {
            let over = over_bound(session, bound.value, window)?;
            session.store.values.forms.and(over, bound.when)
        }
    };
    let over = session.store.values.forms.and(over, there);
    let mut silent = Vec::new();
    let mut disclosed = false;
    for one in sent.iter().filter(|s| read.activity.reaches(&s.activity) && s.response.paging) {
        disclosed |= one.clamped != F::FALSE;
        let applied = session.store.values.forms.and(one.guard, over);
        if session.store.values.forms.minus(applied, one.clamped) != F::FALSE {
            silent.push((
                one.response.anchor(),
                one.response.function.clone(),
                one.response.created,
            ));
        }
    }
    let (span, function) = outside_builder(session, bound.site);
    Some(Clamp { span, function, reset: bound.reset.is_some(), disclosed, silent })
}

/// When a least-of holds a parameter at a fixed bound.
fn over_bound(session: &mut Session<'_>, value: V, window: V) -> Option<F> {
    let Node::Op(Op::Min, parts) = session.store.values.node(value).clone() else { return None };
    let (x, bound) = if concerns(session, parts[0], window) {
        (parts[0], parts[1])
    } else {
        (parts[1], parts[0])
    };
    if !session.is_fixed(bound) {
        return None;
    }
    Some(session.store.values.less(bound, x, F::TRUE))
}
