//! `switch`: cases without a body join the next one, a last `break` is no statement.
//!
//! Does not know how a switch is used (dispatchers are found later).

use tree_sitter::Node;

use super::tree::{field, is_function_declaration, named, range};
use super::Lower;
use crate::ir::{Arm, Block, Builtin, Pattern, Stmt, StmtKind, ValueKind};

impl Lower<'_> {
    pub(super) fn switch(&mut self, node: Node<'_>, out: &mut Block) {
        let at = range(node);
        let subject = field(node, "value");
        // `switch (true)` compares each case as a condition.
        let conditions = subject.is_some_and(|n| self.is_true(n));
        let subject = subject.filter(|_| !conditions).map(|n| self.expr(n));
        let cases = field(node, "body").map(named).unwrap_or_default();
        let mut hoisted = Block::new();
        let arms = self.in_exit(false, |lower| {
            // All cases share one scope.
            let all: Vec<_> = cases.iter().flat_map(|case| statements(*case)).collect();
            lower.predeclare(&all);
            for function in all.iter().filter(|n| is_function_declaration(**n)) {
                lower.local_function(*function, &mut hoisted);
            }
            lower.arms(&cases)
        });
        out.append(&mut hoisted);
        out.push(Stmt { kind: StmtKind::Switch { subject, arms }, range: at });
    }

    fn arms(&mut self, cases: &[Node<'_>]) -> Vec<Arm> {
        let mut arms = Vec::new();
        let mut patterns = Vec::new();
        for (i, case) in cases.iter().enumerate() {
            patterns.push(match field(*case, "value") {
                Some(value) => Pattern::Value(self.expr(value)),
                None => Pattern::Any(None),
            });
            let nodes = statements(*case);
            let last = i + 1 == cases.len();
            if nodes.is_empty() && !last {
                continue;
            }
            let mut body = Block::new();
            for node in nodes {
                self.stmt(node, &mut body);
            }
            let falls_through = !last && completes(&body);
            if body.last().is_some_and(|s| matches!(s.kind, StmtKind::Break(0))) {
                body.pop();
            }
            let patterns = std::mem::take(&mut patterns);
            arms.push(Arm { patterns, guard: None, body, falls_through, range: range(*case) });
        }
        arms
    }
}

fn statements(case: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = case.walk();
    let found: Vec<_> = case
        .children_by_field_name("body", &mut cursor)
        .filter(|n| n.is_named() && !n.is_extra())
        .collect();
    found
}

/// Whether control can reach the end of a block.
fn completes(block: &Block) -> bool {
    let Some(last) = block.last() else { return true };
    match &last.kind {
        StmtKind::Return(_) | StmtKind::Throw(_) | StmtKind::Break(_) | StmtKind::Continue(_) => {
            false
        }
        StmtKind::If { then, otherwise, .. } => completes(then) || completes(otherwise),
        StmtKind::Try { body, handler, finally, .. } => {
            completes(finally) && (completes(body) || (!handler.is_empty() && completes(handler)))
        }
        StmtKind::Eval(value) => !matches!(value.kind, ValueKind::Builtin(Builtin::Exit, _)),
        _ => true,
    }
}
