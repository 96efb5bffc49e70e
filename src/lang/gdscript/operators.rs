//! Operators, and which operands they join: where the grammar binds them wrongly, an expression is
//! taken apart and joined again in the engine's order.
//!
//! Must not know what the operands are.

use std::iter::Peekable;
use std::vec::IntoIter;

use tree_sitter::Node;

use super::tree::{Field, Kid, Kind};
use super::{literal, opaque, value, Lower};
use crate::ir::{BinaryOp, Builtin, Name, Range, UnaryOp, Value, ValueKind};

/// A part of an expression, in the order of its text.
enum Part<'t> {
    /// An operator in front of an operand: the text from there on.
    Prefix(&'t str, u32),
    /// An operator between operands, and whether a second word follows (`is not`).
    Infix(&'t str, bool),
    /// An operand, and the links of its chain that the grammar gave to the operator.
    Operand(Node<'t>, Vec<Kid<'t>>),
}

impl<'t> Lower<'t> {
    /// An expression that an operator begins or joins.
    pub(super) fn operators(&mut self, node: Node<'t>) -> Value {
        if self.is_tangled(node) {
            return self.untangled(node);
        }
        match super::tree::kind(node) {
            Kind::Binary => self.binary(node),
            _ => self.unary(node),
        }
    }

    /// Whether a chain has operators for its base: the grammar ends an operand behind its second
    /// dot, so that `x + a.b.c()` is `(x + a.b).c()` to it.
    fn is_tangled(&mut self, node: Node<'t>) -> bool {
        if self.text(node).bytes().filter(|b| *b == b'.').nth(1).is_none() {
            return false;
        }
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let kids = match super::tree::kind(node) {
                Kind::Binary | Kind::Unary | Kind::Await => self.kids(node),
                Kind::Attribute => {
                    let first = node.named_child(0).map(super::tree::kind);
                    if first.is_some_and(joins) {
                        return true;
                    }
                    continue;
                }
                _ => continue,
            };
            stack.extend(kids.iter().filter(|k| k.kind.is_expression()).map(|k| k.node));
        }
        false
    }

    /// An expression whose operators the grammar binds wrongly.
    pub(super) fn untangled(&mut self, node: Node<'t>) -> Value {
        let mut parts = self.parts(node).into_iter().peekable();
        self.joined(&mut parts, 0)
    }

    fn parts(&mut self, node: Node<'t>) -> Vec<Part<'t>> {
        enum Step<'t> {
            Visit(Node<'t>),
            Put(Part<'t>),
            Link(Vec<Kid<'t>>),
        }
        let mut parts: Vec<Part<'t>> = Vec::new();
        let mut steps = vec![Step::Visit(node)];
        while let Some(step) = steps.pop() {
            let node = match step {
                Step::Visit(node) => node,
                Step::Put(part) => {
                    parts.push(part);
                    continue;
                }
                Step::Link(kids) => {
                    if let Some(Part::Operand(_, links)) = parts.last_mut() {
                        links.extend(kids);
                    }
                    continue;
                }
            };
            let mut kids = self.kids(node);
            match super::tree::kind(node) {
                Kind::Binary => {
                    let side = |field| kids.iter().find(|k| k.field == field);
                    let left = side(Field::Left).map(|k| Step::Visit(k.node));
                    let right = side(Field::Right).map(|k| Step::Visit(k.node));
                    let mut ops = kids.iter().filter(|k| k.field == Field::Op);
                    let op = ops.next().map_or("", |k| self.text(k.node));
                    let infix = Step::Put(Part::Infix(op, ops.next().is_some()));
                    steps.extend(right);
                    steps.push(infix);
                    steps.extend(left);
                }
                Kind::Unary | Kind::Await => {
                    let inner = kids.iter().find(|k| k.kind.is_expression());
                    steps.extend(inner.map(|k| Step::Visit(k.node)));
                    parts.push(Part::Prefix(self.text(node), self.range(node).start));
                }
                Kind::Attribute if kids.first().is_some_and(|k| joins(k.kind)) => {
                    let links = kids.split_off(1);
                    steps.push(Step::Link(links));
                    steps.extend(kids.first().map(|k| Step::Visit(k.node)));
                }
                _ => parts.push(Part::Operand(node, Vec::new())),
            }
        }
        parts
    }

    /// Joins the parts up to an operator that binds less than `least`.
    fn joined(&mut self, parts: &mut Peekable<IntoIter<Part<'t>>>, least: u8) -> Value {
        let mut left = match parts.next() {
            Some(Part::Prefix(text, start)) => {
                let inner = self.joined(parts, prefix_order(text));
                let range = Range { start, end: inner.range.end };
                match text.starts_with("await") {
                    true => value(ValueKind::Await(Box::new(inner)), range),
                    false => prefixed(text, inner, range),
                }
            }
            Some(Part::Operand(node, links)) => {
                let base = self.expr(node);
                self.continued(base, links)
            }
            Some(Part::Infix(..)) | None => return opaque(Vec::new(), Range::default()),
        };
        while let Some(Part::Infix(op, second)) = parts.peek() {
            let (op, second) = (*op, *second);
            let order = infix_order(op);
            if order < least {
                break;
            }
            parts.next();
            let start = left.range.start;
            if matches!(op, "is" | "as") {
                let Some(Part::Operand(node, links)) = parts.next() else { break };
                let at = self.range(node);
                let end = links.last().map_or(at.end, |k| self.range(k.node).end);
                let text = self.text.get(at.start as usize..end as usize).unwrap_or("");
                let ty = (text, Range { start: at.start, end });
                left = type_test(op, second, left, ty, Range { start, end });
                continue;
            }
            let right = self.joined(parts, order + 1);
            let range = Range { start, end: right.range.end };
            left = operation(op, left, right, range);
        }
        left
    }

    /// An operand of an operator whose expression is known to be bound rightly.
    fn operand(&mut self, node: Node<'t>) -> Value {
        match super::tree::kind(node) {
            Kind::Binary => self.binary(node),
            Kind::Unary => self.unary(node),
            _ => self.expr(node),
        }
    }

    fn operand_inside(&mut self, node: Node<'t>) -> Value {
        let kids = self.kids(node);
        let mut inside = kids.into_iter().filter(|k| k.kind.is_expression());
        match (inside.next(), inside.next()) {
            (Some(only), None) => self.operand(only.node),
            _ => self.opaque(node),
        }
    }

    fn unary(&mut self, node: Node<'t>) -> Value {
        let range = self.range(node);
        let inner = self.operand_inside(node);
        prefixed(self.text(node), inner, range)
    }

    fn binary(&mut self, node: Node<'t>) -> Value {
        let range = self.range(node);
        let (mut left, mut right, mut op, mut second) = (None, None, "", false);
        for kid in self.kids(node) {
            match kid.field {
                Field::Left => left = Some(kid.node),
                Field::Right => right = Some(kid.node),
                // `not in` and `is not` are two words.
                Field::Op if op.is_empty() => op = self.text(kid.node),
                Field::Op => second = true,
                _ => {}
            }
        }
        let (Some(left_node), Some(right)) = (left, right) else { return self.opaque(node) };
        let left = self.operand(left_node);
        if matches!(op, "is" | "as") {
            return type_test(op, second, left, (self.text(right), self.range(right)), range);
        }
        let right = self.operand(right);
        // The grammar binds `not` to its operand alone, the engine to all but `and` and `or`.
        let negated = !matches!(op, "and" | "&&" | "or" | "||") && self.begins_with_not(left_node);
        let left = match left.kind {
            ValueKind::Unary(UnaryOp::Not, inner) if negated => *inner,
            kind => value(kind, left.range),
        };
        let found = operation(op, left, right, range);
        match negated {
            true => value(ValueKind::Unary(UnaryOp::Not, Box::new(found)), range),
            false => found,
        }
    }

    fn begins_with_not(&self, node: Node<'t>) -> bool {
        let text = self.text(node);
        let word = |rest: &str| !rest.starts_with(|c: char| c == '_' || c.is_alphanumeric());
        let negated = text.starts_with('!') || text.strip_prefix("not").is_some_and(word);
        negated && matches!(super::tree::kind(node), Kind::Unary | Kind::Binary)
    }
}

/// Whether a node joins operands, so that no chain can have it for its base.
fn joins(kind: Kind) -> bool {
    matches!(kind, Kind::Binary | Kind::Unary | Kind::Await)
}

/// How strongly an operator between operands binds, in the engine's order.
fn infix_order(op: &str) -> u8 {
    match op {
        "as" => 1,
        "or" | "||" => 2,
        "and" | "&&" => 3,
        "in" | "not" => 5,
        "|" => 7,
        "^" => 8,
        "&" => 9,
        "<<" | ">>" => 10,
        "+" | "-" => 11,
        "*" | "/" | "%" => 12,
        "**" => 15,
        "is" => 16,
        _ => 6,
    }
}

/// How strongly an operator in front of an operand binds; `text` begins with it.
fn prefix_order(text: &str) -> u8 {
    match text.as_bytes().first() {
        Some(b'!' | b'n') => 4,
        Some(b'~') => 14,
        Some(b'a') => 17,
        _ => 13,
    }
}

/// What an operator in front makes of its operand; `text` begins with it.
fn prefixed(text: &str, inner: Value, range: Range) -> Value {
    let kind = match text.as_bytes().first() {
        Some(b'!' | b'n') => ValueKind::Unary(UnaryOp::Not, Box::new(inner)),
        Some(b'-') => match inner.kind {
            ValueKind::Int(n) => ValueKind::Int(n.wrapping_neg()),
            ValueKind::Float(n) => ValueKind::Float(-n),
            _ => ValueKind::Unary(UnaryOp::Neg, Box::new(inner)),
        },
        Some(b'+') => inner.kind,
        // Inverting all bits is the same as an exclusive or with all of them.
        _ => {
            let all = value(ValueKind::Int(-1), inner.range);
            ValueKind::Binary(BinaryOp::Bits, Box::new(inner), Box::new(all))
        }
    };
    value(kind, range)
}

/// What an operator makes of its operands.
fn operation(op: &str, left: Value, right: Value, range: Range) -> Value {
    if let ("in", Some((from, to))) = (op, bounds(&right)) {
        let low = ValueKind::Binary(BinaryOp::Ge, Box::new(left.clone()), Box::new(from));
        let high = ValueKind::Binary(BinaryOp::Lt, Box::new(left), Box::new(to));
        let both = [low, high].map(|kind| Box::new(value(kind, range)));
        let [low, high] = both;
        return value(ValueKind::Binary(BinaryOp::And, low, high), range);
    }
    if op == "%" && (is_text(&left) || matches!(right.kind, ValueKind::List(_))) {
        return value(
            ValueKind::Builtin(Builtin::Format, super::template::fill(left, right)),
            range,
        );
    }
    let Some(operator) = operator(op) else { return opaque(vec![left, right], range) };
    let kind = ValueKind::Binary(operator, Box::new(left), Box::new(right));
    if op == "not" {
        return value(ValueKind::Unary(UnaryOp::Not, Box::new(value(kind, range))), range);
    }
    value(kind, range)
}

/// `x is T`, `x is not T`, `x as T`.
fn type_test(op: &str, not: bool, left: Value, ty: (&str, Range), range: Range) -> Value {
    let (text, at) = ty;
    if op == "as" {
        let kind = ValueKind::Assert(Box::new(left), Box::new(literal::type_of(text)));
        return value(kind, range);
    }
    let name = value(ValueKind::Str(Name::new(text)), at);
    let test = value(ValueKind::Builtin(Builtin::IsType, vec![left, name]), range);
    match not {
        true => value(ValueKind::Unary(UnaryOp::Not, Box::new(test)), range),
        false => test,
    }
}

fn operator(op: &str) -> Option<BinaryOp> {
    Some(match op {
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
        "and" | "&&" => BinaryOp::And,
        "or" | "||" => BinaryOp::Or,
        "in" | "not" => BinaryOp::In,
        "|" | "&" | "^" | "<<" | ">>" => BinaryOp::Bits,
        _ => return None,
    })
}

/// The first number of a range and the one behind its last.
fn bounds(range: &Value) -> Option<(Value, Value)> {
    let ValueKind::Call { args, builtin: Some(Builtin::Range), .. } = &range.kind else {
        return None;
    };
    match args.as_slice() {
        [to] => Some((value(ValueKind::Int(0), range.range), to.value.clone())),
        [from, to] => Some((from.value.clone(), to.value.clone())),
        _ => None,
    }
}

/// Whether a value is text beyond doubt, so that `%` fills it in.
fn is_text(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Str(_) | ValueKind::Format(_) => true,
        ValueKind::Binary(BinaryOp::Add, left, right) => is_text(left) || is_text(right),
        ValueKind::Builtin(Builtin::Format | Builtin::Join, _) => true,
        ValueKind::Call { builtin: Some(Builtin::ToText), .. } => true,
        _ => false,
    }
}
