//! Calls, assignments and returns: how what is known of a page gets from one place to another.
//!
//! Must not know which findings come of it.

use super::eval::builtin_value;
use super::run::{set, Event, Made, Runner, LOST};
use super::worlds::*;
use crate::infer::resolve::Item;
use crate::infer::value::FunctionId;
use crate::ir::{Arg, Builtin, EntryKey, Stmt, Type, Value, ValueKind};
use crate::pack::folded;

/// Most calls inside one another that are followed.
const MAX_DEPTH: usize = 6;
/// Most functions that one call may mean.
const MAX_TARGETS: usize = 4;

impl Runner<'_, '_> {
    /// What a call gives.
    pub(super) fn call(
        &mut self,
        whole: &Value,
        callee: &Value,
        args: &[Arg],
        builtin: Option<Builtin>,
        state: &State,
    ) -> Val {
        let given: Vec<Val> = args.iter().map(|a| self.eval(&a.value, state)).collect();
        if self.scan.makes_error(self.module(), whole, true) {
            return Val::new(MADE_ERROR, ALL, 0);
        }
        let targets = self.targets(callee, state);
        if let (Some(builtin), true) = (builtin, targets.is_empty()) {
            return match receiver(callee).filter(|_| args.is_empty()) {
                Some(base) => builtin_value(builtin, &[self.eval(base, state)]),
                None => builtin_value(builtin, &given),
            };
        }
        if let ValueKind::Member(base, ..) = &callee.kind {
            self.eval(base, state);
        }
        let about = given.iter().fold(0, |r, v| r | v.role) & FOLLOWED;
        let followed: Vec<FunctionId> = targets
            .into_iter()
            .take(MAX_TARGETS)
            .filter(|id| about != 0 || self.scan.reads(*id))
            .collect();
        let mut result: Option<Val> = None;
        for id in followed {
            let one = self.follow(id, &given, state.reach);
            result = Some(match result {
                Some(other) => other.join(ALL, &one, ALL),
                None => one,
            });
        }
        match result {
            // Where following tells nothing, the names that it was given may.
            Some(result) if result.parts.is_some() || result.is(PAGING) => result,
            Some(result) => {
                let read = self.named_read(callee, args, &given, state);
                if read.is(PAGING) {
                    read
                } else {
                    result
                }
            }
            None => self.named_read(callee, args, &given, state),
        }
    }

    /// What a call of an unknown function gives that is told which field to read.
    fn named_read(&mut self, callee: &Value, args: &[Arg], given: &[Val], state: &State) -> Val {
        let name = match &callee.kind {
            ValueKind::Member(_, name, _) | ValueKind::Global(name) => folded(name),
            _ => return Val::unknown(),
        };
        let asks = name.split('_').any(|w| matches!(w, "flag" | "flags" | "changed" | "lookup"));
        let of_flags = receiver(callee).is_some_and(|base| self.is_request(base));
        let of_request = args.iter().any(|a| self.is_request(&a.value));
        if asks || of_flags || of_request || state.reach == 0 {
            return Val::unknown();
        }
        let keys = given.iter().fold(0, |r, v| r | v.role);
        match (keys & FLAG_KEY != 0, keys & CURSOR_KEY != 0) {
            (true, false) => {
                if let Some(frame) = self.frame() {
                    frame.touched = true;
                    frame.flag_seen = true;
                }
                Val::new(FLAG, MORE, LAST)
            }
            (false, true) => Val::new(CURSOR, USABLE, !USABLE),
            _ => Val::unknown(),
        }
    }

