//! Expressions other than calls and what hangs on a dot.
//!
//! Must not know statements; a closure's body is lowered elsewhere.

use tree_sitter::Node;

use super::tree::{Field, Kind};
use super::{literal, opaque, value, Lower};
use crate::ir::{Arg, Entry, EntryKey, FunctionKind, Name, Range, Type, Value, ValueKind};

impl<'t> Lower<'t> {
    /// Lowers an expression; any other node becomes opaque, with the expressions inside it.
    pub(super) fn expr(&mut self, node: Node<'t>) -> Value {
        let range = self.range(node);
        let kind = match super::tree::kind(node) {
            Kind::Identifier => self.name(self.text(node)),
            Kind::String | Kind::StringName | Kind::NodePath => return self.string(node),
            Kind::Integer => literal::integer(self.text(node)),
            Kind::Float => literal::float(self.text(node)),
            Kind::True => ValueKind::Bool(true),
            Kind::False => ValueKind::Bool(false),
            Kind::Null => ValueKind::Null,
            Kind::Attribute => return self.attribute(node),
            Kind::Call => return self.call(node),
            Kind::BaseCall => return self.base_call(node),
            Kind::Subscript => self.subscript(node),
            Kind::Binary | Kind::Unary => return self.operators(node),
            Kind::Conditional => self.conditional(node),
            Kind::Parenthesized => return self.inner(node),
            Kind::Dictionary => ValueKind::Object(self.entries(node)),
            Kind::Array => ValueKind::List(self.elements(node)),
            Kind::Await => return self.awaited(node),
            Kind::Lambda => ValueKind::Closure(self.function(node, FunctionKind::Closure)),
            Kind::GetNode => return self.get_node(node),
            _ => return self.opaque(node),
        };
        value(kind, range)
    }

    /// A name: a local, or anything else that it may mean.
    pub(super) fn name(&self, name: &str) -> ValueKind {
        match self.scopes.find(name) {
            Some(local) => ValueKind::Local(local),
            None if name == "self" => ValueKind::This,
            // The parser makes up empty names where it misses one.
            None if name.is_empty() => ValueKind::Opaque(Vec::new()),
            None => ValueKind::Global(Name::new(name)),
        }
    }

    /// A member of the base class, as `super` names it.
    pub(super) fn base_member(&self, name: Name, range: Range) -> Value {
        let base = value(ValueKind::Global(Name::new_static("super")), range);
        value(ValueKind::Member(Box::new(base), name, range), range)
    }

    pub(super) fn string(&self, node: Node<'t>) -> Value {
        let (text, range) = literal::string(self.text(node), self.range(node).start);
        value(ValueKind::Str(text), range)
    }

    /// What is not modelled, with every expression inside.
    pub(super) fn opaque(&mut self, node: Node<'t>) -> Value {
        let mut parts = Vec::new();
        for kid in self.kids(node) {
            match kid.kind {
                Kind::Function | Kind::Constructor => {
                    let closure = self.function(kid.node, FunctionKind::Closure);
                    parts.push(value(ValueKind::Closure(closure), self.range(kid.node)));
                }
                kind if kind.is_expression() => parts.push(self.expr(kid.node)),
                kind if kind.has_code() => {
                    let inner = self.opaque(kid.node);
                    match inner.kind {
                        ValueKind::Opaque(mut more) => parts.append(&mut more),
                        _ => parts.push(inner),
                    }
                }
                _ => {}
            }
        }
        opaque(parts, self.range(node))
    }

    /// The one expression inside parentheses and the like.
    pub(super) fn inner(&mut self, node: Node<'t>) -> Value {
        let kids = self.kids(node);
        let mut inside = kids.into_iter().filter(|k| k.kind.is_expression());
        match (inside.next(), inside.next()) {
            (Some(only), None) => self.expr(only.node),
            _ => self.opaque(node),
        }
    }

    /// The grammar lets `await` reach over all that follows; only its first operand is awaited.
    fn awaited(&mut self, node: Node<'t>) -> Value {
        let range = self.range(node);
        let parts = self.kids(node);
        let whole = !parts.iter().any(|k| matches!(k.kind, Kind::Binary | Kind::Conditional));
        let inner = self.inner(node);
        match whole {
            true => value(ValueKind::Await(Box::new(inner)), range),
            false => await_first(inner),
        }
    }

    fn subscript(&mut self, node: Node<'t>) -> ValueKind {
        let (mut base, mut index) = (None, None);
        for kid in self.kids(node) {
            match kid.kind {
                Kind::SubscriptArguments => index = Some(self.inner(kid.node)),
                kind if kind.is_expression() => base = Some(self.expr(kid.node)),
                _ => {}
            }
        }
        match (base, index) {
            (Some(base), Some(index)) => ValueKind::Index(Box::new(base), Box::new(index)),
            (base, index) => ValueKind::Opaque(base.into_iter().chain(index).collect()),
        }
    }

