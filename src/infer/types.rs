//! The declared types of values and of their fields.
//!
//! Knows no pack word.

use super::atom::Atom;
use super::formula::F;
use super::session::Session;
use super::value::{Node, Op, V};
use super::work::Work;
use crate::ir::{Name, Type};

/// Names of numbers that stand for types, with the types.
const NUMBERED: &[(&str, &str)] = &[
    ("TYPE_INT", "int"),
    ("TYPE_FLOAT", "float"),
    ("TYPE_STRING", "String"),
    ("TYPE_ARRAY", "Array"),
    ("TYPE_DICTIONARY", "Dictionary"),
];

/// Most letters of the name of a type that a generic function takes.
const MAX_GENERIC: usize = 4;

impl<'p> Session<'p> {
    /// The declared type of a value, as seen from a module.
    pub fn type_of(&self, v: V) -> Option<(u32, Type)> {
        if self.store.values.forms.work.is_out_after(Work::NODE) {
            return None;
        }
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

    /// An argument of which only the name of a generic function's type is known, as what the
    /// parameter says that it is.
    pub(super) fn as_param(&mut self, v: V, ty: &'p Type) -> V {
        let Type::Named(..) = ty else { return v };
        let Some(symbol) = self.store.values.symbol_of(v) else { return v };
        let Some((of, Type::Named(None, name))) = &symbol.ty else { return v };
        let (of, name, origin) = (*of, name.clone(), symbol.origin.clone());
        let m = self.running().module;
        // Names of types that a function takes are short and mean nothing elsewhere.
        if name.len() > MAX_GENERIC || self.index.named(of, &Type::Named(None, name)).is_some() {
            return v;
        }
        match self.index.declaration(m, ty) {
            Some(_) => self.store.values.symbol(origin, Some((m, ty.clone()))),
            None => v,
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

    /// Whether a value is of a type, as far as can be told.
    pub(super) fn is_type(&mut self, v: V, ty: &Type) -> F {
        let name = type_name(ty);
        self.is_type_named(v, &name)
    }

    /// Whether a value is of a type by its name.
    pub(super) fn is_type_named(&mut self, v: V, name: &Name) -> F {
        let pc = self.pc;
        let leaves = self.store.values.leaves(v, pc);
        if let [(_, leaf)] = leaves[..] {
            let f = self.is_leaf_named(leaf, name);
            return self.store.values.forms.restrict(f, pc);
        }
        let mut any = F::FALSE;
        for (guard, leaf) in leaves {
            let f = self.is_leaf_named(leaf, name);
            let both = self.store.values.forms.and(guard, f);
            any = self.store.values.forms.or(any, both);
        }
        self.store.values.forms.restrict(any, pc)
    }

    fn is_leaf_named(&mut self, leaf: V, name: &Name) -> F {
        if let Some(fits) = self.store.values.type_fits(leaf, name) {
            return F::constant(fits);
        }
        let typed = self.store.values.atom(Atom::IsType(leaf, name.clone()));
        let other = self.said_to_be_other(leaf, name, self.pc);
        self.store.values.forms.minus(typed, other)
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

/// A short name of a type for comparison.
fn type_name(ty: &Type) -> Name {
    match ty {
        Type::Unknown => Name::new_static("any"),
        Type::Named(None, name) => name.clone(),
        Type::Named(Some(q), name) => Name::new(format!("{q}.{name}")),
        Type::List(_) => Name::new_static("list"),
        Type::Map(_) => Name::new_static("map"),
        Type::Func(_) => Name::new_static("func"),
    }
}
