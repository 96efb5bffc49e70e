//! What an expression says of the paging fields, in each state of the page.
//!
//! Must not know what a statement does with it.

use std::rc::Rc;

use super::frame::Event;
use super::run::{Runner, LOST};
use super::worlds::*;
use crate::ir::{BinaryOp, Builtin, Entry, EntryKey, Name, Type, UnaryOp, Value, ValueKind};
use crate::pack::folded;

/// Words of a name that say that the object is what a caller asks with.
const REQUEST_WORDS: &[&str] = &[
    "arg", "args", "param", "params", "request", "req", "input", "flag", "flags", "opt", "opts",
    "options", "query",
];

impl Runner<'_, '_> {
    /// What a value says.
    pub(super) fn eval(&mut self, value: &Value, state: &State) -> Val {
        match &value.kind {
            ValueKind::Null => Val::constant(false),
            ValueKind::Bool(truth) => Val::constant(*truth),
            ValueKind::Str(text) => self.text(text),
            ValueKind::Local(local) if local.up == 0 => {
                if let Some(captured) = self.captured(local.slot) {
                    return captured;
                }
                state.slots.get(local.slot as usize).cloned().unwrap_or_else(Val::unknown)
            }
            ValueKind::Global(name) => self.global(name),
            ValueKind::Closure(index) => {
                let module = self.module();
                let id = crate::infer::value::FunctionId { module, index: *index };
                Val { function: Some(id), ..Val::constant(true) }
            }
            ValueKind::Member(base, name, _) => self.member(base, name, state),
            ValueKind::Index(base, index) => self.index(base, index, state),
            ValueKind::Assert(inner, ty) => self.assertion(inner, ty, state),
            ValueKind::CommaOk(inner) => self.comma_ok(value, inner, state),
            ValueKind::Unary(UnaryOp::Not, inner) => self.eval(inner, state).not(),
            ValueKind::Binary(op, a, b) => self.binary(*op, a, b, state),
            ValueKind::Call { callee, args, builtin } => {
                self.call(value, callee, args, *builtin, state)
            }
            ValueKind::Builtin(builtin, operands) => {
                let values: Vec<Val> = operands.iter().map(|v| self.eval(v, state)).collect();
                builtin_value(*builtin, &values)
            }
            ValueKind::Object(entries) => self.object(entries, state),
            ValueKind::Struct(_, entries) => self.object(entries, state),
            ValueKind::New(_, args) => {
                args.iter().for_each(|a| drop(self.eval(&a.value, state)));
                Val::new(OWN, ALL, 0)
            }
            ValueKind::List(parts) | ValueKind::Format(parts) | ValueKind::Opaque(parts) => {
                let keys = parts.iter().fold(0, |r, p| r | self.eval(p, state).role);
                Val::new(keys & (FLAG_KEY | CURSOR_KEY), ALL, ALL)
            }
            ValueKind::Spread(inner) | ValueKind::Await(inner) => self.eval(inner, state),
            ValueKind::Assign(_, inner) => self.eval(inner, state),
            ValueKind::Unary(UnaryOp::Neg, inner) => {
                self.eval(inner, state);
                Val::unknown()
            }
            ValueKind::Ternary(condition, a, b) => {
                self.eval(condition, state);
                let (a, b) = (self.eval(a, state), self.eval(b, state));
                a.join(ALL, &b, ALL)
            }
            ValueKind::Local(_) | ValueKind::This | ValueKind::Int(_) | ValueKind::Float(_) => {
                Val::unknown()
            }
        }
    }

    fn text(&self, text: &Name) -> Val {
        Val { role: self.scan.key_role(text), ..Val::constant(!text.is_empty()) }
    }

    /// A constant that names a field, or nothing known.
    fn global(&self, name: &Name) -> Val {
        use crate::infer::resolve::Item;
        let module = self.module();
        match self.scan.index.lookup(module, None, name) {
            Some(Item::Global(m, i)) => match &self.scan.index.global(m, i).value {
                Some(Value { kind: ValueKind::Str(text), .. }) => self.text(text),
                _ => Val::unknown(),
            },
            Some(Item::Function(id)) => Val { function: Some(id), ..Val::constant(true) },
            _ => Val::unknown(),
        }
    }

    fn member(&mut self, base: &Value, name: &Name, state: &State) -> Val {
        let base_value = self.eval(base, state);
        let place = self.frames.last().and_then(|f| f.field(base, name));
        let kept = match place {
            Some(at) => state.slots.get(at as usize),
            None => base_value.field(name),
        };
        if let Some(kept) = kept.filter(|v| v.is(PAGING)) {
            return kept.clone();
        }
        match self.scan.member_role(self.module(), name) {
            // Who reads a field of a declared type has its type checked already.
            FLAG => {
                self.saw_flag();
                Val::new(FLAG, MORE, LAST)
            }
            CURSOR if !base_value.is(OWN) || !self.is_request(base) => {
                Val::new(CURSOR, USABLE, EMPTY)
            }
            CURSOR => Val::unknown(),
            _ => Val::new(self.scan.setting_role(name), ALL, ALL),
        }
    }

