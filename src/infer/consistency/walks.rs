//! Which loops walk over pages, and what such a walk keeps of whether more remains.
//!
//! Must not know how a walk ends.

use super::run::Runner;
use super::worlds::*;
use crate::ir::walk::each_stmt;
use crate::ir::{StmtKind, Value, ValueKind};
use crate::pack::folded;

impl Runner<'_, '_> {
    /// A loop that keeps a cursor for its next round walks over pages.
    pub(super) fn carries(&mut self, target: &Value, part: &Val) {
        if !part.is(CURSOR) {
            return;
        }
        match &target.kind {
            ValueKind::Local(_) => self.walks_with(target),
            ValueKind::Index(base, _) | ValueKind::Member(base, ..) => self.carries_on(base),
            _ => {}
        }
    }

    /// A loop that makes the request of its next round walks over pages.
    pub(super) fn carries_on(&mut self, request: &Value) {
        match &request.kind {
            ValueKind::Local(_) if self.is_request(request) || self.is_asked_with(request) => {
                self.walks_with(request)
            }
            // A request that an object keeps is older than any loop.
            ValueKind::Member(..) if self.is_request(request) => self.walks_by(None),
            _ => {}
        }
    }

    /// Whether the loop around a place gives an object that a cursor is put into to a call that
    /// gives something back.
    fn is_asked_with(&self, object: &Value) -> bool {
        let (ValueKind::Local(local), Some(frame)) = (&object.kind, self.frames.last()) else {
            return false;
        };
        let Some((start, _)) = frame.innermost().filter(|_| local.up == 0) else { return false };
        let is_it = |v: &Value| matches!(&v.kind, ValueKind::Local(l) if l == local);
        let mut asked = false;
        each_stmt(&frame.function.body, &mut |stmt| {
            let StmtKind::Assign { value, .. } = &stmt.kind else { return };
            if let ValueKind::Call { args, builtin: None, .. } = &value.kind {
                asked |= stmt.range.start > start && args.iter().any(|a| is_it(&a.value));
            }
        });
        asked
    }

    /// Takes down that the loop around a place walks by a variable that is older than its body.
    fn walks_with(&mut self, variable: &Value) {
        let ValueKind::Local(local) = &variable.kind else { return };
        if local.up == 0 {
            self.walks_by(Some(local.slot));
        }
    }

    fn walks_by(&mut self, slot: Option<u16>) {
        let Some(frame) = self.frames.last() else { return };
        let older = |body| slot.is_none_or(|slot| frame.is_outside(slot, body));
        let around = frame.innermost().filter(|(_, body)| older(*body));
        let Some((start, _)) = around else { return };
        let id = frame.id;
        self.walks.insert((id, start));
    }

    /// Whether a value is what a call makes that a cursor is given to.
    pub(super) fn is_given_cursor(&self, value: &Value, state: &State) -> bool {
        let ValueKind::Call { args, .. } = &value.kind else { return false };
        args.iter().any(|a| match &a.value.kind {
            ValueKind::Local(l) if l.up == 0 => {
                state.slots.get(l.slot as usize).is_some_and(|v| v.is(CURSOR))
            }
            _ => false,
        })
    }

    /// A call that puts a cursor into a request makes the request of the next round.
    pub(super) fn asks_on(&mut self, call: &Value, state: &State) {
        let ValueKind::Call { callee, args, .. } = &call.kind else { return };
        if !self.is_given_cursor(call, state) {
            return;
        }
        if let ValueKind::Member(base, ..) = &callee.kind {
            self.carries_on(base);
        }
        args.iter().for_each(|a| self.carries_on(&a.value));
    }

    /// Takes down what a walk keeps of whether more remains.
    pub(super) fn tells(&mut self, target: &Value, part: &Val, constant: bool, state: &State) {
        let flag = part.is(FLAG) && part.yes & STUCK & RUNNING != 0;
        // A mark that is only set where the page is not known to be the last.
        let mark = constant && state.reach & LAST & RUNNING == 0;
        let Some(walk) = self.frame().and_then(|f| f.walk()) else { return };
        match &target.kind {
            ValueKind::Local(l) if l.up == 0 && part.is(CURSOR) => {
                walk.cursors.insert(l.slot);
            }
            ValueKind::Local(l)
                if l.up == 0 && (flag || mark || part.is(HOLDS_FLAG | HOLDS_CURSOR)) =>
            {
                walk.tellers.insert(l.slot);
            }
            ValueKind::Member(base, name, _) => {
                walk.told |= flag || mark;
                if let (ValueKind::Local(l), true) = (&base.kind, part.is(CURSOR)) {
                    walk.kept.insert((l.slot, name.clone()));
                }
            }
            ValueKind::Index(_, key) => {
                walk.told |= (flag || mark) && matches!(key.kind, ValueKind::Str(_));
            }
            _ => {}
        }
    }

    /// Whether a variable's name says that it goes on from a page.
    pub(super) fn is_called_cursor(&self, target: &Value) -> bool {
        let ValueKind::Local(local) = &target.kind else { return false };
        let names = self.frames.last().filter(|_| local.up == 0).map(|f| &f.function.slot_names);
        names.and_then(|n| n.get(local.slot as usize)).is_some_and(|name| {
            folded(name).split('_').any(|w| matches!(w, "next" | "cursor" | "token"))
        })
    }
}
