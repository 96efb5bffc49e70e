//! Destructuring: one pattern becomes several plain assignments.
//!
//! Does not know whether a name is new; blocks declare their names beforehand.

use tree_sitter::Node;

use super::tree::{field, first, named, range};
use super::{unknown, value, Lower};
use crate::ir::{
    BinaryOp, Block, Builtin, Global, LocalRef, Name, Range, Stmt, StmtKind, Type, Value, ValueKind,
};

/// The names that a pattern binds.
pub(super) fn pattern_names<'t>(node: Node<'t>, names: &mut Vec<Node<'t>>) {
    match node.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => names.push(node),
        "pair_pattern" => {
            if let Some(inner) = field(node, "value") {
                pattern_names(inner, names);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(inner) = field(node, "left") {
                pattern_names(inner, names);
            }
        }
        "object_pattern" | "array_pattern" | "rest_pattern" => {
            for child in named(node) {
                pattern_names(child, names);
            }
        }
        _ => {}
    }
}

/// `target = value`.
pub(super) fn assign(target: Value, value: Value, range: Range) -> Stmt {
    Stmt { kind: StmtKind::Assign { targets: vec![target], value, op: None }, range }
}

/// Whether a value may be read again without doing anything again.
fn is_simple(kind: &ValueKind) -> bool {
    match kind {
        ValueKind::Local(_) | ValueKind::Global(_) | ValueKind::This => true,
        ValueKind::Member(base, _, _) => is_simple(&base.kind),
        _ => false,
    }
}

impl Lower<'_> {
    /// Takes `source` apart by `pattern`, which may also be a plain place.
    pub(super) fn bind(&mut self, pattern: Node<'_>, source: Value, out: &mut Block) {
        match pattern.kind() {
            "object_pattern" => self.bind_object(pattern, source, out),
            "array_pattern" => self.bind_array(pattern, source, out),
            "assignment_pattern" | "object_assignment_pattern" => {
                let source = self.with_default(source, field(pattern, "right"));
                if let Some(left) = field(pattern, "left") {
                    self.bind(left, source, out);
                }
            }
            "undefined" => {}
            _ => {
                let target = self.place(pattern);
                out.push(assign(target, source, range(pattern)));
            }
        }
    }

    /// `source ?? default`.
    pub(super) fn with_default(&mut self, source: Value, default: Option<Node<'_>>) -> Value {
        let Some(default) = default else { return source };
        let default = self.expr(default);
        let at = source.range;
        let both = ValueKind::Binary(BinaryOp::Coalesce, Box::new(source), Box::new(default));
        value(both, at)
    }

    /// A value that can be read several times: itself, or a fresh variable that holds it.
    fn held(&mut self, source: Value, out: &mut Block) -> Value {
        if is_simple(&source.kind) {
            return source;
        }
        let at = source.range;
        let kind = match self.frame() {
            Some(frame) => ValueKind::Local(LocalRef { up: 0, slot: frame.temp() }),
            None => ValueKind::Global(self.hidden_global(at)),
        };
        out.push(assign(value(kind.clone(), at), source, at));
        value(kind, at)
    }

    /// A global that no source text can name.
    fn hidden_global(&mut self, at: Range) -> Name {
        let count = self.module.globals.len();
        format!("{{{}.{count}}}", at.start).into()
    }

    fn bind_object(&mut self, pattern: Node<'_>, source: Value, out: &mut Block) {
        let source = self.held(source, out);
        let mut taken: Vec<Value> = Vec::new();
        for child in named(pattern) {
            let at = range(child);
            match child.kind() {
                "shorthand_property_identifier_pattern" => {
                    let key = self.name(child);
                    taken.push(value(ValueKind::Str(key.clone()), at));
                    let part = ValueKind::Member(Box::new(source.clone()), key, at);
                    self.bind(child, value(part, at), out);
                }
                "object_assignment_pattern" => {
                    let Some(left) = field(child, "left") else { continue };
                    let (key, at) = (self.name(left), range(left));
                    taken.push(value(ValueKind::Str(key.clone()), at));
                    let part = ValueKind::Member(Box::new(source.clone()), key, at);
                    self.bind(child, value(part, at), out);
                }
                "pair_pattern" => {
                    let Some(key) = field(child, "key") else { continue };
                    let (key, part) = self.keyed(&source, key);
                    taken.push(key);
                    if let Some(inner) = field(child, "value") {
                        self.bind(inner, part, out);
                    }
                }
                "rest_pattern" => self.bind_rest(child, &source, &taken, out),
                _ => {}
            }
        }
    }

    /// The key of a pattern as text, and the part of `source` that it names.
    fn keyed(&mut self, source: &Value, key: Node<'_>) -> (Value, Value) {
        let at = range(key);
        let base = Box::new(source.clone());
        match self.known_key(key) {
            Some(name) => {
                let text = value(ValueKind::Str(name.clone()), at);
                (text, value(ValueKind::Member(base, name, at), at))
            }
            None => {
                let index = first(key).map_or_else(|| unknown(at), |n| self.expr(n));
                (index.clone(), value(ValueKind::Index(base, Box::new(index)), at))
            }
        }
    }

    /// The rest is a copy without the keys that were named before it.
    fn bind_rest(&mut self, rest: Node<'_>, source: &Value, taken: &[Value], out: &mut Block) {
        let at = range(rest);
        let Some(inner) = first(rest) else { return };
        let target = self.place(inner);
        let copy = value(ValueKind::Builtin(Builtin::Copy, vec![source.clone()]), at);
        out.push(assign(target.clone(), copy, at));
        for key in taken {
            let operands = vec![target.clone(), key.clone()];
            let removal = value(ValueKind::Builtin(Builtin::Remove, operands), at);
            out.push(Stmt { kind: StmtKind::Eval(removal), range: at });
        }
    }

    fn bind_array(&mut self, pattern: Node<'_>, source: Value, out: &mut Block) {
        let source = self.held(source, out);
        let mut index = 0i64;
        let mut cursor = pattern.walk();
        let children: Vec<_> = pattern.children(&mut cursor).collect();
        for child in children {
            if child.kind() == "," {
                index += 1;
            }
            if !child.is_named() || child.is_extra() {
                continue;
            }
            let at = range(child);
            let position = value(ValueKind::Int(index), at);
            if child.kind() == "rest_pattern" {
                let part = ValueKind::Builtin(Builtin::Slice, vec![source.clone(), position]);
                if let Some(inner) = first(child) {
                    self.bind(inner, value(part, at), out);
                }
                continue;
            }
            let part = ValueKind::Index(Box::new(source.clone()), Box::new(position));
            self.bind(child, value(part, at), out);
        }
    }

    /// A pattern at the top of the file: each name is a global with the part as its value.
    pub(super) fn bind_globals(&mut self, pattern: Node<'_>, source: Value, constant: bool) {
        let mut out = Vec::new();
        self.bind(pattern, source, &mut out);
        let mut rest = Vec::new();
        for stmt in out {
            match stmt.kind {
                StmtKind::Assign { mut targets, value, op: None } if targets.len() == 1 => {
                    match targets.remove(0).kind {
                        ValueKind::Global(name) => self.module.globals.push(Global {
                            name,
                            owner: None,
                            value: Some(value),
                            ty: Type::Unknown,
                            constant,
                            range: stmt.range,
                        }),
                        _ => rest.push(Stmt { kind: StmtKind::Eval(value), range: stmt.range }),
                    }
                }
                kind => rest.push(Stmt { kind, range: stmt.range }),
            }
        }
        if !rest.is_empty() {
            self.in_init(|_, out| out.extend(rest));
        }
    }
}
