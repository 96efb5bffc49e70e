//! Statements that steer: branches, loops, switches, labels and jumps.
//!
//! Must not know how an expression is lowered.

use tree_sitter::Node;

use super::decl::keep;
use super::scope::Nest;
use super::tree::{at, children, field_children, first_child, range, Ask, Part};
use super::Lower;
use crate::ir::{Arm, Block, Builtin, LoopKind, Pattern, Stmt, StmtKind, Value, ValueKind};

impl<'t> Lower<'t> {
    /// The part before the `;` of a branch; it runs first, in the branch's scope.
    fn initializer(&mut self, node: Node<'t>, out: &mut Block) {
        if let Some(initializer) = node.part(Part::Initializer) {
            self.stmt(initializer, out);
        }
    }

    fn condition(&mut self, node: Node<'t>) -> Option<Value> {
        node.part(Part::Condition).map(|n| self.expr(n))
    }

    pub(super) fn if_statement(&mut self, node: Node<'t>, out: &mut Block) {
        self.scopes.open();
        self.initializer(node, out);
        let condition =
            self.condition(node).unwrap_or_else(|| at(node, ValueKind::Opaque(Vec::new())));
        let then = node.part(Part::Consequence).map(|n| self.block(n));
        let mut otherwise = Vec::new();
        if let Some(alternative) = node.part(Part::Alternative) {
            self.stmt(alternative, &mut otherwise);
        }
        self.scopes.close();
        let kind = StmtKind::If { condition, then: then.unwrap_or_default(), otherwise };
        out.push(Stmt { kind, range: range(node) });
    }

