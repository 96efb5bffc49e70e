//! What the fields of a type say on the wire, and which objects are pages by their own fields:
//! what programs without a known sink are judged by.
//!
//! Runs nothing.

use std::sync::Arc;

use super::data::Walk;
use super::facts::Passthrough;
use super::formula::F;
use super::observe::Exit;
use super::session::Session;
use super::store::{Event, Site};
use super::value::{Node, ObjectId, Op, Origin, V};
use crate::ir::Type;

/// Most nesting of embedded types.
const MAX_EMBEDDED: u8 = 4;

/// Whether an object that may leave is a page: it has a has-more flag, or a cursor beside rows.
pub(super) fn is_page(session: &mut Session<'_>, v: V, guard: F) -> bool {
    if session.pack.outlets.is_empty() {
        return false;
    }
    let mut found = false;
    for (guard, leaf) in session.store.values.leaves(v, guard) {
        let parts = match session.store.values.node(leaf) {
            Node::Op(Op::Tuple, parts) => parts.to_vec(),
            _ => vec![leaf],
        };
        for part in parts {
            // Beside an error there is no page.
            for (guard, one) in session.store.values.leaves(part, guard) {
                found |= match *session.store.values.node(one) {
                    // What is put into words may be a note of the program's own.
                    Node::Op(super::value::Op::Encode, ref inner) => {
                        let inner = inner[0];
                        has_page_fields(session, inner, guard, true)
                    }
                    _ => has_page_fields(session, one, guard, false),
                };
            }
        }
    }
    found
}

/// Whether an object has a has-more flag, or a cursor beside rows; `strict` asks for rows always.
fn has_page_fields(session: &mut Session<'_>, v: V, guard: F, strict: bool) -> bool {
    let Some(id) = session.store.body(v) else { return false };
    let wire = wire_names(session, v, id);
    let (mut more, mut cursor, mut rows) = (false, false, false);
    for key in session.store.keys(id) {
        let Some(field) = session.store.values.as_text(key).map(|t| t.to_string()) else {
            continue;
        };
        let name = match wire.iter().flatten().find(|(f, _)| *f == field) {
            Some((_, Some(name))) => name.clone(),
            Some((_, None)) => continue,
            None => field,
        };
        if session.pack.is_raw_more(&name) {
            more = true;
        } else if session.pack.is_raw(&name) {
            cursor = true;
        } else {
            let value = session.store.read(v, key, guard);
            rows |= is_rows(session, &name, value);
        }
    }
    more && !strict || (more || cursor) && rows
}

/// Whether a field can hold the rows of a page: a list, or something not known of a plural name.
fn is_rows(session: &mut Session<'_>, name: &str, v: V) -> bool {
    let leaves = session.store.values.leaves(v, F::TRUE);
    let plural = crate::pack::singular(name) != name;
    leaves.iter().any(|(_, leaf)| match session.store.values.node(*leaf) {
        Node::List(_) => true,
        Node::Op(Op::Field, _) => plural,
        _ => matches!(session.type_of(*leaf), Some((_, Type::List(_)))),
    })
}

/// Wire names of an object of a declared struct type, by field, with those of embedded types.
pub(super) fn wire_names(
    session: &mut Session<'_>,
    v: V,
    id: ObjectId,
) -> Option<Vec<(String, Option<String>)>> {
    let (m, ty) = match session.store.object(id).ty.clone() {
        Some(ty) => ty,
        None => session.type_of(v)?,
    };
    let mut names = Vec::new();
    add_wire_names(session, m, &ty, 0, &mut names);
    (!names.is_empty()).then_some(names)
}

fn add_wire_names(
    session: &Session<'_>,
    m: u32,
    ty: &Type,
    depth: u8,
    names: &mut Vec<(String, Option<String>)>,
) {
    let Some((dm, di)) = session.index.declaration(m, ty) else { return };
    let decl = session.index.type_decl(dm, di);
    for field in &decl.fields {
        names.push((field.name.to_string(), field.wire.as_ref().map(|w| w.to_string())));
    }
    for field in decl.fields.iter().filter(|f| f.embedded && depth < MAX_EMBEDDED) {
        add_wire_names(session, dm, &field.ty, depth + 1, names);
    }
}

