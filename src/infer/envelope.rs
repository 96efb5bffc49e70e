//! Reads responses off a session: the object that leaves, field by field, in every case.
//!
//! Judges nothing; asks the pack only for the roles of names.

use std::collections::BTreeSet;

use super::activity::Activity;
use super::drive::{Ran, Root};
use super::facts::{Case, Field, FieldSite, Forwarded, Response, Worth};
use super::formula::F;
use super::forwarding::{asked_by, forwarded, is_forwarding};
use super::hints::hint_texts;
use super::members::{filled, paging_members};
use super::observe::{Emission, Exit};
use super::rows::rows_of;
use super::session::Session;
use super::store::{Event, Site};
use super::value::{Node, ObjectId, Op, Origin, V};
use crate::pack::Role;
use crate::report::Confidence;
use crate::text::{FileId, Span};

/// Most combinations of fields that are told apart.
const MAX_CASES: usize = 64;

/// A response with what later questions need of its session.
pub struct Sent {
    /// The response.
    pub response: Response,
    /// Its object.
    pub object: V,
    /// When it is sent.
    pub guard: F,
    /// What ran.
    pub activity: Activity,
    /// When its has-more flag is true.
    pub more: Option<F>,
    /// When it discloses a clamp.
    pub clamped: F,
    /// Its members that are the page, each with when it is there; none where it is the page.
    pub members: Vec<(V, F)>,
}

/// The responses of a session.
pub fn responses(ran: &mut Ran<'_>) -> Vec<Sent> {
    let mut emissions = ran.session.seen.emissions.clone();
    for i in 0..emissions.len() {
        for (guard, value, whole) in sent_as_text(&mut ran.session, &emissions[i]) {
            let carrier = by_arm(ran, &emissions[i], whole);
            // What is wrapped in a tool's result is no guess any more.
            let exit = match emissions[i].exit {
                Exit::Guess => Exit::Result,
                known => known,
            };
            emissions.push(Emission { value, guard, meta: None, exit, ..carrier });
        }
    }
    let mut sent: Vec<Sent> = Vec::new();
    for emission in &emissions {
        let care = emission.guard;
        for (guard, leaf) in ran.session.store.values.leaves(emission.value, care) {
            let Some(id) = body_of(&ran.session, leaf) else { continue };
            let failing = ran.session.failing(leaf, guard);
            let guard = ran.session.store.values.forms.minus(guard, failing);
            if guard == F::FALSE {
                continue;
            }
            // A round's own facts are forgotten outside it, but what it made knows them.
            let made = ran.session.store.object(id).guard;
            let both = ran.session.store.values.forms.and(guard, made);
            let guard = if emission.lifted && both != F::FALSE { both } else { guard };
            let emission = by_arm(ran, emission, leaf);
            let known =
                sent.iter().position(|s| s.object == leaf && s.activity == emission.activity);
            if let Some(at) = known {
                let better = confidence(emission.exit) > sent[at].response.confidence;
                let wider = ran.session.store.values.forms.or(sent[at].guard, guard);
                // A wrapper gives its argument back: the object counts as it is in the end.
                sent[at].guard = if better { guard } else { wider };
                if better {
                    sent[at].response.confidence = confidence(emission.exit);
                    sent[at].response.sink = emission.site.span;
                }
                continue;
            }
            let response = start(ran, &emission, id);
            sent.push(Sent {
                response,
                object: leaf,
                guard,
                activity: emission.activity.clone(),
                more: None,
                clamped: F::FALSE,
                members: Vec::new(),
            });
        }
    }
    filled(&mut ran.session, sent)
}

/// What leaves, as the work of the arm that returned it, where a handler tells tools apart or a
/// table of them is looked into.
fn by_arm(ran: &Ran<'_>, emission: &Emission, leaf: V) -> Emission {
    let dispatches = ran.roots.get(emission.activity.root as usize).is_some_and(|r| r.dispatches);
    let activity = ran.session.work_of(emission, leaf, dispatches);
    Emission { activity, ..emission.clone() }
}

