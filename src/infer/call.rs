//! Runs calls: finds the function, binds its parameters, runs its body in a new frame.
//!
//! What a pack says of a call comes first, then the workspace's own function, then the core
//! library's meaning. Knows no pack word itself.

use smol_str::SmolStr;

use super::formula::F;
use super::resolve::Item;
use super::session::{Frame, Session};
use super::upstream::upstream_of;
use super::value::{FunctionId, Node, Op, Origin, V};
use super::work::Work;
use crate::ir::{Arg, Builtin, FunctionKind, Name, Param, Range, Type, Value, ValueKind};

impl<'p> Session<'p> {
    pub(super) fn call(
        &mut self,
        callee: &'p Value,
        args: &'p [Arg],
        builtin: Option<Builtin>,
        range: Range,
    ) -> V {
        let (base, function) = self.callee(callee);
        let mut values = Vec::with_capacity(args.len());
        let mut spread = false;
        for arg in args {
            if let ValueKind::Spread(inner) = &arg.value.kind {
                spread = true;
                let v = self.eval(inner);
                values.push(v);
            } else {
                let v = self.eval(&arg.value);
                values.push(v);
            }
        }
        if self.pc == F::FALSE {
            return V::NULL;
        }
        self.take_apart(&mut values);
        if let (Some(base), ValueKind::Member(_, name, _)) = (base, &callee.kind) {
            self.note_tree(base, name, &values);
        }
        if let Some(names) = self.interesting_names(callee, base, function) {
            if let Some(v) = self.pack_call(&names, function, &values, spread, range) {
                return v;
            }
            if let Some(v) = self.outlet_call(&names, base, function, &values, range) {
                return v;
            }
        }
        if let Some(v) = self.flag_call(callee, base, args, &values) {
            return v;
        }
        let next = self.frames.len();
        if let Some(v) = function.and_then(|f| self.invoke(f, &values, spread, range)) {
            self.take_back(args, &values, next, range);
            self.take_decoded(args, range);
            return v;
        }
        if let Some(builtin) = builtin {
            let mut operands = Vec::with_capacity(values.len() + 1);
            // What encodes takes the value as its argument, whatever object does it.
            let method = matches!(callee.kind, ValueKind::Member(..)) && !self.is_module_call(base);
            if method && builtin != Builtin::EncodeChecked {
                operands.extend(base);
            }
            operands.extend(&values);
            if builtin == Builtin::DecodeInto {
                if let (Some(place), [text, target, ..]) = (args.last(), operands.as_slice()) {
                    return self.decode_place(&place.value, *text, *target, range);
                }
            }
            self.note_printed(callee, builtin, &operands, range);
            // A key that a call sets is known by the argument that names it.
            let key = 1usize.wrapping_sub(operands.len() - values.len());
            let at = match (builtin, args.get(key)) {
                (Builtin::Set, Some(arg)) => arg.value.range,
                _ => range,
            };
            return self.builtin(builtin, &operands, at);
        }
        let v = self.unknown_call(callee, base, &values, range);
        self.set_places(args, v, range);
        v
    }

    /// Whether a call's base is a library's name and no operand.
    fn is_module_call(&mut self, base: Option<V>) -> bool {
        base.is_some_and(|b| {
            matches!(self.store.values.node(b), Node::Unit(_)) || self.is_free_name(b)
        })
    }

    fn is_free_name(&self, v: V) -> bool {
        match self.store.values.node(v) {
            Node::Op(Op::Other, parts) if parts.len() == 1 => {
                self.store.values.as_text(parts[0]).is_some_and(|t| t.starts_with("global "))
            }
            _ => false,
        }
    }

    /// The receiver of a method call, and the function that is called, where they are known.
    fn callee(&mut self, callee: &'p Value) -> (Option<V>, Option<V>) {
        match &callee.kind {
            ValueKind::Member(base, name, _) => {
                let own = self.own_member(base, name, callee.range);
                let base = self.eval(base);
                (Some(base), own.or_else(|| self.method_value(base, name, callee.range)))
            }
            ValueKind::Global(name) => {
                let m = self.running().module;
                match self.index.lookup(m, self.open_owner(), name) {
                    Some(item @ (Item::Function(_) | Item::Global(..))) => {
                        (None, Some(self.item(item, callee.range)))
                    }
                    _ => (None, None),
                }
            }
            _ => (None, Some(self.eval(callee))),
        }
    }

