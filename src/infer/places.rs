//! What calls do to the variables whose addresses they are given, and to several results that
//! they are given at once.
//!
//! Knows no call by name.

use super::session::Session;
use super::value::{Node, Op, V};
use crate::ir::{Arg, Name, Range, Value, ValueKind};

impl<'p> Session<'p> {
    /// Several results of one call given on as the arguments of another.
    pub(super) fn take_apart(&self, values: &mut Vec<V>) {
        if let [only] = values.as_slice() {
            if let Node::Op(Op::Tuple, parts) = self.store.values.node(*only) {
                *values = parts.to_vec();
            }
        }
    }

    /// Plain variables whose addresses a function of the workspace was given hold what it put
    /// into its parameters.
    pub(super) fn take_back(&mut self, args: &'p [Arg], given: &[V], callee: usize, range: Range) {
        for (i, arg) in args.iter().enumerate().filter(|(_, a)| a.place) {
            let Some(frame) = self.frames.get(callee) else { return };
            let Some(param) = self.function(frame.function).params.get(i) else { continue };
            let (Some(now), Some(then)) = (frame.slots.get(param.slot as usize), given.get(i))
            else {
                continue;
            };
            let now = *now;
            if now != *then && !param.variadic && self.is_plain(*then) {
                self.store_into(&arg.value, now, range);
            }
        }
    }

    /// What a field is written to: a struct inside another one is there without being written.
    pub(super) fn holder(&mut self, base: &'p Value, range: Range) -> V {
        let v = self.eval(base);
        let ValueKind::Member(outer, name, at) = &base.kind else { return v };
        if v != V::NULL {
            return v;
        }
        let outer = self.eval(outer);
        let known = self.store.body(outer).filter(|id| self.store.object(*id).base.is_none());
        if known.is_none_or(|id| self.store.object(id).ty.is_none()) {
            return v;
        }
        let site = self.site(range);
        let inner = self.store.new_object(site, self.pc, None, None);
        let key = self.store.values.text(name);
        self.write_field(outer, key, inner, *at, range);
        inner
    }

    fn is_plain(&self, v: V) -> bool {
        matches!(
            self.store.values.node(v),
            Node::Null | Node::Text(_) | Node::Int(_) | Node::Float(_) | Node::Cond(_)
        )
    }

    /// Variables whose addresses were given to code that is not in the workspace: plain ones
    /// hold anything from now on, objects what the call filled in.
    pub(super) fn set_places(&mut self, args: &'p [Arg], result: V, range: Range) {
        for arg in args.iter().filter(|a| a.place) {
            let now = self.eval(&arg.value);
            if let Some(id) = self.store.body(now) {
                if self.store.object(id).ty.is_some() && !self.pack.outlets.is_empty() {
                    let site = self.site(range);
                    let guard = self.write_guard(now, None);
                    self.store.copy_into(now, result, guard, site, true);
                }
                continue;
            }
            if self.is_plain(now) {
                let v = self.outside(Name::new_static("set"), None);
                self.note_made(v, None, &[result]);
                self.store_into(&arg.value, v, range);
            }
        }
    }
}
