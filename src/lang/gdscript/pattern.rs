//! `match` and its patterns.
//!
//! Must not know other statements.

use tree_sitter::Node;

use super::stmt::is_simple;
use super::tree::{Field, Kid, Kind};
use super::{opaque, value, Lower};
use crate::ir::{Arm, Block, LocalRef, Name, Pattern, Range, Stmt, StmtKind, Value, ValueKind};

impl<'t> Lower<'t> {
    /// A `match`, as a switch.
    pub(super) fn matching(&mut self, node: Node<'t>) -> StmtKind {
        let (mut subject, mut arms) = (None, Vec::new());
        for kid in self.kids(node) {
            match (kid.field, kid.kind) {
                (Field::Value, _) => subject = Some(self.expr(kid.node)),
                (_, Kind::MatchBody) => {
                    for section in self.kids(kid.node) {
                        if section.kind == Kind::PatternSection {
                            arms.push(self.jumpable(false, |l| l.arm(section.node, &subject)));
                        }
                    }
                }
                _ => {}
            }
        }
        let subject = subject.unwrap_or_else(|| opaque(Vec::new(), self.range(node)));
        StmtKind::Switch { subject: Some(subject), arms }
    }

    fn arm(&mut self, node: Node<'t>, subject: &Option<Value>) -> Arm {
        let mark = self.scopes.open();
        // Only what can be read again without effects is read by bindings inside a shape.
        let subject = subject.as_ref().filter(|s| is_simple(s));
        let (mut patterns, mut bound, mut guard, mut body) = (vec![], vec![], None, vec![]);
        for kid in self.kids(node) {
            match kid.kind {
                Kind::PatternGuard => guard = self.expressions(kid.node).pop(),
                Kind::Body => body.append(&mut self.body(kid.node)),
                Kind::Token => {}
                _ => patterns.push(self.pattern(kid, subject, &mut bound)),
            }
        }
        self.scopes.close(mark);
        bound.append(&mut body);
        Arm { patterns, guard, body: bound, falls_through: false, range: self.trimmed(node) }
    }

    fn pattern(&mut self, kid: Kid<'t>, subject: Option<&Value>, bound: &mut Block) -> Pattern {
        match kid.kind {
            Kind::PatternBinding => Pattern::Any(Some(self.binding(kid.node).0)),
            Kind::Identifier if self.text(kid.node) == "_" => Pattern::Any(None),
            Kind::Array | Kind::Dictionary => {
                self.shape(kid, subject.cloned(), bound);
                Pattern::Opaque
            }
            _ => Pattern::Value(self.expr(kid.node)),
        }
    }

    /// Declares the variable of `var x` inside a pattern.
    fn binding(&mut self, node: Node<'t>) -> (u16, Range) {
        let kids = self.kids(node);
        let name = kids.iter().find(|k| k.kind == Kind::Identifier).map_or(node, |k| k.node);
        (self.scopes.declare(Name::new(self.text(name))), self.range(name))
    }

    /// Gives the bindings inside a list or dictionary pattern the parts of the subject that
    /// they stand for.
    fn shape(&mut self, kid: Kid<'t>, subject: Option<Value>, bound: &mut Block) {
        let range = self.range(kid.node);
        let part = |index: Value| {
            let kind = ValueKind::Index(Box::new(subject.clone()?), Box::new(index));
            Some(value(kind, range))
        };
        match kid.kind {
            Kind::PatternBinding => {
                let (slot, range) = self.binding(kid.node);
                let target = value(ValueKind::Local(LocalRef { up: 0, slot }), range);
                let value = subject.unwrap_or_else(|| opaque(Vec::new(), range));
                let kind = StmtKind::Assign { targets: vec![target], value, op: None };
                bound.push(Stmt { kind, range });
            }
            Kind::Array => {
                for (at, element) in self.kids(kid.node).into_iter().enumerate() {
                    let index = value(ValueKind::Int(at as i64), range);
                    self.shape(element, part(index), bound);
                }
            }
            Kind::Dictionary => {
                for pair in self.kids(kid.node).into_iter().filter(|k| k.kind == Kind::Pair) {
                    let (mut key, mut inner) = (None, None);
                    for side in self.kids(pair.node) {
                        match side.field {
                            Field::Left => key = Some(self.expr(side.node)),
                            Field::Value => inner = Some(side),
                            _ => {}
                        }
                    }
                    if let Some(inner) = inner {
                        self.shape(inner, key.and_then(part), bound);
                    }
                }
            }
            _ => {}
        }
    }
}
