//! Calls: predeclared functions, conversions, library functions and all others.
//!
//! Must not know which calls send a response or reach a service.

use tree_sitter::Node;

use super::library;
use super::tree::{at, children, first_child, Ask, Part};
use super::Lower;
use crate::ir::{Arg, Builtin, Type, Value, ValueKind};

/// Whether an argument is the address of a variable or field.
fn is_address(node: Node<'_>) -> bool {
    let operand = node.part(Part::Operand);
    node.word() == "unary_expression"
        && node.part(Part::Operator).is_some_and(|o| o.word() == "&")
        && operand.is_some_and(|o| matches!(o.word(), "identifier" | "selector_expression"))
}

impl<'t> Lower<'t> {
    /// A call expression.
    pub(super) fn call(&mut self, node: Node<'t>) -> Value {
        let Some(function) = node.part(Part::Function) else {
            return self.opaque(node);
        };
        let arguments = node.part(Part::Arguments).map(children).unwrap_or_default();
        match function.word() {
            "identifier" => self.named_call(node, function, &arguments),
            "selector_expression" => self.selector_call(node, function, &arguments),
            "parenthesized_expression" => match self.pointer_conversion(function, &arguments) {
                Some((value, ty)) => {
                    let value = Box::new(self.expr(value));
                    at(node, ValueKind::Assert(value, Box::new(ty)))
                }
                None => self.plain_call(node, function, &arguments, None),
            },
            _ => self.plain_call(node, function, &arguments, None),
        }
    }