    /// Whether an object is by its name what a caller asks with.
    pub(super) fn is_request(&self, base: &Value) -> bool {
        let name = match &base.kind {
            ValueKind::Member(_, name, _) | ValueKind::Global(name) => Some(name),
            ValueKind::Local(local) if local.up == 0 => {
                self.frames.last().and_then(|f| f.function.slot_names.get(local.slot as usize))
            }
            _ => None,
        };
        name.is_some_and(|name| folded(name).split('_').any(|w| REQUEST_WORDS.contains(&w)))
    }

    /// What a variable holds that a closure writes: what it is given there, or what its name says.
    fn captured(&mut self, slot: u16) -> Option<Val> {
        let frame = self.frames.last()?;
        let id = frame.id;
        if !self.scan.captured.contains(&(id, slot)) {
            return None;
        }
        let name = frame.function.slot_names.get(slot as usize)?;
        if let Some(written) = self.written(id, slot) {
            if written.is(FLAG) {
                self.saw_flag();
            }
            return Some(written);
        }
        Some(match self.scan.name_role(name) {
            FLAG => {
                self.saw_flag();
                Val::new(FLAG, MORE, LAST)
            }
            CURSOR => Val::new(CURSOR, USABLE, EMPTY),
            _ => Val::unknown(),
        })
    }

    pub(super) fn saw_flag(&mut self) {
        if let Some(frame) = self.frame() {
            frame.flag_seen = true;
        }
    }

    /// A field of a decoded object, as it came.
    fn index(&mut self, base: &Value, index: &Value, state: &State) -> Val {
        let object = self.eval(base, state);
        let key = self.eval(index, state);
        if object.is(OWN) || self.is_request(base) {
            return Val::unknown();
        }
        self.field(&key)
    }

    /// The field that a key names.
    pub(super) fn field(&mut self, key: &Val) -> Val {
        if let (Some(frame), true) = (self.frame(), key.is(FLAG_KEY | CURSOR_KEY)) {
            frame.touched = true;
        }
        match (key.is(FLAG_KEY), key.is(CURSOR_KEY)) {
            (true, false) => {
                self.saw_flag();
                Val::new(RAW_FLAG, !NO_FLAG, NO_FLAG)
            }
            (false, true) => Val::new(RAW_CURSOR, !NO_CURSOR, NO_CURSOR),
            _ => Val::unknown(),
        }
    }

    fn assertion(&mut self, inner: &Value, ty: &Type, state: &State) -> Val {
        let value = self.eval(inner, state);
        match asserted(&value, ty) {
            Some((value, _)) => value,
            None => value,
        }
    }

    /// A look-up or assertion with its success.
    fn comma_ok(&mut self, whole: &Value, inner: &Value, state: &State) -> Val {
        if let ValueKind::Assert(raw, ty) = &inner.kind {
            let value = self.eval(raw, state);
            let Some((mut value, known)) = asserted(&value, ty) else {
                return Val::several(vec![Val::unknown(), Val::unknown()]);
            };
            if value.is(FLAG) {
                let at = self.span(whole.range);
                value.read = Some(at);
                if let Some(frame) = self.frame() {
                    frame.reads.push(at);
                }
            }
            return Val::several(vec![value, known]);
        }
        let value = self.eval(inner, state);
        Val::several(vec![value.clone(), there(&value)])
    }

    fn binary(&mut self, op: BinaryOp, a: &Value, b: &Value, state: &State) -> Val {
        let left = self.eval(a, state);
        let right = self.eval(b, state);
        let role = (left.role | right.role) & (PAGING | ERROR);
        let read = left.read.or(right.read);
        match op {
            BinaryOp::And => {
                Val { read, ..Val::new(role, left.yes & right.yes, left.no | right.no) }
            }
            BinaryOp::Or => {
                Val { read, ..Val::new(role, left.yes | right.yes, left.no & right.no) }
            }
            BinaryOp::Eq => compared(&left, a, &right, b).not(),
            BinaryOp::Ne => compared(&left, a, &right, b),
            // A size that is more than nothing.
            BinaryOp::Gt if matches!(b.kind, ValueKind::Int(0)) => Val { parts: None, ..left },
            BinaryOp::Coalesce => left.join(left.yes, &right, left.no),
            _ => Val::unknown(),
        }
    }

    /// An object that is made here. What it says of the page must be true.
    fn object(&mut self, entries: &[Entry], state: &State) -> Val {
        let mut flag: Option<Val> = None;
        let mut fields = Vec::new();
        let mut role = OWN;
        for entry in entries {
            let value = self.eval(&entry.value, state);
            let EntryKey::Known(name) = &entry.key else { continue };
            self.says_exhausted(name, &value, state);
            if value.is(FLAG) {
                role |= HOLDS_FLAG;
                flag = Some(value.clone());
            }
            if value.is(CURSOR) {
                role |= HOLDS_CURSOR;
            }
            role |= value.role & (HOLDS_FLAG | HOLDS_CURSOR);
            if value.is(PAGING) {
                fields.push((name.clone(), value));
            }
        }
        let fields = (!fields.is_empty()).then(|| Rc::new(fields));
        let read = flag.filter(|f| f.says_last() & state.reach & !state.failed & LOST != 0);
        Val { read: read.and_then(|f| f.read), fields, ..Val::new(role, ALL, 0) }
    }

