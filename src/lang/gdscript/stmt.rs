//! Statements of a function body.
//!
//! Must not know declarations or expressions beyond asking for them.

use tree_sitter::Node;

use super::tree::{Field, Kid, Kind};
use super::{literal, opaque, value, Lower};
use crate::ir::{
    Arm, BinaryOp, Block, Builtin, LocalRef, LoopKind, Name, Pattern, Range, Stmt, StmtKind, Type,
    UnaryOp, Value, ValueKind,
};

/// An `if` with more branches than this becomes a switch, so that it does not nest.
const MANY_BRANCHES: usize = 64;

/// One branch of an `if`.
struct Branch {
    condition: Value,
    body: Block,
    range: Range,
}

impl<'t> Lower<'t> {
    /// A body with a scope of its own.
    pub(super) fn body(&mut self, node: Node<'t>) -> Block {
        let mark = self.scopes.open();
        let mut block = Vec::new();
        for kid in self.kids(node) {
            self.statement(kid, &mut block);
        }
        self.scopes.close(mark);
        block
    }

    /// Lowers one statement to the end of a block.
    pub(super) fn statement(&mut self, kid: Kid<'t>, block: &mut Block) {
        let node = kid.node;
        let kind = match kid.kind {
            Kind::ExpressionStatement => return self.expression_statement(node, block),
            Kind::Variable | Kind::ExportVariable | Kind::OnreadyVariable | Kind::Const => {
                self.local_variable(node)
            }
            Kind::Return => StmtKind::Return(self.expressions(node)),
            Kind::If => self.branches(node),
            Kind::For => self.for_loop(node),
            Kind::While => self.while_loop(node),
            Kind::Match => self.matching(node),
            Kind::Break => match self.loops_out() {
                Some(n) => StmtKind::Break(n),
                None => StmtKind::Opaque(Vec::new(), Vec::new()),
            },
            Kind::Continue => match self.loops_out() {
                Some(_) => StmtKind::Continue(0),
                None => StmtKind::Opaque(Vec::new(), Vec::new()),
            },
            Kind::Pass | Kind::Breakpoint | Kind::Token | Kind::Name => return,
            Kind::Body => return block.append(&mut self.body(node)),
            _ if self.declaration(kid) => return,
            _ => {
                let lost = self.unmodelled(kid);
                return block.push(lost);
            }
        };
        block.push(Stmt { kind, range: self.trimmed(node) });
    }

    /// What is not modelled, with its expressions and statements.
    pub(super) fn unmodelled(&mut self, kid: Kid<'t>) -> Stmt {
        let range = self.trimmed(kid.node);
        let (mut values, mut block) = (Vec::new(), Vec::new());
        if kid.kind.is_expression() {
            values.push(self.expr(kid.node));
        } else {
            for part in self.kids(kid.node) {
                if part.kind.is_expression() {
                    values.push(self.expr(part.node));
                } else if part.kind.has_code() {
                    self.statement(part, &mut block);
                }
            }
        }
        let blocks = if block.is_empty() { Vec::new() } else { vec![block] };
        Stmt { kind: StmtKind::Opaque(values, blocks), range }
    }

    pub(super) fn expressions(&mut self, node: Node<'t>) -> Vec<Value> {
        let kids = self.kids(node);
        let wanted = kids.into_iter().filter(|k| k.kind.is_expression() || k.kind == Kind::Error);
        wanted.map(|k| self.expr(k.node)).collect()
    }

    /// How many loops and switches lie between here and the innermost loop.
    fn loops_out(&self) -> Option<u8> {
        let jumps = &self.open.last()?.jumps;
        let n = jumps.iter().rev().position(|is_loop| *is_loop)?;
        Some(u8::try_from(n).unwrap_or(u8::MAX))
    }

    /// Runs `inside` as part of a loop or switch.
    pub(super) fn jumpable<T>(&mut self, is_loop: bool, inside: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(open) = self.open.last_mut() {
            open.jumps.push(is_loop);
        }
        let result = inside(self);
        if let Some(open) = self.open.last_mut() {
            open.jumps.pop();
        }
        result
    }

    fn expression_statement(&mut self, node: Node<'t>, block: &mut Block) {
        for kid in self.kids(node) {
            let range = self.range(kid.node);
            let kind = match kid.kind {
                Kind::Assignment | Kind::AugmentedAssignment => self.assignment(kid.node),
                _ => StmtKind::Eval(self.expr(kid.node)),
            };
            block.push(Stmt { kind, range });
        }
    }

