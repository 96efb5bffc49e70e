//! Variables of a class as fields of the instance that its methods run on, where they are named
//! without it.
//!
//! Knows no pack word.

use super::resolve::Item;
use super::session::Session;
use super::value::{Node, V};
use crate::ir::{Name, Range};

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
