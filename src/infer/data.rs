//! Reads off a session what commands emit as data: raw paging fields in it, and whole responses
//! of the service.
//!
//! Judges nothing; asks the pack only for the names of raw fields.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::drive::Ran;
use super::envelope::function_name;
use super::facts::{Alias, Emitter, Facts, Passthrough, RawField};
use super::formula::F;
use super::observe::{Emission, Exit};
use super::session::Session;
use super::store::Site;
use super::upstream::{asks_for_page, paged_tools, tools_of, upstream_numbers, upstream_of};
use super::value::{Node, ObjectId, Op, V};
use crate::text::Span;

/// Most nesting of data that is looked into.
const MAX_DEPTH: u8 = 5;

/// Adds what a session shows to the facts.
pub fn collect(ran: &mut Ran<'_>, facts: &mut Facts) {
    if ran.session.pack.raw.more.is_empty() {
        return;
    }
    paged_tools(&mut ran.session, facts);
    super::declarations::collect(ran, facts);
    let emissions = ran.session.seen.emissions.clone();
    // The same response as text beside its JSON path is one emission.
    let mut parsed: FxHashSet<u32> = FxHashSet::default();
    for emission in &emissions {
        if !is_text(&ran.session, emission) {
            parsed.extend(upstream_numbers(&mut ran.session, emission.value));
        }
    }
    for emission in &emissions {
        let guard = ran.session.without_dry_runs(emission.guard);
        // Where a framework is known, only its sinks prove that data leaves.
        let guessed = emission.exit == Exit::Guess;
        let unproven = guessed && !super::guessed::is_page(&mut ran.session, emission.value, guard);
        if unproven || guard == F::FALSE || is_machinery_root(ran, emission) {
            continue;
        }
        let text = is_text(&ran.session, emission);
        if text
            && upstream_numbers(&mut ran.session, emission.value).iter().any(|n| parsed.contains(n))
        {
            continue;
        }
        let (sink, emitter) = place(ran, emission, emission.site);
        super::outlines::add(&mut ran.session, emission, guard, (sink, &emitter), facts);
        let halves = match emission.meta {
            None => ran.session.halves(emission.value, guard),
            Some(_) => Vec::new(),
        };
        if halves.is_empty() {
            super::pages::emitted(ran, emission, guard, &emitter, facts);
        }
        for (guard, value, meta) in halves {
            let emission = Emission { value, meta: Some(meta), ..emission.clone() };
            super::pages::emitted(ran, &emission, guard, &emitter, facts);
        }
        let mut walk =
            Walk { ran, emission, facts, seen: FxHashSet::default(), whole: FxHashSet::default() };
        walk.value(emission.value, guard, 0);
    }
    super::pages::given_back(ran, facts);
}

fn is_text(session: &Session<'_>, emission: &Emission) -> bool {
    match emission.exit {
        Exit::Sink(i) => session.pack.sinks[i].text,
        _ => false,
    }
}

/// Whether the root that runs is part of the output path itself.
fn is_machinery_root(ran: &Ran<'_>, emission: &Emission) -> bool {
    let root = &ran.roots[emission.activity.root as usize];
    root.function.index != u32::MAX && is_machinery(&ran.session, root.function)
}

/// Whether a function belongs to the output path itself.
pub fn is_machinery(session: &Session<'_>, id: super::value::FunctionId) -> bool {
    let Some(function) = session.index.holder(id) else { return false };
    let module = session.index.head(id.module);
    let owner = function.owner.as_ref().or(module.name.as_ref().filter(|_| !module.global_name));
    owner.is_some_and(|name| session.pack.machinery.iter().any(|m| m == name.as_str()))
}

pub(super) struct Walk<'w, 'p> {
    pub(super) ran: &'w mut Ran<'p>,
    pub(super) emission: &'w Emission,
    pub(super) facts: &'w mut Facts,
    seen: FxHashSet<V>,
    whole: FxHashSet<u32>,
}

impl Walk<'_, '_> {
    fn value(&mut self, v: V, guard: F, depth: u8) {
        let leaves = self.ran.session.store.values.leaves(v, guard);
        for (guard, leaf) in leaves {
            if guard != F::FALSE && self.seen.insert(leaf) {
                self.leaf(leaf, guard, depth);
            }
        }
    }

    fn leaf(&mut self, v: V, guard: F, depth: u8) {
        // A sink's own struct is an emission of its own.
        if self.ran.session.sink_struct(v).is_some() {
            return;
        }
        match self.ran.session.store.values.node(v).clone() {
            Node::Op(Op::Tuple, parts) => {
                parts.iter().for_each(|part| self.value(*part, guard, depth));
                return;
            }
            Node::Op(Op::Encode | Op::Decode, parts)
                if self.ran.session.store.body(v).is_none() =>
            {
                return self.value(parts[0], guard, depth);
            }
            Node::List(_) | Node::Text(_) | Node::Null | Node::Cond(_) | Node::Int(_) => return,
            _ => {}
        }
        if let Some(number) = self.whole_response(v) {
            if self.unstripped(v, guard) {
                self.passthrough(number);
            }
        }
        let asked = self.whole_response(v).is_none()
            && self.read_as_page(v, guard)
            && self.unstripped(v, guard);
        if asked || self.whole_result(v, guard) {
            self.whole_page();
        }
        if let Some(id) = self.ran.session.store.body(v) {
            self.object(v, id, guard, depth);
        }
    }