/// Fields of a declared type that are structs with raw paging fields on the wire, such as the
/// page information beside the rows.
fn raw_inside(session: &Session<'_>, m: u32, ty: &Type) -> Vec<String> {
    let Some((dm, di)) = session.index.declaration(m, ty) else { return Vec::new() };
    let fields = session.index.type_decl(dm, di).fields.iter();
    let holds = |inner: &Type| {
        let declared = session.index.declaration(dm, inner);
        declared.is_some_and(|(im, ii)| {
            let mut wires = session.index.type_decl(im, ii).fields.iter().map(|f| &f.wire);
            wires.any(|w| w.as_ref().is_some_and(|w| session.pack.is_raw(w)))
        })
    };
    fields.filter(|f| !f.embedded && holds(&f.ty)).map(|f| f.name.to_string()).collect()
}

/// Whether one of the ways that a value can go is another value.
fn is_way(session: &Session<'_>, v: V, other: V) -> bool {
    let mut stack = vec![v];
    for _ in 0..64 {
        let Some(at) = stack.pop() else { return false };
        match session.store.values.node(at) {
            _ if at == other => return true,
            Node::Choice(_, a, b) => stack.extend([*a, *b]),
            _ => {}
        }
    }
    false
}

impl Walk<'_, '_> {
    /// A response that pages leaves whole here.
    pub(super) fn whole_page(&mut self) {
        let (span, emitter) = self.place(self.outside_printers(self.emission.site));
        let guessed = self.emission.exit == Exit::Guess;
        let tools = Vec::new();
        self.facts.passthroughs.push(Arc::new(Passthrough {
            span,
            emitter,
            tools,
            asks_for_page: true,
            guessed,
        }));
    }

    /// Where a value leaves as its readers see it: outside functions that only print what they
    /// are given.
    fn outside_printers(&self, site: Site) -> Site {
        let session = &self.ran.session;
        let mut site = site;
        if !session.is_library(self.emission.exit) {
            return site;
        }
        loop {
            let frame = &session.frames[site.frame as usize];
            let Some(function) = session.index.function_at(frame.function) else { break };
            let given = function.params.iter().any(|p| {
                let slot = frame.slots.get(p.slot as usize);
                slot.is_some_and(|v| is_way(session, *v, self.emission.value))
            });
            let (true, Some(call), Some(caller)) = (given, frame.call, frame.caller) else { break };
            let function = session.frames[caller as usize].function;
            site = Site { span: call, function, frame: caller, ..site };
        }
        site
    }

    /// Fields of a declared type that are raw paging fields on the wire; `None` where the type
    /// is not declared in the workspace. A field that is emptied on every path is none.
    pub(super) fn raw_fields_of(&mut self, v: V) -> Option<Vec<String>> {
        let session = &mut self.ran.session;
        let (m, ty) = session.type_of(v)?;
        let mut names = Vec::new();
        add_wire_names(session, m, &ty, 0, &mut names);
        if names.is_empty() {
            return None;
        }
        let pack = session.pack;
        let raw = |w: &Option<String>| w.as_ref().is_some_and(|w| pack.is_raw(w));
        let mut fields: Vec<String> =
            names.into_iter().filter(|(_, wire)| raw(wire)).map(|(field, _)| field).collect();
        fields.extend(raw_inside(session, m, &ty));
        fields.retain(|field| {
            let key = session.store.values.text(field);
            let value = session.store.read(v, key, F::TRUE);
            let empty = session.store.values.text("");
            value != empty && value != V::FALSE && value != V::NULL
        });
        Some(fields)
    }

    /// Whether a value is the whole result of a call that was asked for a page, as far as its
    /// type can hold the fields of one.
    pub(super) fn whole_result(&mut self, v: V, guard: F) -> bool {
        if self.ran.session.pack.outlets.whole.is_empty() {
            return false;
        }
        let Some(result) = self.ran.session.whole_result(v) else { return false };
        if self.made_here(v) {
            return false;
        }
        let fields = self.raw_fields_of(v);
        let pages = fields.as_ref().is_some_and(|f| !f.is_empty());
        if !self.ran.session.came_of_paging(result, pages) {
            return false;
        }
        match fields {
            Some(fields) => !fields.is_empty(),
            None => self.unstripped(v, guard),
        }
    }

