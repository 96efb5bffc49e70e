//! What is called through a field of an object that a program hands to its parts: the function, or
//! the object behind an interface, that the one literal of the workspace fills the field with.
//!
//! Knows no pack word; where two literals fill a field, nothing is known of it.

use rustc_hash::FxHashSet;

use super::formula::F;
use super::resolve::Index;
use super::session::{Frame, Session};
use super::value::{FunctionId, Node, Op, V};
use crate::ir::walk::each_value;
use crate::ir::{EntryKey, Name, Type, Value, ValueKind};
use crate::pack::Pack;

/// Most functions whose literals are looked at for one field.
const MAX_FILLING: usize = 8;

/// Names of fields that hold a function or something behind an interface of the workspace, where
/// programs are looked at that use no framework.
pub(super) fn called_fields(index: &Index<'_>, pack: &Pack) -> FxHashSet<Name> {
    if pack.outlets.is_empty() {
        return FxHashSet::default();
    }
    let mut names = FxHashSet::default();
    for (m, module) in (0..).zip(&index.program.modules) {
        for field in module.types.iter().flat_map(|t| &t.fields) {
            if is_called(index, m, &field.ty) {
                names.insert(field.name.clone());
            }
        }
    }
    names
}

/// Whether what a type holds is called: a function, or what an interface of the workspace stands
/// for.
fn is_called(index: &Index<'_>, m: u32, ty: &Type) -> bool {
    match ty {
        Type::Func(_) => true,
        Type::Named(..) => index.declaration(m, ty).is_some_and(|(m, i)| {
            let decl = index.type_decl(m, i);
            decl.interface || matches!(decl.alias, Some(Type::Func(_)))
        }),
        Type::Unknown | Type::List(_) | Type::Map(_) => false,
    }
}

impl<'p> Session<'p> {
    /// What a field of something that came in from outside holds, where one literal of the
    /// workspace fills it.
    pub(super) fn given(&mut self, base: V, name: &Name) -> Option<V> {
        if self.relevance.filling(name).is_empty() || self.store.body(base).is_some() {
            return None;
        }
        let (m, ty) = self.type_of(base)?;
        let decl = self.index.declaration(m, &ty)?;
        let key = (decl, name.clone());
        if let Some(known) = self.fields_given.get(&key) {
            return *known;
        }
        // What fills a field may ask for it in its turn.
        self.fields_given.insert(key.clone(), None);
        let found = self.only_literal(decl, name);
        let v = found.map(|(id, value)| self.in_function(id, value)).filter(|v| {
            self.store.values.any_leaf(*v, |v, node| {
                matches!(node, Node::Function(..) | Node::Op(Op::Bound, _))
                    || self.store.body(v).is_some()
            })
        });
        self.fields_given.insert(key, v);
        v
    }

    /// The only value that literals of a type give to a field, and the function that it stands in.
    fn only_literal(&self, decl: (u32, u32), name: &Name) -> Option<(FunctionId, &'p Value)> {
        let functions = self.relevance.filling(name);
        let mut found = None;
        let mut several = functions.len() > MAX_FILLING;
        for id in functions.iter().take(MAX_FILLING) {
            each_value(&self.index.function(*id).body, &mut |v| {
                let ValueKind::Struct(ty, entries) = &v.kind else { return };
                if self.index.declaration(id.module, ty) != Some(decl) {
                    return;
                }
                for entry in entries {
                    if matches!(&entry.key, EntryKey::Known(key) if key == name) {
                        several |= found.replace((*id, &entry.value)).is_some();
                    }
                }
            });
        }
        found.filter(|_| !several)
    }

    /// A value as it stands in a function of which nothing ran.
    fn in_function(&mut self, id: FunctionId, value: &'p Value) -> V {
        let slots = self.function(id).slots as usize;
        let slots = (0..slots).map(|_| self.store.values.unknown()).collect();
        let this = self.store.values.unknown();
        self.frames.push(Frame {
            function: id,
            slots,
            outer: None,
            caller: None,
            call: None,
            this,
            builder: false,
        });
        let at = self.frames.len() as u32 - 1;
        let (frame, pc) = (std::mem::replace(&mut self.frame, at), self.pc);
        let rounds = std::mem::take(&mut self.rounds);
        self.pc = F::TRUE;
        let v = self.eval(value);
        (self.frame, self.pc, self.rounds) = (frame, pc, rounds);
        v
    }
}