    /// Enters a loop or switch, which takes the label before it.
    fn enter(&mut self, is_loop: bool) {
        if let Some(frame) = self.frames.last_mut() {
            let label = frame.label.take();
            frame.nest.push(Nest { label, is_loop });
        }
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.nest.pop();
        }
    }

    /// A label waits in the frame for its loop or switch. A closure in that one's header has a
    /// frame of its own, so it cannot take the label.
    pub(super) fn labeled(&mut self, node: Node<'t>, out: &mut Block) {
        let label = node.part(Part::Label);
        for child in children(node) {
            if Some(child) == label {
                continue;
            }
            let text = label.map(|l| self.source(l));
            if let Some(frame) = self.frames.last_mut() {
                frame.label = text;
            }
            self.stmt(child, out);
            if let Some(frame) = self.frames.last_mut() {
                frame.label = None;
            }
        }
    }

    pub(super) fn jump(&mut self, node: Node<'t>, out: &mut Block) {
        let label = first_child(node).map(|l| self.source(l));
        let leaving = node.word() == "break_statement";
        let mut distance = 0u8;
        let mut found = false;
        for nest in self.frames.last().map(|f| f.nest.as_slice()).unwrap_or_default().iter().rev() {
            let counts = leaving || nest.is_loop;
            if counts && (label.is_none() || label == nest.label) {
                found = true;
                break;
            }
            distance = distance.saturating_add(u8::from(counts));
        }
        let kind = match (found, leaving) {
            (true, true) => StmtKind::Break(distance),
            (true, false) => StmtKind::Continue(distance),
            (false, _) => return out.push(keep(Vec::new(), node)),
        };
        out.push(Stmt { kind, range: range(node) });
    }

    pub(super) fn for_statement(&mut self, node: Node<'t>, out: &mut Block) {
        self.scopes.open();
        let header = first_child(node).filter(|n| n.word() != "block");
        let mut update = None;
        let kind = match header {
            None => LoopKind::While(None),
            Some(clause) if clause.word() == "range_clause" => self.range_clause(clause),
            Some(clause) if clause.word() == "for_clause" => {
                self.initializer(clause, out);
                update = clause.part(Part::Update);
                LoopKind::While(self.condition(clause))
            }
            Some(condition) => LoopKind::While(Some(self.expr(condition))),
        };
        self.enter(true);
        let body = node.part(Part::Body).map(|n| self.block(n)).unwrap_or_default();
        self.leave();
        let mut post = Vec::new();
        if let Some(update) = update {
            self.stmt(update, &mut post);
        }
        self.scopes.close();
        out.push(Stmt { kind: StmtKind::Loop { kind, body, post }, range: range(node) });
    }

    fn range_clause(&mut self, clause: Node<'t>) -> LoopKind {
        let right = clause.part(Part::Right);
        let mut over = match right {
            Some(right) => self.expr(right),
            None => at(clause, ValueKind::Opaque(Vec::new())),
        };
        if counts(&over) {
            let place = over.range;
            over = Value { kind: ValueKind::Builtin(Builtin::Range, vec![over]), range: place };
        }
        let mut cursor = clause.walk();
        let declares = clause.children(&mut cursor).any(|c| c.word() == ":=");
        let left = clause.part(Part::Left).map(children).unwrap_or_default();
        let mut places = left.into_iter().map(|node| match (self.source(node), declares) {
            ("_", _) => None,
            (_, true) => Some(self.declare(node, true)),
            (_, false) => Some(self.place(node)),
        });
        let (mut key, mut value) = (places.next().flatten(), places.next().flatten());
        // Channels and some iterators give elements alone, to the first variable.
        let iterator = matches!(
            over.kind,
            ValueKind::Call { builtin: Some(Builtin::Keys | Builtin::Values), .. }
        );
        if iterator || right.is_some_and(|r| self.is_channel(r)) {
            value = key.take();
        }
        LoopKind::Each {
            key: key.map(Box::new),
            value: value.map(Box::new),
            over: Box::new(over),
            keys_to_value: false,
        }
    }

    pub(super) fn switch(&mut self, node: Node<'t>, out: &mut Block) {
        self.scopes.open();
        self.initializer(node, out);
        let subject = node.part(Part::Value).map(|n| self.expr(n));
        let subject = subject.filter(|s| !matches!(s.kind, ValueKind::Bool(true)));
        self.arms(node, subject, out, |lower, case, arm| {
            for value in field_children(case, Part::Value) {
                for alternative in children(value) {
                    let value = lower.expr(alternative);
                    arm.patterns.push(Pattern::Value(value));
                }
            }
        });
        self.scopes.close();
    }

    pub(super) fn type_switch(&mut self, node: Node<'t>, out: &mut Block) {
        self.scopes.open();
        self.initializer(node, out);
        let alias = node.part(Part::Alias).and_then(first_child);
        let subject = node.part(Part::Value).map(|n| self.expr(n));
        self.arms(node, subject, out, |lower, case, arm| {
            let name = alias.map(|a| lower.source(a)).filter(|n| *n != "_");
            let slot = name.map(|n| lower.new_local(n));
            if case.word() == "default_case" {
                arm.patterns.push(Pattern::Any(slot));
                return;
            }
            for ty in field_children(case, Part::Type) {
                arm.patterns.push(match lower.source(ty) {
                    "nil" => Pattern::Value(at(ty, ValueKind::Null)),
                    _ => Pattern::Type(lower.ty(ty), slot),
                });
            }
        });
        self.scopes.close();
    }

    /// Which channel is ready cannot be told, so every arm may run.
    pub(super) fn select(&mut self, node: Node<'t>, out: &mut Block) {
        self.arms(node, None, out, |lower, case, arm| {
            if let Some(communication) = case.part(Part::Communication) {
                arm.patterns.push(Pattern::Opaque);
                lower.communication(communication, &mut arm.body);
            }
        });
    }

    fn communication(&mut self, node: Node<'t>, out: &mut Block) {
        if node.word() != "receive_statement" {
            return self.stmt(node, out);
        }
        let Some(right) = node.part(Part::Right) else { return };
        let left = node.part(Part::Left).map(children).unwrap_or_default();
        if left.is_empty() {
            let kind = StmtKind::Eval(self.expr(right));
            return out.push(Stmt { kind, range: range(node) });
        }
        let values = self.right_side(left.len(), &[right]);
        let mut cursor = node.walk();
        let declares = node.children(&mut cursor).any(|c| c.word() == ":=");
        let targets = left
            .into_iter()
            .map(|n| if declares { self.declare(n, true) } else { self.place(n) })
            .collect();
        self.assign_all(targets, values, range(node), out);
    }

    /// The arms of a switch; `head` fills in what an arm matches and what it runs first.
    fn arms(
        &mut self,
        node: Node<'t>,
        subject: Option<Value>,
        out: &mut Block,
        head: impl Fn(&mut Self, Node<'t>, &mut Arm),
    ) {
        self.enter(false);
        let mut arms = Vec::new();
        for case in children(node) {
            if !case.word().ends_with("_case") {
                continue;
            }
            let mut arm = Arm {
                patterns: Vec::new(),
                guard: None,
                body: Vec::new(),
                falls_through: false,
                range: range(case),
            };
            self.scopes.open();
            head(self, case, &mut arm);
            if arm.patterns.is_empty() {
                arm.patterns.push(match case.word() {
                    "default_case" => Pattern::Any(None),
                    _ => Pattern::Opaque,
                });
            }
            for list in children(case).into_iter().filter(|c| c.word() == "statement_list") {
                self.statements(list, &mut arm.body);
                let last = children(list).pop();
                arm.falls_through = last.is_some_and(|s| s.word() == "fallthrough_statement");
            }
            self.scopes.close();
            arms.push(arm);
        }
        self.leave();
        out.push(Stmt { kind: StmtKind::Switch { subject, arms }, range: range(node) });
    }
}

/// Whether a range expression is plainly a number.
fn counts(over: &Value) -> bool {
    match &over.kind {
        ValueKind::Int(_) | ValueKind::Builtin(Builtin::Size | Builtin::ToInt, _) => true,
        ValueKind::Binary(_, left, right) => counts(left) || counts(right),
        _ => false,
    }
}
