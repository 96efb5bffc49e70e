//! Expressions, except calls and composite literals.
//!
//! Must not know which names a contract asks about.

use tree_sitter::Node;

use super::scope::Binding;
use super::tree::{at, children, first_child, range, Ask, Part};
use super::{literal, Lower};
use crate::ir::{BinaryOp, Builtin, LocalRef, Range, Type, UnaryOp, Value, ValueKind};

impl<'t> Lower<'t> {
    /// One expression. Syntax that has no meaning here becomes opaque and keeps its parts.
    pub(super) fn expr(&mut self, node: Node<'t>) -> Value {
        match node.word() {
            "identifier" => self.identifier(node),
            "call_expression" => self.call(node),
            "selector_expression" => self.selector(node),
            "interpreted_string_literal" | "raw_string_literal" => {
                at(node, ValueKind::Str(literal::string(self.source(node))))
            }
            "index_expression" => self.index(node),
            "binary_expression" => self.binary(node),
            "unary_expression" => self.unary(node),
            "composite_literal" => self.composite(node),
            "func_literal" => self.closure(node),
            "nil" => at(node, ValueKind::Null),
            "true" => at(node, ValueKind::Bool(true)),
            "false" => at(node, ValueKind::Bool(false)),
            "int_literal" | "float_literal" => at(node, literal::number(self.source(node))),
            "rune_literal" => at(node, literal::rune(self.source(node))),
            "parenthesized_expression" | "literal_element" => self.inner(node),
            "slice_expression" => self.slice(node),
            "type_assertion_expression" => self.assertion(node),
            "type_conversion_expression" => self.type_conversion(node),
            "type_instantiation_expression" => self.instantiation(node),
            "iota" => self.iota_value(node),
            "imaginary_literal" => at(node, ValueKind::Opaque(Vec::new())),
            _ => self.opaque(node),
        }
    }

    /// Whether a kind of node is an expression that [`Self::expr`] knows.
    pub(super) fn is_expression(kind: &str) -> bool {
        kind.ends_with("_expression")
            || kind.ends_with("_literal")
            || matches!(kind, "identifier" | "nil" | "true" | "false" | "iota")
    }

    /// A node that is not modelled, with the expressions inside it.
    pub(super) fn opaque(&mut self, node: Node<'t>) -> Value {
        let mut parts = Vec::new();
        self.expressions_in(node, &mut parts);
        at(node, ValueKind::Opaque(parts))
    }

    fn expressions_in(&mut self, node: Node<'t>, parts: &mut Vec<Value>) {
        for child in children(node) {
            match Self::is_expression(child.word()) {
                true => parts.push(self.expr(child)),
                false => self.expressions_in(child, parts),
            }
        }
    }

    fn inner(&mut self, node: Node<'t>) -> Value {
        match first_child(node) {
            Some(inner) => self.expr(inner),
            None => at(node, ValueKind::Opaque(Vec::new())),
        }
    }

    /// A child by field; its absence, in broken code, is opaque.
    pub(super) fn operand(&mut self, node: Node<'t>, field: Part) -> Value {
        match node.part(field) {
            Some(child) => self.expr(child),
            None => at(node, ValueKind::Opaque(Vec::new())),
        }
    }

