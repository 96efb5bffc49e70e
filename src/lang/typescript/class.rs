//! Classes and enums.
//!
//! A class is a type with fields, functions that name it as their owner, and globals for its
//! static fields. Does not look at other classes.

use tree_sitter::Node;

use super::function::Head;
use super::tree::{bare, field, first, has_token, named, range};
use super::types::unquoted;
use super::{value, Lower};
use crate::ir::{
    Block, Entry, EntryKey, FunctionKind, Global, Name, Stmt, StmtKind, Type, TypeDecl, TypeField,
    Value, ValueKind,
};

impl Lower<'_> {
    /// A class declared by a statement. What it runs at once goes to `out`.
    pub(super) fn class_declaration(&mut self, node: Node<'_>, out: &mut Block) {
        if let Some(name) = field(node, "name") {
            self.class(node, self.name(name), out);
        }
    }

    /// A class as a value: its name, or one made from its place.
    pub(super) fn class_value(&mut self, node: Node<'_>, bound: Name) -> Value {
        let name = match field(node, "name") {
            Some(own) if bound.is_empty() => self.name(own),
            _ if bound.is_empty() => format!("{{class {}}}", node.start_byte()).into(),
            _ => bound,
        };
        if let Some(own) = field(node, "name").map(|n| self.name(n)).filter(|own| *own != name) {
            // Inside it goes by its own name.
            self.module.types.push(TypeDecl {
                name: own,
                alias: Some(Type::Named(None, name.clone())),
                extends: Vec::new(),
                fields: Vec::new(),
                interface: false,
                range: range(node),
            });
        }
        let mut run = Block::new();
        self.class(node, name.clone(), &mut run);
        let at = range(node);
        if !run.is_empty() && self.frames.is_empty() {
            self.in_init(|_, out| out.append(&mut run));
        }
        value(ValueKind::Global(name), at)
    }

    pub(super) fn class(&mut self, node: Node<'_>, name: Name, out: &mut Block) {
        let extends = self.heritage(node);
        let place = self.module.types.len();
        self.module.types.push(TypeDecl {
            name: name.clone(),
            alias: None,
            extends,
            fields: Vec::new(),
            interface: false,
            range: range(node),
        });
        self.decorators(node, out);
        let mut fields = Vec::new();
        for member in field(node, "body").map(named).unwrap_or_default() {
            match member.kind() {
                "method_definition" => self.method(member, &name, &mut fields),
                "public_field_definition" => {
                    fields.extend(self.field_definition(member, &name));
                    self.decorators(member, out);
                }
                "class_static_block" => self.static_block(member, out),
                "decorator" => self.decorator(member, out),
                _ => {}
            }
        }
        if let Some(decl) = self.module.types.get_mut(place) {
            decl.fields = fields;
        }
    }

    fn heritage(&self, node: Node<'_>) -> Vec<Type> {
        let mut extends = Vec::new();
        for clause in named(node).into_iter().filter(|n| n.kind() == "class_heritage") {
            for part in named(clause) {
                match part.kind() {
                    "extends_clause" => extends.extend(field(part, "value").map(|n| self.base(n))),
                    _ => extends.extend(named(part).into_iter().map(|n| self.ty(n))),
                }
            }
        }
        extends.retain(|ty| *ty != Type::Unknown);
        extends
    }

    /// The class that another one extends, where it is written as a name.
    fn base(&self, node: Node<'_>) -> Type {
        match node.kind() {
            "member_expression" => {
                let module = field(node, "object").map(|n| self.name(n));
                Type::Named(module, field(node, "property").map_or("".into(), |n| self.name(n)))
            }
            _ => self.ty(node),
        }
    }

    fn method(&mut self, node: Node<'_>, class: &Name, fields: &mut Vec<TypeField>) {
        let Some(key) = field(node, "name") else { return };
        let name = self.known_key(key).unwrap_or_else(|| self.name(key));
        let kind =
            if has_token(node, "static") { FunctionKind::Static } else { FunctionKind::Method };
        if name == "constructor" {
            self.parameter_fields(node, fields);
        }
        let owner = Some(class.clone());
        self.function(node, Head { name, name_range: range(key), owner, kind });
    }

    /// `constructor(private x: T)` declares a field.
    fn parameter_fields(&self, constructor: Node<'_>, fields: &mut Vec<TypeField>) {
        for param in field(constructor, "parameters").map(named).unwrap_or_default() {
            let Some(pattern) = field(param, "pattern") else { continue };
            if pattern.kind() != "identifier" || !self.has_modifier(param) {
                continue;
            }
            let name = self.name(pattern);
            fields.push(TypeField {
                wire: Some(name.clone()),
                name,
                omit_empty: false,
                embedded: false,
                ty: field(param, "type").map_or(Type::Unknown, |n| self.ty(n)),
                init: None,
                range: range(param),
                wire_range: range(pattern),
            });
        }
    }

    fn field_definition(&mut self, node: Node<'_>, class: &Name) -> Option<TypeField> {
        let key = field(node, "name")?;
        let name = self.known_key(key)?;
        let ty = field(node, "type").map_or(Type::Unknown, |n| self.ty(n));
        // A field that holds a function is called as a method is.
        let function = field(node, "value").map(bare).filter(|n| {
            matches!(n.kind(), "arrow_function" | "function_expression" | "generator_function")
        });
        if let Some(function) = function {
            let fixed = has_token(node, "static");
            let kind = if fixed { FunctionKind::Static } else { FunctionKind::Method };
            let owner = Some(class.clone());
            self.function(function, Head { name, name_range: range(key), owner, kind });
            return None;
        }
        let init = field(node, "value").map(|n| self.bound(n, &name));
        if has_token(node, "static") {
            self.module.globals.push(Global {
                name,
                owner: Some(class.clone()),
                value: init,
                ty,
                constant: has_token(node, "readonly"),
                range: range(node),
            });
            return None;
        }
        Some(TypeField {
            // Private names are not enumerable.
            wire: (!name.starts_with('#')).then(|| name.clone()),
            name,
            omit_empty: false,
            embedded: false,
            ty,
            init,
            range: range(node),
            wire_range: unquoted(key),
        })
    }

    fn static_block(&mut self, node: Node<'_>, out: &mut Block) {
        let nodes = field(node, "body").map(named).unwrap_or_default();
        if self.frames.is_empty() {
            self.in_init(|lower, out| lower.scoped(|lower| lower.block(&nodes, out)));
        } else {
            self.scoped(|lower| lower.block(&nodes, out));
        }
    }

    fn decorators(&mut self, node: Node<'_>, out: &mut Block) {
        for child in named(node).into_iter().filter(|n| n.kind() == "decorator") {
            self.decorator(child, out);
        }
    }

    /// A decorator is run for its effect; what it decorates is not followed.
    fn decorator(&mut self, node: Node<'_>, out: &mut Block) {
        let Some(inner) = first(node) else { return };
        let run = |lower: &mut Self, out: &mut Block| {
            let call = lower.expr(inner);
            let range = call.range;
            out.push(Stmt { kind: StmtKind::Eval(call), range });
        };
        if self.frames.is_empty() {
            self.in_init(run);
        } else {
            run(self, out);
        }
    }

    /// An enum is a global with an object.
    pub(super) fn enumeration(&mut self, node: Node<'_>) {
        let (Some(name), Some(body)) = (field(node, "name"), field(node, "body")) else { return };
        let mut entries = Vec::new();
        let mut next = Some(0i64);
        for member in named(body) {
            let key = match member.kind() {
                "enum_assignment" => field(member, "name"),
                _ => Some(member),
            };
            let Some(key) = key else { continue };
            let given = field(member, "value").map(|n| self.expr(n));
            let inner = match (given, next) {
                (Some(given), _) => given,
                (None, Some(n)) => value(ValueKind::Int(n), range(member)),
                (None, None) => super::unknown(range(member)),
            };
            next = match inner.kind {
                ValueKind::Int(n) => n.checked_add(1),
                _ => None,
            };
            let entry_key = EntryKey::Known(self.known_key(key).unwrap_or_default());
            entries.push(Entry { key: entry_key, value: inner, key_range: range(key) });
        }
        self.module.globals.push(Global {
            name: self.name(name),
            owner: None,
            value: Some(value(ValueKind::Object(entries), range(body))),
            ty: Type::Unknown,
            constant: true,
            range: range(node),
        });
    }
}