    /// Looks at a write of the field that says whether the pages are exhausted.
    pub(super) fn says_exhausted(&mut self, name: &Name, value: &Val, state: &State) {
        if !self.scan.pack.meta.exhausted.iter().any(|e| e == name) {
            return;
        }
        let states = match value.is(PAGING) {
            true => state.reach,
            false => state.by_page(),
        };
        let wrong = states & value.yes & !value.no & !state.failed & LOST;
        let because = state.because;
        let Some(frame) = self.frame() else { return };
        frame.maps = true;
        let read = value.read.or(frame.reads.first().copied());
        if let (true, Some(at)) = (wrong != 0, read.filter(|_| wrong & ILL_FLAG != 0).or(because)) {
            frame.events.push(Event::Says { at });
        }
    }
}

/// Whether a raw field is there.
pub(super) fn there(value: &Val) -> Val {
    match (value.is(RAW_FLAG), value.is(RAW_CURSOR)) {
        (true, _) => Val::new(FLAG_KNOWN, !NO_FLAG, NO_FLAG),
        (_, true) => Val::new(CURSOR_KNOWN, !NO_CURSOR, NO_CURSOR),
        _ => Val::unknown(),
    }
}

/// A raw field as a value of a type, and whether it is one.
pub(super) fn asserted(value: &Val, ty: &Type) -> Option<(Val, Val)> {
    let is = |name: &str| matches!(ty, Type::Named(None, n) if n == name);
    if value.is(RAW_FLAG) && is("bool") {
        let known = MORE | LAST;
        return Some((Val::new(FLAG, MORE, !MORE), Val::new(FLAG_KNOWN, known, !known)));
    }
    if value.is(RAW_CURSOR) && is("string") {
        let known = USABLE | EMPTY;
        return Some((Val::new(CURSOR, USABLE, !USABLE), Val::new(CURSOR_KNOWN, known, !known)));
    }
    // A cursor of another type than text: whether it is right cannot be told.
    value.is(RAW_CURSOR).then(|| (Val::new(CURSOR, USABLE, ALL), Val::unknown()))
}

/// Where two values differ.
fn compared(left: &Val, a: &Value, right: &Val, b: &Value) -> Val {
    let is_nothing = |v: &Value| match &v.kind {
        ValueKind::Null => true,
        ValueKind::Str(text) => text.is_empty(),
        ValueKind::Bool(truth) => !truth,
        ValueKind::Int(n) => *n == 0,
        _ => false,
    };
    let plain = |v: &Val| Val { parts: None, ..v.clone() };
    // What is decoded into a declared type is never null for another reason than absence.
    let there = |v: &Val, other: &Value| match (&other.kind, v.is(FLAG)) {
        (ValueKind::Null, true) => Val::new(v.role, MORE | LAST, NO_FLAG),
        _ => plain(v),
    };
    if is_nothing(b) {
        return there(left, b);
    }
    if is_nothing(a) {
        return there(right, a);
    }
    match (&a.kind, &b.kind) {
        (_, ValueKind::Bool(true)) => plain(left).not(),
        (ValueKind::Bool(true), _) => plain(right).not(),
        // Two truth values, as in `more == (token == "")`.
        _ if [left, right].iter().any(|v| v.is(FLAG | FLAG_KNOWN | CURSOR_KNOWN))
            && left.is(PAGING)
            && right.is(PAGING) =>
        {
            let differ = left.yes & right.no | left.no & right.yes;
            let same = left.yes & right.yes | left.no & right.no;
            Val::new((left.role | right.role) & PAGING, differ, same)
        }
        _ => Val::unknown(),
    }
}

/// What a core operation gives.
pub(super) fn builtin_value(builtin: Builtin, operands: &[Val]) -> Val {
    let first = operands.first().cloned().unwrap_or_else(Val::unknown);
    match builtin {
        Builtin::Size | Builtin::Trim | Builtin::ToText | Builtin::ToBool | Builtin::Slice => {
            let role = first.role & !(FLAG_KEY | CURSOR_KEY);
            match first.is(RAW_CURSOR) {
                true => Val::new(CURSOR, USABLE, ALL),
                false => Val { role, parts: None, ..first },
            }
        }
        Builtin::IsEmpty => first.not(),
        Builtin::Format => match operands {
            [.., only] if operands.len() <= 2 && only.is(RAW_CURSOR | CURSOR) => {
                Val::new(CURSOR, USABLE, ALL)
            }
            _ => Val::unknown(),
        },
        Builtin::Error => Val::new(MADE_ERROR, ALL, 0),
        Builtin::MakeObject => Val::new(OWN, ALL, 0),
        Builtin::MakeList => Val::new(OWN, ALL, ALL),
        Builtin::Get | Builtin::Append | Builtin::AppendAll => Val::unknown(),
        _ => Val::unknown(),
    }
}
