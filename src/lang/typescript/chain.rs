//! Method calls whose meaning is more than one operation: promises, `call` and `bind`,
//! and list methods without an operation of their own.
//!
//! Goes by the shape of the arguments, since a name alone may be anyone's.

use tree_sitter::Node;

use super::tree::{bare, field, is_function, range};
use super::{unknown, value, Lower};
use crate::ir::{Builtin, Range, UnaryOp, Value, ValueKind};

impl Lower<'_> {
    /// The meaning of a method call by shape, or the receiver back.
    pub(super) fn idiom(
        &mut self,
        callee: Node<'_>,
        receiver: Value,
        args: &[Node<'_>],
        at: Range,
    ) -> Result<Value, Value> {
        let name = field(callee, "property").map_or("", |n| self.text(n));
        let Some(first) = args.first().copied() else { return Err(receiver) };
        match name {
            "then" | "catch" | "finally" => self.promise(name, receiver, args, at),
            "call" | "apply" | "bind" if self.is_receiver(callee, first) => {
                Ok(self.invoked(name, receiver, args, at))
            }
            "find" | "findLast" | "some" | "every" if is_function(first) => {
                Ok(self.searched(name, callee, receiver, args, at))
            }
            "reduce" | "reduceRight" if args.len() == 2 && is_function(first) => {
                let start = self.expr(args[1]);
                let f = self.expr(first);
                let index = Box::new(unknown(at));
                let element = value(ValueKind::Index(Box::new(receiver), index), at);
                Ok(op(Builtin::Invoke, vec![f, start, element], at))
            }
            "concat" => {
                let mut list = op(Builtin::Copy, vec![receiver], at);
                for arg in args {
                    let other = self.element(*arg);
                    list = op(Builtin::AppendAll, vec![list, other], at);
                }
                Ok(list)
            }
            "toSorted" | "toReversed" => {
                let copy = op(Builtin::Copy, vec![receiver], at);
                Ok(op(Builtin::Sort, vec![copy], at))
            }
            // One spread argument adds a whole list.
            "push" | "unshift" if args.len() == 1 && first.kind() == "spread_element" => {
                let callee = self.member_of(receiver, callee);
                let mut call = self.plain_call(callee, args, Some(Builtin::AppendAll), at);
                if let ValueKind::Call { args, .. } = &mut call.kind {
                    for arg in args {
                        unspread(&mut arg.value);
                    }
                }
                Ok(call)
            }
            _ => Err(receiver),
        }
    }

    /// `p.then(f)` is `f(p)`: promises are what they promise.
    fn promise(
        &mut self,
        name: &str,
        promise: Value,
        args: &[Node<'_>],
        at: Range,
    ) -> Result<Value, Value> {
        let handler = args[0];
        let callable = matches!(bare(handler).kind(), "identifier" | "member_expression");
        // Anything else may be an own `catch`.
        if !is_function(handler) && (name == "catch" || !callable) {
            return Err(promise);
        }
        let handler = self.expr(handler);
        let either = |this: Value, that: Value| {
            let both = (Box::new(unknown(at)), Box::new(this), Box::new(that));
            value(ValueKind::Ternary(both.0, both.1, both.2), at)
        };
        Ok(match name {
            "then" => {
                let result = op(Builtin::Invoke, vec![handler, promise], at);
                match args.get(1) {
                    Some(failed) => {
                        let failed = self.expr(*failed);
                        either(result, op(Builtin::Invoke, vec![failed, unknown(at)], at))
                    }
                    None => result,
                }
            }
            "catch" => either(promise, op(Builtin::Invoke, vec![handler, unknown(at)], at)),
            // The handler runs either way and its result is dropped.
            _ => {
                let run = op(Builtin::Invoke, vec![handler], at);
                let never = value(ValueKind::Builtin(Builtin::Ignore, vec![run]), at);
                let first = value(ValueKind::List(vec![promise, never]), at);
                let zero = value(ValueKind::Int(0), at);
                value(ValueKind::Index(Box::new(first), Box::new(zero)), at)
            }
        })
    }

    /// Whether the first argument is a `this` for the callee's function: `f.call(null, ...)`,
    /// `x.m.bind(x)`. Otherwise `call` is some object's own method.
    fn is_receiver(&self, callee: Node<'_>, first: Node<'_>) -> bool {
        if matches!(first.kind(), "this" | "null" | "undefined") {
            return true;
        }
        let function = field(callee, "object").map(bare);
        function
            .filter(|f| f.kind() == "member_expression")
            .and_then(|f| field(f, "object"))
            .is_some_and(|owner| self.text(owner) == self.text(first))
    }

    fn invoked(&mut self, name: &str, function: Value, args: &[Node<'_>], at: Range) -> Value {
        let mut operands = vec![function];
        for arg in &args[1..] {
            let arg_range = range(*arg);
            let arg = self.element(*arg);
            operands.push(match name {
                "apply" => value(ValueKind::Spread(Box::new(arg)), arg_range),
                _ => arg,
            });
        }
        op(if name == "bind" { Builtin::Bind } else { Builtin::Invoke }, operands, at)
    }

    /// Searches run their function like a filter does.
    fn searched(
        &mut self,
        name: &str,
        callee: Node<'_>,
        receiver: Value,
        args: &[Node<'_>],
        at: Range,
    ) -> Value {
        let callee = self.member_of(receiver, callee);
        let found = self.plain_call(callee, args, Some(Builtin::Filter), at);
        match name {
            "some" => {
                let none = op(Builtin::IsEmpty, vec![found], at);
                value(ValueKind::Unary(UnaryOp::Not, Box::new(none)), at)
            }
            "every" => value(ValueKind::Opaque(vec![found]), at),
            _ => {
                let index = Box::new(unknown(at));
                value(ValueKind::Index(Box::new(found), index), at)
            }
        }
    }
}

fn unspread(arg: &mut Value) {
    if let ValueKind::Spread(inner) = &mut arg.kind {
        let inner = std::mem::replace(inner.as_mut(), unknown(arg.range));
        *arg = inner;
    }
}

fn op(builtin: Builtin, operands: Vec<Value>, at: Range) -> Value {
    value(ValueKind::Builtin(builtin, operands), at)
}