    fn plain_call(
        &mut self,
        node: Node<'t>,
        function: Node<'t>,
        arguments: &[Node<'t>],
        builtin: Option<Builtin>,
    ) -> Value {
        let callee = Box::new(self.expr(function));
        let args = self.args(arguments);
        at(node, ValueKind::Call { callee, args, builtin })
    }

    fn args(&mut self, arguments: &[Node<'t>]) -> Vec<Arg> {
        arguments.iter().map(|a| Arg { value: self.argument(*a), place: is_address(*a) }).collect()
    }

    fn argument(&mut self, node: Node<'t>) -> Value {
        if node.word() != "variadic_argument" {
            return self.expr(node);
        }
        match first_child(node) {
            Some(inner) => {
                let value = self.expr(inner);
                at(node, ValueKind::Spread(Box::new(value)))
            }
            None => self.opaque(node),
        }
    }

    /// `(*T)(x)` with a type of this file.
    fn pointer_conversion(
        &self,
        function: Node<'t>,
        arguments: &[Node<'t>],
    ) -> Option<(Node<'t>, Type)> {
        let [value] = arguments else { return None };
        let inner = first_child(function)?;
        let name = match inner.word() {
            "unary_expression" => inner.part(Part::Operand)?,
            _ => inner,
        };
        self.known_type(name).map(|ty| (*value, ty))
    }

    /// The type of an identifier that is known to be one.
    fn known_type(&self, node: Node<'t>) -> Option<Type> {
        let name = self.source(node);
        let known = node.word() == "identifier"
            && match self.scopes.get(name) {
                Some(super::scope::Binding::Type(_)) => true,
                Some(_) => false,
                None => self.file_types.contains_key(name),
            };
        known.then(|| self.named_type(name))
    }

    fn named_call(&mut self, node: Node<'t>, function: Node<'t>, arguments: &[Node<'t>]) -> Value {
        let name = self.source(function);
        if let (Some(ty), [value]) = (self.known_type(function), arguments) {
            let value = Box::new(self.argument(*value));
            return at(node, ValueKind::Assert(value, Box::new(ty)));
        }
        if self.scopes.get(name).is_some() {
            return self.plain_call(node, function, arguments, None);
        }
        let builtin = match name {
            "make" => return self.make(node, arguments),
            "new" => {
                let ty = arguments.first().map_or(Type::Unknown, |t| self.ty(*t));
                return at(node, ValueKind::New(Box::new(ty), Vec::new()));
            }
            "append" => return self.append(node, arguments),
            "len" | "cap" => Builtin::Size,
            "delete" => Builtin::Remove,
            "panic" => Builtin::Exit,
            // The count that it gives is hardly ever used; the elements matter.
            "copy" => Builtin::AppendAll,
            // A package often has functions of its own with these names.
            "min" => return self.plain_call(node, function, arguments, Some(Builtin::Min)),
            "max" => return self.plain_call(node, function, arguments, Some(Builtin::Max)),
            "clear" => return self.plain_call(node, function, arguments, Some(Builtin::Clear)),
            "string" => Builtin::ToText,
            "bool" => Builtin::ToBool,
            "float64" | "float32" => Builtin::ToFloat,
            "any" | "error" if arguments.len() == 1 => return self.argument(arguments[0]),
            name if Self::is_integer(name) => Builtin::ToInt,
            _ => return self.plain_call(node, function, arguments, None),
        };
        let operands = arguments.iter().map(|a| self.argument(*a)).collect();
        at(node, ValueKind::Builtin(builtin, operands))
    }

    fn append(&mut self, node: Node<'t>, arguments: &[Node<'t>]) -> Value {
        let spread = match arguments {
            [_, last] => Some(*last).filter(|n| n.word() == "variadic_argument"),
            _ => None,
        };
        let mut operands = Vec::new();
        for argument in arguments {
            operands.push(match spread.filter(|s| s == argument).and_then(first_child) {
                Some(inner) => self.expr(inner),
                None => self.argument(*argument),
            });
        }
        let builtin = if spread.is_some() { Builtin::AppendAll } else { Builtin::Append };
        at(node, ValueKind::Builtin(builtin, operands))
    }

    fn make(&mut self, node: Node<'t>, arguments: &[Node<'t>]) -> Value {
        let Some((ty, sizes)) = arguments.split_first() else { return self.opaque(node) };
        let builtin = match self.underlying(*ty).word() {
            "map_type" => Builtin::MakeObject,
            "slice_type" | "channel_type" => Builtin::MakeList,
            _ => {
                let ty = self.ty(*ty);
                let args = self.args(sizes);
                return at(node, ValueKind::New(Box::new(ty), args));
            }
        };
        let sizes = sizes.iter().map(|s| self.expr(*s)).collect();
        at(node, ValueKind::Builtin(builtin, sizes))
    }

    /// `[]byte(x)`, `map[string]any(x)`, `[]T(nil)`.
    pub(super) fn type_conversion(&mut self, node: Node<'t>) -> Value {
        let value = self.operand(node, Part::Operand);
        let Some(ty_node) = node.part(Part::Type) else { return value };
        // The grammar cannot tell `f[int](x)`, a call, from a conversion to a generic type.
        let generic = Some(ty_node).filter(|t| t.word() == "generic_type");
        if let (Some(generic), Some(inner)) = (generic, generic.and_then(|t| t.part(Part::Type))) {
            if !self.file_types.contains_key(self.source(inner)) {
                let callee = Box::new(self.type_as_value(generic, true));
                let args = vec![Arg { value, place: false }];
                return at(node, ValueKind::Call { callee, args, builtin: None });
            }
        }
        let ty = self.ty(ty_node);
        let kind = match &ty {
            Type::List(element) => match (element.as_ref(), &value.kind) {
                (_, ValueKind::Null) => ValueKind::List(Vec::new()),
                (Type::Named(None, name), _) if name == "byte" || name == "rune" => {
                    ValueKind::Builtin(Builtin::ToText, vec![value])
                }
                _ => ValueKind::Assert(Box::new(value), Box::new(ty)),
            },
            Type::Named(None, name) if name == "any" => return value,
            Type::Named(Some(package), name) => {
                match self.library(package, name).filter(|b| *b == Builtin::ToText) {
                    Some(builtin) => ValueKind::Builtin(builtin, vec![value]),
                    None => ValueKind::Assert(Box::new(value), Box::new(ty)),
                }
            }
            _ => ValueKind::Assert(Box::new(value), Box::new(ty)),
        };
        at(node, kind)
    }

    /// What a function of an imported package means.
    fn library(&self, package: &str, name: &str) -> Option<Builtin> {
        match self.scopes.get(package) {
            Some(_) => None,
            None => library::meaning(self.packages.get(package)?, name),
        }
    }

    fn selector_call(
        &mut self,
        node: Node<'t>,
        function: Node<'t>,
        arguments: &[Node<'t>],
    ) -> Value {
        let (Some(operand), Some(field)) =
            (function.part(Part::Operand), function.part(Part::Field))
        else {
            return self.plain_call(node, function, arguments, None);
        };
        let name = self.source(field);
        let package = Some(self.source(operand))
            .filter(|p| operand.word() == "identifier" && self.scopes.get(p).is_none())
            .and_then(|p| self.packages.get(p).cloned());
        let Some(path) = package else {
            let builtin = self.method_meaning(name, arguments);
            return self.plain_call(node, function, arguments, builtin);
        };
        if library::is_text_type(&path, name) {
            let operands = arguments.iter().map(|a| self.argument(*a)).collect();
            return at(node, ValueKind::Builtin(Builtin::ToText, operands));
        }
        let marshals = Some(Builtin::EncodeChecked).filter(|_| name.starts_with("Marshal"));
        self.plain_call(node, function, arguments, library::meaning(&path, name).or(marshals))
    }

    /// What a method means by its name: a decoder's `Decode(&v)`, whatever variable holds it, and
    /// anything that marshals.
    fn method_meaning(&self, name: &str, arguments: &[Node<'t>]) -> Option<Builtin> {
        let decodes = name == "Decode"
            && arguments.len() == 1
            && self.packages.values().any(|path| library::is_json(path));
        // Whatever marshals a value gives its text.
        let encodes = name.starts_with("Marshal") && !arguments.is_empty();
        match name {
            _ if decodes => Some(Builtin::DecodeInto),
            _ if encodes => Some(Builtin::EncodeChecked),
            // A query, a header or a map of somebody's own.
            "Set" | "Add" if arguments.len() == 2 => Some(Builtin::Set),
            _ => None,
        }
    }
}
