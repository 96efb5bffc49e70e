//! Type syntax to IR types, and type declarations with their wire names.
//!
//! Must not know what a name refers to outside this file; names stay names.

use tree_sitter::Node;

use super::literal::{self, JsonTag};
use super::scope::Binding;
use super::tree::{children, field_children, first_child, range, Ask, Part};
use super::Lower;
use crate::ir::{Name, Type, TypeDecl, TypeField};

/// How many aliases of one file are followed.
const MAX_HOPS: usize = 8;

impl<'t> Lower<'t> {
    /// A type. Pointers are their target, channels lists of what they carry.
    pub(super) fn ty(&mut self, node: Node<'t>) -> Type {
        match node.word() {
            "type_identifier" | "identifier" => self.named_type(self.source(node)),
            "qualified_type" => self.qualified(node, Part::Package, Part::Name),
            "selector_expression" => self.qualified(node, Part::Operand, Part::Field),
            "generic_type" => self.field_type(node, Part::Type),
            "pointer_type" | "parenthesized_type" | "negated_type" | "type_elem"
            | "type_constraint" => match children(node).as_slice() {
                [only] => self.ty(*only),
                _ => Type::Unknown,
            },
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                Type::List(Box::new(self.field_type(node, Part::Element)))
            }
            "channel_type" => Type::List(Box::new(self.field_type(node, Part::Value))),
            "map_type" => Type::Map(Box::new(self.field_type(node, Part::Value))),
            "function_type" => Type::Func(self.results(node.part(Part::Result))),
            "struct_type" => self.anonymous_struct(node),
            "interface_type" if first_child(node).is_none() => Type::Named(None, "any".into()),
            _ => Type::Unknown,
        }
    }

    fn field_type(&mut self, node: Node<'t>, field: Part) -> Type {
        node.part(field).map_or(Type::Unknown, |n| self.ty(n))
    }

    fn qualified(&self, node: Node<'t>, package: Part, name: Part) -> Type {
        let text = |field: Part| node.part(field).map(|n| self.name(n));
        match (text(package), text(name)) {
            (package, Some(name)) => Type::Named(package, name),
            _ => Type::Unknown,
        }
    }

    /// The type of a plain name; one that a function declares has a longer name of its own.
    pub(super) fn named_type(&self, name: &str) -> Type {
        match self.scopes.get(name) {
            Some(Binding::Type(ty)) => ty.clone(),
            _ => Type::Named(None, name.into()),
        }
    }

    /// Result types of a signature.
    pub(super) fn results(&mut self, node: Option<Node<'t>>) -> Vec<Type> {
        let Some(node) = node else { return Vec::new() };
        if node.word() != "parameter_list" {
            return vec![self.ty(node)];
        }
        let mut results = Vec::new();
        for parameter in children(node) {
            let ty = self.field_type(parameter, Part::Type);
            let names = field_children(parameter, Part::Name).len().max(1);
            results.extend(std::iter::repeat_n(ty, names));
        }
        results
    }

    /// A struct type without a name gets a declaration under a made-up one.
    fn anonymous_struct(&mut self, node: Node<'t>) -> Type {
        let fields = first_child(node);
        if fields.is_none_or(|list| first_child(list).is_none()) {
            return Type::Named(None, "struct{}".into());
        }
        if let Some(name) = self.anonymous.get(&node.start_byte()) {
            return Type::Named(None, name.clone());
        }
        let name = self.made_up("struct", node);
        self.anonymous.insert(node.start_byte(), name.clone());
        let mut decl = blank(name.clone(), node);
        self.struct_fields(node, &mut decl);
        self.module.types.push(decl);
        Type::Named(None, name)
    }

    /// A type name that no other file of the package can have.
    fn made_up(&self, stem: &str, node: Node<'t>) -> Name {
        format!("{stem}@{}:{}", self.file, node.start_byte()).into()
    }

    /// `type A ...`, one or a group.
    pub(super) fn type_declaration(&mut self, node: Node<'t>) {
        for spec in children(node) {
            match spec.word() {
                "type_spec" | "type_alias" => self.type_spec(spec),
                _ => {}
            }
        }
    }

    fn type_spec(&mut self, spec: Node<'t>) {
        let (Some(name_node), Some(ty)) = (spec.part(Part::Name), spec.part(Part::Type)) else {
            return;
        };
        let plain = self.source(name_node);
        let mut name: Name = plain.into();
        if !self.frames.is_empty() {
            name = self.made_up(plain, name_node);
            self.inner_types.insert(name.clone(), ty);
            self.scopes.bind(plain, Binding::Type(Type::Named(None, name.clone())));
        }
        self.scopes.open();
        self.type_parameters(spec);
        let mut decl = blank(name, spec);
        match ty.word() {
            "struct_type" => self.struct_fields(ty, &mut decl),
            "interface_type" => {
                decl.interface = true;
                for element in children(ty) {
                    if let ("type_elem", Some(base)) = (element.word(), first_child(element)) {
                        let base = self.ty(base);
                        decl.extends.push(base);
                    }
                }
            }
            _ => decl.alias = Some(self.ty(ty)),
        }
        self.scopes.close();
        self.module.types.push(decl);
    }

    /// Type parameters stand for anything, also where a type of that name exists.
    pub(super) fn type_parameters(&mut self, node: Node<'t>) {
        let Some(list) = node.part(Part::TypeParameters) else { return };
        for parameter in children(list) {
            for name in field_children(parameter, Part::Name) {
                self.scopes.bind(self.source(name), Binding::Type(Type::Unknown));
            }
        }
    }

    fn struct_fields(&mut self, node: Node<'t>, decl: &mut TypeDecl) {
        let Some(list) = first_child(node) else { return };
        for field in children(list) {
            let Some(type_node) = field.part(Part::Type) else { continue };
            let ty = self.ty(type_node);
            let tag = field
                .part(Part::Tag)
                .and_then(|t| literal::json_tag(self.source(t), t.start_byte() as u32));
            let names = field_children(field, Part::Name);
            if names.is_empty() {
                decl.extends.push(ty.clone());
                decl.fields.push(self.embedded_field(field, type_node, ty, tag.as_ref()));
                continue;
            }
            for name in names {
                decl.fields.push(self.field(field, name, ty.clone(), tag.as_ref()));
            }
        }
    }

    fn field(
        &self,
        field: Node<'t>,
        name_node: Node<'t>,
        ty: Type,
        tag: Option<&JsonTag>,
    ) -> TypeField {
        let name = self.name(name_node);
        let mut made = TypeField {
            wire: Some(name.clone()).filter(|n| n.chars().next().is_some_and(char::is_uppercase)),
            name,
            omit_empty: tag.is_some_and(|t| t.omit_empty),
            embedded: false,
            ty,
            init: None,
            range: range(field),
            wire_range: range(name_node),
        };
        match tag {
            Some(tag) if tag.skipped => made.wire = None,
            // An unexported field stays inside, whatever its tag says.
            Some(tag) if !tag.name.is_empty() && made.wire.is_some() => {
                made.wire = Some(tag.name.clone());
                made.wire_range = tag.range;
            }
            _ => {}
        }
        made
    }

    /// An embedded type: its fields are sent as the outer type's own unless its tag names it.
    fn embedded_field(
        &self,
        field: Node<'t>,
        type_node: Node<'t>,
        ty: Type,
        tag: Option<&JsonTag>,
    ) -> TypeField {
        let mut name_node = type_node;
        while let Some(inner) = name_node.part(Part::Name).or_else(|| name_node.part(Part::Type)) {
            name_node = inner;
        }
        let mut made = self.field(field, name_node, ty, tag);
        made.embedded = tag.is_none_or(|t| t.name.is_empty() && !t.skipped);
        made
    }

    /// The syntax that a type of this file stands for, through its aliases.
    pub(super) fn underlying(&self, node: Node<'t>) -> Node<'t> {
        let mut node = node;
        for _ in 0..MAX_HOPS {
            let next = match node.word() {
                "pointer_type" | "parenthesized_type" => first_child(node),
                "generic_type" => node.part(Part::Type),
                "type_identifier" | "identifier" => {
                    let name = self.source(node);
                    match self.scopes.get(name) {
                        Some(Binding::Type(Type::Named(None, n))) => self.inner_types.get(n),
                        Some(_) => None,
                        None => self.file_types.get(name),
                    }
                    .copied()
                }
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }
}

fn blank(name: Name, node: Node<'_>) -> TypeDecl {
    TypeDecl {
        name,
        alias: None,
        extends: Vec::new(),
        fields: Vec::new(),
        interface: false,
        range: range(node),
    }
}
