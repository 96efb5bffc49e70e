//! What a call does to a variable of its caller's that it is given the address of, as far as it
//! decodes a text into it.
//!
//! Knows no pack word.

use super::session::Session;
use super::value::V;
use crate::ir::{Arg, Range, Value, ValueKind};

/// A text decoded into what a parameter points to.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    frame: u32,
    param: usize,
    value: V,
}

impl<'p> Session<'p> {
    /// Puts a decoded value into a place; one that is a parameter stands for a variable of the
    /// caller's.
    pub(super) fn put_decoded(&mut self, place: &'p Value, value: V, range: Range) {
        self.store_into(place, value, range);
        let ValueKind::Local(local) = &place.kind else { return };
        if local.up > 0 {
            return;
        }
        let id = self.running();
        let Some(function) = self.index.function_at(id) else { return };
        if let Some(param) = function.params.iter().position(|p| p.slot == local.slot) {
            self.decoded.push(Decoded { frame: self.frame, param, value });
        }
    }

    /// Hands on what a call that has ended decoded into its parameters.
    pub(super) fn take_decoded(&mut self, args: &'p [Arg], range: Range) {
        if self.decoded.is_empty() {
            return;
        }
        let caller = Some(self.frame);
        let call = Some(self.span(range));
        let (own, rest) = std::mem::take(&mut self.decoded).into_iter().partition(|d| {
            let frame = &self.frames[d.frame as usize];
            frame.caller == caller && frame.call == call
        });
        self.decoded = rest;
        let own: Vec<Decoded> = own;
        for decoded in own {
            if let Some(arg) = args.get(decoded.param) {
                self.put_decoded(&arg.value, decoded.value, range);
            }
        }
    }
}