    fn assignment(&mut self, node: Node<'t>) -> StmtKind {
        let range = self.range(node);
        let (mut left, mut right, mut op) = (None, None, "=");
        for kid in self.kids(node) {
            match kid.field {
                Field::Left => left = Some(self.expr(kid.node)),
                Field::Right => right = Some(self.expr(kid.node)),
                Field::Op => op = self.text(kid.node),
                _ => {}
            }
        }
        let target = match left.unwrap_or_else(|| opaque(Vec::new(), range)) {
            place if is_place(&place) => place,
            other => {
                let range = other.range;
                opaque(vec![other], range)
            }
        };
        let value = right.unwrap_or_else(|| opaque(Vec::new(), range));
        let op = match op {
            "+=" => BinaryOp::Add,
            "-=" => BinaryOp::Sub,
            "*=" => BinaryOp::Mul,
            "/=" => BinaryOp::Div,
            "%=" => BinaryOp::Mod,
            ">>=" | "<<=" | "&=" | "^=" | "|=" => BinaryOp::Bits,
            "=" => return StmtKind::Assign { targets: vec![target], value, op: None },
            // A power, which the IR has no operator for.
            _ => {
                let value = opaque(vec![target.clone(), value], range);
                return StmtKind::Assign { targets: vec![target], value, op: None };
            }
        };
        StmtKind::Assign { targets: vec![target], value, op: Some(op) }
    }

    fn local_variable(&mut self, node: Node<'t>) -> StmtKind {
        let variable = self.variable(node);
        let range = self.trimmed(node);
        let end = Range { start: range.end, end: range.end };
        // The name is not visible in its own initial value.
        let init = variable.init.map(|node| self.expr(node));
        if let Some(import) = self.import(&variable.name, init.as_ref(), range) {
            self.loaded.insert(import.local.clone());
            self.module.imports.push(import);
        }
        let init = init.unwrap_or_else(|| {
            value(literal::initial(&variable.ty).unwrap_or(ValueKind::Null), end)
        });
        let init = of_class(init, variable.ty);
        let slot = self.scopes.declare(variable.name);
        let target = value(ValueKind::Local(LocalRef { up: 0, slot }), variable.name_range);
        StmtKind::Assign { targets: vec![target], value: init, op: None }
    }

    fn branches(&mut self, node: Node<'t>) -> StmtKind {
        let kids = self.kids(node);
        let alternatives = kids.iter().filter(|k| k.field == Field::Alternative).count();
        if alternatives <= MANY_BRANCHES {
            let (mut branches, otherwise) = self.branch_list(node, kids);
            let first = branches.remove(0);
            let fold = |otherwise, branch: Branch| {
                let Branch { condition, body: then, range } = branch;
                vec![Stmt { kind: StmtKind::If { condition, then, otherwise }, range }]
            };
            let otherwise = branches.into_iter().rev().fold(otherwise, fold);
            return StmtKind::If { condition: first.condition, then: first.body, otherwise };
        }
        let (branches, otherwise) = self.jumpable(false, |l| l.branch_list(node, kids));
        let arm = |pattern, body, range| Arm {
            patterns: vec![pattern],
            guard: None,
            body,
            falls_through: false,
            range,
        };
        let cases = branches.into_iter().map(|b| arm(Pattern::Value(b.condition), b.body, b.range));
        let last = arm(Pattern::Any(None), otherwise, self.trimmed(node));
        StmtKind::Switch { subject: None, arms: cases.chain([last]).collect() }
    }

    /// The branches in source order, never none, and the body of `else`.
    fn branch_list(&mut self, node: Node<'t>, kids: Vec<Kid<'t>>) -> (Vec<Branch>, Block) {
        let mut branches = vec![self.branch(node, &kids)];
        let mut otherwise = Vec::new();
        for kid in kids {
            match kid.kind {
                Kind::Elif => {
                    let parts = self.kids(kid.node);
                    branches.push(self.branch(kid.node, &parts));
                }
                Kind::Else => {
                    for part in self.kids(kid.node) {
                        if part.kind == Kind::Body {
                            otherwise.append(&mut self.body(part.node));
                        }
                    }
                }
                _ => {}
            }
        }
        (branches, otherwise)
    }

