//! Composite literals: maps, lists and structs, with the types that inner ones leave out.
//!
//! Must not know what a named type of another file stands for.

use tree_sitter::Node;

use super::tree::{at, children, first_child, range, Ask, Part};
use super::Lower;
use crate::ir::{Entry, EntryKey, Type, Value, ValueKind};

/// What the type of a literal says about its elements.
#[derive(Clone, Copy)]
enum Shape<'t> {
    /// A map with key and value types.
    Map(Option<Node<'t>>, Option<Node<'t>>),
    /// A list with an element type.
    List(Option<Node<'t>>),
    /// A struct, or a type that another file declares.
    Fields,
}

impl<'t> Lower<'t> {
    /// `T{...}`.
    pub(super) fn composite(&mut self, node: Node<'t>) -> Value {
        match node.part(Part::Body) {
            Some(body) => self.literal_of(node.part(Part::Type), body, node),
            None => self.opaque(node),
        }
    }

    /// The braces of a literal whose type is `ty`; `node` is what the value covers.
    fn literal_of(&mut self, ty: Option<Node<'t>>, body: Node<'t>, node: Node<'t>) -> Value {
        let written = ty.map(strip);
        let shape = written.map_or(Shape::Fields, |t| shape(self.underlying(t)));
        let named = written.is_none_or(|t| {
            matches!(
                t.word(),
                "type_identifier" | "qualified_type" | "generic_type" | "struct_type"
            )
        });
        let kind = match (shape, named) {
            (Shape::Map(key, value), false) => {
                ValueKind::Object(self.entries(body, Shape::Map(key, value)))
            }
            (Shape::List(element), false) => ValueKind::List(self.elements(body, element)),
            _ => {
                let ty = written.map_or(Type::Unknown, |t| self.ty(t));
                ValueKind::Struct(Box::new(ty), self.entries(body, shape))
            }
        };
        at(node, kind)
    }

    /// The elements of a list; an index before one only says where it goes.
    fn elements(&mut self, body: Node<'t>, element: Option<Node<'t>>) -> Vec<Value> {
        let mut values = Vec::new();
        for child in children(body) {
            let node = match child.word() {
                "keyed_element" => child.part(Part::Value).unwrap_or(child),
                _ => child,
            };
            values.push(self.element(node, element));
        }
        values
    }

    /// An element; braces without a type take the one that the outer literal gives.
    fn element(&mut self, node: Node<'t>, ty: Option<Node<'t>>) -> Value {
        let inner = match node.word() {
            "literal_element" => first_child(node).unwrap_or(node),
            _ => node,
        };
        match inner.word() {
            "literal_value" => self.literal_of(ty, inner, inner),
            _ => self.expr(inner),
        }
    }

    fn entries(&mut self, body: Node<'t>, shape: Shape<'t>) -> Vec<Entry> {
        let (key_type, value_type) = match shape {
            Shape::Map(key, value) => (key, value),
            Shape::List(element) => (None, element),
            Shape::Fields => (None, None),
        };
        let mut entries = Vec::new();
        for child in children(body) {
            let parts = (child.part(Part::Key), child.part(Part::Value));
            let (key, value, key_range) = match parts {
                (Some(key), Some(value)) if child.word() == "keyed_element" => {
                    let name = self.entry_key(key, key_type, matches!(shape, Shape::Fields));
                    (name, self.element(value, value_type), range(key))
                }
                _ => {
                    let place = u16::try_from(entries.len()).unwrap_or(u16::MAX);
                    (EntryKey::Position(place), self.element(child, value_type), range(child))
                }
            };
            entries.push(Entry { key, value, key_range });
        }
        entries
    }

    /// A bare name before the colon is a field of a struct but a value of a map.
    fn entry_key(&mut self, node: Node<'t>, ty: Option<Node<'t>>, fields: bool) -> EntryKey {
        let inner = first_child(node).unwrap_or(node);
        if fields && inner.word() == "identifier" {
            return EntryKey::Known(self.name(inner));
        }
        let value = self.element(node, ty);
        match value.kind {
            ValueKind::Str(text) => EntryKey::Known(text),
            _ => EntryKey::Computed(Box::new(value)),
        }
    }
}

/// `&T` and `(T)` may be left out around an inner literal.
fn strip(mut ty: Node<'_>) -> Node<'_> {
    while matches!(ty.word(), "pointer_type" | "parenthesized_type") {
        match first_child(ty) {
            Some(inner) => ty = inner,
            None => break,
        }
    }
    ty
}

fn shape(underlying: Node<'_>) -> Shape<'_> {
    match underlying.word() {
        "map_type" => Shape::Map(underlying.part(Part::Key), underlying.part(Part::Value)),
        "slice_type" | "array_type" | "implicit_length_array_type" => {
            Shape::List(underlying.part(Part::Element))
        }
        _ => Shape::Fields,
    }
}
