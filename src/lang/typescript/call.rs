//! Calls and allocations, with the core library's meaning of their names.
//!
//! Does not know what the workspace defines: a meaning holds only where it defines nothing.

use tree_sitter::Node;

use super::builtin::{self, Core};
use super::tree::{bare, field, first, named, range};
use super::{unknown, value, Lower};
use crate::ir::{Arg, Builtin, Range, Type, Value, ValueKind};

impl Lower<'_> {
    pub(super) fn call(&mut self, node: Node<'_>) -> Value {
        let at = range(node);
        let (Some(callee), Some(list)) = (field(node, "function"), field(node, "arguments")) else {
            return self.opaque(node);
        };
        if list.kind() == "template_string" {
            return self.tagged(node, callee, list);
        }
        let args = named(list);
        if let Some(target) = self.loaded(callee, &args) {
            let local = self.module_import(&target, range(args[0]));
            return value(ValueKind::Global(local), at);
        }
        if callee.kind() == "import" {
            let operands = args.iter().map(|n| self.expr(*n)).collect();
            return value(ValueKind::Builtin(Builtin::Load, operands), at);
        }
        match bare(callee) {
            inner if inner.kind() == "member_expression" => self.method_call(inner, &args, at),
            inner => {
                let builtin = match inner.kind() {
                    "identifier" if self.is_core(self.text(inner)) => {
                        builtin::function(self.text(inner))
                    }
                    _ => None,
                };
                let callee = self.expr(callee);
                self.plain_call(callee, &args, builtin, at)
            }
        }
    }

    /// The target of `import("...")` or `require("...")`.
    pub(super) fn loaded(&self, callee: Node<'_>, args: &[Node<'_>]) -> Option<String> {
        let loads = callee.kind() == "import"
            || callee.kind() == "identifier"
                && self.text(callee) == "require"
                && self.is_core("require");
        let target = args.first().filter(|n| loads && n.kind() == "string")?;
        Some(self.string(*target).to_string())
    }

    /// The target of an expression that is a `require("...")`, awaited or not.
    pub(super) fn required(&self, node: Node<'_>) -> Option<String> {
        let mut inner = bare(node);
        if inner.kind() == "await_expression" {
            inner = bare(first(inner)?);
        }
        if inner.kind() != "call_expression" {
            return None;
        }
        self.loaded(field(inner, "function")?, &named(field(inner, "arguments")?))
    }

    pub(super) fn args(&mut self, nodes: &[Node<'_>]) -> Vec<Arg> {
        nodes.iter().map(|n| Arg { value: self.element(*n), place: false }).collect()
    }

    fn operands(&mut self, nodes: &[Node<'_>]) -> Vec<Value> {
        nodes.iter().map(|n| self.element(*n)).collect()
    }

    pub(super) fn plain_call(
        &mut self,
        callee: Value,
        args: &[Node<'_>],
        builtin: Option<Builtin>,
        at: Range,
    ) -> Value {
        let callee = Box::new(callee);
        let args = self.args(args);
        value(ValueKind::Call { callee, args, builtin }, at)
    }

    /// `` tag`...` ``: a call with the text; `String.raw` is the text.
    fn tagged(&mut self, node: Node<'_>, callee: Node<'_>, text: Node<'_>) -> Value {
        let at = range(node);
        let kind = self.template(text);
        let text = value(kind, range(text));
        if self.text(callee) == "String.raw" {
            return text;
        }
        let callee = Box::new(self.expr(callee));
        let args = vec![Arg { value: text, place: false }];
        value(ValueKind::Call { callee, args, builtin: None }, at)
    }

    fn method_call(&mut self, callee: Node<'_>, args: &[Node<'_>], at: Range) -> Value {
        let (Some(object), Some(property)) = (field(callee, "object"), field(callee, "property"))
        else {
            let callee = self.opaque(callee);
            return self.plain_call(callee, args, None, at);
        };
        let name = self.text(property);
        if object.kind() == "identifier" && self.is_core(self.text(object)) {
            if let Some(core) = builtin::namespaced(self.text(object), name) {
                return self.core_call(core, args, at);
            }
        }
        let is_value = self.is_value(object);
        let receiver = self.expr(object);
        if is_value {
            match self.idiom(callee, receiver, args, at) {
                Ok(found) => return found,
                Err(receiver) => {
                    let builtin = builtin::method(name, args.len());
                    let callee = self.member_of(receiver, callee);
                    return self.plain_call(callee, args, builtin, at);
                }
            }
        }
        let callee = self.member_of(receiver, callee);
        self.plain_call(callee, args, None, at)
    }

    /// Whether methods of this receiver may be the core library's: not of a whole package
    /// (`path.join`), nor of a class (`Registry.get`).
    fn is_value(&self, object: Node<'_>) -> bool {
        if object.kind() == "super" {
            return false;
        }
        if object.kind() != "identifier" {
            return true;
        }
        let name = self.text(object);
        if self.local(name).is_some() {
            return true;
        }
        let class = name.starts_with(|c: char| c.is_uppercase())
            && name.contains(|c: char| c.is_lowercase());
        !class && !self.packages.contains(name)
    }

    fn core_call(&mut self, core: Core, args: &[Node<'_>], at: Range) -> Value {
        let mut operands = self.operands(args);
        let kind = match core {
            Core::Op(op) => ValueKind::Builtin(op, operands),
            Core::Same if operands.is_empty() => ValueKind::Null,
            Core::Same => return operands.swap_remove(0),
            Core::One => {
                let list = operands.into_iter().next().unwrap_or_else(|| unknown(at));
                ValueKind::Index(Box::new(list), Box::new(unknown(at)))
            }
            Core::Is(ty) => {
                operands.truncate(1);
                operands.push(value(ValueKind::Str(ty.into()), at));
                ValueKind::Builtin(Builtin::IsType, operands)
            }
            Core::List => ValueKind::List(operands),
            Core::From => {
                let mut operands = operands.into_iter();
                let list = operands.next().unwrap_or_else(|| unknown(at));
                let copy = ValueKind::Builtin(Builtin::Copy, vec![list]);
                match operands.next() {
                    Some(f) => ValueKind::Builtin(Builtin::Map, vec![value(copy, at), f]),
                    None => copy,
                }
            }
        };
        value(kind, at)
    }

    /// `new T(...)`.
    pub(super) fn allocation(&mut self, node: Node<'_>) -> Value {
        let at = range(node);
        let args = field(node, "arguments").map(named).unwrap_or_default();
        let Some(class) = field(node, "constructor").map(bare) else { return self.opaque(node) };
        if class.kind() == "identifier" && self.is_core(self.text(class)) {
            if let Some(kind) = self.core_allocation(self.text(class), &args) {
                return value(kind, at);
            }
        }
        let ty = match class.kind() {
            "identifier" => Type::Named(None, self.name(class)),
            "member_expression" => {
                let module = field(class, "object").map(|n| self.name(n));
                Type::Named(module, field(class, "property").map_or("".into(), |n| self.name(n)))
            }
            "class" => match self.class_value(class, "".into()).kind {
                ValueKind::Global(name) => Type::Named(None, name),
                _ => Type::Unknown,
            },
            _ => Type::Unknown,
        };
        let args = self.args(&args);
        value(ValueKind::New(Box::new(ty), args), at)
    }

    fn core_allocation(&mut self, class: &str, args: &[Node<'_>]) -> Option<ValueKind> {
        let op = match class {
            "Map" | "WeakMap" if args.is_empty() => Builtin::MakeObject,
            "Map" => Builtin::FromEntries,
            "Set" | "WeakSet" if args.is_empty() => Builtin::MakeList,
            "Set" => Builtin::Copy,
            "Array" => Builtin::MakeList,
            name if builtin::is_error(name) => Builtin::Error,
            _ => return None,
        };
        Some(ValueKind::Builtin(op, self.operands(args)))
    }
}