    fn branch(&mut self, node: Node<'t>, kids: &[Kid<'t>]) -> Branch {
        let range = self.trimmed(node);
        let (mut condition, mut body) = (None, Vec::new());
        for kid in kids {
            match (kid.field, kid.kind) {
                (Field::Condition, _) => condition = Some(self.expr(kid.node)),
                (_, Kind::Body) => body.append(&mut self.body(kid.node)),
                (_, Kind::Error) => {
                    let lost = self.unmodelled(*kid);
                    body.push(lost);
                }
                _ => {}
            }
        }
        let condition = condition.unwrap_or_else(|| opaque(Vec::new(), range));
        Branch { condition, body, range }
    }

    fn while_loop(&mut self, node: Node<'t>) -> StmtKind {
        let kids = self.kids(node);
        let Branch { condition, body, .. } = self.jumpable(true, |l| l.branch(node, &kids));
        let condition = (!matches!(condition.kind, ValueKind::Bool(true))).then_some(condition);
        StmtKind::Loop { kind: LoopKind::While(condition), body, post: Vec::new() }
    }

    fn for_loop(&mut self, node: Node<'t>) -> StmtKind {
        let mark = self.scopes.open();
        let (mut element, mut over, mut body) = (None, None, Vec::new());
        let kids = self.kids(node);
        // The variable is not visible in what is iterated, which stands after it.
        if let Some(right) = kids.iter().find(|k| k.field == Field::Right) {
            over = Some(self.expr(right.node));
        }
        for kid in kids {
            match (kid.field, kid.kind) {
                (Field::Left, _) => {
                    let slot = self.scopes.declare(Name::new(self.text(kid.node)));
                    let place = ValueKind::Local(LocalRef { up: 0, slot });
                    element = Some(value(place, self.range(kid.node)));
                }
                (_, Kind::Body) => body = self.jumpable(true, |l| l.body(kid.node)),
                (_, Kind::Error) => {
                    let lost = self.unmodelled(kid);
                    body.push(lost);
                }
                _ => {}
            }
        }
        self.scopes.close(mark);
        let over = over.unwrap_or_else(|| opaque(Vec::new(), self.range(node)));
        let (over, keys_to_value) = iterated(over);
        let (value, over) = (element.map(Box::new), Box::new(over));
        let kind = LoopKind::Each { key: None, value, over, keys_to_value };
        StmtKind::Loop { kind, body, post: Vec::new() }
    }
}

/// A variable of a class type: the declaration tells where its methods are.
fn of_class(init: Value, ty: Type) -> Value {
    let Type::Named(_, name) = &ty else { return init };
    if literal::is_scalar(name) || matches!(init.kind, ValueKind::Null | ValueKind::New(..)) {
        return init;
    }
    let range = init.range;
    value(ValueKind::Assert(Box::new(init), Box::new(ty)), range)
}

/// What is iterated, and whether it may be a dictionary, whose keys are iterated.
/// A number stands for the numbers below it.
fn iterated(over: Value) -> (Value, bool) {
    let range = over.range;
    let mut inner = &over;
    while let ValueKind::Unary(UnaryOp::Neg, operand) = &inner.kind {
        inner = operand;
    }
    match &inner.kind {
        ValueKind::Int(_) | ValueKind::Float(_) => {
            (value(ValueKind::Builtin(Builtin::Range, vec![over]), range), false)
        }
        ValueKind::List(_) | ValueKind::Str(_) => (over, false),
        ValueKind::Call { builtin: Some(Builtin::Range | Builtin::Keys), .. } => (over, false),
        _ => (over, true),
    }
}

fn is_place(value: &Value) -> bool {
    use ValueKind::{Global, Index, Local, Member};
    matches!(value.kind, Local(_) | Global(_) | Member(..) | Index(..))
}

/// Whether a value is a name, a member of one or a sum of such: free of effects.
pub(super) fn is_simple(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Local(_) | ValueKind::Global(_) | ValueKind::This | ValueKind::Int(_) => true,
        ValueKind::Member(base, ..) => is_simple(base),
        ValueKind::Binary(BinaryOp::Add | BinaryOp::Sub, l, r) => is_simple(l) && is_simple(r),
        _ => false,
    }
}
