//! Loops of every form.
//!
//! Does not know what is iterated, except where the source says that it goes by key and value.

use tree_sitter::Node;

use super::tree::{bare, field, named, range};
use super::{unknown, value, Lower};
use crate::ir::{Block, Builtin, LocalRef, LoopKind, Stmt, StmtKind, UnaryOp, Value, ValueKind};

impl Lower<'_> {
    pub(super) fn while_loop(&mut self, node: Node<'_>, out: &mut Block) {
        let condition = field(node, "condition").filter(|n| !self.is_true(*n));
        let (condition, body) = self.in_exit(true, |lower| {
            (condition.map(|n| lower.expr(n)), lower.body(field(node, "body")))
        });
        let kind = LoopKind::While(condition);
        push_loop(kind, body, Block::new(), node, out);
    }

    /// `do {} while (c)` is endless and leaves after a round, also after `continue`, unless `c`.
    pub(super) fn do_loop(&mut self, node: Node<'_>, out: &mut Block) {
        let (body, post) = self.in_exit(true, |lower| {
            let body = lower.body(field(node, "body"));
            let inner = lower.part(node, "condition");
            let at = inner.range;
            let condition = value(ValueKind::Unary(UnaryOp::Not, Box::new(inner)), at);
            let then = vec![Stmt { kind: StmtKind::Break(0), range: at }];
            let kind = StmtKind::If { condition, then, otherwise: Block::new() };
            (body, vec![Stmt { kind, range: at }])
        });
        push_loop(LoopKind::While(None), body, post, node, out);
    }

    pub(super) fn for_loop(&mut self, node: Node<'_>, out: &mut Block) {
        self.scoped(|lower| {
            if let Some(init) = field(node, "initializer") {
                match init.kind() {
                    kind if kind.ends_with("_declaration") => lower.block(&[init], out),
                    "empty_statement" => {}
                    _ => lower.effect(init, out),
                }
            }
            let (condition, body, post) = lower.in_exit(true, |lower| {
                let mut cursor = node.walk();
                let condition = node
                    .children_by_field_name("condition", &mut cursor)
                    .find(|n| n.is_named() && !n.is_extra() && n.kind() != "empty_statement");
                let condition = condition.map(|n| lower.expr(n));
                let body = lower.body(field(node, "body"));
                let mut post = Block::new();
                if let Some(step) = field(node, "increment") {
                    lower.effect(step, &mut post);
                }
                (condition, body, post)
            });
            push_loop(LoopKind::While(condition), body, post, node, out);
        });
    }

    /// `for (x of y)` and `for (x in y)`.
    pub(super) fn each_loop(&mut self, node: Node<'_>, out: &mut Block) {
        let by_key = field(node, "operator").is_some_and(|n| n.kind() == "in");
        let right = field(node, "right");
        let (over, pairs) = match right.and_then(|n| self.paired(n, node)) {
            Some(over) => (self.expr(over), true),
            None => (right.map_or_else(|| unknown(range(node)), |n| self.expr(n)), false),
        };
        let left = field(node, "left");
        let over = match left.is_some_and(|n| n.kind() == "array_pattern") && !pairs {
            true => {
                let at = over.range;
                value(ValueKind::Builtin(Builtin::Pairs, vec![over]), at)
            }
            false => over,
        };
        let kind = field(node, "kind").map(|n| n.kind());
        let mut body = Block::new();
        let (key, element) = self.in_exit(true, |lower| {
            if let (Some(kind), Some(left)) = (kind, left) {
                match kind {
                    "var" => lower.top_vars(left),
                    _ => lower.declare_pattern(left),
                }
            }
            let places = match left {
                Some(left) if pairs => {
                    let mut parts = named(left).into_iter();
                    let key = parts.next().map(|n| lower.loop_place(n, &mut body));
                    (key, parts.next().map(|n| lower.loop_place(n, &mut body)))
                }
                Some(left) => {
                    let place = Some(lower.loop_place(left, &mut body));
                    if by_key {
                        (place, None)
                    } else {
                        (None, place)
                    }
                }
                None => (None, None),
            };
            let inner = lower.body(field(node, "body"));
            body.extend(inner);
            places
        });
        let (key, value) = (key.map(Box::new), element.map(Box::new));
        let kind = LoopKind::Each { key, value, over: Box::new(over), keys_to_value: false };
        push_loop(kind, body, Block::new(), node, out);
    }

    /// The place that takes an element; a pattern takes it apart at the round's start.
    fn loop_place(&mut self, pattern: Node<'_>, body: &mut Block) -> Value {
        if !matches!(pattern.kind(), "object_pattern" | "array_pattern" | "assignment_pattern") {
            return self.place(pattern);
        }
        let slot = self.frame().map_or(0, |f| f.temp());
        let whole = value(ValueKind::Local(LocalRef { up: 0, slot }), range(pattern));
        self.bind(pattern, whole.clone(), body);
        whole
    }

    /// In `for (const [k, v] of Object.entries(x))` or `of x.entries()`: the `x`.
    fn paired<'t>(&self, right: Node<'t>, each: Node<'t>) -> Option<Node<'t>> {
        let left = field(each, "left")?;
        let plain = left.kind() == "array_pattern"
            && named(left).len() == 2
            && named(left).iter().all(|n| n.kind() != "rest_pattern")
            && self.text(left).matches(',').count() >= 1
            && !self.text(left)[1..].trim_start().starts_with(',');
        let call = bare(right);
        if !plain || call.kind() != "call_expression" {
            return None;
        }
        let function = field(call, "function").filter(|f| f.kind() == "member_expression")?;
        let args = named(field(call, "arguments")?);
        let object = field(function, "object")?;
        if self.text(field(function, "property")?) != "entries" {
            return None;
        }
        match args.as_slice() {
            [] => Some(object),
            [only] if self.text(object) == "Object" && self.is_core("Object") => Some(*only),
            _ => None,
        }
    }
}

fn push_loop(kind: LoopKind, body: Block, post: Block, node: Node<'_>, out: &mut Block) {
    out.push(Stmt { kind: StmtKind::Loop { kind, body, post }, range: range(node) });
}
