//! Calls and the errors that they make: what is known of a page in callees, and what comes back.
//!
//! Must not know which findings come of it.

use super::eval::{asserted, builtin_value, there};
use super::fields::answered_for;
use super::frame::Made;
use super::run::Runner;
use super::worlds::*;
use crate::infer::resolve::Item;
use crate::infer::value::FunctionId;
use crate::ir::walk::each_part;
use crate::ir::{Arg, Builtin, Name, Type, Value, ValueKind};
use crate::pack::folded;
use crate::text::Span;

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
        self.makes_state(callee, &given, self.span(whole.range), state);
        let targets = self.targets(callee, state);
        if targets.iter().any(|id| self.scan.last_pages.contains(id)) {
            if let Some(field) = self.scan.pack.meta.exhausted.first() {
                self.says_exhausted(&Name::new(field), &Val::constant(true), state);
            }
        }
        if let (Some(builtin), true) = (builtin, targets.is_empty()) {
            return match receiver(callee).filter(|_| args.is_empty()) {
                Some(base) => builtin_value(builtin, &[self.eval(base, state)]),
                None => builtin_value(builtin, &given),
            };
        }
        if let ValueKind::Member(base, ..) = &callee.kind {
            self.eval(base, state);
        }
        let holds = given.iter().any(|v| v.fields.is_some());
        let about = if holds { PAGING } else { given.iter().fold(0, |r, v| r | v.role) & FOLLOWED };
        let followed: Vec<FunctionId> = targets
            .into_iter()
            .take(MAX_TARGETS)
            .filter(|id| about != 0 || self.scan.reads(*id))
            .collect();
        let mut result: Option<Val> = None;
        for id in followed {
            let one = self.follow(id, &given, state.reach);
            let one = self.looked_up(id, callee, args, &given, one);
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

    /// A call that is named after the state of a page, `NewPagination` and the like, is given its
    /// two halves in their order: whether the pages are exhausted, and the token. It refuses a
    /// pair that does not fit, so only what both halves agree in gets through.
    fn makes_state(&mut self, callee: &Value, given: &[Val], at: Span, state: &State) {
        let (ValueKind::Member(_, name, _) | ValueKind::Global(name), [exhausted, token]) =
            (&callee.kind, given)
        else {
            return;
        };
        let meta = &self.scan.pack.meta;
        let (Some(made), Some(field)) = (name.strip_prefix("New"), meta.exhausted.first()) else {
            return;
        };
        if meta.state.iter().any(|s| s == made) {
            let agrees = if token.is(PAGING) { token.no & !token.yes } else { ALL };
            let half = Val { yes: exhausted.yes & agrees, ..exhausted.clone() };
            let here = State { because: Some(at), ..state.clone() };
            self.says_exhausted(&Name::new(field), &half, &here);
        }
    }

    /// What a look-up of a field gives with its success, where following it told nothing.
    fn looked_up(
        &mut self,
        id: FunctionId,
        callee: &Value,
        args: &[Arg],
        given: &[Val],
        found: Val,
    ) -> Val {
        let [ty @ Type::Named(None, what), Type::Named(None, ok)] =
            self.scan.function(id).results.as_slice()
        else {
            return found;
        };
        let told = found.parts.as_ref().is_some_and(|parts| parts.iter().any(|v| v.is(PAGING)));
        if ok != "bool" || told || self.asks_elsewhere(callee, args) {
            return found;
        }
        let key = Val::new(given.iter().fold(0, |r, v| r | v.role), ALL, ALL);
        let raw = self.field(&key);
        match (what.as_str(), asserted(&raw, ty)) {
            ("any", _) if raw.is(PAGING) => Val::several(vec![raw.clone(), there(&raw)]),
            ("string" | "bool", Some((value, known))) => Val::several(vec![value, known]),
            _ => found,
        }
    }

    /// Whether a call is by its names about something else than a response.
    fn asks_elsewhere(&self, callee: &Value, args: &[Arg]) -> bool {
        let name = match &callee.kind {
            ValueKind::Member(_, name, _) | ValueKind::Global(name) => folded(name),
            _ => return true,
        };
        name.split('_').any(|w| matches!(w, "flag" | "flags" | "changed" | "lookup"))
            || receiver(callee).is_some_and(|base| self.is_request(base))
            || args.iter().any(|a| self.is_request(&a.value))
    }

    /// What a call of an unknown function gives that is told which field to read.
    pub(super) fn named_read(
        &mut self,
        callee: &Value,
        args: &[Arg],
        given: &[Val],
        state: &State,
    ) -> Val {
        if state.reach == 0 || self.asks_elsewhere(callee, args) {
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
    pub(super) fn targets(&mut self, callee: &Value, state: &State) -> Vec<FunctionId> {
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
    pub(super) fn follow(&mut self, id: FunctionId, given: &[Val], reach: Worlds) -> Val {
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
        // Who reads no paging field, and hands out nothing about one, tells nothing of the page.
        let silent = !frame.touched && !flag;
        let tells = |v: &Val| v.is(PAGING | HOLDS_FLAG | HOLDS_CURSOR) || v.function.is_some();
        let result = match frame.results {
            Some((parts, _)) if silent && !parts.iter().any(tells) => {
                several(vec![Val::unknown(); parts.len()])
            }
            Some((mut parts, _)) => {
                // Who hands a flag out beside its cursor answers for how it was read.
                if parts.iter().any(|v| v.is(CURSOR)) {
                    let flags = parts.iter_mut().filter(|v| v.is(FLAG));
                    flags.for_each(|v| v.no &= !ILL_FLAG);
                }
                parts.iter_mut().for_each(answered_for);
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
    pub(super) fn made_error(&mut self, value: &Value, state: &State) -> Val {
        let module = self.module();
        let result = match self.scan.makes_error(module, value, true) {
            true => Val::new(MADE_ERROR, ALL, 0),
            false => self.eval(value, state),
        };
        // Who hands on the error of the reader adds nothing of its own.
        let mut wraps = false;
        each_part(value, &mut |v| {
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
                frame.made.push(Made { at, because: state.because, typed, kept: None });
            }
        }
        Val { role: result.role | MADE_ERROR, ..result }
    }

    /// Whether a call gives an error that is made in place to a function that its caller brought:
    /// an iterator's way to report it.
    pub(super) fn hands_error_over(&self, value: &Value) -> bool {
        let ValueKind::Call { callee, .. } = &value.kind else { return false };
        let ValueKind::Local(local) = &callee.kind else { return false };
        let params = self.frames.last().map_or(&[][..], |f| &f.function.params);
        let given = local.up > 0 || params.iter().any(|p| p.slot == local.slot);
        given && self.inner_error(self.module(), value)
    }

    /// Whether an argument of a call is an error that is made in place.
    pub(super) fn inner_error(&self, module: u32, value: &Value) -> bool {
        let ValueKind::Call { args, .. } = &value.kind else { return false };
        args.iter().any(|a| {
            let by_name = matches!(a.value.kind, ValueKind::Call { .. });
            self.scan.makes_error(module, &a.value, by_name)
        })
    }
}

/// What a method is called on.
fn receiver(callee: &Value) -> Option<&Value> {
    match &callee.kind {
        ValueKind::Member(base, ..) => Some(base),
        _ => None,
    }
}
