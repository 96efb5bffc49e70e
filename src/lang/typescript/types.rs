//! Type annotations, interfaces and aliases.
//!
//! Knows types as they are written; never looks a name up.

use tree_sitter::Node;

use super::tree::{field, first, has_token, named, range};
use super::Lower;
use crate::ir::{Name, Range, Type, TypeDecl, TypeField};

impl Lower<'_> {
    /// A type, as far as it is modelled.
    pub(super) fn ty(&self, node: Node<'_>) -> Type {
        let inner = || first(node).map_or(Type::Unknown, |n| self.ty(n));
        match node.kind() {
            "type_annotation"
            | "readonly_type"
            | "parenthesized_type"
            | "optional_type"
            | "type_arguments"
            | "adding_type_annotation"
            | "opting_type_annotation"
            | "omitting_type_annotation" => inner(),
            "predefined_type" => match self.text(node) {
                name @ ("string" | "number" | "boolean" | "bigint") => plain(name),
                _ => Type::Unknown,
            },
            "type_identifier" | "identifier" => Type::Named(None, self.name(node)),
            "nested_type_identifier" => {
                let module = field(node, "module").map(|n| self.name(n));
                let name = field(node, "name").map(|n| self.name(n)).unwrap_or_default();
                Type::Named(module, name)
            }
            "generic_type" => self.generic(node),
            "array_type" => Type::List(Box::new(inner())),
            "tuple_type" => Type::List(Box::new(Type::Unknown)),
            "literal_type" => match first(node).map(|n| n.kind()) {
                Some("string") => plain("string"),
                Some("number" | "unary_expression") => plain("number"),
                Some("true" | "false") => plain("boolean"),
                _ => Type::Unknown,
            },
            "template_literal_type" => plain("string"),
            "type_predicate_annotation" => plain("boolean"),
            "function_type" => {
                let result = field(node, "return_type").map_or(Type::Unknown, |n| self.ty(n));
                Type::Func(vec![result])
            }
            "union_type" => self.union(node),
            "intersection_type" => named(node)
                .into_iter()
                .map(|n| self.ty(n))
                .find(|t| *t != Type::Unknown)
                .unwrap_or_default(),
            "object_type" => self.indexed(node).unwrap_or_default(),
            _ => Type::Unknown,
        }
    }

    fn generic(&self, node: Node<'_>) -> Type {
        let args = field(node, "type_arguments").map(named).unwrap_or_default();
        let arg = |i: usize| args.get(i).map_or(Type::Unknown, |n| self.ty(*n));
        let Some(name) = field(node, "name") else { return Type::Unknown };
        match self.text(name) {
            "Promise" | "PromiseLike" | "Awaited" | "Partial" | "Required" | "Readonly"
            | "NonNullable" => arg(0),
            "Array" | "ReadonlyArray" | "Set" | "ReadonlySet" | "Iterable" | "AsyncIterable"
            | "Iterator" | "Generator" | "AsyncGenerator" | "IterableIterator" => {
                Type::List(Box::new(arg(0)))
            }
            "Map" | "ReadonlyMap" | "Record" => Type::Map(Box::new(arg(1))),
            // They take fields away.
            "Pick" | "Omit" | "Extract" | "Exclude" | "ReturnType" | "Parameters" => Type::Unknown,
            _ => self.ty(name),
        }
    }

    /// A union is the one type that it is beside null, if it is one.
    fn union(&self, node: Node<'_>) -> Type {
        let mut members = Vec::new();
        self.union_members(node, &mut members);
        let mut found: Option<Type> = None;
        for member in members {
            if matches!(self.text(member), "null" | "undefined" | "void") {
                continue;
            }
            let ty = self.ty(member);
            match &found {
                Some(known) if *known != ty => return Type::Unknown,
                _ => found = Some(ty),
            }
        }
        found.unwrap_or_default()
    }

    fn union_members<'t>(&self, node: Node<'t>, members: &mut Vec<Node<'t>>) {
        for child in named(node) {
            if child.kind() == "union_type" {
                self.union_members(child, members);
            } else {
                members.push(child);
            }
        }
    }

    /// The map type of an object type that has nothing but an index signature.
    fn indexed(&self, node: Node<'_>) -> Option<Type> {
        match named(node).as_slice() {
            [only] if only.kind() == "index_signature" => {
                let inner = field(*only, "type").map_or(Type::Unknown, |n| self.ty(n));
                Some(Type::Map(Box::new(inner)))
            }
            _ => None,
        }
    }

    /// What a function says that it gives; a promise is what it promises.
    pub(super) fn results(&self, function: Node<'_>) -> Vec<Type> {
        match field(function, "return_type").map(|n| self.ty(n)) {
            None | Some(Type::Unknown) => Vec::new(),
            Some(ty) => vec![ty],
        }
    }

    pub(super) fn interface(&mut self, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let extends = named(node)
            .into_iter()
            .filter(|n| n.kind() == "extends_type_clause")
            .flat_map(named)
            .map(|n| self.ty(n))
            .collect();
        let fields = field(node, "body").map(|b| self.type_fields(b)).unwrap_or_default();
        self.module.types.push(TypeDecl {
            name: self.name(name),
            alias: None,
            extends,
            fields,
            interface: true,
            range: range(node),
        });
    }

    /// `type X = ...`: an object type, or one with others mixed in, is like an interface.
    pub(super) fn type_alias(&mut self, node: Node<'_>) {
        let (Some(name), Some(target)) = (field(node, "name"), field(node, "value")) else {
            return;
        };
        let mut fields = Vec::new();
        let mut extends = Vec::new();
        self.mixed(target, &mut fields, &mut extends);
        let interface = !fields.is_empty();
        let alias = if interface { None } else { Some(self.ty(target)) };
        if !interface {
            extends.clear();
        }
        let (name, range) = (self.name(name), range(node));
        self.module.types.push(TypeDecl { name, alias, extends, fields, interface, range });
    }

    fn mixed(&self, node: Node<'_>, fields: &mut Vec<TypeField>, extends: &mut Vec<Type>) {
        match node.kind() {
            "object_type" => fields.extend(self.type_fields(node)),
            "intersection_type" => {
                for child in named(node) {
                    self.mixed(child, fields, extends);
                }
            }
            "parenthesized_type" | "readonly_type" => {
                if let Some(inner) = first(node) {
                    self.mixed(inner, fields, extends);
                }
            }
            _ => match self.ty(node) {
                Type::Unknown => {}
                ty => extends.push(ty),
            },
        }
    }

    fn type_fields(&self, body: Node<'_>) -> Vec<TypeField> {
        named(body).into_iter().filter_map(|n| self.type_field(n)).collect()
    }

    fn type_field(&self, node: Node<'_>) -> Option<TypeField> {
        let ty = match node.kind() {
            "property_signature" => field(node, "type").map_or(Type::Unknown, |n| self.ty(n)),
            "method_signature" => Type::Func(self.results(node)),
            _ => return None,
        };
        let key = field(node, "name")?;
        let name = self.known_key(key)?;
        // Functions are not sent.
        let wire = (node.kind() == "property_signature").then(|| name.clone());
        Some(TypeField {
            name,
            wire,
            omit_empty: has_token(node, "?"),
            embedded: false,
            ty,
            init: None,
            range: range(node),
            wire_range: unquoted(key),
        })
    }
}

/// The bytes of a property name, without quotes.
pub(super) fn unquoted(key: Node<'_>) -> Range {
    let whole = range(key);
    if key.kind() == "string" && whole.end - whole.start >= 2 {
        return Range { start: whole.start + 1, end: whole.end - 1 };
    }
    whole
}

fn plain(name: &str) -> Type {
    Type::Named(None, Name::new(name))
}