    /// The functions that a call may run.
    fn targets(&mut self, callee: &Value, state: &State) -> Vec<FunctionId> {
        let module = self.module();
        let scan = self.scan;
        match &callee.kind {
            ValueKind::Global(name) => match scan.index.lookup(module, None, name) {
                Some(Item::Function(id)) => vec![id],
                _ => Vec::new(),
            },
            ValueKind::Local(_) | ValueKind::Closure(_) => {
                self.eval(callee, state).function.into_iter().collect()
            }
            ValueKind::Member(base, name, _) => {
                if let Some(Item::Function(id)) = scan.of_unit(module, base, name) {
                    return vec![id];
                }
                if let Some(known) = scan.in_fields.get(name) {
                    return known.clone();
                }
                let external = matches!(&base.kind, ValueKind::Global(base)
                    if matches!(scan.index.lookup(module, None, base), Some(Item::External(..))));
                match external {
                    true => Vec::new(),
                    false => scan.index.only_method(name).into_iter().collect(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Runs a function with what a call gives it.
    fn follow(&mut self, id: FunctionId, given: &[Val], reach: Worlds) -> Val {
        let function = self.scan.function(id);
        let several = |parts: Vec<Val>| match <[Val; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => Val::several(parts),
        };
        if self.frames.iter().any(|f| f.id == id) {
            let nothing = |ty: &Type| match ty {
                Type::Named(None, name) if name == "error" => Val::constant(false),
                _ => Val::nothing(),
            };
            return several(function.results.iter().map(nothing).collect());
        }
        if self.frames.len() > MAX_DEPTH || self.fuel == 0 {
            return several(vec![Val::unknown(); function.results.len()]);
        }
        let key = (id, given.to_vec(), reach);
        if let Some((known, flag)) = self.memo.get(&key).cloned() {
            if let Some(frame) = self.frame() {
                frame.flag_seen |= flag;
            }
            return known;
        }
        let frame = self.run(id, Some(given.to_vec()), reach);
        let flag = frame.flag_seen;
        self.inside.extend(frame.made.into_iter().map(|made| (id, made)));
        let result = match frame.results {
            Some((mut parts, _)) => {
                // Who hands a flag out beside its cursor answers for how it was read.
                if parts.iter().any(|v| v.is(CURSOR)) {
                    let flags = parts.iter_mut().filter(|v| v.is(FLAG));
                    flags.for_each(|v| v.no &= !ILL_FLAG);
                }
                several(parts)
            }
            None => several(vec![Val::unknown(); function.results.len()]),
        };
        if let Some(frame) = self.frame() {
            frame.flag_seen |= flag;
        }
        self.memo.insert(key, (result.clone(), flag));
        result
    }

    /// A value that may be an error made here.
    pub(super) fn made_or(&mut self, value: &Value, state: &State) -> Val {
        let module = self.module();
        let made = self.scan.makes_error(module, value, true) || self.inner_error(module, value);
        match made {
            true => self.made_error(value, state),
            false => self.eval(value, state),
        }
    }

    /// An error made here: if a contradiction alone leads here, it is taken down.
    fn made_error(&mut self, value: &Value, state: &State) -> Val {
        let module = self.module();
        let result = match self.scan.makes_error(module, value, true) {
            true => Val::new(MADE_ERROR, ALL, 0),
            false => self.eval(value, state),
        };
        // Who hands on the error of the reader adds nothing of its own.
        let mut wraps = false;
        super::scan::each_value(value, &mut |v| {
            if let ValueKind::Local(l) = &v.kind {
                let local = state.slots.get(l.slot as usize).filter(|_| l.up == 0);
                wraps |= local.is_some_and(|v| v.is(ERROR | MADE_ERROR));
            }
        });
        let states = state.by_page() & RUNNING;
        let ill = states != 0 && states & !ILL_CURSOR == 0;
        let contradicts = (states & CONTRADICTION != 0 || ill) && states & SOUND == 0;
        if contradicts && !wraps {
            let typed = self.scan.says_type(module, value);
            let at = self.span(value.range);
            if let Some(frame) = self.frame() {
                frame.made.push(Made { at, because: state.because, typed });
            }
        }
        Val { role: result.role | MADE_ERROR, ..result }
    }

    /// Whether an argument of a call is an error that is made in place.
    fn inner_error(&self, module: u32, value: &Value) -> bool {
        let ValueKind::Call { args, .. } = &value.kind else { return false };
        args.iter().any(|a| self.scan.makes_error(module, &a.value, false))
    }

    /// Writes to places.
    pub(super) fn assign(
        &mut self,
        stmt: &Stmt,
        targets: &[Value],
        value: &Value,
        changes: bool,
        state: &mut State,
    ) {
        let result = self.made_or(value, state);
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
            self.tells(target, &part, constant, state);
            match &target.kind {
                // A variable that begins as null is often filled through its address.
                ValueKind::Local(l) if l.up == 0 && is_null(value) => {
                    set(state, l.slot, Val::unknown());
                }
                ValueKind::Local(l) if l.up == 0 => set(state, l.slot, part),
                ValueKind::Member(_, name, _) => self.says_exhausted(name, &part, state),
                ValueKind::Index(_, key) => {
                    if let ValueKind::Str(name) = &key.kind {
                        self.says_exhausted(name, &part, state);
                    }
                }
                _ => {}
            }
        }
    }

    /// A variable whose name says what a call gave it.
    fn by_name(&mut self, target: &Value, value: &Value, part: &Val) -> Option<Val> {
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

    /// A loop that keeps a cursor for its next round walks over pages.
    fn carries(&mut self, target: &Value, part: &Val) {
        if !part.is(CURSOR) {
            return;
        }
        let slot = match &target.kind {
            ValueKind::Local(l) if l.up == 0 => l.slot,
            ValueKind::Index(base, _) | ValueKind::Member(base, ..) => match &base.kind {
                ValueKind::Local(l) if l.up == 0 && self.is_request(base) => l.slot,
                _ => return,
            },
            _ => return,
        };
        let Some(frame) = self.frames.last() else { return };
        let Some(start) = frame.innermost().filter(|start| frame.is_outside(slot, *start)) else {
            return;
        };
        let id = frame.id;
        self.walks.insert((id, start));
    }

    /// Takes down what a walk keeps of whether more remains.
    fn tells(&mut self, target: &Value, part: &Val, constant: bool, state: &State) {
        let flag = part.is(FLAG) && part.yes & STUCK & RUNNING != 0;
        // A mark that is only set where the page is not known to be the last.
        let mark = constant && state.reach & LAST & RUNNING == 0;
        let Some(walk) = self.frame().and_then(|f| f.walk()) else { return };
        match &target.kind {
            ValueKind::Local(l) if l.up == 0 && part.is(CURSOR) => {
                walk.cursors.insert(l.slot);
            }
            ValueKind::Local(l) if l.up == 0 && (flag || mark) => {
                walk.tellers.insert(l.slot);
            }
            ValueKind::Member(..) => walk.told |= flag || mark,
            ValueKind::Index(_, key) => {
                walk.told |= (flag || mark) && matches!(key.kind, ValueKind::Str(_));
            }
            _ => {}
        }
    }

    /// Whether a variable's name says that it goes on from a page.
    fn is_called_cursor(&self, target: &Value) -> bool {
        let ValueKind::Local(local) = &target.kind else { return false };
        let names = self.frames.last().filter(|_| local.up == 0).map(|f| &f.function.slot_names);
        names.and_then(|n| n.get(local.slot as usize)).is_some_and(|name| {
            folded(name).split('_').any(|w| matches!(w, "next" | "cursor" | "token"))
        })
    }

    /// Takes down that a call's flag is left out while its cursor is taken.
    fn discards(&mut self, stmt: &Stmt, targets: &[Value], result: &Val, state: &State) {
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
        if let ([only], true) = (given.as_slice(), values.len() == 1) {
            if let Some(parts) = only.parts.clone() {
                given = parts.to_vec();
            }
        }
        let failed = given.iter().any(|v| v.is(MADE_ERROR) || v.is(ERROR) && v.no == 0)
            || given.last().is_some_and(|v| v.no == 0 && self.last_is_error());
        if !failed {
            self.ends_normally(stmt, values, &given, state);
        }
        let errors = self.last_is_error();
        let Some(frame) = self.frame() else { return };
        if !failed {
            frame.ends.push((stmt.range.start, state.reach & !state.failed));
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

    fn last_is_error(&self) -> bool {
        let results = self.frames.last().map(|f| &f.function.results);
        matches!(results.and_then(|r| r.last()), Some(Type::Named(None, name)) if name == "error")
    }

    /// Looks at what a function hands out as its result.
    fn ends_normally(&mut self, stmt: &Stmt, values: &[Value], given: &[Val], state: &State) {
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
        let inside = given.iter().find(|v| v.is(OWN) && v.is(HOLDS_CURSOR) && v.read.is_some());
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
    fn hands_flag(&mut self, value: &Value, state: &State) -> bool {
        let mut found = false;
        super::scan::each_value(value, &mut |v| match &v.kind {
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

/// What a method is called on.
fn receiver(callee: &Value) -> Option<&Value> {
    match &callee.kind {
        ValueKind::Member(base, ..) => Some(base),
        _ => None,
    }
}
