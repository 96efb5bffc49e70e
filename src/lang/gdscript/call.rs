//! Calls, and chains of members, calls and indices behind a dot.
//!
//! Must not know statements; which name means what operation is in `core_api`.

use tree_sitter::Node;

use super::tree::{Kid, Kind};
use super::{core_api, literal, opaque, stmt, value, Lower};
use crate::ir::{Arg, BinaryOp, Builtin, Import, Name, Range, Type, UnaryOp, Value, ValueKind};

/// The longest total of chain links around one place that is still nested.
const MAX_CHAIN: usize = 1000;

/// A method as written behind a dot.
struct Method {
    name: Name,
    name_range: Range,
    args: Vec<Arg>,
    /// From the receiver to the closing bracket.
    range: Range,
}

impl<'t> Lower<'t> {
    /// `a.b.c(d)[e]`: one flat node, nested from the left.
    pub(super) fn attribute(&mut self, node: Node<'t>) -> Value {
        let kids = self.kids(node);
        let range = self.range(node);
        if kids.first().is_some_and(|k| matches!(k.kind, Kind::Binary | Kind::Unary | Kind::Await))
        {
            return self.untangled(node);
        }
        let links = kids.len();
        self.chained += links;
        let chain = if self.chained > MAX_CHAIN {
            opaque(self.chain_parts(kids), range)
        } else {
            self.chain(kids, range)
        };
        self.chained -= links;
        chain
    }

    fn chain(&mut self, kids: Vec<Kid<'t>>, range: Range) -> Value {
        let mut kids = kids.into_iter();
        let Some(first) = kids.next() else { return opaque(Vec::new(), range) };
        let mut base = self.expr(first.node);
        for kid in kids {
            base = self.link(base, kid, range.start);
        }
        base
    }

    /// A value with more links behind it.
    pub(super) fn continued(&mut self, base: Value, kids: Vec<Kid<'t>>) -> Value {
        let start = base.range.start;
        let links = kids.len();
        self.chained += links;
        let chain = if self.chained > MAX_CHAIN {
            let end = kids.last().map_or(start, |k| self.range(k.node).end);
            let mut parts = vec![base];
            parts.extend(self.chain_parts(kids));
            opaque(parts, Range { start, end })
        } else {
            kids.into_iter().fold(base, |base, kid| self.link(base, kid, start))
        };
        self.chained -= links;
        chain
    }

    /// The arguments and base of a chain that is too long to nest.
    fn chain_parts(&mut self, kids: Vec<Kid<'t>>) -> Vec<Value> {
        let mut parts = Vec::new();
        for kid in kids {
            match kid.kind {
                Kind::AttributeCall | Kind::AttributeSubscript => {
                    let inner = self.kids(kid.node);
                    let arguments = inner.into_iter().filter(|k| k.kind != Kind::Identifier);
                    parts.extend(arguments.map(|k| self.expr(k.node)));
                }
                _ if parts.is_empty() => parts.push(self.expr(kid.node)),
                _ => {}
            }
        }
        parts
    }

    /// One more link behind a chain that begins at `start`.
    fn link(&mut self, base: Value, kid: Kid<'t>, start: u32) -> Value {
        let range = Range { start, end: self.range(kid.node).end };
        let (name, arguments) = match kid.kind {
            Kind::Identifier => (kid.node, None),
            Kind::AttributeCall | Kind::AttributeSubscript => {
                let parts = self.kids(kid.node);
                let find = |kind| parts.iter().find(|p| p.kind == kind).map(|p| p.node);
                let arguments = find(Kind::Arguments).or_else(|| find(Kind::SubscriptArguments));
                (find(Kind::Identifier).unwrap_or(kid.node), arguments)
            }
            _ => {
                let broken = self.expr(kid.node);
                return opaque(vec![base, broken], range);
            }
        };
        let name_range = self.range(name);
        let name = Name::new(self.text(name));
        match (kid.kind, arguments) {
            (Kind::AttributeCall, Some(arguments)) => {
                let args = self.arguments(arguments);
                self.method(base, Method { name, name_range, args, range })
            }
            (_, arguments) => {
                let end = Range { start, end: name_range.end };
                let member = value(ValueKind::Member(Box::new(base), name, name_range), end);
                let Some(arguments) = arguments else { return member };
                let mut indices = self.arguments(arguments);
                match (indices.pop(), indices.is_empty()) {
                    (Some(index), true) => {
                        let kind = ValueKind::Index(Box::new(member), Box::new(index.value));
                        value(kind, range)
                    }
                    _ => opaque(vec![member], range),
                }
            }
        }
    }