    /// Whether no raw field was taken out of a response, or the flag alone and no cursor.
    pub(super) fn unstripped(&mut self, v: V, guard: F) -> bool {
        if self.loses_any_key(v) {
            return false;
        }
        let names = match self.raw_fields_of(v) {
            Some(fields) => fields,
            None => {
                let (raw, all) = (&self.ran.session.pack.raw, self.writes_cursor(v));
                let more = raw.more.iter().filter(|_| all);
                more.chain(&raw.cursor).chain(&raw.weak_cursor).cloned().collect()
            }
        };
        // Fields can only be asked of a value where it is known to be an object.
        let store = &mut self.ran.session.store;
        let is_map = super::atom::Atom::IsType(v, crate::ir::Name::new_static("map"));
        let object = store.values.known_atom(&is_map).unwrap_or(F::TRUE);
        let null = store.values.known_atom(&super::atom::Atom::Null(v)).unwrap_or(F::FALSE);
        let object = store.values.forms.minus(object, null);
        let guard = store.values.forms.and(guard, object);
        if guard == F::FALSE {
            return false;
        }
        if self.keeps_what_is_read(v, guard, object) {
            return true;
        }
        names.iter().all(|name| {
            let key = self.ran.session.store.values.text(name);
            self.may_have(v, key, guard, object)
        })
    }

    /// Whether a value can have a field on these paths, where it is an object.
    pub(super) fn may_have(&mut self, v: V, key: V, guard: F, object: F) -> bool {
        let store = &mut self.ran.session.store;
        let has = store.has(v, key, guard);
        let given = store.values.forms.and(has, object);
        store.values.possible(guard, given)
    }

    fn passthrough(&mut self, number: u32) {
        if !self.whole.insert(number) {
            return;
        }
        let call = self.ran.session.seen.upstreams[number as usize].clone();
        let asks_for_page = call.request.is_some_and(|r| asks_for_page(&self.ran.session, r));
        let site = match self.emission.exit {
            Exit::Upstream(_) => self.outside_forwarders(self.emission.site, call.request),
            _ => self.emission.site,
        };
        let (span, emitter) = self.place(site);
        let tools = tools_of(&mut self.ran.session, &call);
        self.facts.passthroughs.push(Arc::new(Passthrough {
            span,
            emitter,
            tools,
            asks_for_page,
            guessed: false,
        }));
    }

    /// A call as its readers see it: outside functions that only hand their own parameters on.
    fn outside_forwarders(&self, site: Site, request: Option<V>) -> Site {
        let session = &self.ran.session;
        let mut site = site;
        while let Some(request) = request {
            let frame = &session.frames[site.frame as usize];
            let Some(function) = session.index.function_at(frame.function) else { break };
            let given = |slot: u16| frame.slots.get(slot as usize).copied();
            let hands_on = function.params.len() > 1
                && function.params.iter().any(|p| given(p.slot) == Some(request))
                && function.params.iter().any(|p| {
                    given(p.slot).is_some_and(|v| session.store.values.as_text(v).is_some())
                });
            let (true, Some(call), Some(caller)) = (hands_on, frame.call, frame.caller) else {
                break;
            };
            let function = session.frames[caller as usize].function;
            site = Site { span: call, function, frame: caller, ..site };
        }
        site
    }

    /// Whether code asks a value that is no known response for a has-more flag or cursor.
    ///
    /// Where calls to the service are known, such a value counts only beside a meta half made
    /// of it: the same response without one may have been asked and found to be no page.
    fn read_as_page(&mut self, v: V, guard: F) -> bool {
        if self.emission.meta.is_none() && !self.ran.session.pack.upstreams.is_empty() {
            return false;
        }
        let (mut more, mut cursor) = (false, false);
        for read in self.ran.session.seen.reads.clone().iter().filter(|r| r.base == v) {
            let pack = self.ran.session.pack;
            if pack.is_raw(&read.key)
                && self.ran.session.store.values.forms.compatible(read.guard, guard)
            {
                more |= pack.is_raw_more(&read.key);
                cursor |= !pack.is_raw_more(&read.key);
            }
        }
        more && cursor
    }

