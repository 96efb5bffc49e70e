//! Arithmetic and types of values that are no choices.

use super::value::{Node, Op, Origin, Values, V};
use crate::ir::{BinaryOp, Name};

/// Most bytes of a text that is put together. A text that is doubled in each line would else be
/// longer than any memory; one this long names no field.
pub const LONGEST_TEXT: usize = 1 << 16;
/// Most parts of a text or sum that is not known whole.
const MOST_PARTS: usize = 1 << 12;

impl Values {
    /// `a op b` for arithmetic operators.
    pub fn arithmetic(&mut self, op: BinaryOp, a: V, b: V) -> V {
        if let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b)) {
            let n = match op {
                BinaryOp::Add => x.checked_add(y),
                BinaryOp::Sub => x.checked_sub(y),
                BinaryOp::Mul => x.checked_mul(y),
                BinaryOp::Div => x.checked_div(y),
                BinaryOp::Mod => x.checked_rem(y),
                _ => None,
            };
            if let Some(n) = n {
                return self.int(n);
            }
        }
        match op {
            BinaryOp::Add => self.add(a, b),
            BinaryOp::Sub if self.as_int(b) == Some(0) => a,
            BinaryOp::Sub => self.op(Op::Sub, &[a, b]),
            BinaryOp::Mul => self.op(Op::Mul, &[a, b]),
            BinaryOp::Div => self.op(Op::Div, &[a, b]),
            _ => self.op(Op::Mod, &[a, b]),
        }
    }

    fn add(&mut self, a: V, b: V) -> V {
        let textual = |n: &Node| matches!(n, Node::Text(_) | Node::Op(Op::Text, _));
        // A schema stays in its parts: each of them says where it stands.
        let lists = |t: &Name| t.contains("properties");
        let schema = [a, b].iter().any(|v| self.as_text(*v).is_some_and(lists));
        if let (Some(x), Some(y), false) = (self.as_text(a), self.as_text(b), schema) {
            if x.len() + y.len() > LONGEST_TEXT {
                return self.unknown();
            }
            let joined = format!("{x}{y}");
            return self.text(&joined);
        }
        if textual(self.node(a)) || textual(self.node(b)) {
            let mut parts = Vec::new();
            for v in [a, b] {
                match self.node(v) {
                    Node::Op(Op::Text, inner) => parts.extend(inner.iter().copied()),
                    _ => parts.push(v),
                }
            }
            return self.sum_of(Op::Text, &parts);
        }
        if self.as_int(b) == Some(0) {
            return a;
        }
        if self.as_int(a) == Some(0) {
            return b;
        }
        // One order for sums, so that `offset + n` and `n + offset` are one value.
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        self.sum_of(Op::Add, &[a, b])
    }

    /// A text or sum that is kept in parts, or a new value where those are too many: whoever
    /// looks at it walks through all parts, and through shared ones again each time.
    pub fn sum_of(&mut self, op: Op, parts: &[V]) -> V {
        let mut seen = 0;
        let mut open = parts.to_vec();
        while let Some(v) = open.pop() {
            seen += 1;
            if seen > MOST_PARTS {
                return self.unknown();
            }
            if let Node::Op(Op::Text | Op::Add, inner) = self.node(v) {
                open.extend(inner.iter().copied().take(MOST_PARTS));
            }
        }
        self.op(op, parts)
    }

    /// The symbol of a name that stands for nothing in the workspace: one per name.
    pub fn intern_global(&mut self, name: &Name) -> V {
        let text = self.text(&format!("global {name}"));
        self.op(Op::Other, &[text])
    }

    /// Whether a value fits a type by its name; `None` where only the run can tell.
    pub fn type_fits(&self, v: V, ty: &Name) -> Option<bool> {
        let ty = ty.as_str();
        let any = matches!(ty, "any" | "Variant" | "interface{}");
        if any {
            return Some(!matches!(self.node(v), Node::Null));
        }
        let number = matches!(
            ty,
            "int" | "int64" | "int32" | "float" | "float64" | "number" | "json.Number"
        );
        Some(match self.node(v) {
            Node::Null => false,
            Node::Cond(_) => matches!(ty, "bool" | "boolean"),
            Node::Int(_) | Node::Float(_) => number,
            Node::Text(_) | Node::Op(Op::Text | Op::Encode, _) => {
                matches!(ty, "string" | "String" | "StringName")
            }
            Node::List(_) => matches!(ty, "list" | "Array"),
            Node::Function(..) => matches!(ty, "func" | "Callable" | "function"),
            Node::Object(_) => match ty {
                "map" | "Dictionary" | "object" => true,
                "string" | "String" | "bool" | "int" | "float" | "float64" | "Array" | "list" => {
                    false
                }
                _ => return None,
            },
            Node::Symbol(_) => match self.symbol_of(v).map(|s| &s.origin) {
                Some(Origin::Counter(_)) => number,
                // Where this is the name of objects, errors are objects.
                Some(Origin::Error) if ty == "Dictionary" => true,
                _ => return None,
            },
            _ => return None,
        })
    }
}