    /// A call of a method. What is no plain call with the receiver as first operand is
    /// rewritten here, see `rewritten`.
    fn method(&mut self, base: Value, method: Method) -> Value {
        if let ValueKind::Global(class) = &base.kind {
            if let Some(core) = core_api::class_method(class, &method.name, method.args.len()) {
                let operands = method.args.into_iter().map(|a| a.value).collect();
                return value(ValueKind::Builtin(core, operands), method.range);
            }
        }
        if method.name == "new" {
            let ty = self.type_named(&base).or_else(|| self.type_loaded(&base));
            if let Some(ty) = ty {
                return value(ValueKind::New(Box::new(ty), method.args), method.range);
            }
        }
        match rewritten(base, method) {
            Ok(done) => done,
            Err((base, method)) => {
                let builtin = core_api::method(&method.name, method.args.len());
                plain(base, method, builtin)
            }
        }
    }

    /// The class of the code at hand. A file without a name gets one that no source can write.
    fn own_type(&mut self, at: Range) -> Type {
        match (&self.owner, &self.class_name) {
            (Some(name), _) | (None, Some(name)) => Type::Named(None, name.clone()),
            (None, None) => self.script_type(Name::new(self.path), at),
        }
    }

    /// The class of a script that is loaded on the spot.
    fn type_loaded(&mut self, base: &Value) -> Option<Type> {
        let import = self.import(&Name::default(), Some(base), base.range)?;
        let target = import.targets.into_iter().next()?;
        import.item.is_none().then(|| self.script_type(target, base.range))
    }

    /// The class that a script is, by a name of its own.
    fn script_type(&mut self, target: Name, range: Range) -> Type {
        let local = Name::from(format!("@{target}"));
        if !self.module.imports.iter().any(|i| i.local == local) {
            let targets = vec![target];
            self.module.imports.push(Import { local: local.clone(), targets, item: None, range });
        }
        Type::Named(None, local)
    }

    /// `f(x)`, where `f` is a name or any other value.
    pub(super) fn call(&mut self, node: Node<'t>) -> Value {
        let range = self.range(node);
        let (mut callee, mut args) = (None, Vec::new());
        for kid in self.kids(node) {
            match kid.kind {
                Kind::Arguments => args = self.arguments(kid.node),
                kind if kind.is_expression() => callee = Some(self.expr(kid.node)),
                _ => {}
            }
        }
        let Some(callee) = callee else {
            return opaque(args.into_iter().map(|a| a.value).collect(), range);
        };
        match callee.kind {
            ValueKind::Global(name) => self.global_call(name, callee.range, args, range),
            _ => {
                let callee = Box::new(callee);
                value(ValueKind::Call { callee, args, builtin: None }, range)
            }
        }
    }

    fn global_call(&mut self, name: Name, at: Range, args: Vec<Arg>, range: Range) -> Value {
        let values = |args: Vec<Arg>| args.into_iter().map(|a| a.value).collect::<Vec<_>>();
        let kind = match (name.as_str(), args.len()) {
            ("preload" | "load", 1..) => {
                let mut operands = values(args);
                if let ValueKind::Str(path) = &mut operands[0].kind {
                    *path = literal::script_path(self.path, path);
                }
                ValueKind::Builtin(Builtin::Load, operands)
            }
            ("str", 2..) => ValueKind::Format(values(args)),
            ("assert", _) => ValueKind::Opaque(values(args)),
            ("Callable", 2) if matches!(args[1].value.kind, ValueKind::Str(_)) => {
                return callable(args, range);
            }
            // A class makes one of itself.
            ("new", _) => ValueKind::New(Box::new(self.own_type(at)), args),
            // A method calls the one that it overrides by `super` alone.
            ("super", _) => {
                let method = self.open.last().map(|o| o.name.clone()).unwrap_or_default();
                let callee = Box::new(self.base_member(method, at));
                ValueKind::Call { callee, args, builtin: None }
            }
            // Calls of the own object's methods by name.
            ("call" | "call_deferred", 1..) if matches!(args[0].value.kind, ValueKind::Str(_)) => {
                let this = value(ValueKind::This, at);
                return by_name(this, args, range);
            }
            (word, count) => {
                let builtin = core_api::function(word, count);
                let callee = Box::new(value(ValueKind::Global(name), at));
                ValueKind::Call { callee, args, builtin }
            }
        };
        value(kind, range)
    }

    /// `.f(x)`: the base's method, from older versions.
    pub(super) fn base_call(&mut self, node: Node<'t>) -> Value {
        let range = self.range(node);
        let (mut name, mut name_range, mut args) = (Name::default(), range, Vec::new());
        for kid in self.kids(node) {
            match kid.kind {
                Kind::Identifier => {
                    name = Name::new(self.text(kid.node));
                    name_range = self.range(kid.node);
                }
                Kind::Arguments => args = self.arguments(kid.node),
                _ => {}
            }
        }
        let callee = Box::new(self.base_member(name, name_range));
        value(ValueKind::Call { callee, args, builtin: None }, range)
    }
}

