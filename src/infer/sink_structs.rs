//! Structs that are themselves sinks (`Envelope{Data: x}`): their data leaves where the struct is
//! handed to code that is not followed, or given back by a root.
//!
//! Only records; judges nothing.

use super::formula::F;
use super::observe::{CallNames, Exit};
use super::session::Session;
use super::store::Event;
use super::value::V;
use crate::ir::Type;

/// Most objects around a struct that are looked through for it.
const MAX_AROUND: u8 = 2;

impl Session<'_> {
    /// Which of the pack's sinks a value is as a struct.
    pub(super) fn sink_struct(&self, v: V) -> Option<usize> {
        let id = self.store.body(v)?;
        let (_, ty) = self.store.object(id).ty.as_ref()?;
        let Type::Named(..) = ty else { return None };
        let names = CallNames::of_type(ty);
        self.pack.sinks.iter().position(|s| s.field.is_some() && names.matches(&s.call))
    }

    /// Lets the data of sink structs leave that are among values or inside one.
    pub(super) fn release(&mut self, values: &[V]) {
        if self.pack.sinks.iter().all(|s| s.field.is_none()) || self.pc == F::FALSE {
            return;
        }
        let pc = self.pc;
        let mut stack: Vec<(V, F, u8)> = values.iter().map(|v| (*v, pc, 0)).collect();
        while let Some((v, guard, depth)) = stack.pop() {
            for (guard, leaf) in self.store.values.leaves(v, guard) {
                let Some(id) = self.store.body(leaf) else { continue };
                if let Some(sink) = self.sink_struct(leaf) {
                    self.leave_in_struct(sink, leaf, guard);
                } else if depth < MAX_AROUND {
                    stack.extend(self.store.object(id).log.iter().filter_map(|e| match e {
                        Event::Write { value, .. } => Some((*value, guard, depth + 1)),
                        _ => None,
                    }));
                }
            }
        }
    }

    fn leave_in_struct(&mut self, i: usize, v: V, guard: F) {
        let sink = &self.pack.sinks[i];
        let Some(field) = &sink.field else { return };
        let Some(id) = self.store.body(v) else { return };
        let site = self.store.object(id).created;
        let made = self.store.object(id).guard;
        let guard = self.store.values.forms.and(guard, made);
        let key = self.store.values.text(field);
        let data = self.store.read(v, key, guard);
        let meta = sink.meta.as_ref().map(|m| {
            let key = self.store.values.text(m);
            self.store.read(v, key, guard)
        });
        self.emit(data, meta, guard, site, Exit::Sink(i));
    }
}
