//! Statements of a body, loops and switches apart.
//!
//! Never fails: what is not modelled becomes an opaque statement that keeps its parts.

use tree_sitter::Node;

use super::bind::assign;
use super::tree::{
    bare, field, first, is_function_declaration, is_statement, is_type, named, range,
};
use super::{unknown, value, Lower};
use crate::ir::{
    Arm, BinaryOp, Block, LocalRef, Name, Pattern, Range, Stmt, StmtKind, Type, Value, ValueKind,
};

impl Lower<'_> {
    pub(super) fn stmt(&mut self, node: Node<'_>, out: &mut Block) {
        let at = range(node);
        match node.kind() {
            "expression_statement" => {
                if let Some(inner) = first(node) {
                    self.effect(inner, out);
                }
            }
            "lexical_declaration" | "variable_declaration" => self.variables(node, out),
            "return_statement" => {
                let values = first(node).map(|n| self.expr(n)).into_iter().collect();
                out.push(Stmt { kind: StmtKind::Return(values), range: at });
            }
            "if_statement" => self.branch(node, out),
            "statement_block" => self.scoped(|lower| lower.block(&named(node), out)),
            "for_statement" => self.for_loop(node, out),
            "for_in_statement" => self.each_loop(node, out),
            "while_statement" => self.while_loop(node, out),
            "do_statement" => self.do_loop(node, out),
            "switch_statement" => self.switch(node, out),
            "break_statement" | "continue_statement" => self.jump(node, out),
            "labeled_statement" => self.labelled(node, out),
            "throw_statement" => {
                let thrown = first(node).map_or_else(|| unknown(at), |n| self.expr(n));
                out.push(Stmt { kind: StmtKind::Throw(thrown), range: at });
            }
            "try_statement" => self.attempt(node, out),
            "class_declaration" | "abstract_class_declaration" => self.class_declaration(node, out),
            "interface_declaration" => self.interface(node),
            "type_alias_declaration" => self.type_alias(node),
            "enum_declaration" => self.enumeration(node),
            "empty_statement" | "debugger_statement" | "function_signature" | "hash_bang_line"
            | "import_statement" | "import_alias" => {}
            "export_statement" => {
                for child in named(node) {
                    self.stmt(child, out);
                }
            }
            // Made by `block` before all others.
            _ if is_function_declaration(node) => {}
            _ => self.opaque_stmt(node, out),
        }
    }

    /// A body of a statement: one statement or a block, in its own scope.
    pub(super) fn body(&mut self, node: Option<Node<'_>>) -> Block {
        let mut out = Block::new();
        let Some(node) = node else { return out };
        self.scoped(|lower| match node.kind() {
            "statement_block" => lower.block(&named(node), &mut out),
            _ => lower.block(&[node], &mut out),
        });
        out
    }

    /// An expression for its effect: assignments and conditions become statements.
    pub(super) fn effect(&mut self, node: Node<'_>, out: &mut Block) {
        let at = range(node);
        match node.kind() {
            "parenthesized_expression" => {
                if let Some(inner) = first(node) {
                    self.effect(inner, out);
                }
            }
            "sequence_expression" => {
                for part in named(node) {
                    self.effect(part, out);
                }
            }
            "assignment_expression" => self.assign_stmt(node, out),
            "augmented_assignment_expression" => self.augmented_stmt(node, out),
            "update_expression" => {
                let Some(argument) = field(node, "argument") else { return };
                let minus = field(node, "operator").is_some_and(|n| n.kind() == "--");
                let op = if minus { BinaryOp::Sub } else { BinaryOp::Add };
                let targets = vec![self.place(argument)];
                let value = value(ValueKind::Int(1), at);
                out.push(Stmt {
                    kind: StmtKind::Assign { targets, value, op: Some(op) },
                    range: at,
                });
            }
            "unary_expression" if self.operator(node) == "void" => {
                if let Some(inner) = field(node, "argument") {
                    self.effect(inner, out);
                }
            }
            "binary_expression" if matches!(self.operator(node), "&&" | "||") => {
                let on = self.operator(node) == "&&";
                let condition = self.part(node, "left");
                let side = self.effects(field(node, "right"));
                let (then, otherwise) =
                    if on { (side, Block::new()) } else { (Block::new(), side) };
                out.push(Stmt { kind: StmtKind::If { condition, then, otherwise }, range: at });
            }
            "ternary_expression" => {
                let condition = self.part(node, "condition");
                let then = self.effects(field(node, "consequence"));
                let otherwise = self.effects(field(node, "alternative"));
                out.push(Stmt { kind: StmtKind::If { condition, then, otherwise }, range: at });
            }
            // Directives, and names for their own sake.
            "string" | "identifier" => {}
            _ => {
                let value = self.expr(node);
                out.push(Stmt { kind: StmtKind::Eval(value), range: at });
            }
        }
    }

    fn effects(&mut self, node: Option<Node<'_>>) -> Block {
        let mut out = Block::new();
        if let Some(node) = node {
            self.effect(node, &mut out);
        }
        out
    }

    fn operator<'t>(&self, node: Node<'t>) -> &'t str {
        field(node, "operator").map_or("", |n| n.kind())
    }

    fn assign_stmt(&mut self, node: Node<'_>, out: &mut Block) {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            let value = self.opaque(node);
            return out.push(Stmt { kind: StmtKind::Eval(value), range: range(node) });
        };
        if matches!(left.kind(), "object_pattern" | "array_pattern") {
            let source = self.expr(right);
            return self.bind(left, source, out);
        }
        let name = match left.kind() {
            "identifier" => self.name(left),
            "member_expression" => field(left, "property").map_or("".into(), |n| self.name(n)),
            _ => Name::default(),
        };
        let target = self.place(left);
        let source = self.bound(right, &name);
        out.push(assign(target, source, range(node)));
    }

    fn augmented_stmt(&mut self, node: Node<'_>, out: &mut Block) {
        let at = range(node);
        let sign = self.operator(node);
        let (Some(left), Some(op)) = (field(node, "left"), super::expr::augmented_op(sign)) else {
            let value = self.expr(node);
            return out.push(Stmt { kind: StmtKind::Eval(value), range: at });
        };
        let targets = vec![self.place(left)];
        let value = self.part(node, "right");
        out.push(Stmt { kind: StmtKind::Assign { targets, value, op: Some(op) }, range: at });
    }

    /// `const`, `let` and `var` inside a body.
    fn variables(&mut self, node: Node<'_>, out: &mut Block) {
        let var = node.kind() == "variable_declaration";
        for declarator in named(node).into_iter().filter(|n| n.kind() == "variable_declarator") {
            let Some(pattern) = field(declarator, "name") else { continue };
            if var {
                self.top_vars(pattern);
            }
            let at = range(declarator);
            let Some(init) = field(declarator, "value") else {
                if !var {
                    let target = self.place(pattern);
                    out.push(assign(target, value(ValueKind::Null, at), at));
                }
                continue;
            };
            let source = match pattern.kind() {
                "identifier" => self.bound(init, &self.name(pattern)),
                _ => self.expr(init),
            };
            let ty = field(declarator, "type").map_or(Type::Unknown, |n| self.ty(n));
            self.bind_declared(pattern, source, ty, at, out);
        }
    }

    /// A declared type is kept as an assertion where the value does not show its own shape.
    fn bind_declared(
        &mut self,
        pattern: Node<'_>,
        source: Value,
        ty: Type,
        at: Range,
        out: &mut Block,
    ) {
        let shown = matches!(
            source.kind,
            ValueKind::Object(_)
                | ValueKind::List(_)
                | ValueKind::Closure(_)
                | ValueKind::Null
                | ValueKind::Str(_)
                | ValueKind::Int(_)
                | ValueKind::Bool(_)
                | ValueKind::New(..)
        );
        let source = match ty {
            ty @ (Type::Named(..) | Type::List(_)) if !shown => {
                let at = source.range;
                value(ValueKind::Assert(Box::new(source), Box::new(ty)), at)
            }
            _ => source,
        };
        if pattern.kind() == "identifier" {
            let target = self.place(pattern);
            return out.push(assign(target, source, at));
        }
        self.bind(pattern, source, out);
    }

    fn branch(&mut self, node: Node<'_>, out: &mut Block) {
        let condition = self.part(node, "condition");
        let then = self.body(field(node, "consequence"));
        let otherwise = self.body(field(node, "alternative").and_then(first));
        let kind = StmtKind::If { condition, then, otherwise };
        out.push(Stmt { kind, range: range(node) });
    }

    fn jump(&mut self, node: Node<'_>, out: &mut Block) {
        let label = field(node, "label").map(|n| self.text(n));
        let is_break = node.kind() == "break_statement";
        let kind = self.frame().and_then(|frame| match is_break {
            true => frame.break_depth(label).map(StmtKind::Break),
            false => frame.continue_depth(label).map(StmtKind::Continue),
        });
        // A jump to nowhere is broken code.
        let kind = kind.unwrap_or(StmtKind::Opaque(Vec::new(), Vec::new()));
        out.push(Stmt { kind, range: range(node) });
    }

    fn labelled(&mut self, node: Node<'_>, out: &mut Block) {
        let (Some(label), Some(body)) = (field(node, "label"), field(node, "body")) else {
            return self.opaque_stmt(node, out);
        };
        let label = self.name(label);
        let takes_label = matches!(
            body.kind(),
            "for_statement"
                | "for_in_statement"
                | "while_statement"
                | "do_statement"
                | "switch_statement"
                | "labeled_statement"
        );
        if takes_label {
            if let Some(frame) = self.frame() {
                frame.labels.push(label);
            }
            return self.stmt(body, out);
        }
        // A labelled block is a switch with one arm: `break label` leaves it.
        if let Some(frame) = self.frame() {
            frame.labels.extend([Name::default(), label]);
        }
        let at = range(node);
        let arm = Arm {
            patterns: vec![Pattern::Any(None)],
            guard: None,
            body: self.in_exit(false, |lower| lower.body(Some(body))),
            falls_through: false,
            range: at,
        };
        let kind = StmtKind::Switch { subject: None, arms: vec![arm] };
        out.push(Stmt { kind, range: at });
    }

    fn attempt(&mut self, node: Node<'_>, out: &mut Block) {
        let body = self.body(field(node, "body"));
        let mut caught = None;
        let mut handler = Block::new();
        if let Some(clause) = field(node, "handler") {
            self.scoped(|lower| {
                if let Some(pattern) = field(clause, "parameter") {
                    caught = Some(lower.caught(pattern, &mut handler));
                }
                let nodes = field(clause, "body").map(named).unwrap_or_default();
                lower.block(&nodes, &mut handler);
            });
        }
        let finally = self.body(field(node, "finalizer").and_then(|n| field(n, "body")));
        let kind = StmtKind::Try { body, caught, handler, finally };
        out.push(Stmt { kind, range: range(node) });
    }

    fn caught(&mut self, pattern: Node<'_>, handler: &mut Block) -> u16 {
        self.declare_pattern(pattern);
        if pattern.kind() == "identifier" {
            return self.declare(&self.name(pattern));
        }
        let slot = self.frame().map_or(0, |f| f.temp());
        let error = value(ValueKind::Local(LocalRef { up: 0, slot }), range(pattern));
        self.bind(pattern, error, handler);
        slot
    }

    /// A statement that is not modelled: its expressions and statements are kept.
    fn opaque_stmt(&mut self, node: Node<'_>, out: &mut Block) {
        let mut values = Vec::new();
        let mut statements = Vec::new();
        for child in named(node) {
            match child.kind() {
                kind if is_type(kind) => {}
                kind if is_statement(kind) => statements.push(child),
                "comment" => {}
                _ => values.push(self.expr(child)),
            }
        }
        let body = self.scoped(|lower| {
            let mut body = Block::new();
            lower.block(&statements, &mut body);
            body
        });
        let blocks = if body.is_empty() { Vec::new() } else { vec![body] };
        if !values.is_empty() || !blocks.is_empty() {
            out.push(Stmt { kind: StmtKind::Opaque(values, blocks), range: range(node) });
        }
    }

    /// Whether an expression, without what changes nothing, is the literal `true`.
    pub(super) fn is_true(&self, node: Node<'_>) -> bool {
        bare(node).kind() == "true"
    }
}