fn plain(base: Value, method: Method, builtin: Option<Builtin>) -> Value {
    let Method { name, name_range, mut args, range } = method;
    // Existing fields stay unless the second argument says otherwise.
    if builtin == Some(Builtin::Merge) && args.len() == 1 {
        args.push(Arg { value: no(range), place: false });
    }
    let end = Range { start: base.range.start, end: name_range.end };
    let callee = Box::new(value(ValueKind::Member(Box::new(base), name, name_range), end));
    value(ValueKind::Call { callee, args, builtin }, range)
}

/// `false` that no source has, at the end of a range.
fn no(range: Range) -> Value {
    value(ValueKind::Bool(false), Range { start: range.end, end: range.end })
}

/// Core methods whose operands are not the receiver and the arguments in order.
// What was not rewritten is handed back, so that nothing is cloned.
#[allow(clippy::result_large_err)]
fn rewritten(base: Value, method: Method) -> Result<Value, (Value, Method)> {
    let range = method.range;
    let counted = (method.name.as_str(), method.args.len());
    let core = |builtin, operands| Ok(value(ValueKind::Builtin(builtin, operands), range));
    match counted {
        ("call_deferred", 1..) if matches!(method.args[0].value.kind, ValueKind::Str(_)) => {
            return Ok(by_name(base, method.args, range));
        }
        ("call", 1..) if is_own_method(&base, &method.args) => {
            return Ok(by_name(base, method.args, range));
        }
        ("callv", 1) => {
            let mut method = method;
            for Arg { value: list, .. } in &mut method.args {
                let range = list.range;
                let inner = std::mem::replace(list, value(ValueKind::Null, range));
                *list = value(ValueKind::Spread(Box::new(inner)), range);
            }
            return Ok(plain(base, method, Some(Builtin::Invoke)));
        }
        ("join" | "left" | "right", 1) | ("merged" | "substr", 1 | 2) | ("insert", 2) => {}
        _ => return Err((base, method)),
    }
    let mut args = method.args.into_iter().map(|a| a.value);
    let (Some(first), second) = (args.next(), args.next()) else {
        return Ok(opaque(vec![base], range));
    };
    let zero = |at: Range| value(ValueKind::Int(0), Range { start: at.start, end: at.start });
    match (method.name.as_str(), second) {
        ("join", _) => core(Builtin::Join, vec![first, base]),
        ("left", _) => {
            let from = zero(first.range);
            core(Builtin::Slice, vec![base, from, first])
        }
        ("right", _) => {
            let at = first.range;
            let from = value(ValueKind::Unary(UnaryOp::Neg, Box::new(first)), at);
            core(Builtin::Slice, vec![base, from])
        }
        ("merged", overwrite) => {
            let at = base.range;
            let copy = value(ValueKind::Builtin(Builtin::Copy, vec![base]), at);
            core(Builtin::Merge, vec![copy, first, overwrite.unwrap_or_else(|| no(range))])
        }
        ("insert", Some(element)) => core(Builtin::Append, vec![base, element]),
        ("substr", Some(length)) => {
            let to = end_of(&first, length);
            core(Builtin::Slice, vec![base, first, to])
        }
        _ => core(Builtin::Slice, vec![base, first]),
    }
}

/// Where a part of a given length ends.
fn end_of(from: &Value, length: Value) -> Value {
    let at = length.range;
    match from.kind {
        ValueKind::Int(0) => length,
        _ if stmt::is_simple(from) => {
            let sum = ValueKind::Binary(BinaryOp::Add, Box::new(from.clone()), Box::new(length));
            value(sum, at)
        }
        _ => opaque(vec![length], at),
    }
}

fn is_own_method(base: &Value, args: &[Arg]) -> bool {
    let named = args.first().is_some_and(|a| matches!(a.value.kind, ValueKind::Str(_)));
    named && matches!(base.kind, ValueKind::This)
}

/// `object.call("name", x)` as `object.name(x)`.
fn by_name(base: Value, args: Vec<Arg>, range: Range) -> Value {
    let mut args = args.into_iter();
    let (name, name_range) = match args.next().map(|a| a.value) {
        Some(Value { kind: ValueKind::Str(name), range }) => (name, range),
        other => return opaque([base].into_iter().chain(other).collect(), range),
    };
    plain(base, Method { name, name_range, args: args.collect(), range }, None)
}

/// `Callable(object, "name")` as `object.name`.
fn callable(args: Vec<Arg>, range: Range) -> Value {
    let mut args = args.into_iter().map(|a| a.value);
    match (args.next(), args.next()) {
        (Some(object), Some(Value { kind: ValueKind::Str(name), range: name_range })) => {
            value(ValueKind::Member(Box::new(object), name, name_range), range)
        }
        (object, name) => opaque(object.into_iter().chain(name).collect(), range),
    }
}