    /// What `base.name` is as a function, without reading a field of data by that name.
    fn method_value(&mut self, base: V, name: &Name, range: Range) -> Option<V> {
        let pc = self.pc;
        let mut parts = Vec::new();
        let mut any = false;
        let holds = self.store.values.any_leaf(base, |v, node| {
            matches!(node, Node::Unit(_) | Node::Type(..))
                || self.store.body(v).is_some()
                || self.method_of(v, name).is_some()
        });
        if !holds {
            return self.given(base, name);
        }
        for (guard, leaf) in self.store.values.leaves(base, pc) {
            let v = match *self.store.values.node(leaf) {
                Node::Unit(_) | Node::Type(..) => Some(self.member(leaf, name, range)),
                _ => match self.method_of(leaf, name) {
                    Some(id) => {
                        Some(self.store.values.intern(Node::Function(id, u32::MAX, Some(leaf))))
                    }
                    None if self.store.body(leaf).is_some() => {
                        let key = self.store.values.text(name);
                        Some(self.store.read(leaf, key, guard))
                    }
                    None => None,
                },
            };
            let v = v.filter(|v| {
                self.store
                    .values
                    .mentions(*v, &|_, n| matches!(n, Node::Function(..) | Node::Op(Op::Bound, _)))
            });
            any |= v.is_some();
            parts.push((guard, v.unwrap_or(V::NULL)));
        }
        any.then(|| self.store.values.join(&parts))
    }

    /// Calls a function value; `None` where nothing that can be run is known.
    pub(super) fn invoke(
        &mut self,
        function: V,
        args: &[V],
        spread: bool,
        range: Range,
    ) -> Option<V> {
        let before = self.pc;
        let runs = |_, n: &Node| matches!(n, Node::Function(..) | Node::Op(Op::Bound, _));
        if !self.store.values.any_leaf(function, runs) {
            return None;
        }
        let leaves = self.store.values.leaves(function, before);
        if !leaves.iter().any(|(_, v)| runs(*v, self.store.values.node(*v))) {
            return None;
        }
        let single = leaves.len() == 1;
        let mut parts = Vec::new();
        let mut after = F::FALSE;
        for (guard, leaf) in leaves {
            self.pc = if single { before } else { guard };
            let v = match self.store.values.node(leaf).clone() {
                Node::Function(id, frame, this) if single => {
                    self.for_tools(guard, |s| s.inline(id, frame, this, args, spread, range))
                }
                Node::Function(id, frame, this) => self.for_looked_up(before, guard, |s| {
                    s.for_tools(guard, |s| s.inline(id, frame, this, args, spread, range))
                }),
                Node::Op(Op::Bound, bound) => {
                    let (first, rest) =
                        if bound[1] == V::TRUE { (args, &bound[2..]) } else { (&bound[2..], args) };
                    let all = [first, rest].concat();
                    let work = &self.store.values.forms.work;
                    if work.is_out_after(Work::NODE * all.len()) {
                        continue;
                    }
                    self.invoke(bound[0], &all, spread, range).unwrap_or(V::NULL)
                }
                _ => self.store.values.unknown(),
            };
            after = self.store.values.forms.or(after, self.pc);
            parts.push((guard, v));
        }
        self.pc = after;
        Some(self.store.values.join(&parts))
    }

