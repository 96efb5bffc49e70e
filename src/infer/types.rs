//! The declared types of values and of their fields.
//!
//! Knows no pack word.

use super::session::Session;
use super::value::{Node, Op, V};
use crate::ir::{Name, Type};

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
}