    fn conditional(&mut self, node: Node<'t>) -> ValueKind {
        let (mut left, mut condition, mut right) = (None, None, None);
        for kid in self.kids(node) {
            match kid.field {
                Field::Left => left = Some(self.expr(kid.node)),
                Field::Condition => condition = Some(self.expr(kid.node)),
                Field::Right => right = Some(self.expr(kid.node)),
                _ => {}
            }
        }
        match (condition, left, right) {
            (Some(c), Some(l), Some(r)) => {
                ValueKind::Ternary(Box::new(c), Box::new(l), Box::new(r))
            }
            (c, l, r) => ValueKind::Opaque(c.into_iter().chain(l).chain(r).collect()),
        }
    }

    fn elements(&mut self, node: Node<'t>) -> Vec<Value> {
        let kids = self.kids(node);
        let wanted = kids.into_iter().filter(|k| k.kind.has_code());
        wanted.map(|k| self.expr(k.node)).collect()
    }

    /// A call's arguments.
    pub(super) fn arguments(&mut self, node: Node<'t>) -> Vec<Arg> {
        self.elements(node).into_iter().map(|value| Arg { value, place: false }).collect()
    }

    fn entries(&mut self, node: Node<'t>) -> Vec<Entry> {
        let mut entries = Vec::new();
        for kid in self.kids(node) {
            if kid.kind == Kind::Pair {
                entries.extend(self.entry(kid.node));
            } else if kid.kind.has_code() {
                // A lone key, or something broken: it may be any field.
                let inner = self.expr(kid.node);
                let key_range = inner.range;
                let key = EntryKey::Computed(Box::new(inner));
                let value = opaque(Vec::new(), key_range);
                entries.push(Entry { key, value, key_range });
            }
        }
        entries
    }

    fn entry(&mut self, node: Node<'t>) -> Option<Entry> {
        let (mut key, mut held, mut bare) = (None, None, false);
        for kid in self.kids(node) {
            match (kid.field, kid.kind) {
                (Field::Left, _) => key = Some(kid),
                (Field::Value, _) => held = Some(kid.node),
                // `{name = value}`
                (_, Kind::Token) => bare |= self.text(kid.node) == "=",
                _ => {}
            }
        }
        let key = key?;
        let mut key_range = self.range(key.node);
        let known = if key.kind == Kind::Identifier && bare {
            EntryKey::Known(Name::new(self.text(key.node)))
        } else {
            let computed = self.expr(key.node);
            if let ValueKind::Str(text) = computed.kind {
                key_range = computed.range;
                EntryKey::Known(text)
            } else {
                EntryKey::Computed(Box::new(computed))
            }
        };
        let value = held.map_or_else(|| opaque(Vec::new(), key_range), |node| self.expr(node));
        Some(Entry { key: known, value, key_range })
    }

    /// `$A/B` and `%Name` look a node up by its path.
    fn get_node(&mut self, node: Node<'t>) -> Value {
        let range = self.range(node);
        let text = self.text(node);
        let (path, path_range) = match text.find(['"', '\'']) {
            Some(at) => literal::string(&text[at..], range.start + at as u32),
            None => (Name::new(text.strip_prefix('$').unwrap_or(text)), range),
        };
        let path = Arg { value: value(ValueKind::Str(path), path_range), place: false };
        let callee = Box::new(value(ValueKind::Global(Name::new_static("get_node")), range));
        value(ValueKind::Call { callee, args: vec![path], builtin: None }, range)
    }

    /// The type that a value names, if it can be one: `T`, `A.T`.
    pub(super) fn type_named(&self, base: &Value) -> Option<Type> {
        match &base.kind {
            ValueKind::Global(name) => Some(Type::Named(None, name.clone())),
            // A script that a local constant names is an import as well.
            ValueKind::Local(_) => {
                let text = self.text.get(base.range.start as usize..base.range.end as usize)?;
                self.loaded.contains(text).then(|| Type::Named(None, Name::new(text)))
            }
            ValueKind::Member(qualifier, name, _) => {
                let qualifier = match self.type_named(qualifier)? {
                    Type::Named(None, outer) => outer,
                    Type::Named(Some(far), outer) => Name::from(format!("{far}.{outer}")),
                    _ => return None,
                };
                Some(Type::Named(Some(qualifier), name.clone()))
            }
            _ => None,
        }
    }
}

/// Awaits the operand that stands first in a value.
fn await_first(inner: Value) -> Value {
    let range = inner.range;
    let first = |operand: Box<Value>| Box::new(await_first(*operand));
    let kind = match inner.kind {
        ValueKind::Binary(op, left, right) => ValueKind::Binary(op, first(left), right),
        ValueKind::Ternary(condition, then, other) => {
            ValueKind::Ternary(condition, first(then), other)
        }
        ValueKind::Assert(operand, ty) => ValueKind::Assert(first(operand), ty),
        kind => ValueKind::Await(Box::new(value(kind, range))),
    };
    value(kind, range)
}