    /// Runs a function's body for a call.
    fn inline(
        &mut self,
        id: FunctionId,
        outer: u32,
        this: Option<V>,
        args: &[V],
        spread: bool,
        range: Range,
    ) -> V {
        let function = self.function(id);
        let again = self.stack.contains(&id);
        let runs = self.relevance_of(id).run_on_call(id)
            || self.relevance.run_as_check(id)
                && args.iter().any(|a| self.is_worth_asking(*a) || self.is_worth_calling(*a));
        if again || !runs {
            self.hand_over(args);
            let v = self.result_of(id, args);
            self.note_not_run(v, this, args);
            return v;
        }
        let spent = self.fuel == 0 || self.store.values.forms.work.is_out();
        if spent || self.stack.len() as u32 >= self.depth_limit {
            self.exhausted = true;
            self.cut |= spent;
            self.hand_over(args);
            return self.result_symbol(id);
        }
        let this = match (this, function.kind) {
            (Some(v), _) => v,
            (None, FunctionKind::Closure) if outer != u32::MAX => self.frames[outer as usize].this,
            _ => self.store.values.unknown(),
        };
        if self.relevance_of(id).is_recursive(id) {
            // This run stands for every level: lists may hold anything when it begins.
            self.hand_over(args);
            self.loosen_fields(function, args);
        }
        let builder = self.frames[self.frame as usize].builder || self.in_builder(id);
        let frame = Frame {
            function: id,
            slots: vec![V::NULL; function.slots as usize],
            outer: (outer != u32::MAX).then_some(outer),
            caller: Some(self.frame),
            call: Some(self.span(range)),
            this,
            builder,
        };
        let v = self.run_frame(frame, args, spread, None);
        self.note_failed_result(&function.name, v, range);
        v
    }

    /// Runs a frame to its end and gives what it returns.
    pub(super) fn run_frame(
        &mut self,
        frame: Frame,
        args: &[V],
        spread: bool,
        params: Option<V>,
    ) -> V {
        let function = self.function(frame.function);
        let caller = self.frame;
        let entry = self.pc;
        self.store.values.forms.work.did(frame.slots.len());
        self.frames.push(frame);
        self.frame = self.frames.len() as u32 - 1;
        let id = self.running();
        self.seen.visited.insert(id);
        self.stack.push(id);
        let breakables = std::mem::take(&mut self.breakables);
        let returns = std::mem::take(&mut self.returns);
        let returned_at = std::mem::take(&mut self.returned_at);
        let exits = std::mem::replace(&mut self.exits, F::FALSE);
        let statement = self.statement;
        if let Some(slot) = function.receiver {
            let this = self.frames[self.frame as usize].this;
            self.frames[self.frame as usize].slots[slot as usize] = this;
        }
        self.bind_params(&function.params, args, spread, params);
        self.init_results(function.result_slots.as_slice(), &function.results);
        self.exec_block(&function.body);
        if self.pc != F::FALSE {
            let v = self.fall_off(function.result_slots.as_slice());
            self.returns.push((self.pc, v));
            self.returned_at.push(function.name_range);
        }
        self.hand_out_answers(function.name_range);
        let ended = std::mem::replace(&mut self.returns, returns);
        let places = std::mem::replace(&mut self.returned_at, returned_at);
        self.note_bounded_results(&ended, &places);
        let gone = std::mem::replace(&mut self.exits, exits);
        self.exits = self.store.values.forms.or(self.exits, gone);
        self.breakables = breakables;
        self.statement = statement;
        self.stack.pop();
        self.frame = caller;
        self.pc = self.store.values.forms.minus(entry, gone);
        let parts = self.few_results(ended);
        self.join_results(&parts)
    }

    fn fall_off(&mut self, slots: &[u16]) -> V {
        let values: Vec<V> =
            slots.iter().map(|s| self.frames[self.frame as usize].slots[*s as usize]).collect();
        match values.as_slice() {
            [] => V::NULL,
            [one] => *one,
            many => self.store.values.op(Op::Tuple, many),
        }
    }

    fn init_results(&mut self, slots: &[u16], types: &[Type]) {
        for (slot, ty) in slots.iter().zip(types) {
            let zero = self.zero(ty);
            self.frames[self.frame as usize].slots[*slot as usize] = zero;
        }
    }

