//! What a pack says of a call: sinks, errors, registrars, settings, upstream calls.
//!
//! Only records; judges nothing.

use super::formula::F;
use super::observe::{CallNames, Exit, Registration, UpstreamCall};
use super::session::Session;
use super::store::Site;
use super::value::{Node, Op, Origin, V};
use crate::ir::{Range, Type};

impl<'p> Session<'p> {
    /// Applies what the pack says of a call; `None` where it says nothing.
    pub(super) fn pack_call(
        &mut self,
        names: &CallNames,
        _base: Option<V>,
        args: &[V],
        range: Range,
    ) -> Option<V> {
        let pack = self.pack;
        let arg = |i: usize| args.get(i).copied().unwrap_or(V::NULL);
        if pack.errors.iter().any(|e| names.matches(e)) {
            let v = self.store.values.symbol(Origin::Error, None);
            self.note_error(v, args);
            return Some(v);
        }
        if let Some(registrar) = pack.registrars.iter().find(|r| names.matches(&r.call)) {
            let site = self.site(range);
            let handler = self.handler_argument(arg(registrar.handler), args);
            self.seen.registrations.push(Registration { name: arg(registrar.name), handler, site });
            return Some(self.store.values.unknown());
        }
        if pack.settings.iter().any(|s| names.last().is_some_and(|l| l == s.rsplit('.').next().unwrap_or(s))) {
            let name = names.last().cloned().unwrap_or_default();
            return Some(self.outside(name, None));
        }
        if pack.dry_run_guards.iter().any(|g| names.matches(g)) {
            let f = self.store.values.free_atom();
            self.seen.dry_runs.push(f);
            return Some(self.store.values.cond(f));
        }
        if let Some(upstream) = pack.upstreams.iter().find(|u| names.matches(&u.call)) {
            return Some(self.upstream_call(upstream, args, range));
        }
        for (i, sink) in pack.sinks.iter().enumerate() {
            if sink.field.is_none() && names.matches(&sink.call) {
                let v = arg(sink.argument);
                let site = self.site(range);
                self.emit(v, None, self.pc, site, Exit::Sink(i));
                return Some(if sink.gives_back { v } else { self.store.values.unknown() });
            }
        }
        None
    }

    /// The handler of a registration: the named argument, else the last function given.
    fn handler_argument(&mut self, named: V, args: &[V]) -> V {
        let is_function = |s: &Self, v: V| {
            s.store.values.mentions(v, &|_, n| matches!(n, Node::Function(..) | Node::Op(Op::Bound, _)))
        };
        if is_function(self, named) {
            return named;
        }
        args.iter().rev().copied().find(|v| is_function(self, *v)).unwrap_or(named)
    }

    fn upstream_call(&mut self, upstream: &crate::pack::Upstream, args: &[V], range: Range) -> V {
        let number = self.seen.upstreams.len() as u32;
        let response = self.store.values.symbol(Origin::Upstream(number), None);
        let tool = upstream.tool.and_then(|i| args.get(i)).and_then(|v| self.store.values.as_text(*v).cloned());
        let request = upstream.request.and_then(|i| args.get(i)).copied();
        let site = self.site(range);
        let guard = self.outer_condition(self.pc);
        let root = self.seen.root;
        self.seen.upstreams.push(UpstreamCall { response, tool, request, guard, site, root });
        if upstream.emits {
            self.emit(response, None, self.pc, site, Exit::Upstream(number));
        }
        if upstream.text {
            let text = self.store.values.op(Op::Encode, &[response]);
            let error = self.store.values.unknown();
            return self.store.values.op(Op::Tuple, &[text, error]);
        }
        let error = self.store.values.unknown();
        if upstream.emits {
            return error;
        }
        self.store.values.op(Op::Tuple, &[response, error])
    }

    /// A struct literal that is itself a sink (`Envelope{Data: x}`).
    pub(super) fn struct_sink(&mut self, v: V, ty: &Type, site: Site) {
        let names = CallNames::of_type(ty);
        for (i, sink) in self.pack.sinks.iter().enumerate() {
            let Some(field) = &sink.field else { continue };
            if !names.matches(&sink.call) {
                continue;
            }
            let key = self.store.values.text(field);
            let data = self.store.read(v, key, self.pc);
            let meta = sink.meta.as_ref().map(|m| {
                let key = self.store.values.text(m);
                self.store.read(v, key, F::TRUE)
            });
            self.emit(data, meta, self.pc, site, Exit::Sink(i));
        }
    }
}
