//! Objects that a function makes: what their fields say of a page, as literals, one by one, and
//! handed from function to function.
//!
//! Must not know which findings come of it.

use std::rc::Rc;

use super::run::{set, Runner, LOST};
use super::worlds::*;
use crate::ir::{Name, Value, ValueKind};

impl Runner<'_, '_> {
    /// A variable is something else now: its fields are not known.
    pub(super) fn forgets(&self, slot: u16, state: &mut State) {
        let fields = self.frames.last().map(|f| &f.fields);
        for (_, at) in fields.into_iter().flatten().filter(|((of, _), _)| *of == slot) {
            set(state, *at, Val::unknown());
        }
    }

    /// A variable takes over an object: each field that is kept apart gets what the object has.
    pub(super) fn spreads(&self, slot: u16, object: &Val, state: &mut State) {
        let fields = self.frames.last().map(|f| &f.fields);
        for ((_, name), at) in fields.into_iter().flatten().filter(|((of, _), _)| *of == slot) {
            if let Some(value) = object.field(name) {
                set(state, *at, value.clone());
            }
        }
    }

    /// An object that is handed out takes along what its fields were given one by one.
    pub(super) fn gathers(&self, value: &Value, given: &mut Val, state: &State) {
        let ValueKind::Local(local) = &value.kind else { return };
        let Some(frame) = self.frames.last().filter(|_| local.up == 0) else { return };
        let own = frame.fields.iter().filter(|((of, _), _)| *of == local.slot);
        let mut fields: Vec<(Name, Val)> = own
            .filter_map(|((_, name), at)| {
                Some((name.clone(), state.slots.get(*at as usize)?.clone()))
            })
            .filter(|(_, value)| value.is(PAGING))
            .collect();
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        if !fields.is_empty() {
            given.fields = Some(Rc::new(fields));
        }
    }

    /// Whether a flag that an object was given says "last page" of one that is not, at a place.
    pub(super) fn still_lost(&self, value: &Value, state: &State) -> bool {
        let ValueKind::Local(local) = &value.kind else { return true };
        let fields = self.frames.last().map(|f| &f.fields);
        let of_it = fields.into_iter().flatten().filter(|((of, _), _)| *of == local.slot);
        let mut flags = of_it
            .filter_map(|(_, at)| state.slots.get(*at as usize))
            .filter(|v| v.is(FLAG))
            .peekable();
        let here = state.reach & !state.failed & LOST;
        flags.peek().is_none() || flags.any(|v| v.says_last() & here != 0)
    }
}

/// Who hands a flag out beside its cursor answers for how it was read; the others take it for
/// what it says.
pub(super) fn answered_for(object: &mut Val) {
    let Some(fields) = &object.fields else { return };
    if fields.iter().any(|(_, value)| value.is(CURSOR)) {
        let mut fields = fields.to_vec();
        fields.iter_mut().filter(|(_, v)| v.is(FLAG)).for_each(|(_, v)| {
            match v.says_last() & ILL_FLAG {
                0 => {}
                // The opposite of a flag is true where the flag is false.
                _ if v.no & MORE & SOUND != 0 => v.yes &= !ILL_FLAG,
                _ => v.no &= !ILL_FLAG,
            }
        });
        object.fields = Some(Rc::new(fields));
    }
}
