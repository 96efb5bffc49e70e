//! Statements that do not steer: assignments, declarations, returns, calls.
//!
//! Must not know loops and switches; `flow` lowers those.

use tree_sitter::Node;

use super::decl::keep;
use super::tree::{at, children, first_child, range, Ask, Part};
use super::Lower;
use crate::ir::{
    BinaryOp, Block, Builtin, LocalRef, Range, Stmt, StmtKind, Type, Value, ValueKind,
};

impl<'t> Lower<'t> {
    /// The statements of a block in a scope of their own.
    pub(super) fn block(&mut self, node: Node<'t>) -> Block {
        let mut out = Vec::new();
        self.scopes.open();
        self.statements(node, &mut out);
        self.scopes.close();
        out
    }

    /// The statements directly inside a block, case or list, in the scope at hand.
    pub(super) fn statements(&mut self, node: Node<'t>, out: &mut Block) {
        for child in children(node) {
            match child.word() {
                "statement_list" => self.statements(child, out),
                _ => self.stmt(child, out),
            }
        }
    }

    /// One statement; it may become several, or none.
    pub(super) fn stmt(&mut self, node: Node<'t>, out: &mut Block) {
        match node.word() {
            "expression_statement" => self.expression_statement(node, out),
            "short_var_declaration" => self.short_var(node, out),
            "assignment_statement" => self.assignment(node, out),
            "if_statement" => self.if_statement(node, out),
            "return_statement" => self.return_statement(node, out),
            "for_statement" => self.for_statement(node, out),
            "expression_switch_statement" => self.switch(node, out),
            "type_switch_statement" => self.type_switch(node, out),
            "select_statement" => self.select(node, out),
            "inc_statement" => self.step(node, BinaryOp::Add, out),
            "dec_statement" => self.step(node, BinaryOp::Sub, out),
            "var_declaration" | "const_declaration" => self.local_declaration(node, out),
            "type_declaration" => self.type_declaration(node),
            "block" => out.extend(self.block(node)),
            "defer_statement" | "go_statement" => self.deferred(node, out),
            "send_statement" => self.send(node, out),
            "labeled_statement" => self.labeled(node, out),
            "break_statement" | "continue_statement" => self.jump(node, out),
            // Read by the arm that it ends.
            "fallthrough_statement" | "empty_statement" | "comment" => {}
            "goto_statement" => out.push(keep(Vec::new(), node)),
            _ => self.unknown_statement(node, out),
        }
    }

    fn expression_statement(&mut self, node: Node<'t>, out: &mut Block) {
        if let Some(inner) = first_child(node) {
            let value = self.expr(inner);
            out.push(Stmt { kind: StmtKind::Eval(value), range: range(node) });
        }
    }

    /// Broken or unknown syntax: its statements and expressions, each possibly run.
    fn unknown_statement(&mut self, node: Node<'t>, out: &mut Block) {
        let mut values = Vec::new();
        let mut body = Vec::new();
        self.scopes.open();
        self.gather(node, &mut values, &mut body);
        self.scopes.close();
        let blocks = if body.is_empty() { Vec::new() } else { vec![body] };
        out.push(Stmt { kind: StmtKind::Opaque(values, blocks), range: range(node) });
    }

    fn gather(&mut self, node: Node<'t>, values: &mut Vec<Value>, body: &mut Block) {
        if Self::is_expression(node.word()) {
            values.push(self.expr(node));
            return;
        }
        for child in children(node) {
            let kind = child.word();
            if Self::is_expression(kind) {
                values.push(self.expr(child));
            } else if kind.ends_with("_statement")
                || matches!(kind, "short_var_declaration" | "var_declaration" | "block")
            {
                self.stmt(child, body);
            } else if matches!(kind, "function_declaration" | "method_declaration") {
                self.function(child);
            } else if !kind.ends_with("_type") {
                self.gather(child, values, body);
            }
        }
    }