    /// The text of a node's operator.
    pub(super) fn operator(&self, node: Node<'t>) -> &'t str {
        node.part(Part::Operator).map_or("", |o| self.source(o))
    }

    fn iota_value(&mut self, node: Node<'t>) -> Value {
        let kind = self.iota.map_or(ValueKind::Opaque(Vec::new()), ValueKind::Int);
        at(node, kind)
    }

    fn identifier(&mut self, node: Node<'t>) -> Value {
        let name = self.source(node);
        let kind = match self.scopes.get(name) {
            Some(Binding::Local { frame, slot }) => {
                let up = self.frames.len().saturating_sub(frame + 1);
                match u8::try_from(up) {
                    Ok(up) => ValueKind::Local(LocalRef { up, slot: *slot }),
                    Err(_) => ValueKind::Opaque(Vec::new()),
                }
            }
            Some(Binding::Type(Type::Named(None, name))) => ValueKind::Global(name.clone()),
            _ => ValueKind::Global(name.into()),
        };
        at(node, kind)
    }

    fn selector(&mut self, node: Node<'t>) -> Value {
        let base = self.operand(node, Part::Operand);
        match node.part(Part::Field) {
            Some(field) => {
                at(node, ValueKind::Member(Box::new(base), self.name(field), range(field)))
            }
            None => base,
        }
    }

    fn index(&mut self, node: Node<'t>) -> Value {
        let base = self.operand(node, Part::Operand);
        let index = self.operand(node, Part::Index);
        // `f[int]` looks like an index but names one instance of a generic function.
        if self.is_type_name(&index) {
            return base;
        }
        at(node, ValueKind::Index(Box::new(base), Box::new(index)))
    }

    fn slice(&mut self, node: Node<'t>) -> Value {
        let base = self.operand(node, Part::Operand);
        let start = node.part(Part::Start).map(|n| self.expr(n));
        let end = node.part(Part::End).map(|n| self.expr(n));
        if start.is_none() && end.is_none() {
            return base;
        }
        let place = base.range.end;
        let zero = Value { kind: ValueKind::Int(0), range: Range { start: place, end: place } };
        let mut operands = vec![base, start.unwrap_or(zero)];
        operands.extend(end);
        at(node, ValueKind::Builtin(Builtin::Slice, operands))
    }

    fn assertion(&mut self, node: Node<'t>) -> Value {
        let value = self.operand(node, Part::Operand);
        let ty = node.part(Part::Type).map_or(Type::Unknown, |t| self.ty(t));
        at(node, ValueKind::Assert(Box::new(value), Box::new(ty)))
    }

    /// `f[int, string]`, or a look-up that the grammar took for it.
    fn instantiation(&mut self, node: Node<'t>) -> Value {
        match children(node).split_first() {
            Some((base, arguments)) => self.instance(*base, arguments, node, false),
            None => self.opaque(node),
        }
    }

    /// A name that the grammar took for a type, as the value that it may be.
    pub(super) fn type_as_value(&mut self, node: Node<'t>, called: bool) -> Value {
        let field = |field: Part| node.part(field);
        match (node.word(), field(Part::Package), field(Part::Name)) {
            ("type_identifier", ..) => self.identifier(node),
            ("qualified_type", Some(package), Some(name)) => {
                let base = self.identifier(package);
                at(node, ValueKind::Member(Box::new(base), self.name(name), range(name)))
            }
            ("generic_type", ..) => match (field(Part::Type), field(Part::TypeArguments)) {
                (Some(base), Some(list)) => self.instance(base, &children(list), node, called),
                _ => self.opaque(node),
            },
            ("type_elem", ..) => match first_child(node) {
                Some(inner) => self.type_as_value(inner, called),
                None => self.opaque(node),
            },
            _ => self.opaque(node),
        }
    }

    /// `base[argument]` where the grammar cannot tell a generic function from a look-up.
    fn instance(
        &mut self,
        base: Node<'t>,
        arguments: &[Node<'t>],
        node: Node<'t>,
        called: bool,
    ) -> Value {
        let base = self.type_as_value(base, called);
        let [argument] = arguments else { return base };
        let argument = self.type_as_value(*argument, false);
        let is_type = match &argument.kind {
            ValueKind::Opaque(_) => true,
            ValueKind::Global(_) if self.is_type_name(&argument) => true,
            _ => called && !starts_local(&argument) && !starts_local(&base),
        };
        match is_type {
            true => base,
            false => at(node, ValueKind::Index(Box::new(base), Box::new(argument))),
        }
    }

    /// Whether a value is a name that this file or the language gives to a type.
    fn is_type_name(&self, value: &Value) -> bool {
        match &value.kind {
            ValueKind::Global(name) => {
                Self::is_predeclared_type(name) || self.file_types.contains_key(name.as_str())
            }
            _ => false,
        }
    }

    fn unary(&mut self, node: Node<'t>) -> Value {
        let value = self.operand(node, Part::Operand);
        let kind = match self.operator(node) {
            "!" => ValueKind::Unary(UnaryOp::Not, Box::new(value)),
            "-" => match value.kind {
                ValueKind::Int(n) => ValueKind::Int(n.wrapping_neg()),
                ValueKind::Float(n) => ValueKind::Float(-n),
                _ => ValueKind::Unary(UnaryOp::Neg, Box::new(value)),
            },
            // A pointer is its target.
            "&" | "*" | "+" => return value,
            // A channel is a list of what is sent over it.
            "<-" => ValueKind::Builtin(Builtin::Pop, vec![value]),
            _ => ValueKind::Opaque(vec![value]),
        };
        at(node, kind)
    }

    /// Long chains such as `a + b + c` lean to the left; a loop keeps the stack short.
    fn binary(&mut self, node: Node<'t>) -> Value {
        let mut chain = vec![node];
        let mut left = node.part(Part::Left);
        while let Some(next) = left.filter(|n| n.word() == "binary_expression") {
            chain.push(next);
            left = next.part(Part::Left);
        }
        let mut value = match left {
            Some(left) => self.expr(left),
            None => at(node, ValueKind::Opaque(Vec::new())),
        };
        for node in chain.into_iter().rev() {
            let right = self.operand(node, Part::Right);
            let op = Self::binary_op(self.operator(node));
            value = at(node, ValueKind::Binary(op, Box::new(value), Box::new(right)));
        }
        value
    }

    /// The operator of a text such as `+`.
    pub(super) fn binary_op(text: &str) -> BinaryOp {
        match text {
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            "*" => BinaryOp::Mul,
            "/" => BinaryOp::Div,
            "%" => BinaryOp::Mod,
            "==" => BinaryOp::Eq,
            "!=" => BinaryOp::Ne,
            "<" => BinaryOp::Lt,
            "<=" => BinaryOp::Le,
            ">" => BinaryOp::Gt,
            ">=" => BinaryOp::Ge,
            "&&" => BinaryOp::And,
            "||" => BinaryOp::Or,
            _ => BinaryOp::Bits,
        }
    }

    /// Whether a name is one of the language's whole number types.
    pub(super) fn is_integer(name: &str) -> bool {
        matches!(
            name,
            "int"
                | "int8"
                | "int16"
                | "int32"
                | "int64"
                | "uint"
                | "uint8"
                | "uint16"
                | "uint32"
                | "uint64"
                | "uintptr"
                | "byte"
                | "rune"
        )
    }

    /// Whether a name is one of the language's own types.
    pub(super) fn is_predeclared_type(name: &str) -> bool {
        Self::is_integer(name)
            || matches!(name, "string" | "bool" | "float32" | "float64" | "error" | "any")
    }
}

/// Whether a chain of fields and look-ups starts at a local variable. No generic function does.
fn starts_local(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Local(_) => true,
        ValueKind::Member(base, ..) | ValueKind::Index(base, _) => starts_local(base),
        _ => false,
    }
}
