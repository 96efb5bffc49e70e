//! Structs that are themselves sinks (`Envelope{Data: x}`): their data leaves where the struct is
//! handed to code that is not followed, or given back by a root.
//!
//! Only records; judges nothing.

use super::call_names::CallNames;
use super::formula::F;
use super::frameworks::imported;
use super::observe::Exit;
use super::session::Session;
use super::store::{Event, Site};
use super::value::{Node, Op, V};
use crate::ir::Type;

/// Most objects around a struct that are looked through for it.
const MAX_AROUND: u8 = 2;

impl Session<'_> {
    /// Which of the pack's sinks a value is as a struct.
    pub(super) fn sink_struct(&self, v: V) -> Option<usize> {
        if self.pack.sinks.iter().all(|sink| sink.field.is_none()) {
            return None;
        }
        let id = self.store.body(v)?;
        let (m, ty) = self.store.object(id).ty.as_ref()?;
        let Type::Named(..) = ty else { return None };
        let names = CallNames::of_type(&imported(self.index.module(*m), ty));
        self.pack.sinks.iter().position(|s| s.field.is_some() && names.matches(&s.call))
    }

    /// A struct of a tool's result that is made with a text: what JSON the text is leaves.
    pub(super) fn send_text_of(&mut self, v: V, site: Site) {
        let Some(i) = self.sink_struct(v).filter(|i| self.pack.sinks[*i].encoded) else { return };
        let Some(field) = &self.pack.sinks[i].field else { return };
        let key = self.store.values.text(field);
        let text = self.store.read(v, key, self.pc);
        self.send_texts(i, &[text], site);
    }

    /// Lets the data of sink structs leave that are among values or inside one.
    pub(super) fn release(&mut self, values: &[V]) {
        if self.pack.sinks.iter().all(|s| s.field.is_none()) || self.pc == F::FALSE {
            return;
        }
        let pc = self.pc;
        let mut stack: Vec<(V, F, u8)> = values.iter().map(|v| (*v, pc, 0)).collect();
        while let Some((v, guard, depth)) = stack.pop() {
            if let Node::Op(Op::Tuple, parts) = self.store.values.node(v) {
                stack.extend(parts.iter().map(|part| (*part, guard, depth)));
                continue;
            }
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
        // Such a text has left where the struct was made.
        let Some(field) = sink.field.as_ref().filter(|_| !sink.encoded) else { return };
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