/// Objects whose text is an entry of a list that an object carries (`content: [{text: ...}]`),
/// each with the object that carries it.
fn sent_as_text(session: &mut Session<'_>, emission: &Emission) -> Vec<(F, V, V)> {
    let mut found = Vec::new();
    for (guard, leaf) in session.store.values.leaves(emission.value, emission.guard) {
        let Some(id) = session.store.body(leaf).filter(|_| !is_error(session, leaf)) else {
            continue;
        };
        let keys = session.store.keys(id);
        for key in keys.into_iter().take(12) {
            let value = session.store.read(leaf, key, guard);
            let Node::List(list) = *session.store.values.node(value) else { continue };
            for (_, entry) in session.store.list(list).elements.clone().into_iter().take(4) {
                let Some(entry_id) = session.store.body(entry) else { continue };
                for key in session.store.keys(entry_id).into_iter().take(6) {
                    let text = session.store.read(entry, key, guard);
                    for (guard, text) in session.store.values.leaves(text, guard) {
                        if let Node::Op(Op::Encode, parts) = session.store.values.node(text) {
                            found.push((guard, parts[0], leaf));
                        }
                    }
                }
            }
        }
    }
    found
}

fn confidence(exit: Exit) -> Confidence {
    match exit {
        Exit::Sink(_) | Exit::Result | Exit::Upstream(_) => Confidence::High,
        Exit::Guess => Confidence::Low,
    }
}

fn body_of(session: &Session<'_>, v: V) -> Option<ObjectId> {
    session.store.body(v)
}

/// Whether a value is, or is written onto, an error, or says of itself that it is one.
pub fn is_error(session: &Session<'_>, v: V) -> bool {
    if session.is_flagged_error(v) {
        return true;
    }
    let base = match session.store.body(v) {
        Some(id) => session.store.object(id).base.unwrap_or(v),
        None => v,
    };
    matches!(session.store.values.symbol_of(base).map(|s| &s.origin), Some(Origin::Error))
}

/// The names under which an activity is known.
pub fn tools_of(roots: &[Root], activity: &Activity) -> BTreeSet<String> {
    let mut tools = BTreeSet::new();
    let root = roots.get(activity.root as usize);
    match root.and_then(|r| r.name.as_ref()) {
        Some(name) if !name.is_empty() => {
            tools.insert(name.to_string());
        }
        _ => {
            if root.is_none_or(|r| !r.registered) {
                tools.extend(activity.arm.iter().map(|n| n.to_string()));
            }
        }
    }
    tools
}

fn start(ran: &Ran<'_>, emission: &Emission, id: ObjectId) -> Response {
    let session = &ran.session;
    let object = session.store.object(id);
    let (created, function) = outside_builder(session, object.created);
    Response {
        tools: tools_of(&ran.roots, &emission.activity),
        created,
        function,
        object: 0,
        sink: emission.site.span,
        confidence: confidence(emission.exit),
        fields: Vec::new(),
        open: is_open(session, id, 0),
        paging: false,
        cases: Vec::new(),
        linear: false,
        scopes: BTreeSet::new(),
        inexact: Vec::new(),
        overwritten: Vec::new(),
        understood: true,
        forwards: is_forwarding(session, object.created.function.module),
        awaited: session.seen.upstreams.iter().any(|u| asked_by(&u.activity, &emission.activity)),
        forwarded: Forwarded::default(),
    }
}

/// Whether an object may have fields that are not known, also through what is copied into it.
pub(super) fn is_open(session: &Session<'_>, id: ObjectId, depth: u8) -> bool {
    let object = session.store.object(id);
    object.base.is_some()
        || object.log.iter().any(|event| match event {
            Event::Copy { from, .. } if depth < 6 => match session.store.body(*from) {
                Some(other) => other != id && is_open(session, other, depth + 1),
                None => !matches!(session.store.values.node(*from), Node::Null),
            },
            _ => false,
        })
}

/// A site as the builder's callers see it: the call into the builder.
pub fn outside_builder(session: &Session<'_>, site: Site) -> (Span, String) {
    let mut span = site.span;
    let mut function = site.function;
    let mut frame = site.frame;
    while session.frames[frame as usize].builder {
        let (Some(call), Some(caller)) =
            (session.frames[frame as usize].call, session.frames[frame as usize].caller)
        else {
            break;
        };
        span = call;
        frame = caller;
        function = session.frames[frame as usize].function;
    }
    (span, function_name(session, function))
}