    fn bind_params(&mut self, params: &'p [Param], args: &[V], spread: bool, rest: Option<V>) {
        for (i, param) in params.iter().enumerate() {
            let v = if param.variadic && !(spread && i + 1 == args.len()) {
                let elements: Vec<(F, V)> = args.iter().skip(i).map(|v| (F::TRUE, *v)).collect();
                let site = self.site(param.range);
                self.store.new_list(site, elements, rest.is_some())
            } else if let Some(v) = args.get(i) {
                self.as_param(*v, &param.ty)
            } else if rest.is_some() {
                let m = self.running().module;
                let ty = (param.ty != Type::Unknown).then(|| (m, param.ty.clone()));
                self.store.values.symbol(Origin::Param(param.name.clone()), ty)
            } else if let Some(default) = &param.default {
                self.eval(default)
            } else {
                V::NULL
            };
            self.frames[self.frame as usize].slots[param.slot as usize] = v;
            for (name, slot) in &param.fields {
                let key = self.store.values.text(name);
                let part = self.read_field(v, key, param.range);
                self.frames[self.frame as usize].slots[*slot as usize] = part;
            }
        }
    }

    /// What a function gives when it is not run.
    pub(super) fn result_symbol(&mut self, id: FunctionId) -> V {
        self.result_of(id, &[])
    }

    /// What a function gives when it is not run: objects and lists are taken for a part of the
    /// response that it is given.
    fn result_of(&mut self, id: FunctionId, args: &[V]) -> V {
        let function = self.function(id);
        let response = args.iter().copied().find(|arg| upstream_of(self, *arg).is_some());
        let origin = |ty: &Type| match (ty, response) {
            (Type::Map(_) | Type::List(_), Some(response)) => Origin::Item(response),
            _ => Origin::Call(function.name.clone()),
        };
        let mut result =
            |ty: &Type| self.store.values.symbol(origin(ty), Some((id.module, ty.clone())));
        match function.results.as_slice() {
            [] => self.outside(function.name.clone(), None),
            [one] => result(one),
            many => {
                let parts: Vec<V> = many.iter().map(result).collect();
                self.store.values.op(Op::Tuple, &parts)
            }
        }
    }

    /// A call into code that is not in the workspace.
    fn unknown_call(&mut self, callee: &'p Value, base: Option<V>, args: &[V], range: Range) -> V {
        let name = match &callee.kind {
            ValueKind::Member(_, name, _) | ValueKind::Global(name) => name.clone(),
            _ => SmolStr::default(),
        };
        let sends = match &callee.kind {
            ValueKind::Member(of, name, _) => self.tells_that_it_sends(name, Some(of), args),
            _ => self.tells_that_it_sends(&name, None, args),
        };
        self.note_escape(&name, sends, args, range);
        self.note_handed(&name, args);
        // The bytes of a text that holds an object hold it too.
        let text = base.filter(|b| matches!(self.store.values.node(*b), Node::Op(Op::Encode, _)));
        if let Some(text) = text.filter(|_| args.is_empty() && name.starts_with("to_")) {
            return text;
        }
        if !self.offers(args, range) {
            for arg in args {
                self.run_callback(*arg, range);
            }
        }
        let v = self.outside(name, None);
        self.note_made(v, base, args);
        v
    }

    /// Runs a function value on a command that it is mounted on.
    pub(super) fn run_hook(&mut self, function: V, command: V) {
        self.frame = 0;
        self.invoke(function, &[command], false, Range::default());
    }

    /// Allocation of a named type.
    pub(super) fn allocate(&mut self, ty: &'p Type, args: &'p [Arg], range: Range) -> V {
        let m = self.running().module;
        let values: Vec<V> = args.iter().map(|a| self.eval(&a.value)).collect();
        let site = self.site(range);
        let base = self.store.values.symbol(Origin::Unknown, Some((m, ty.clone())));
        let v = self.store.new_object(site, self.pc, Some(base), Some((m, ty.clone())));
        self.begin_fields(ty, v);
        for name in ["_init", "constructor"] {
            if let Some(id) = self.index.method(m, ty, name) {
                self.inline(id, u32::MAX, Some(v), &values, false, range);
            }
        }
        v
    }
}
