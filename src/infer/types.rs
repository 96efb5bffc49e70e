//! The declared types of values and of their fields.
//!
//! Knows no pack word.

use super::atom::Atom;
use super::formula::F;
use super::session::Session;
use super::value::{Node, Op, V};
use crate::ir::{Name, Type};

/// Names of numbers that stand for types, with the types.
const NUMBERED: &[(&str, &str)] = &[
    ("TYPE_INT", "int"),
    ("TYPE_FLOAT", "float"),
    ("TYPE_STRING", "String"),
    ("TYPE_ARRAY", "Array"),
    ("TYPE_DICTIONARY", "Dictionary"),
];

impl<'p> Session<'p> {
    /// The declared type of a value, as seen from a module.
    pub fn type_of(&mut self, v: V) -> Option<(u32, Type)> {
        match self.store.values.node(v).clone() {
            Node::Symbol(_) => self.store.values.symbol_of(v).and_then(|s| s.ty.clone()),
            Node::Object(id) => self.store.object(id).ty.clone(),
            Node::Choice(_, a, b) => self.type_of(a).or_else(|| self.type_of(b)),
            Node::Op(Op::Field, parts) => {
                let (m, ty) = self.type_of(parts[0])?;
                if let Type::List(inner) | Type::Map(inner) = ty {
                    return Some((m, *inner));
                }
                let key = self.store.values.as_text(parts[1])?.clone();
                let (tm, ti) = self.index.declaration(m, &ty)?;
                self.field_type(tm, ti, &key, 0)
            }
            _ => None,
        }
    }

    fn field_type(&self, m: u32, i: u32, key: &Name, depth: u8) -> Option<(u32, Type)> {
        let decl = self.index.type_decl(m, i);
        if let Some(field) = decl.fields.iter().find(|f| f.name == *key) {
            return Some((m, field.ty.clone()));
        }
        if depth > 4 {
            return None;
        }
        decl.fields.iter().filter(|f| f.embedded).find_map(|f| {
            let (em, ei) = self.index.declaration(m, &f.ty)?;
            self.field_type(em, ei, key, depth + 1)
        })
    }

    /// When a value is null, or was found to be of another type than this one by a number that
    /// stands for the type.
    pub(super) fn said_to_be_other(&mut self, v: V, name: &str, care: F) -> F {
        let mut other = self.store.values.is_null(v, care);
        let Some(asked) = self.store.values.known(&Node::Op(Op::TypeOf, Box::new([v]))) else {
            return other;
        };
        for (number, _) in NUMBERED.iter().filter(|(_, ty)| *ty != name) {
            let number = self.store.values.intern_global(&Name::new_static(number));
            let (a, b) = if asked < number { (asked, number) } else { (number, asked) };
            if let Some(f) = self.store.values.known_atom(&Atom::Equal(a, b)) {
                other = self.store.values.forms.or(other, f);
            }
        }
        other
    }
}
