//! What a pack says of a call: sinks, errors, registrars, settings, upstream calls.
//!
//! Only records; judges nothing.

use super::call_names::CallNames;
use super::commands::at_path;
use super::formula::F;
use super::observe::{Exit, Registration, UpstreamCall};
use super::session::Session;
use super::taken::taken;
use super::value::{Node, Op, Origin, V};
use crate::ir::{Name, Range, Type};
use crate::pack::folded;

impl<'p> Session<'p> {
    /// Applies what the pack says of a call; `None` where it says nothing.
    pub(super) fn pack_call(
        &mut self,
        names: &CallNames,
        function: Option<V>,
        args: &[V],
        spread: bool,
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
            let (name, dispatches) = (arg(registrar.name), !registrar.dispatches.is_empty());
            let known = |d: &String| {
                self.store.values.as_text(name).is_some_and(|t| t == d)
                    || self.ends_with_name(name, d)
            };
            if !dispatches || registrar.dispatches.iter().any(known) {
                let site = self.site(range);
                let handler = self.handler_argument(arg(registrar.handler), args);
                let now = (self.unrolling > 0).then(|| taken(self, handler, self.pc));
                let found = Registration { name, handler, site, dispatches, guess: false, now };
                self.seen.registrations.push(found);
            }
            return Some(self.store.values.unknown());
        }
        if pack
            .settings
            .iter()
            .any(|s| names.last().is_some_and(|l| l == s.rsplit('.').next().unwrap_or(s)))
        {
            let name = names.last().cloned().unwrap_or_default();
            return Some(self.outside(name, None));
        }
        if pack.dry_run_guards.iter().any(|g| names.matches(g)) {
            let f = match self.seen.dry.asked {
                Some(f) => f,
                None => self.store.values.free_atom(),
            };
            self.seen.dry.asked = Some(f);
            return Some(self.store.values.cond(f));
        }
        if let Some(v) = self.declaration_call(names, args, range) {
            return Some(v);
        }
        if let Some(upstream) = pack.upstreams.iter().find(|u| names.matches(&u.call)) {
            if upstream.own_first {
                if let (v, true) = self.own_code(function, args, spread, range) {
                    return v;
                }
            }
            return Some(self.upstream_call(upstream, self.gives_one_value(function), args, range));
        }
        for (i, sink) in pack.sinks.iter().enumerate() {
            if sink.field.is_none() && names.matches(&sink.call) {
                if sink.encoded {
                    return Some(self.print(i, sink, args, range));
                }
                let v = arg(sink.argument);
                let mut result = None;
                if sink.own_first {
                    let (own, leaves) = self.own_code(function, args, spread, range);
                    if leaves {
                        return own;
                    }
                    result = own;
                }
                let site = self.site(range);
                let meta = self.meta_option(args);
                self.emit(v, meta, self.pc, site, Exit::Sink(i));
                return Some(match (sink.gives_back, result) {
                    (true, _) => v,
                    (false, Some(own)) => own,
                    (false, None) => self.store.values.unknown(),
                });
            }
        }
        None
    }

    /// Runs the workspace's own function; tells whether a call to the service or something that
    /// leaves was seen there.
    fn own_code(
        &mut self,
        function: Option<V>,
        args: &[V],
        spread: bool,
        range: Range,
    ) -> (Option<V>, bool) {
        let seen = |s: &Self| s.seen.upstreams.len() + s.seen.emissions.len();
        let before = seen(self);
        let v = function.and_then(|f| self.invoke(f, args, spread, range));
        let shows = v.is_some() && (seen(self) != before || self.pc == F::FALSE);
        (v, shows)
    }

    /// What the pack says of calls that declare commands and their stages.
    fn declaration_call(&mut self, names: &CallNames, args: &[V], range: Range) -> Option<V> {
        let pack = self.pack;
        let arg = |i: usize| args.get(i).copied().unwrap_or(V::NULL);
        if let Some(at) = pack.metadata_calls.iter().position(|c| names.matches(&c.call)) {
            let call = &pack.metadata_calls[at];
            let site = self.site(range);
            self.seen.metadata.push((arg(call.command), arg(call.spec), at, site));
            return Some(arg(call.command));
        }
        if let Some(call) = pack.stage_calls.iter().find(|c| names.matches(&c.call)) {
            self.seen.stages.push((arg(call.command), arg(call.stage)));
            return Some(V::NULL);
        }
        if let Some(guard) = pack.stage_guards.iter().find(|g| names.matches(&g.call)) {
            return Some(match &self.stage {
                Some(stage) => {
                    let holds = guard.stages.iter().any(|s| s == stage.as_str());
                    self.store.values.cond(F::constant(holds))
                }
                None => self.store.values.unknown(),
            });
        }
        if pack.stage_reads.iter().any(|r| names.matches(r)) {
            return Some(match self.stage.clone() {
                Some(stage) => self.store.values.text(&stage),
                None => self.store.values.unknown(),
            });
        }
        if pack.meta.option.iter().any(|o| names.matches(o)) {
            let mark = self.store.values.text("meta option");
            return Some(self.store.values.op(Op::Tuple, &[mark, arg(0)]));
        }
        pack.opaque.iter().any(|o| names.matches(o)).then(|| {
            self.release(args);
            self.store.values.unknown()
        })
    }

    /// The meta half among a sink's arguments, given by an option call, also in a list.
    fn meta_option(&mut self, args: &[V]) -> Option<V> {
        let mark = self.store.values.text("meta option");
        let mut stack: Vec<V> = args.to_vec();
        let mut found = None;
        while let Some(v) = stack.pop() {
            match self.store.values.node(v) {
                Node::Op(Op::Tuple, parts) if parts.first() == Some(&mark) => {
                    found = parts.get(1).copied()
                }
                Node::List(id) => {
                    // An element may be there on other paths only.
                    for (when, v) in self.store.list(*id).elements.clone() {
                        let pc = self.pc;
                        if self.store.values.forms.compatible(when, pc) {
                            stack.push(v);
                        }
                    }
                }
                Node::Choice(_, a, b) => stack.extend([*a, *b]),
                _ => {}
            }
        }
        found
    }

    /// The handler of a registration: the named argument, else the last function given.
    fn handler_argument(&mut self, named: V, args: &[V]) -> V {
        let is_function = |s: &Self, v: V| {
            s.store
                .values
                .mentions(v, &|_, n| matches!(n, Node::Function(..) | Node::Op(Op::Bound, _)))
        };
        if is_function(self, named) {
            return named;
        }
        args.iter().rev().copied().find(|v| is_function(self, *v)).unwrap_or(named)
    }

    /// Whether a function of the workspace declares just one result.
    fn gives_one_value(&self, function: Option<V>) -> bool {
        match function.map(|f| self.store.values.node(f)) {
            Some(Node::Function(id, ..)) => self.function(*id).results.len() == 1,
            _ => false,
        }
    }

    fn upstream_call(
        &mut self,
        upstream: &crate::pack::Upstream,
        single: bool,
        args: &[V],
        range: Range,
    ) -> V {
        let number = self.seen.upstreams.len() as u32;
        let response = self.store.values.symbol(Origin::Upstream(number), None);
        let tool = upstream.tool.and_then(|i| args.get(i)).copied();
        let request = upstream.request.and_then(|i| args.get(i)).copied();
        let site = self.site(range);
        let guard = self.outer_condition(self.pc);
        let activity = self.activity();
        self.seen.upstreams.push(UpstreamCall { response, tool, request, guard, site, activity });
        if upstream.emits {
            self.emit(response, None, self.pc, site, Exit::Upstream(number));
        }
        if upstream.text {
            let text = self.store.values.op(Op::Encode, &[response]);
            let error = self.store.values.unknown();
            return self.store.values.op(Op::Tuple, &[text, error]);
        }
        if upstream.bare {
            return response;
        }
        let error = self.store.values.unknown();
        if upstream.emits {
            return error;
        }
        if single {
            return response;
        }
        self.store.values.op(Op::Tuple, &[response, error])
    }

    /// The tool that a handler's command declares, where a text parameter goes by that field's name:
    /// one function serves many commands and is told which tool it is for.
    fn own_tool(&mut self, name: &Name, ty: Option<&(u32, Type)>) -> Option<V> {
        let declaration = self.declaration?;
        if !matches!(ty, Some((_, Type::Named(None, of))) if of == "string") {
            return None;
        }
        let paths = self.pack.commands.iter().flat_map(|kind| &kind.tool);
        let path = paths.into_iter().find(|path| {
            path.rsplit('.').next().is_some_and(|field| folded(field) == folded(name))
        })?;
        let tool = at_path(self, declaration, path);
        self.store.values.as_text(tool).is_some_and(|t| !t.is_empty()).then_some(tool)
    }

    /// A parameter of a handler; one of a context type knows the command's declaration.
    pub(super) fn handler_param(&mut self, name: Name, ty: Option<(u32, Type)>) -> V {
        if let Some(tool) = self.own_tool(&name, ty.as_ref()) {
            return tool;
        }
        let symbol = self.store.values.symbol(Origin::Param(name), ty.clone());
        let (Some(declaration), Some((_, Type::Named(_, type_name)))) = (self.declaration, ty)
        else {
            return symbol;
        };
        if let Some(context) = self.pack.contexts.iter().find(|c| c.type_name == type_name.as_str())
        {
            let key = self.store.values.text(&context.field);
            let site = self.own_site();
            self.store.write(symbol, key, declaration, F::TRUE, site, false);
        }
        symbol
    }
}