/// The name of a function, or of the one around a closure.
pub fn function_name(session: &Session<'_>, id: super::value::FunctionId) -> String {
    let Some(mut function) = session.index.function_at(id) else { return String::new() };
    while let (true, Some(parent)) = (function.name.is_empty(), function.parent) {
        function = session.function(super::value::FunctionId { index: parent, ..id });
    }
    match &function.owner {
        Some(owner) => format!("{owner}.{}", function.name),
        None => function.name.to_string(),
    }
}

/// A write of a field, wherever it came from.
struct Written {
    site: Site,
}

/// All writes of a key in an object's history, through copies of other objects.
fn writes_of(
    session: &mut Session<'_>,
    id: ObjectId,
    key: V,
    within: F,
    depth: u8,
    found: &mut Vec<Written>,
) {
    for i in 0..session.store.object(id).log.len() {
        let event = &session.store.object(id).log[i];
        if session.store.is_beside(event, key) {
            continue;
        }
        match event.clone() {
            Event::Write { key: k, guard, site, .. } => {
                let here =
                    session.store.values.leaves(k, F::TRUE).iter().any(|(_, leaf)| *leaf == key);
                if here && session.store.values.forms.compatible(guard, within) {
                    found.push(Written { site });
                }
            }
            Event::Copy { from, guard, site, .. } if depth < 6 => {
                if let Some(other) = session.store.body(from).filter(|o| *o != id) {
                    let both = session.store.values.forms.and(guard, within);
                    if both != F::FALSE {
                        let first = found.len();
                        writes_of(session, other, key, both, depth + 1, found);
                        // What a caller hands to the builder and the builder takes in is its own.
                        if site.builder {
                            found[first..]
                                .iter_mut()
                                .filter(|w| !w.site.builder)
                                .for_each(|w| w.site = site);
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// Where a key of an object is written, through copies of other objects.
pub fn sites_of(session: &mut Session<'_>, id: ObjectId, key: V, within: F, sites: &mut Vec<Site>) {
    let mut written = Vec::new();
    writes_of(session, id, key, within, 0, &mut written);
    sites.extend(written.into_iter().map(|w| w.site));
}

/// Fills in fields, roles and cases.
pub(super) fn fill(session: &mut Session<'_>, sent: &mut Sent) {
    let Some(id) = session.store.body(sent.object) else { return };
    let created = session.store.object(id).created;
    let mut presences = Vec::new();
    let mut owners = Vec::new();
    add_fields(session, sent, (sent.object, sent.guard), created, false, &mut presences);
    owners.resize(presences.len(), id);
    let members = paging_members(session, &presences);
    if let [(field, parts)] = members.as_slice() {
        sent.members = parts.clone();
        let failing = session.failing_member(*field, &presences);
        sent.guard = session.store.values.forms.minus(sent.guard, failing);
        for (member, guard) in parts {
            let created = created_of(session, *member).unwrap_or(created);
            add_fields(session, sent, (*member, *guard), created, true, &mut presences);
            owners.resize(presences.len(), session.store.body(*member).unwrap_or(id));
        }
    }
    assign_roles(session, sent, &presences);
    let own = sent.response.fields.iter().any(|f| f.role.is_some() && !f.nested);
    let page = parts_made(session, &sent.members);
    if let (false, Some((span, function))) = (own, page) {
        // A wrapper only carries the page; whoever makes the page is at fault.
        sent.response.created = span;
        sent.response.function = function;
        let ids = sent.members.iter().filter_map(|(member, _)| session.store.body(*member));
        let open = ids.map(|id| is_open(session, id, 0)).reduce(|a, b| a | b);
        sent.response.open = open.unwrap_or(sent.response.open);
    }
    sent.more = more_formula(session, sent, &presences);
    for (i, (_, presence, _)) in presences.iter().enumerate() {
        if matches!(sent.response.fields[i].role, Some((Role::Clamped, _))) {
            sent.clamped = session.store.values.forms.or(sent.clamped, *presence);
        }
    }
    mark_idle(session, sent, &presences, &owners);
    sent.response.cases = cases(session, sent, &presences);
    if sent.response.forwards {
        sent.response.forwarded = forwarded(session, sent, &presences);
    }
}

fn created_of(session: &Session<'_>, v: V) -> Option<Site> {
    session.store.body(v).map(|id| session.store.object(id).created)
}

/// Where the first of a response's members is made, and by which function.
fn parts_made(session: &Session<'_>, members: &[(V, F)]) -> Option<(Span, String)> {
    let site = created_of(session, members.first()?.0)?;
    Some(outside_builder(session, site))
}

/// Adds the fields of an object that leaves, or of a member of one.
fn add_fields(
    session: &mut Session<'_>,
    sent: &mut Sent,
    (object, guard): (V, F),
    created: Site,
    nested: bool,
    presences: &mut Vec<(V, F, V)>,
) {
    let Some(id) = session.store.body(object) else { return };
    for key in session.store.keys(id) {
        let Some(name) = key_name(session, key) else {
            sent.response.open = true;
            sent.response.understood = false;
            continue;
        };
        let presence = session.store.has(object, key, guard);
        let presence = session.store.values.forms.and(presence, guard);
        if presence == F::FALSE {
            continue;
        }
        let mut written = Vec::new();
        writes_of(session, id, key, guard, 0, &mut written);
        let value = session.store.read(object, key, presence);
        let mut field = field(session, name, key, presence, sent.guard, value, &written, created);
        field.nested = nested;
        presences.push((key, presence, value));
        sent.response.fields.push(field);
    }
}

/// Tells which writes can happen where nothing more remains and nothing was clamped.
fn mark_idle(
    session: &mut Session<'_>,
    sent: &mut Sent,
    presences: &[(V, F, V)],
    owners: &[ObjectId],
) {
    let busy = session.store.values.forms.or(sent.more.unwrap_or(F::FALSE), sent.clamped);
    let idle = session.store.values.forms.minus(sent.guard, busy);
    for (i, (key, ..)) in presences.iter().enumerate() {
        if !matches!(sent.response.fields[i].role, Some((Role::Hint | Role::Resume, _))) {
            continue;
        }
        let mut written = Vec::new();
        writes_of(session, owners[i], *key, idle, 0, &mut written);
        for site in &mut sent.response.fields[i].sites {
            site.idle = written.iter().any(|w| {
                w.site.span == site.inside || w.site.span.file == FileId::NOWHERE && site.builder
            });
        }
    }
}

/// A key as text, with `*` for a part that is not known; `None` where nothing is.
pub(super) fn key_name(session: &Session<'_>, key: V) -> Option<String> {
    match session.store.values.node(key) {
        Node::Text(text) => Some(text.to_string()),
        Node::Op(Op::Text | Op::Add, parts) => {
            let known: String = parts
                .iter()
                .map(|p| session.store.values.as_text(*p).map_or("*", |t| t.as_str()))
                .collect();
            known.chars().any(|c| c.is_alphanumeric()).then_some(known)
        }
        _ => None,
    }
}

#[allow(clippy::too_many_arguments)]
fn field(
    session: &mut Session<'_>,
    name: String,
    _key: V,
    presence: F,
    guard: F,
    value: V,
    written: &[Written],
    created: Site,
) -> Field {
    let mut sites: Vec<FieldSite> = written
        .iter()
        .map(|w| {
            let (span, function) = outside_builder(session, w.site);
            let own = !w.site.builder && w.site.function == created.function;
            let inside = if w.site.span.file == FileId::NOWHERE { span } else { w.site.span };
            FieldSite { span, inside, builder: w.site.builder, own, function, idle: false }
        })
        .collect();
    sites.sort_by_key(|s| (s.span, s.inside));
    sites.dedup();
    let always = session.store.values.forms.implies(guard, presence);
    let worth = worth(session, value, presence);
    let inner = inner_fields(session, value, presence);
    Field { name, role: None, always, sites, worth, inner, nested: false }
}

pub(super) fn worth(session: &mut Session<'_>, value: V, care: F) -> Worth {
    let leaves = session.store.values.leaves(value, care);
    let mut found: Option<Worth> = None;
    for (guard, leaf) in leaves {
        let one = match session.store.values.node(leaf) {
            Node::Cond(f) => {
                let f = *f;
                let yes = session.store.values.forms.compatible(f, guard);
                let no = session.store.values.forms.minus(guard, f) != F::FALSE;
                match (yes, no) {
                    (true, false) => Worth::Constant(true),
                    (false, true) => Worth::Constant(false),
                    _ => Worth::Other,
                }
            }
            Node::Int(_) => Worth::Number,
            Node::Op(Op::Size | Op::Sub | Op::Mul | Op::Min | Op::Max, _) => Worth::Number,
            Node::Op(Op::Add, parts) => {
                let numeric = parts.iter().any(|p| {
                    matches!(
                        session.store.values.node(*p),
                        Node::Int(_) | Node::Op(Op::Size | Op::Sub | Op::Mul, _)
                    )
                });
                if numeric {
                    Worth::Number
                } else {
                    Worth::Other
                }
            }
            Node::Text(_) | Node::Op(Op::Text | Op::Encode, _) => Worth::Text,
            Node::Symbol(_)
                if matches!(
                    session.store.values.symbol_of(leaf).map(|s| &s.origin),
                    Some(Origin::Counter(_))
                ) =>
            {
                Worth::Number
            }
            _ => Worth::Other,
        };
        match found {
            None => found = Some(one),
            Some(known) if known == one => {}
            Some(_) => return Worth::Other,
        }
    }
    found.unwrap_or(Worth::Other)
}

fn inner_fields(session: &mut Session<'_>, value: V, care: F) -> Vec<(String, bool)> {
    let mut inner = Vec::new();
    let leaves = session.store.values.leaves(value, care);
    if leaves.len() > 4 {
        return inner;
    }
    for (guard, leaf) in leaves {
        let Some(id) = session.store.body(leaf) else { continue };
        for key in session.store.keys(id) {
            let Some(name) = key_name(session, key) else { continue };
            let presence = session.store.has(leaf, key, guard);
            let always = session.store.values.forms.implies(care, presence);
            if !inner.iter().any(|(n, _)| *n == name) {
                inner.push((name, always));
            }
        }
    }
    inner
}

/// Gives fields their roles; suffix names only where the value bears it out.
fn assign_roles(session: &mut Session<'_>, sent: &mut Sent, presences: &[(V, F, V)]) {
    let pack = session.pack;
    for (i, (_, presence, value)) in presences.iter().enumerate() {
        let name = sent.response.fields[i].name.clone();
        sent.response.fields[i].role = pack.role(&name);
        if sent.response.fields[i].role.is_some_and(|(role, _)| role == Role::Size)
            && !can_be_size(session, *value, *presence)
        {
            sent.response.fields[i].role = None;
        }
        if sent.response.fields[i].role == Some((Role::Hint, false))
            && sent.response.fields[i].worth == Worth::Number
        {
            sent.response.fields[i].role = None;
        }
    }
    let pages = sent.response.role(Role::More).next().is_some();
    for field in &mut sent.response.fields {
        // A number by which the next page is asked for resumes, however it is called.
        if pages
            && field.role.is_none()
            && field.worth == Worth::Number
            && pack.is_cursor_word(&field.name)
        {
            field.role = Some((Role::Resume, false));
        }
    }
    let rows = rows_of(session, presences);
    for (i, (_, presence, value)) in presences.iter().enumerate() {
        if sent.response.fields[i].role.is_some() {
            continue;
        }
        let name = sent.response.fields[i].name.clone();
        let Some(weak) = pack.weak_role(&name) else { continue };
        let role = weak_role(session, weak, (*value, *presence), &rows, presences, sent);
        sent.response.fields[i].role = role.map(|r| (r, true));
    }
}

/// Whether a value can be a number of rows.
fn can_be_size(session: &mut Session<'_>, value: V, care: F) -> bool {
    session.store.values.leaves(value, care).into_iter().all(|(_, leaf)| {
        !matches!(
            session.store.values.node(leaf),
            Node::Text(_)
                | Node::Op(Op::Text | Op::Encode, _)
                | Node::List(_)
                | Node::Object(_)
                | Node::Cond(_)
        )
    })
}

/// The role of a field whose old name is only a suffix, by what its value counts.
fn weak_role(
    session: &mut Session<'_>,
    weak: Role,
    (value, care): (V, F),
    rows: &[V],
    presences: &[(V, F, V)],
    sent: &Sent,
) -> Option<Role> {
    let has_more = sent.response.role(Role::More).next().is_some();
    for (_, leaf) in session.store.values.leaves(value, care) {
        let list = match session.store.values.node(leaf) {
            Node::Op(Op::Size, parts) => parts[0],
            _ => continue,
        };
        if rows.contains(&list) {
            let whole = session.list_is_whole(list);
            let beside_page = rows.iter().any(|r| *r != list && session.is_part_of(*r, list));
            return Some(if whole && beside_page { Role::Total } else { Role::Size });
        }
        if rows.iter().any(|r| session.is_part_of(*r, list)) {
            return Some(Role::Total);
        }
        // Rows of code that was not looked into count as what they are shown as.
        if has_more && presences.iter().any(|(_, _, shown)| *shown == list) {
            return Some(Role::Size);
        }
    }
    match weak {
        Role::Total if has_more => Some(Role::Total),
        _ => None,
    }
}

fn more_formula(session: &mut Session<'_>, sent: &Sent, presences: &[(V, F, V)]) -> Option<F> {
    let mut more = None;
    for (i, (_, presence, value)) in presences.iter().enumerate() {
        if !matches!(sent.response.fields[i].role, Some((Role::More, _))) {
            continue;
        }
        let f = session.store.values.truthy(*value, *presence);
        let f = session.store.values.forms.and(f, *presence);
        more = Some(match more {
            None => f,
            Some(old) => session.store.values.forms.or(old, f),
        });
    }
    more
}

/// Every combination of paging fields, has-more truth and hint that can be sent.
fn cases(session: &mut Session<'_>, sent: &Sent, presences: &[(V, F, V)]) -> Vec<Case> {
    let paging: Vec<usize> =
        (0..presences.len()).filter(|i| sent.response.fields[*i].role.is_some()).collect();
    let mut cases: Vec<(F, Option<bool>, Vec<usize>)> = vec![(sent.guard, None, Vec::new())];
    if let Some(more) = sent.more {
        let flag: F = paging
            .iter()
            .filter(|i| matches!(sent.response.fields[**i].role, Some((Role::More, _))))
            .fold(F::FALSE, |f, i| session.store.values.forms.or(f, presences[*i].1));
        let forms = &mut session.store.values.forms;
        let yes = forms.and(sent.guard, more);
        let there = forms.and(sent.guard, flag);
        let no = forms.minus(there, more);
        let without = forms.minus(sent.guard, flag);
        cases = vec![
            (yes, Some(true), Vec::new()),
            (no, Some(false), Vec::new()),
            (without, None, Vec::new()),
        ];
    }
    for i in &paging {
        let presence = presences[*i].1;
        let mut next = Vec::new();
        for (guard, more, present) in cases {
            let forms = &mut session.store.values.forms;
            let with = forms.and(guard, presence);
            let without = forms.minus(guard, presence);
            if without != F::FALSE && next.len() < MAX_CASES {
                next.push((without, more, present.clone()));
            }
            if with != F::FALSE {
                let mut present = present;
                present.push(*i);
                next.push((with, more, present));
            }
        }
        cases = next;
    }
    cases.retain(|(guard, ..)| *guard != F::FALSE);
    let mut told = Vec::with_capacity(cases.len());
    for (guard, more, present) in cases {
        let spelled = session.store.values.spelled_out(guard);
        if spelled.formula == F::FALSE {
            continue;
        }
        let hints = present
            .iter()
            .filter(|i| matches!(sent.response.fields[**i].role, Some((Role::Hint, _))))
            .flat_map(|i| hint_texts(session, presences[*i].2, guard))
            .collect();
        told.push(Case { more, present, hints, sure: spelled.whole });
    }
    told
}