    /// The values of a right side for `count` targets.
    pub(super) fn right_side(&mut self, count: usize, nodes: &[Node<'t>]) -> Vec<Value> {
        match nodes {
            [only] if count == 2 => vec![self.comma_ok(*only)],
            _ => nodes.iter().map(|n| self.expr(*n)).collect(),
        }
    }

    /// A single value given to two targets: a look-up with its success, or a call.
    fn comma_ok(&mut self, node: Node<'t>) -> Value {
        let mut inner = node;
        while inner.word() == "parenthesized_expression" {
            match first_child(inner) {
                Some(next) => inner = next,
                None => break,
            }
        }
        let pair = match inner.word() {
            "type_assertion_expression" | "index_expression" => true,
            "unary_expression" => self.operator(inner) == "<-",
            _ => false,
        };
        let value = self.expr(inner);
        match pair {
            true => at(node, ValueKind::CommaOk(Box::new(value))),
            false => value,
        }
    }

    /// `targets = values`, as one statement for each pair or one that takes a value apart.
    pub(super) fn assign_all(
        &mut self,
        targets: Vec<Value>,
        values: Vec<Value>,
        range: Range,
        out: &mut Block,
    ) {
        let mut push = |kind| out.push(Stmt { kind, range });
        if targets.len() == values.len() {
            for (target, value) in targets.into_iter().zip(values) {
                push(StmtKind::Assign { targets: vec![target], value, op: None });
            }
        } else if values.len() == 1 {
            for value in values {
                push(StmtKind::Assign { targets: targets.clone(), value, op: None });
            }
        } else {
            // The counts only differ in broken code.
            push(StmtKind::Opaque(targets.into_iter().chain(values).collect(), Vec::new()));
        }
    }

    fn short_var(&mut self, node: Node<'t>, out: &mut Block) {
        let (Some(left), Some(right)) = (node.part(Part::Left), node.part(Part::Right)) else {
            return self.unknown_statement(node, out);
        };
        let (names, right) = (children(left), children(right));
        let values = self.right_side(names.len(), &right);
        let targets: Vec<Value> = names.into_iter().map(|n| self.declare(n, true)).collect();
        for (target, value) in targets.iter().zip(&right) {
            if let (ValueKind::Local(local), true) = (&target.kind, self.makes_channel(*value)) {
                self.mark_channel(local.slot);
            }
        }
        self.assign_all(targets, values, range(node), out);
    }

    /// Whether an expression is `make(chan ...)`.
    fn makes_channel(&self, node: Node<'t>) -> bool {
        node.word() == "call_expression"
            && node
                .part(Part::Arguments)
                .and_then(first_child)
                .is_some_and(|ty| ty.word() == "channel_type")
    }

    /// The place of a declared name. `:=` takes a variable of the same block again.
    pub(super) fn declare(&mut self, node: Node<'t>, again: bool) -> Value {
        let name = self.source(node);
        if node.word() != "identifier" {
            return self.place(node);
        }
        if name == "_" {
            return at(node, ValueKind::Opaque(Vec::new()));
        }
        let slot = match self.scopes.own_slot(name) {
            Some(slot) if again => slot,
            _ => self.new_local(name),
        };
        at(node, ValueKind::Local(LocalRef { up: 0, slot }))
    }

    /// The place that an assignment writes to.
    pub(super) fn place(&mut self, node: Node<'t>) -> Value {
        match self.source(node) {
            "_" => at(node, ValueKind::Opaque(Vec::new())),
            _ => self.expr(node),
        }
    }

    fn assignment(&mut self, node: Node<'t>, out: &mut Block) {
        let (Some(left), Some(right)) = (node.part(Part::Left), node.part(Part::Right)) else {
            return self.unknown_statement(node, out);
        };
        let (left, right) = (children(left), children(right));
        let operator = self.operator(node).trim_end_matches('=');
        if operator.is_empty() {
            let values = self.right_side(left.len(), &right);
            let targets = left.into_iter().map(|n| self.place(n)).collect();
            return self.assign_all(targets, values, range(node), out);
        }
        let [(target, value)] = left.into_iter().zip(right).collect::<Vec<_>>()[..] else {
            return self.unknown_statement(node, out);
        };
        let value = self.expr(value);
        let targets = vec![self.place(target)];
        let op = Some(Self::binary_op(operator));
        out.push(Stmt { kind: StmtKind::Assign { targets, value, op }, range: range(node) });
    }

    fn step(&mut self, node: Node<'t>, op: BinaryOp, out: &mut Block) {
        let Some(inner) = first_child(node) else { return };
        let target = self.place(inner);
        let end = node.end_byte() as u32;
        let one = Value {
            kind: ValueKind::Int(1),
            range: Range { start: end.saturating_sub(2).max(target.range.end), end },
        };
        let kind = StmtKind::Assign { targets: vec![target], value: one, op: Some(op) };
        out.push(Stmt { kind, range: range(node) });
    }

    /// A bare return gives the named results.
    fn return_statement(&mut self, node: Node<'t>, out: &mut Block) {
        let values = match first_child(node) {
            Some(list) if list.word() == "expression_list" => {
                children(list).into_iter().map(|v| self.expr(v)).collect()
            }
            Some(other) => vec![self.expr(other)],
            None => {
                let slots = self.frames.last().map(|f| f.result_slots.clone()).unwrap_or_default();
                slots
                    .into_iter()
                    .map(|slot| at(node, ValueKind::Local(LocalRef { up: 0, slot })))
                    .collect()
            }
        };
        out.push(Stmt { kind: StmtKind::Return(values), range: range(node) });
    }

    fn deferred(&mut self, node: Node<'t>, out: &mut Block) {
        let Some(inner) = first_child(node) else { return };
        let value = self.expr(inner);
        let kind = match node.word() {
            "defer_statement" => StmtKind::Defer(value),
            _ => StmtKind::Eval(value),
        };
        out.push(Stmt { kind, range: range(node) });
    }

    /// A channel is a list of what is sent over it.
    fn send(&mut self, node: Node<'t>, out: &mut Block) {
        let (Some(channel), Some(value)) = (node.part(Part::Channel), node.part(Part::Value))
        else {
            return self.unknown_statement(node, out);
        };
        let operands = vec![self.expr(channel), self.expr(value)];
        let value = at(node, ValueKind::Builtin(Builtin::Append, operands));
        out.push(Stmt { kind: StmtKind::Eval(value), range: range(node) });
    }

    /// The value of a variable that is declared without one.
    pub(super) fn zero(&mut self, node: Node<'t>) -> Value {
        let typed = |kind, ty| ValueKind::Assert(Box::new(at(node, kind)), Box::new(ty));
        let kind = match node.word() {
            "pointer_type" | "map_type" => typed(ValueKind::Null, self.ty(node)),
            "slice_type" | "array_type" => {
                typed(ValueKind::Builtin(Builtin::MakeList, Vec::new()), self.ty(node))
            }
            "channel_type" | "function_type" | "interface_type" => ValueKind::Null,
            _ => match self.ty(node) {
                Type::Named(None, name) => match name.as_str() {
                    "string" => ValueKind::Str("".into()),
                    "bool" => ValueKind::Bool(false),
                    "float64" | "float32" => ValueKind::Float(0.0),
                    "error" | "any" => ValueKind::Null,
                    name if Self::is_integer(name) => ValueKind::Int(0),
                    _ => ValueKind::New(Box::new(Type::Named(None, name)), Vec::new()),
                },
                ty => ValueKind::New(Box::new(ty), Vec::new()),
            },
        };
        at(node, kind)
    }
}