    fn object(&mut self, v: V, id: ObjectId, guard: F, depth: u8) {
        let mut keys = self.ran.session.store.keys(id);
        let wire = super::guessed::wire_names(&mut self.ran.session, v, id);
        for (field, _) in wire.iter().flatten() {
            // A member that only its own fields were written to.
            let key = self.ran.session.store.values.text(field);
            let member = self.ran.session.store.read(v, key, guard);
            if self.ran.session.store.body(member).is_some() && !keys.contains(&key) {
                keys.push(key);
            }
        }
        for key in keys {
            let Some(name) = self.ran.session.store.values.as_text(key).map(|t| t.to_string())
            else {
                continue;
            };
            let name = match &wire {
                Some(names) => match names.iter().find(|(field, _)| *field == name) {
                    Some((_, Some(wire))) => wire.clone(),
                    Some((_, None)) => continue,
                    None => name,
                },
                None => name,
            };
            let store = &mut self.ran.session.store;
            let there = store.has(v, key, guard);
            let has = store.values.forms.and(there, guard);
            let raw = self.ran.session.pack.is_raw(&name);
            if has == F::FALSE || raw && !store.values.possible(guard, there) {
                continue;
            }
            let value = self.ran.session.store.read(v, key, has);
            let pack = self.ran.session.pack;
            let session = &self.ran.session;
            let continues = pack.is_weak_cursor(&name)
                && (self.is_of_a_response(value)
                    || session.continues_page(value)
                    || self.is_of_a_page(value));
            if depth == 0 && session.is_meta_half(&name) {
                continue;
            }
            if pack.meta.alias_fields.contains(&name) {
                self.alias(id, key, has, name.clone(), value);
            }
            if raw || continues {
                self.raw_field(id, key, has, name);
            } else if depth < MAX_DEPTH {
                self.value(value, has, depth + 1);
            }
        }
    }

    /// Whether a value comes from a response and not from a field of it that is called otherwise
    /// and that nobody asks for a page.
    fn is_of_a_response(&self, value: V) -> bool {
        let session = &self.ran.session;
        let Some(number) = upstream_of(session, value) else { return false };
        let request = session.seen.upstreams[number as usize].request;
        let pack = session.pack;
        let called = |v: V| match session.store.values.as_text(v) {
            Some(name) => pack.is_raw(name) || pack.is_weak_cursor(name) || pack.asks_by(name),
            None => true,
        };
        request.is_none_or(|r| asks_for_page(session, r))
            || match session.store.values.node(value) {
                Node::Op(Op::Field, parts) => called(parts[1]),
                _ => true,
            }
    }

    /// Whether a value is a field of something that is asked for a has-more flag too.
    fn is_of_a_page(&self, value: V) -> bool {
        let session = &self.ran.session;
        let asked = |base: V| {
            let mut reads = session.seen.reads.iter().filter(|r| r.base == base);
            reads.any(|r| session.pack.is_raw_more(&r.key))
        };
        session
            .store
            .values
            .mentions(value, &|_, n| matches!(n, Node::Op(Op::Field, parts) if asked(parts[0])))
    }

    fn raw_field(&mut self, id: ObjectId, key: V, guard: F, name: String) {
        let mut sites = Vec::new();
        super::envelope::sites_of(&mut self.ran.session, id, key, guard, &mut sites);
        for site in sites {
            let (span, emitter) = self.place(site);
            let sink = self.place(self.emission.site).0;
            let guessed = self.emission.exit == Exit::Guess;
            let name = name.clone();
            self.facts.raw_fields.push(Arc::new(RawField { name, span, sink, emitter, guessed }));
        }
    }

    fn alias(&mut self, id: ObjectId, key: V, guard: F, name: String, value: V) {
        let text = self.ran.session.store.values.as_text(value).map(|t| t.to_string());
        let mut sites = Vec::new();
        super::envelope::sites_of(&mut self.ran.session, id, key, guard, &mut sites);
        for site in sites {
            let (span, emitter) = self.place(site);
            let (name, value) = (name.clone(), text.clone());
            self.facts.aliases.push(Alias { name, span, value, emitter });
        }
    }

    pub(super) fn place(&self, site: Site) -> (Span, Emitter) {
        place(self.ran, self.emission, site)
    }
}

/// A site as its readers see it: outside the output path, with the calls that lead there.
fn place(ran: &Ran<'_>, emission: &Emission, site: Site) -> (Span, Emitter) {
    let session = &ran.session;
    let (mut span, mut function, mut frame) = (site.span, site.function, site.frame);
    loop {
        let at = &session.frames[frame as usize];
        let (true, Some(call), Some(caller)) =
            (is_machinery(session, function), at.call, at.caller)
        else {
            break;
        };
        span = call;
        frame = caller;
        function = session.frames[caller as usize].function;
    }
    let mut calls = Vec::new();
    let mut at = frame;
    while let (Some(call), Some(caller)) =
        (session.frames[at as usize].call, session.frames[at as usize].caller)
    {
        calls.push(call);
        at = caller;
    }
    let root = &ran.roots[emission.activity.root as usize];
    let emitter = Emitter {
        command: root.name.as_ref().filter(|n| !n.is_empty()).map(|n| n.to_string()),
        stage: session.stage.as_ref().map(|s| s.to_string()),
        function: function_name(session, function),
        calls,
    };
    (span, emitter)
}
