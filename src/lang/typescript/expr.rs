//! Expressions, calls apart.
//!
//! Never fails: what is not modelled becomes an opaque value that keeps its parts.

use tree_sitter::Node;

use super::tree::{field, first, is_statement, is_type, named, range};
use super::{unknown, value, Lower};
use crate::ir::{BinaryOp, Block, Builtin, Name, Range, StmtKind, Type, UnaryOp, Value, ValueKind};

impl Lower<'_> {
    pub(super) fn expr(&mut self, node: Node<'_>) -> Value {
        let at = range(node);
        let kind = match node.kind() {
            "identifier" | "shorthand_property_identifier" => {
                return self.identifier(self.name(node), at);
            }
            "undefined" | "null" => ValueKind::Null,
            "true" => ValueKind::Bool(true),
            "false" => ValueKind::Bool(false),
            "number" => self.number(node),
            "string" => ValueKind::Str(self.string(node)),
            "template_string" => self.template(node),
            "this" => ValueKind::This,
            "super" => ValueKind::Global(Name::new_static("super")),
            "array" => self.list(node),
            "object" => self.object(node),
            "parenthesized_expression"
            | "non_null_expression"
            | "satisfies_expression"
            | "instantiation_expression"
            | "jsx_expression" => return self.inner(node),
            "as_expression" => return self.assertion(node),
            "type_assertion" => return self.cast(node),
            "member_expression" => return self.member(node),
            "subscript_expression" => return self.subscript(node),
            "call_expression" => return self.call(node),
            "new_expression" => return self.allocation(node),
            "await_expression" => return self.awaited(node),
            "ternary_expression" => self.ternary(node),
            "binary_expression" => self.binary(node),
            "unary_expression" => self.unary(node),
            "update_expression" => self.update(node),
            "assignment_expression" => return self.assignment(node),
            "augmented_assignment_expression" => self.augmented(node),
            "arrow_function" | "function_expression" | "generator_function" => {
                return self.closure(node, Name::default());
            }
            "class" => return self.class_value(node, Name::default()),
            "sequence_expression" => self.sequence(node),
            _ => return self.opaque(node),
        };
        value(kind, at)
    }

    fn identifier(&mut self, name: Name, at: Range) -> Value {
        match name.as_str() {
            "undefined" => value(ValueKind::Null, at),
            "NaN" => value(ValueKind::Float(f64::NAN), at),
            "Infinity" => value(ValueKind::Float(f64::INFINITY), at),
            _ => self.named_value(name, at),
        }
    }

    /// The expression of a field, or an unknown one.
    pub(super) fn part(&mut self, node: Node<'_>, name: &str) -> Value {
        field(node, name).map_or_else(|| unknown(range(node)), |n| self.expr(n))
    }

    /// The expression inside a node that changes nothing about it.
    fn inner(&mut self, node: Node<'_>) -> Value {
        first(node).map_or_else(|| unknown(range(node)), |n| self.expr(n))
    }

    /// An expression as something to be written to.
    pub(super) fn place(&mut self, node: Node<'_>) -> Value {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                self.named_value(self.name(node), range(node))
            }
            "member_expression" => {
                let object = self.part(node, "object");
                self.member_of(object, node)
            }
            "parenthesized_expression"
            | "non_null_expression"
            | "as_expression"
            | "satisfies_expression" => match first(node) {
                Some(inner) => self.place(inner),
                None => unknown(range(node)),
            },
            "subscript_expression" => self.subscript(node),
            _ => self.opaque(node),
        }
    }

    fn member(&mut self, node: Node<'_>) -> Value {
        let object = self.part(node, "object");
        if field(node, "property").is_some_and(|p| self.text(p) == "length") {
            let size = ValueKind::Builtin(Builtin::Size, vec![object]);
            return value(size, range(node));
        }
        self.member_of(object, node)
    }

    /// `object.name`, the object being lowered already.
    pub(super) fn member_of(&mut self, object: Value, node: Node<'_>) -> Value {
        match field(node, "property") {
            Some(property) => {
                let name = self.name(property);
                let kind = ValueKind::Member(Box::new(object), name, range(property));
                value(kind, range(node))
            }
            None => value(ValueKind::Opaque(vec![object]), range(node)),
        }
    }

    fn subscript(&mut self, node: Node<'_>) -> Value {
        let object = Box::new(self.part(node, "object"));
        let index = Box::new(self.part(node, "index"));
        value(ValueKind::Index(object, index), range(node))
    }

    /// `x as T`. `as const`, `as any` and `as unknown` say nothing.
    fn assertion(&mut self, node: Node<'_>) -> Value {
        let parts = named(node);
        let Some(inner) = parts.first() else { return unknown(range(node)) };
        let inner = self.expr(*inner);
        let ty = parts.get(1).map_or(Type::Unknown, |n| self.ty(*n));
        self.typed(inner, ty, range(node))
    }

    /// `<T>x`.
    fn cast(&mut self, node: Node<'_>) -> Value {
        let parts = named(node);
        let (Some(ty), Some(inner)) = (parts.first(), parts.get(1)) else {
            return self.opaque(node);
        };
        let ty = self.ty(*ty);
        let inner = self.expr(*inner);
        self.typed(inner, ty, range(node))
    }

    fn typed(&self, inner: Value, ty: Type, at: Range) -> Value {
        match ty {
            Type::Unknown => inner,
            ty => value(ValueKind::Assert(Box::new(inner), Box::new(ty)), at),
        }
    }

    fn awaited(&mut self, node: Node<'_>) -> Value {
        let inner = self.inner(node);
        // A module loaded by `import()` is the module itself.
        if matches!(&inner.kind, ValueKind::Global(name) if name.starts_with("import(")) {
            return inner;
        }
        value(ValueKind::Await(Box::new(inner)), range(node))
    }

    fn ternary(&mut self, node: Node<'_>) -> ValueKind {
        let condition = Box::new(self.part(node, "condition"));
        let then = Box::new(self.part(node, "consequence"));
        let otherwise = Box::new(self.part(node, "alternative"));
        ValueKind::Ternary(condition, then, otherwise)
    }

    fn binary(&mut self, node: Node<'_>) -> ValueKind {
        let left = match field(node, "left") {
            // `#x in y`.
            Some(n) if n.kind() == "private_property_identifier" => {
                value(ValueKind::Str(self.name(n)), range(n))
            }
            _ => self.part(node, "left"),
        };
        let sign = field(node, "operator").map_or("", |n| n.kind());
        if sign == "instanceof" {
            let ty = match field(node, "right") {
                Some(n) => value(ValueKind::Str(self.name(n)), range(n)),
                None => unknown(range(node)),
            };
            return ValueKind::Builtin(Builtin::IsType, vec![left, ty]);
        }
        let right = self.part(node, "right");
        match binary_op(sign) {
            Some(op) => ValueKind::Binary(op, Box::new(left), Box::new(right)),
            None => ValueKind::Opaque(vec![left, right]),
        }
    }

    fn unary(&mut self, node: Node<'_>) -> ValueKind {
        let sign = field(node, "operator").map_or("", |n| n.kind());
        if sign == "delete" {
            return self.removal(node);
        }
        let inner = self.part(node, "argument");
        match (sign, &inner.kind) {
            ("-", ValueKind::Int(n)) => ValueKind::Int(n.wrapping_neg()),
            ("-", ValueKind::Float(n)) => ValueKind::Float(-n),
            ("-", _) => ValueKind::Unary(UnaryOp::Neg, Box::new(inner)),
            ("!", _) => ValueKind::Unary(UnaryOp::Not, Box::new(inner)),
            ("+", _) => ValueKind::Builtin(Builtin::ToFloat, vec![inner]),
            ("~", _) => ValueKind::Builtin(Builtin::Ignore, vec![inner]),
            ("void", ValueKind::Int(_)) => ValueKind::Null,
            ("typeof", _) => ValueKind::Builtin(Builtin::TypeOf, vec![inner]),
            _ => ValueKind::Opaque(vec![inner]),
        }
    }

    /// `a, b` is the last of its parts; the others only run.
    fn sequence(&mut self, node: Node<'_>) -> ValueKind {
        let mut parts: Vec<_> = named(node).into_iter().map(|n| self.expr(n)).collect();
        parts.retain({
            let last = parts.last().map(|p| p.range);
            move |p| !matches!(p.kind, ValueKind::Int(_)) || Some(p.range) == last
        });
        if parts.len() == 1 {
            return parts.swap_remove(0).kind;
        }
        let last = parts.len().saturating_sub(1) as i64;
        let at = range(node);
        let list = Box::new(value(ValueKind::List(parts), at));
        ValueKind::Index(list, Box::new(value(ValueKind::Int(last), at)))
    }

    /// `delete x.y`, `delete x["y"]`.
    fn removal(&mut self, node: Node<'_>) -> ValueKind {
        let place = match field(node, "argument") {
            Some(n) => self.place(n),
            None => return ValueKind::Opaque(Vec::new()),
        };
        match place.kind {
            ValueKind::Member(base, name, at) => {
                let key = value(ValueKind::Str(name), at);
                ValueKind::Builtin(Builtin::Remove, vec![*base, key])
            }
            ValueKind::Index(base, key) => ValueKind::Builtin(Builtin::Remove, vec![*base, *key]),
            kind => ValueKind::Opaque(vec![value(kind, place.range)]),
        }
    }

    /// `x++` as a value: the assignment gives the new value, the old one is one less.
    fn update(&mut self, node: Node<'_>) -> ValueKind {
        let at = range(node);
        let (op, back) = match field(node, "operator").map(|n| n.kind()) {
            Some("--") => (BinaryOp::Sub, BinaryOp::Add),
            _ => (BinaryOp::Add, BinaryOp::Sub),
        };
        let Some(argument) = field(node, "argument") else { return ValueKind::Opaque(Vec::new()) };
        let place = self.place(argument);
        let one = || Box::new(value(ValueKind::Int(1), at));
        let next = value(ValueKind::Binary(op, Box::new(place.clone()), one()), at);
        let assign = ValueKind::Assign(Box::new(place), Box::new(next));
        if node.start_byte() < argument.start_byte() {
            return assign;
        }
        ValueKind::Binary(back, Box::new(value(assign, at)), one())
    }

    /// `target = value` inside an expression.
    fn assignment(&mut self, node: Node<'_>) -> Value {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return self.opaque(node);
        };
        let at = range(node);
        if !matches!(left.kind(), "object_pattern" | "array_pattern") {
            let target = Box::new(self.place(left));
            let source = Box::new(self.expr(right));
            return value(ValueKind::Assign(target, source), at);
        }
        let source = self.expr(right);
        let mut parts = Block::new();
        self.bind(left, source, &mut parts);
        let parts = parts.into_iter().map(|stmt| match stmt.kind {
            StmtKind::Assign { mut targets, value: source, .. } if targets.len() == 1 => {
                let target = Box::new(targets.remove(0));
                value(ValueKind::Assign(target, Box::new(source)), stmt.range)
            }
            StmtKind::Eval(inner) => inner,
            _ => unknown(stmt.range),
        });
        value(ValueKind::Opaque(parts.collect()), at)
    }

    fn augmented(&mut self, node: Node<'_>) -> ValueKind {
        let Some(left) = field(node, "left") else { return ValueKind::Opaque(Vec::new()) };
        let place = self.place(left);
        let right = self.part(node, "right");
        let sign = field(node, "operator").map_or("", |n| n.kind());
        let at = range(node);
        let next = match augmented_op(sign) {
            Some(op) => ValueKind::Binary(op, Box::new(place.clone()), Box::new(right)),
            None => ValueKind::Opaque(vec![place.clone(), right]),
        };
        ValueKind::Assign(Box::new(place), Box::new(value(next, at)))
    }

    /// A node that is not modelled: its parts are kept, in order.
    pub(super) fn opaque(&mut self, node: Node<'_>) -> Value {
        let mut parts = Vec::new();
        match node.kind() {
            "jsx_self_closing_element" => self.attributes(node, &mut parts),
            _ => self.parts(node, &mut parts),
        }
        value(ValueKind::Opaque(parts), range(node))
    }

    fn parts(&mut self, node: Node<'_>, parts: &mut Vec<Value>) {
        for child in named(node) {
            match child.kind() {
                kind if is_type(kind) => {}
                kind if is_expression(kind) => parts.push(self.expr(child)),
                // Only broken code has statements inside expressions; their expressions count.
                kind if is_statement(kind) => self.parts(child, parts),
                "property_identifier"
                | "jsx_text"
                | "string_fragment"
                | "regex_pattern"
                | "regex_flags"
                | "escape_sequence"
                | "statement_identifier" => {}
                "jsx_opening_element" => self.attributes(child, parts),
                "jsx_closing_element" => {}
                _ => self.parts(child, parts),
            }
        }
    }

    /// The attributes of a JSX element; its name is no value.
    fn attributes(&mut self, node: Node<'_>, parts: &mut Vec<Value>) {
        let mut cursor = node.walk();
        let children: Vec<_> = node.children_by_field_name("attribute", &mut cursor).collect();
        for child in children {
            self.parts(child, parts);
        }
    }
}

fn is_expression(kind: &str) -> bool {
    kind.ends_with("_expression") && kind != "jsx_expression"
        || matches!(
            kind,
            "identifier"
                | "string"
                | "number"
                | "template_string"
                | "object"
                | "array"
                | "this"
                | "arrow_function"
                | "generator_function"
                | "class"
                | "true"
                | "false"
                | "null"
                | "undefined"
                | "jsx_element"
                | "jsx_self_closing_element"
                | "type_assertion"
        )
}

fn binary_op(sign: &str) -> Option<BinaryOp> {
    Some(match sign {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Mod,
        "==" | "===" => BinaryOp::Eq,
        "!=" | "!==" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        "&&" => BinaryOp::And,
        "||" => BinaryOp::Or,
        "??" => BinaryOp::Coalesce,
        "in" => BinaryOp::In,
        "&" | "|" | "^" | "<<" | ">>" | ">>>" => BinaryOp::Bits,
        _ => return None,
    })
}

/// The operator of `a op= b`.
pub(super) fn augmented_op(sign: &str) -> Option<BinaryOp> {
    binary_op(sign.strip_suffix('=')?)
}
