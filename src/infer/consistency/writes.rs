//! Assignments and returns: what a function keeps of a page, and what it hands out.
//!
//! Must not know which findings come of it.

use super::frame::Event;
use super::run::{set, Runner, LOST};
use super::worlds::*;
use crate::ir::walk::each_part;
use crate::ir::{Builtin, EntryKey, Stmt, Type, Value, ValueKind};

impl Runner<'_, '_> {
    /// Writes to places.
    pub(super) fn assign(
        &mut self,
        stmt: &Stmt,
        targets: &[Value],
        value: &Value,
        changes: bool,
        state: &mut State,
    ) {
        let before = self.frames.last().map_or(0, |f| f.made.len());
        let result = self.made_or(value, state);
        self.keeps(targets, value, before);
        if changes {
            if let [Value { kind: ValueKind::Local(l), .. }] = targets {
                if l.up == 0 {
                    set(state, l.slot, Val::unknown());
                }
            }
            return;
        }
        if result.is(MADE_ERROR) && !result.is(ERROR) {
            state.failed |= state.reach;
        }
        if targets.len() > 1 {
            self.discards(stmt, targets, &result, state);
        }
        let page = state.by_page() & RUNNING;
        let constant = match &value.kind {
            ValueKind::Bool(_) | ValueKind::Str(_) => true,
            // A ledger of what went wrong.
            ValueKind::Builtin(Builtin::Append | Builtin::AppendAll, _) => {
                page & STUCK != 0 && page & SOUND == 0
            }
            _ => false,
        };
        for (n, target) in targets.iter().enumerate() {
            let mut part = match targets.len() {
                1 => result.clone(),
                _ => result.part(n),
            };
            if let Some(named) = self.by_name(target, value, &part) {
                part = named;
            }
            self.carries(target, &part);
            if self.is_given_cursor(value, state) {
                self.carries_on(target);
            }
            self.tells(target, &part, constant, state);
            match &target.kind {
                // A variable that begins as null is often filled through its address.
                ValueKind::Local(l) if l.up == 0 && is_null(value) => {
                    self.forgets(l.slot, state);
                    set(state, l.slot, Val::unknown());
                }
                ValueKind::Local(l) if l.up == 0 => {
                    self.forgets(l.slot, state);
                    self.spreads(l.slot, &part, state);
                    set(state, l.slot, part);
                }
                ValueKind::Local(l) => self.writes_out(l, &part, state),
                ValueKind::Member(base, name, _) => {
                    self.says_exhausted(name, &part, state);
                    self.holds(base, &part, state);
                    let place = self.frames.last().and_then(|f| f.field(base, name));
                    if let Some(at) = place {
                        set(state, at, part);
                    }
                }
                ValueKind::Index(_, key) => {
                    if let ValueKind::Str(name) = &key.kind {
                        self.says_exhausted(name, &part, state);
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes down which variable keeps an error that was just made, and what type a field of
    /// one that is kept gives it.
    fn keeps(&mut self, targets: &[Value], value: &Value, before: usize) {
        let Some(target) = targets.last() else { return };
        let (base, is_field) = match &target.kind {
            ValueKind::Member(base, ..) => (&**base, true),
            _ => (target, false),
        };
        let ValueKind::Local(local) = &base.kind else { return };
        let typed = is_field && self.scan.says_type(self.module(), value);
        let Some(frame) = self.frame().filter(|_| local.up == 0) else { return };
        if is_field {
            let kept = frame.made.iter_mut().filter(|m| m.kept == Some(local.slot));
            kept.for_each(|m| m.typed |= typed);
        } else {
            frame.made.iter_mut().for_each(|m| m.kept = m.kept.filter(|k| *k != local.slot));
            frame.made.iter_mut().skip(before).for_each(|m| m.kept = Some(local.slot));
        }
    }

    /// Takes down what an object of this function holds of a page once a field is written.
    fn holds(&mut self, base: &Value, part: &Val, state: &mut State) {
        let ValueKind::Local(local) = &base.kind else { return };
        let Some(frame) = self.frames.last() else { return };
        let given = frame.function.params.iter().any(|p| p.slot == local.slot);
        if local.up != 0 || given || !part.is(FLAG | CURSOR | FLAG_KNOWN) {
            return;
        }
        let lost = part.says_last() & state.reach & !state.failed & LOST != 0;
        let Some(object) = state.slots.get_mut(local.slot as usize) else { return };
        object.role |= OWN
            | match () {
                () if part.is(FLAG) => HOLDS_FLAG,
                () if part.is(CURSOR) => HOLDS_CURSOR,
                () => KNOWS_FLAG,
            };
        object.read = object.read.or(part.read.filter(|_| lost));
    }

    /// A variable whose name says what a call gave it.
    pub(super) fn by_name(&mut self, target: &Value, value: &Value, part: &Val) -> Option<Val> {
        let ValueKind::Local(local) = &target.kind else { return None };
        let from_call = match &value.kind {
            ValueKind::Call { callee, .. } => !matches!(&callee.kind,
                ValueKind::Member(base, ..) if self.is_request(base)),
            ValueKind::CommaOk(_) => true,
            _ => false,
        };
        if local.up != 0 || !from_call || part.role != 0 {
            return None;
        }
        let frame = self.frames.last()?;
        let name = frame.function.slot_names.get(local.slot as usize)?;
        match self.scan.name_role(name) {
            FLAG => {
                if let Some(frame) = self.frame() {
                    frame.flag_seen = true;
                }
                Some(Val::new(FLAG, MORE, LAST))
            }
            CURSOR if name.starts_with("next") => Some(Val::new(CURSOR, USABLE, EMPTY)),
            _ => None,
        }
    }

    /// Takes down that a call's flag is left out while its cursor is taken.
    pub(super) fn discards(&mut self, stmt: &Stmt, targets: &[Value], result: &Val, state: &State) {
        let Some(parts) = result.parts.clone() else { return };
        let left_out = |t: &Value| matches!(&t.kind, ValueKind::Opaque(p) if p.is_empty());
        let mut pairs = targets.iter().zip(parts.iter());
        let lost = pairs.clone().any(|(t, v)| left_out(t) && v.is(FLAG));
        let taken = pairs.any(|(t, v)| !left_out(t) && (v.is(CURSOR) || self.is_called_cursor(t)));
        // Where the callee answers the contradiction with an error, nothing is lost.
        let checked = parts.last().is_some_and(|v| v.is(ERROR) && v.no & STUCK & RUNNING == 0);
        if lost && taken && !checked && state.reach & STUCK != 0 {
            let at = self.span(stmt.range);
            if let Some(frame) = self.frame() {
                frame.events.push(Event::Discards { at });
            }
        }
    }

    /// Leaves the function.
    pub(super) fn leave(&mut self, stmt: &Stmt, values: &[Value], state: &State) {
        let mut given: Vec<Val> = Vec::with_capacity(values.len());
        for (n, value) in values.iter().enumerate() {
            // The last of several results is null unless something is wrong.
            let error = n > 0 && n + 1 == values.len() && self.last_is_error();
            given.push(match error && matches!(value.kind, ValueKind::Call { .. }) {
                true => self.made_error(value, state),
                false => self.made_or(value, state),
            });
        }
        for (value, given) in values.iter().zip(&mut given) {
            if given.is(OWN) && !self.still_lost(value, state) {
                given.read = None;
            }
            self.gathers(value, given, state);
        }
        if let ([only], true) = (given.as_slice(), values.len() == 1) {
            if let Some(parts) = only.parts.clone() {
                given = parts.to_vec();
            }
        }
        let failed = given.iter().any(|v| v.is(MADE_ERROR) || v.is(ERROR) && v.no == 0)
            || given.last().is_some_and(|v| v.no == 0 && self.last_is_error())
            || values.iter().any(|value| self.reports(value, state));
        if !failed {
            self.ends_normally(stmt, values, &given, state);
        }
        let errors = self.last_is_error();
        let Some(frame) = self.frame() else { return };
        // An error that answers a sound last page too is about something else than the page.
        let of_page = given.last().is_some_and(|v| v.is(MADE_ERROR)) && frame.nest.is_empty();
        let reach = state.reach & !state.failed;
        if !failed || of_page && reach & LAST & SOUND & RUNNING != 0 {
            frame.ends.push((stmt.range.start, reach));
        }
        if errors {
            if let Some(last) = given.last_mut() {
                last.role = ERROR;
                if failed {
                    (last.yes, last.no) = (ALL, 0);
                }
            }
            // Beside an error nobody looks at the other results.
            let others = given.len().saturating_sub(1);
            for value in given.iter_mut().take(others).filter(|_| failed) {
                *value = Val { role: value.role, ..Val::nothing() };
            }
        }
        // What is made here is no request to those who get it.
        given.iter_mut().for_each(|v| v.role &= !OWN);
        // A way on which nothing was read is that of a response without paging fields.
        let read = given.iter().any(|v| v.is(PAGING | HOLDS_FLAG | HOLDS_CURSOR));
        let mut reach = state.reach;
        if !read && !failed && !frame.touched && reach & RUNNING == RUNNING {
            reach &= NO_FLAG & NO_CURSOR;
        }
        frame.results = Some(match frame.results.take() {
            Some((known, at)) if known.len() == given.len() => {
                let both = known.iter().zip(&given).map(|(k, g)| k.join(at, g, reach));
                (both.collect(), at | reach)
            }
            Some(other) => other,
            None => {
                let nothing = Val::nothing();
                let only = given.iter().map(|g| nothing.join(0, g, reach));
                (only.collect(), reach)
            }
        });
    }

    /// Whether what is returned is what a function makes of the error of a reader.
    fn reports(&self, value: &Value, state: &State) -> bool {
        let ValueKind::Call { args, .. } = &value.kind else { return false };
        args.iter().any(|arg| match &arg.value.kind {
            ValueKind::Local(l) if l.up == 0 => {
                state.slots.get(l.slot as usize).is_some_and(|v| v.is(ERROR) && v.no == 0)
            }
            _ => false,
        })
    }

    pub(super) fn last_is_error(&self) -> bool {
        let results = self.frames.last().map(|f| &f.function.results);
        matches!(results.and_then(|r| r.last()), Some(Type::Named(None, name)) if name == "error")
    }

    /// Looks at what a function hands out as its result.
    pub(super) fn ends_normally(
        &mut self,
        stmt: &Stmt,
        values: &[Value],
        given: &[Val],
        state: &State,
    ) {
        let here = state.reach & !state.failed & LOST;
        let because = state.because.unwrap_or_else(|| self.span(stmt.range));
        let any = |role: Role| given.iter().any(|v| v.is(role));
        let flagged = any(FLAG | HOLDS_FLAG) || values.iter().any(|v| self.hands_flag(v, state));
        // Whether the flag was one: as such, or kept in a variable of its own.
        let lost = ILL_FLAG & USABLE & state.reach;
        let tells = |v: &Val| {
            !v.is(FLAG | CURSOR)
                && v.yes & MORE & USABLE != 0
                && v.yes & lost == 0
                && v.no & lost != 0
        };
        let known = any(FLAG_KNOWN) || given.iter().any(tells);
        let says = given.iter().filter(|v| !known && v.says_last() & here != 0);
        let said = says.map(|v| v.read).next().filter(|_| any(CURSOR));
        let loses = |v: &&Val| v.is(HOLDS_CURSOR) && !v.is(KNOWS_FLAG) && v.read.is_some();
        let inside = given.iter().filter(|v| v.is(OWN)).find(loses);
        let by_page = state.by_page() & here;
        let Some(frame) = self.frame() else { return };
        if let Some(read) = said.map(|r| r.unwrap_or(because)).or(inside.and_then(|v| v.read)) {
            frame.events.push(Event::Says { at: read });
        }
        let head = frame.nest.iter().rev().find_map(|n| n.walk_start());
        match head {
            Some(head) if by_page != 0 && !flagged => {
                frame.events.push(Event::Leaves { head, because, states: by_page, returns: true });
            }
            None if by_page != 0 && !flagged => {
                let flag = by_page & ILL_FLAG != 0;
                let at = frame.reads.first().copied().filter(|_| flag).unwrap_or(because);
                frame.events.push(Event::Passes { at });
            }
            _ => {}
        }
        let resumes = state.reach & !RUNNING != 0 && any(CURSOR | HOLDS_CURSOR);
        if let Some(walk) = frame.walk() {
            walk.told |= flagged;
            walk.resumes |= resumes;
        }
    }

    /// Whether an argument or field of what is handed out is a flag.
    pub(super) fn hands_flag(&mut self, value: &Value, state: &State) -> bool {
        let mut found = false;
        each_part(value, &mut |v| match &v.kind {
            ValueKind::Local(l) if l.up == 0 => {
                found |= state.slots.get(l.slot as usize).is_some_and(|v| v.is(FLAG));
            }
            ValueKind::Object(entries) | ValueKind::Struct(_, entries) => {
                found |= entries.iter().any(|e| {
                    matches!(&e.key, EntryKey::Known(name) if self.scan.name_role(name) == FLAG)
                });
            }
            _ => {}
        });
        found
    }
}

fn is_null(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Null => true,
        ValueKind::Assert(inner, _) => matches!(inner.kind, ValueKind::Null),
        _ => false,
    }
}
