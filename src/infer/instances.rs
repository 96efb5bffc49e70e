//! Variables of a class as fields of the instance that its methods run on, where they are named
//! without it.
//!
//! Knows no pack word.

use super::resolve::Item;
use super::session::Session;
use super::value::{Node, V};
use crate::ir::{Name, Range, Type, Value, ValueKind};

impl<'p> Session<'p> {
    /// Assigns to a name that is no local: a variable of the instance at hand, if there is one,
    /// else of the file.
    pub(super) fn set_name(&mut self, name: &Name, v: V, range: Range) {
        let this = self.frames[self.frame as usize].this;
        if !matches!(self.store.values.node(this), Node::Object(_)) || !self.is_variable(name) {
            self.set_global(name, v);
            return;
        }
        let key = self.store.values.text(name);
        self.write_field(this, key, v, range, range);
    }

    /// A variable of the instance at hand, where some code has set it.
    pub(super) fn instance_field(&mut self, name: &Name, range: Range) -> Option<V> {
        let this = self.frames[self.frame as usize].this;
        let Node::Object(id) = *self.store.values.node(this) else { return None };
        if !self.is_variable(name) {
            return None;
        }
        let key = self.store.values.text(name);
        self.store.keys(id).contains(&key).then(|| self.read_field(this, key, range))
    }

    /// Gives a new instance what its variables begin with: of a shared builder all of it, of
    /// other classes plain values, since other code may have changed what is held in them.
    pub(super) fn begin_fields(&mut self, ty: &Type, instance: V) {
        let running = self.running();
        // What a variable of a class begins with may be another instance of it, without end.
        if running.index == u32::MAX {
            return;
        }
        match self.index.named(running.module, ty) {
            Some(Item::Unit(unit)) => {
                for m in self.index.modules_of(unit).to_vec() {
                    self.begin_fields_of(m, None, instance);
                }
            }
            Some(Item::Type(m, i)) => {
                let name = self.index.type_decl(m, i).name.clone();
                self.begin_fields_of(m, Some(&name), instance);
            }
            Some(Item::Function(_) | Item::Global(..) | Item::External(..)) | None => {}
        }
    }

    fn begin_fields_of(&mut self, m: u32, owner: Option<&Name>, instance: V) {
        let builder = owner.is_none() && self.relevance.is_builder(m);
        for global in &self.index.module(m).globals {
            let Some(init) = &global.value else { continue };
            if global.constant || global.owner.as_ref() != owner || !(builder || is_plain(init)) {
                continue;
            }
            let value = self.in_module(m, |s| s.eval(init));
            if let Node::List(id) = *self.store.values.node(value) {
                // It lives as long as the instance does, not only while it is made.
                self.store.lists[id.0 as usize].created.frame = self.outermost_frame();
            }
            let key = self.store.values.text(&global.name);
            let site = self.own_site();
            self.store.write(instance, key, value, self.pc, site, true);
        }
    }

    /// The frame that everything at hand was called from.
    fn outermost_frame(&self) -> u32 {
        let mut at = self.frame;
        while let Some(caller) = self.frames[at as usize].caller {
            at = caller;
        }
        at
    }

    /// Whether a name is a variable of the class whose method runs.
    fn is_variable(&self, name: &Name) -> bool {
        let m = self.running().module;
        match self.index.lookup(m, self.owner(), name) {
            Some(Item::Global(gm, gi)) => {
                let global = self.index.global(gm, gi);
                !global.constant && global.owner.as_ref() == self.owner()
            }
            _ => false,
        }
    }
}

/// Whether a value is the same whenever it is asked for.
fn is_plain(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Null
        | ValueKind::Bool(_)
        | ValueKind::Int(_)
        | ValueKind::Float(_)
        | ValueKind::Str(_) => true,
        ValueKind::Object(entries) => entries.is_empty(),
        ValueKind::List(elements) => elements.is_empty(),
        _ => false,
    }
}