    /// The upstream call whose whole response a value is, or holds copied.
    pub(super) fn whole_response(&self, v: V) -> Option<u32> {
        let session = &self.ran.session;
        let mut stack = vec![v];
        for _ in 0..32 {
            let at = stack.pop()?;
            match session.store.values.node(at) {
                Node::Symbol(_) => {
                    if let Some(Origin::Upstream(n)) =
                        session.store.values.symbol_of(at).map(|s| &s.origin)
                    {
                        return Some(*n);
                    }
                }
                Node::Op(Op::Field, parts) => {
                    let key = session.store.values.as_text(parts[1]);
                    if key
                        .is_some_and(|k| session.pack.raw.wrappers.iter().any(|w| w == k.as_str()))
                    {
                        stack.push(parts[0]);
                    }
                }
                Node::Op(Op::Decode | Op::Encode, parts) => stack.push(parts[0]),
                Node::Choice(_, a, b) => stack.extend([*b, *a]),
                _ => {}
            }
            if let Some(id) = session.store.body(at) {
                let object = session.store.object(id);
                if object.base != Some(at) {
                    stack.extend(object.base);
                }
                for event in &object.log {
                    match event {
                        Event::Copy { from, .. } => stack.push(*from),
                        Event::Write { key, .. } => {
                            if let Some(Origin::Key(of)) =
                                session.store.values.symbol_of(*key).map(|s| &s.origin)
                            {
                                stack.push(*of);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        None
    }

    /// Whether a has-more flag that code reads from a response is still in what is left of it:
    /// the service sends one, whatever else was taken out.
    pub(super) fn keeps_what_is_read(&mut self, v: V, guard: F, object: F) -> bool {
        let Some(number) = self.whole_response(v) else { return false };
        let session = &self.ran.session;
        let response = session.seen.upstreams[number as usize].response;
        let pack = session.pack;
        let reads = session.seen.reads.iter();
        let flags: Vec<V> = reads
            .filter(|r| r.base == response && pack.is_raw_more(&r.key))
            .filter_map(|r| match session.store.values.node(r.value) {
                Node::Op(Op::Field, parts) => Some(parts[1]),
                _ => None,
            })
            .collect();
        flags.into_iter().any(|key| self.may_have(v, key, guard, object))
    }

    /// Whether a cursor is written into an object under a name of its own.
    pub(super) fn writes_cursor(&self, v: V) -> bool {
        let Session { store, pack, .. } = &self.ran.session;
        let log = store.body(v).map(|id| &store.object(id).log);
        log.into_iter().flatten().any(|event| match event {
            Event::Write { key, .. } => {
                store.values.as_text(*key).is_some_and(|k| pack.is_raw(k) && !pack.is_raw_more(k))
            }
            Event::Remove { .. } | Event::Copy { .. } | Event::Clear { .. } => false,
        })
    }

    /// Whether keys of an object's own are taken out of it that are not known by name, or those
    /// that a function picks.
    pub(super) fn loses_any_key(&self, v: V) -> bool {
        let store = &self.ran.session.store;
        let log = store.body(v).map(|id| &store.object(id).log);
        log.into_iter().flatten().any(|event| match event {
            Event::Remove { key, .. } => match store.values.node(*key) {
                Node::Text(_) => false,
                // One of a list of names is known by name.
                Node::Op(Op::Field, parts) => !matches!(store.values.node(parts[0]), Node::List(_)),
                _ => true,
            },
            Event::Write { .. } | Event::Copy { .. } | Event::Clear { .. } => false,
        })
    }

    /// Whether an object has fields that the program names, and no copy of another.
    fn made_here(&self, v: V) -> bool {
        let session = &self.ran.session;
        let Some(id) = session.store.body(v) else { return false };
        let object = session.store.object(id);
        let copies = object.base.is_some()
            || object.log.iter().any(|e| match e {
                Event::Copy { .. } => true,
                Event::Write { key, .. } => session.store.values.as_text(*key).is_none(),
                Event::Remove { .. } | Event::Clear { .. } => false,
            });
        !copies
    }
}
