//! What expressions are worth on the paths that run now.
//!
//! Knows no pack word; calls are elsewhere.

use super::formula::F;
use super::resolve::Item;
use super::session::Session;
use super::value::{Node, Op, Origin, V};
use crate::ir::{BinaryOp, Entry, EntryKey, Name, Range, Type, UnaryOp, Value, ValueKind};

/// Most elements that other lists bring into one.
const MAX_SPREAD: usize = 256;

impl<'p> Session<'p> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, value: &'p Value) -> V {
        self.store.values.forms.work.did(1);
        match &value.kind {
            ValueKind::Null => V::NULL,
            ValueKind::Bool(b) => {
                if *b {
                    V::TRUE
                } else {
                    V::FALSE
                }
            }
            ValueKind::Int(n) => self.store.values.int(*n),
            ValueKind::Float(x) => self.store.values.intern(Node::Float(x.to_bits())),
            ValueKind::Str(text) => {
                let v = self.store.values.intern(Node::Text(text.clone()));
                self.note_text(v, value.range);
                v
            }
            ValueKind::Format(parts) => {
                let parts: Vec<V> = parts.iter().map(|p| self.eval(p)).collect();
                self.join_text(&parts)
            }
            ValueKind::List(items) => self.list(items, value.range),
            ValueKind::Object(entries) => self.object(entries, None, value.range),
            ValueKind::Struct(ty, entries) => self.structure(ty, entries, value.range),
            ValueKind::Spread(inner) | ValueKind::Await(inner) => self.eval(inner),
            ValueKind::Local(local) => self.local(*local),
            ValueKind::Global(name) => self.global_name(name, value.range),
            ValueKind::This => self.frames[self.frame as usize].this,
            ValueKind::Member(base, name, _) => {
                if let Some(own) = self.own_member(base, name, value.range) {
                    return own;
                }
                let base = self.eval(base);
                self.member(base, name, value.range)
            }
            ValueKind::Index(base, key) => {
                let base = self.eval(base);
                let key = self.eval(key);
                self.read_field(base, key, value.range)
            }
            ValueKind::Call { callee, args, builtin } => {
                self.call(callee, args, *builtin, value.range)
            }
            ValueKind::New(ty, args) => self.allocate(ty, args, value.range),
            ValueKind::Builtin(builtin, operands) => {
                let at = match (builtin, operands.get(1)) {
                    (crate::ir::Builtin::Set, Some(key)) => key.range,
                    _ => value.range,
                };
                let operands: Vec<V> = operands.iter().map(|o| self.eval(o)).collect();
                self.builtin(*builtin, &operands, at)
            }
            ValueKind::Unary(op, inner) => {
                let v = self.eval(inner);
                self.unary(*op, v)
            }
            ValueKind::Binary(op, a, b) => self.binary_lazy(*op, a, b),
            ValueKind::Ternary(condition, a, b) => self.ternary(condition, a, b, value.range),
            ValueKind::Closure(index) => {
                let function =
                    super::value::FunctionId { module: self.running().module, index: *index };
                self.seen.closures.push((function, self.frame));
                self.store.values.intern(Node::Function(function, self.frame, None))
            }
            ValueKind::Assert(inner, _) => self.eval(inner),
            ValueKind::CommaOk(inner) => self.comma_ok(inner),
            ValueKind::Assign(target, inner) => {
                let v = self.eval(inner);
                self.store_into(target, v, value.range);
                v
            }
            ValueKind::Opaque(parts) => {
                for part in parts {
                    self.eval(part);
                }
                self.store.values.unknown()
            }
        }
    }

    fn list(&mut self, items: &'p [Value], range: Range) -> V {
        let mut elements = Vec::with_capacity(items.len());
        let mut open = false;
        for item in items {
            let v = self.eval(item);
            if !matches!(item.kind, ValueKind::Spread(_)) {
                elements.push((F::TRUE, v));
                continue;
            }
            match self.store.values.node(v) {
                Node::List(id) if !self.store.list(*id).open => {
                    let more = &self.store.list(*id).elements;
                    // What is spread twice each time doubles.
                    open |= elements.len() + more.len() > MAX_SPREAD;
                    elements.extend(more.iter().take(MAX_SPREAD).copied());
                    elements.truncate(items.len().max(MAX_SPREAD));
                }
                _ => open = true,
            }
        }
        let site = self.site(range);
        self.store.new_list(site, elements, open)
    }

    fn object(&mut self, entries: &'p [Entry], ty: Option<(u32, Type)>, range: Range) -> V {
        let site = self.site(range);
        let v = self.store.new_object(site, self.pc, None, ty);
        for entry in entries {
            let value = self.eval(&entry.value);
            let site = self.site(entry.key_range);
            let key = match &entry.key {
                EntryKey::Known(name) => self.store.values.text(name),
                EntryKey::Computed(key) => self.eval(key),
                EntryKey::Spread => {
                    self.store.copy_into(v, value, self.pc, site, true);
                    continue;
                }
                EntryKey::Position(i) => self.store.values.int(i64::from(*i)),
            };
            self.store.write(v, key, value, self.pc, site, true);
        }
        self.note_failed_literal(v, entries, range);
        v
    }

    fn structure(&mut self, ty: &'p Type, entries: &'p [Entry], range: Range) -> V {
        let m = self.running().module;
        let declared = self.index.declaration(m, ty);
        let site = self.site(range);
        let v = self.store.new_object(site, self.pc, None, Some((m, ty.clone())));
        for entry in entries {
            let value = self.eval(&entry.value);
            let site = self.site(entry.key_range);
            let key = match &entry.key {
                EntryKey::Known(name) => self.store.values.text(name),
                EntryKey::Position(i) => {
                    let field = declared.and_then(|(dm, di)| {
                        self.index.type_decl(dm, di).fields.get(*i as usize).map(|f| f.name.clone())
                    });
                    match field {
                        Some(name) => self.store.values.text(&name),
                        None => self.store.values.int(i64::from(*i)),
                    }
                }
                EntryKey::Computed(key) => self.eval(key),
                EntryKey::Spread => {
                    self.store.copy_into(v, value, self.pc, site, true);
                    continue;
                }
            };
            self.store.write(v, key, value, self.pc, site, true);
        }
        self.note_struct(v, ty, range);
        v
    }

    /// What a name that is no local stands for.
    pub(super) fn global_name(&mut self, name: &Name, range: Range) -> V {
        if let Some(own) = self.instance_field(name, range) {
            return own;
        }
        let m = self.running().module;
        let owner = self.open_owner();
        match self.index.lookup(m, owner, name) {
            Some(item) => self.item(item, range),
            None => match self.builder_named(None, name) {
                Some(builder) => builder,
                None => self.store.values.intern_global(name),
            },
        }
    }

    /// What a name means on the current object, where that is the class that the file is or one
    /// whose own source says it.
    pub(super) fn own_member(&mut self, base: &Value, name: &Name, range: Range) -> Option<V> {
        if !matches!(base.kind, ValueKind::This) {
            return None;
        }
        let this = self.frames[self.frame as usize].this;
        if self.method_of(this, name).is_some() {
            return None;
        }
        if let Some(own) = self.instance_field(name, range) {
            return Some(own);
        }
        let unit = self.index.unit_of(self.running().module);
        let item = match self.owner() {
            Some(owner) => self.index.member(unit, owner, name)?,
            None => self.index.in_unit(unit, name)?,
        };
        matches!(item, Item::Function(_) | Item::Global(..)).then(|| self.item(item, range))
    }

    /// The shared builder that `base.name` is, where the workspace does not say what it is.
    fn builder_named(&mut self, base: Option<V>, name: &Name) -> Option<V> {
        let at = self.pack.builders.iter().position(|b| {
            let mut parts = b.name.rsplit('.');
            parts.next() == Some(name.as_str())
                && match (parts.next(), base) {
                    (None, None) => true,
                    (Some(before), Some(base)) => self.ends_with_name(base, before),
                    _ => false,
                }
        })?;
        let m = self.relevance.builder_module(at)?;
        let unit = self.index.unit_of(m);
        Some(self.store.values.intern(Node::Unit(unit)))
    }

    /// Whether something of which only the name is known goes by this name.
    pub(super) fn ends_with_name(&self, v: V, name: &str) -> bool {
        match self.store.values.node(v) {
            Node::Op(Op::Other, parts) if parts.len() == 1 => self
                .store
                .values
                .as_text(parts[0])
                .is_some_and(|t| t.strip_prefix("global ") == Some(name)),
            Node::Op(Op::Field, parts) => {
                self.store.values.as_text(parts[1]).is_some_and(|t| t == name)
            }
            _ => false,
        }
    }

    /// The value of a thing in scope.
    pub(super) fn item(&mut self, item: Item, _range: Range) -> V {
        match item {
            Item::Function(id) => {
                let method = self.function(id).kind == crate::ir::FunctionKind::Method;
                let this = (method && self.running().module == id.module)
                    .then(|| self.frames[self.frame as usize].this);
                self.store.values.intern(Node::Function(id, u32::MAX, this))
            }
            Item::Global(m, i) => self.global(m, i),
            Item::Type(m, i) => self.store.values.intern(Node::Type(m, i)),
            Item::Unit(unit) => self.store.values.intern(Node::Unit(unit)),
            Item::External(m, i) => self.external(m, i),
        }
    }

    /// What an import of a module that is not in the workspace binds: the shared builder, or a
    /// name only.
    fn external(&mut self, m: u32, i: u32) -> V {
        let import = self.index.import_at(m, i);
        let mut targets = import
            .targets
            .iter()
            .map(|t| t.rsplit_once("://").map_or(t.as_str(), |(_, path)| path));
        let builder = targets.find_map(|t| self.pack.builders.iter().position(|b| b.is_file(t)));
        match builder
            .filter(|_| import.item.is_none())
            .and_then(|b| self.relevance.builder_module(b))
        {
            Some(module) => {
                let unit = self.index.unit_of(module);
                self.store.values.intern(Node::Unit(unit))
            }
            None => self.store.values.intern_global(&import.local),
        }
    }

    /// The value of a constant or variable of file scope: its initial value where it cannot
    /// change, or where it is an object or function.
    pub(super) fn global(&mut self, m: u32, i: u32) -> V {
        if let Some(v) = self.globals.get(&(m, i)) {
            return *v;
        }
        let global = self.index.global(m, i);
        let ty = (global.ty != Type::Unknown).then(|| (m, global.ty.clone()));
        let unknown = self.store.values.symbol(Origin::Global(global.name.clone()), ty);
        self.globals.insert((m, i), unknown);
        let Some(init) = &global.value else { return unknown };
        let v = self.in_module(m, |s| s.eval(init));
        let keep = global.constant
            || match self.store.values.node(v) {
                Node::Object(id) => {
                    let id = *id;
                    if self.store.object(id).log.is_empty() && self.store.object(id).ty.is_none() {
                        self.store.objects[id.0 as usize].base = Some(unknown);
                    }
                    true
                }
                Node::List(id) => {
                    let id = *id;
                    if self.store.list(id).elements.is_empty() {
                        self.store.lists[id.0 as usize].open = true;
                    }
                    true
                }
                Node::Function(..) | Node::Unit(_) | Node::Type(..) => true,
                _ => super::schema::is_document(&self.store.values, v, 0),
            };
        let v = if keep { v } else { unknown };
        self.globals.insert((m, i), v);
        v
    }

    /// Evaluates something in the scope of a module, outside any function.
    pub(super) fn in_module<T>(&mut self, m: u32, run: impl FnOnce(&mut Self) -> T) -> T {
        let frame = self.module_frame(m);
        let (saved_frame, saved_pc) = (self.frame, self.pc);
        let rounds = std::mem::take(&mut self.rounds);
        self.frame = frame;
        self.pc = F::TRUE;
        let out = run(self);
        self.frame = saved_frame;
        self.pc = saved_pc;
        self.rounds = rounds;
        out
    }

    /// A frame for code that stands in no function.
    fn module_frame(&mut self, m: u32) -> u32 {
        let this = self.store.values.unknown();
        self.frames.push(super::session::Frame {
            function: super::value::FunctionId { module: m, index: u32::MAX },
            slots: Vec::new(),
            outer: None,
            caller: None,
            call: None,
            this,
            builder: false,
        });
        self.frames.len() as u32 - 1
    }

    /// Assigns to a variable of file scope.
    pub(super) fn set_global(&mut self, name: &Name, v: V) {
        let m = self.running().module;
        if let Some(Item::Global(gm, gi)) = self.index.lookup(m, self.open_owner(), name) {
            let old = self.global(gm, gi);
            // Only objects keep their value; anything else may change between calls.
            if matches!(self.store.values.node(old), Node::Object(_) | Node::List(_))
                && self.pc == F::TRUE
            {
                self.globals.insert((gm, gi), v);
            }
        }
    }

    /// `base.name`.
    pub(super) fn member(&mut self, base: V, name: &Name, range: Range) -> V {
        let pc = self.pc;
        let mut parts = Vec::new();
        for (guard, leaf) in self.store.values.leaves(base, pc) {
            let v = self.member_leaf(leaf, name, range);
            parts.push((guard, v));
        }
        self.store.values.join(&parts)
    }

    fn member_leaf(&mut self, base: V, name: &Name, range: Range) -> V {
        match *self.store.values.node(base) {
            Node::Unit(unit) => match self.index.in_unit(unit, name) {
                Some(Item::Function(id)) => {
                    self.store.values.intern(Node::Function(id, u32::MAX, None))
                }
                Some(item) => self.item(item, range),
                None => {
                    let key = self.store.values.text(name);
                    self.store.values.op(Op::Field, &[base, key])
                }
            },
            Node::Type(m, i) => {
                let decl = self.index.type_decl(m, i);
                match self.index.member(self.index.unit_of(m), &decl.name, name) {
                    Some(item) => self.item(item, range),
                    None => {
                        let key = self.store.values.text(name);
                        self.store.values.op(Op::Field, &[base, key])
                    }
                }
            }
            _ => {
                if let Some(id) = self.method_of(base, name) {
                    return self.store.values.intern(Node::Function(id, u32::MAX, Some(base)));
                }
                if let Some(builder) = self.builder_named(Some(base), name) {
                    return builder;
                }
                if let Some(given) = self.given(base, name) {
                    return given;
                }
                let key = self.store.values.text(name);
                self.read_field(base, key, range)
            }
        }
    }

    /// The method that a value's type gives it.
    pub(super) fn method_of(&self, base: V, name: &Name) -> Option<super::value::FunctionId> {
        match self.type_of(base) {
            Some((m, ty)) => self.index.method(m, &ty, name),
            None => self.method_of_response(base, name),
        }
    }

    /// Reads a field, remembering what is asked of requests and responses.
    pub(super) fn read_field(&mut self, base: V, key: V, range: Range) -> V {
        let pc = self.pc;
        let v = self.store.read(base, key, pc);
        self.note_read(base, key, v, range);
        v
    }

    fn unary(&mut self, op: UnaryOp, v: V) -> V {
        match op {
            UnaryOp::Not => {
                let f = self.truth(v);
                let f = f.denied();
                self.store.values.cond(f)
            }
            UnaryOp::Neg => {
                let pc = self.pc;
                self.store.values.map(v, pc, |values, v| match values.node(v) {
                    Node::Int(n) => {
                        let n = n.checked_neg().unwrap_or(i64::MAX);
                        values.int(n)
                    }
                    Node::Float(bits) => {
                        let x = -f64::from_bits(*bits);
                        values.intern(Node::Float(x.to_bits()))
                    }
                    _ => {
                        let zero = values.int(0);
                        values.op(Op::Sub, &[zero, v])
                    }
                })
            }
        }
    }

    fn binary_lazy(&mut self, op: BinaryOp, a: &'p Value, b: &'p Value) -> V {
        let first = self.eval(a);
        if !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Coalesce) {
            let second = self.eval(b);
            return self.binary(op, first, second);
        }
        let f = match op {
            BinaryOp::Coalesce => {
                let pc = self.pc;
                let null = self.store.values.is_null(first, pc);
                null.denied()
            }
            _ => self.truth(first),
        };
        let before = self.pc;
        self.pc = match op {
            BinaryOp::And => self.store.values.forms.and(before, f),
            _ => self.store.values.forms.minus(before, f),
        };
        if self.pc == F::FALSE {
            self.pc = before;
            return first;
        }
        let exits = self.exits;
        let second = self.eval(b);
        let gone = self.store.values.forms.minus(self.exits, exits);
        self.pc = self.store.values.forms.minus(before, gone);
        match op {
            BinaryOp::And => self.store.values.choose(f, second, first),
            _ => self.store.values.choose(f, first, second),
        }
    }

    fn ternary(&mut self, condition: &'p Value, a: &'p Value, b: &'p Value, range: Range) -> V {
        let v = self.eval(condition);
        let f = self.truth(v);
        let (mut yes, mut no) = (V::NULL, V::NULL);
        self.branch(f, |s| yes = s.eval(a), |s| no = s.eval(b), range);
        let result = self.store.values.choose(f, yes, no);
        self.statement = range;
        self.note_reset(f, yes, no);
        self.note_bound(result, range);
        result
    }

    /// `a op b` of values.
    pub(super) fn binary(&mut self, op: BinaryOp, a: V, b: V) -> V {
        let pc = self.pc;
        let (a, b) = match op {
            BinaryOp::Eq | BinaryOp::Ne => (self.unset_as(a, b), self.unset_as(b, a)),
            _ => (a, b),
        };
        let f = match op {
            BinaryOp::Eq => self.store.values.equal(a, b, pc),
            BinaryOp::Ne => {
                let f = self.store.values.equal(a, b, pc);
                f.denied()
            }
            BinaryOp::Lt => self.store.values.less(a, b, pc),
            BinaryOp::Gt => self.store.values.less(b, a, pc),
            BinaryOp::Le => {
                let f = self.store.values.less(b, a, pc);
                f.denied()
            }
            BinaryOp::Ge => {
                let f = self.store.values.less(a, b, pc);
                f.denied()
            }
            BinaryOp::In => self.contains(b, a),
            BinaryOp::And => {
                let (x, y) = (self.truth(a), self.truth(b));
                self.store.values.forms.and(x, y)
            }
            BinaryOp::Or => {
                let (x, y) = (self.truth(a), self.truth(b));
                self.store.values.forms.or(x, y)
            }
            BinaryOp::Coalesce => {
                let null = self.store.values.is_null(a, pc);
                return self.store.values.choose(null, b, a);
            }
            BinaryOp::Bits => {
                return self
                    .store
                    .values
                    .map2(a, b, pc, |values, a, b| values.op(Op::Other, &[a, b]))
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                return self.store.values.map2(a, b, pc, |values, a, b| values.arithmetic(op, a, b))
            }
        };
        let f = self.store.values.forms.restrict(f, pc);
        self.store.values.cond(f)
    }

    /// A value that is compared with empty text, where what was not set is empty: code without an
    /// envelope is of a language that has no null text.
    fn unset_as(&mut self, v: V, other: V) -> V {
        let empty = self.store.values.as_text(other).is_some_and(|t| t.is_empty());
        if !empty || !self.pack.fields.more.is_empty() {
            return v;
        }
        let pc = self.pc;
        self.store.values.map(v, pc, |_, leaf| if leaf == V::NULL { other } else { leaf })
    }

    fn comma_ok(&mut self, inner: &'p Value) -> V {
        let (v, ok) = match &inner.kind {
            ValueKind::Assert(value, ty) => {
                let v = self.eval(value);
                let ok = self.is_type(v, ty);
                let zero = self.zero(ty);
                (self.store.values.choose(ok, v, zero), ok)
            }
            ValueKind::Index(base, key) => {
                let base = self.eval(base);
                let key = self.eval(key);
                let pc = self.pc;
                let ok = self.store.has(base, key, pc);
                let v = self.read_field(base, key, inner.range);
                (v, ok)
            }
            _ => {
                let v = self.eval(inner);
                (v, self.store.values.free_atom())
            }
        };
        let ok = self.store.values.cond(ok);
        self.store.values.op(Op::Tuple, &[v, ok])
    }

    /// The empty value of a type.
    pub(super) fn zero(&mut self, ty: &Type) -> V {
        match ty {
            Type::Named(None, name) => match name.as_str() {
                "string" | "String" => self.store.values.text(""),
                "bool" => V::FALSE,
                "int" | "int64" | "int32" | "uint" | "float64" | "float32" | "float" => {
                    self.store.values.int(0)
                }
                _ => V::NULL,
            },
            _ => V::NULL,
        }
    }
}
