//! A quick look at every function: which read paging fields, which call which, which know the
//! type of error that a contradiction is.
//!
//! Looks at names and texts only; runs nothing.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::worlds::{Role, CURSOR, FLAG};
use crate::infer::resolve::{Index, Item};
use crate::infer::value::FunctionId;
use crate::ir::{
    Block, EntryKey, Function, LoopKind, Name, Pattern, Stmt, StmtKind, Type, Value, ValueKind,
};
use crate::pack::{folded, Pack};

/// Words of a function's name that say that it makes or is an error.
const ERROR_WORDS: &[&str] = &["error", "err", "errorf", "failure", "fail", "invalid", "fault"];
/// First words of a function's name that say that it only asks.
const ASKING_WORDS: &[&str] = &["is", "has", "should", "as", "can", "with"];

/// Most functions that make an error for one another.
const MAX_DEPTH: u8 = 3;

/// What becomes of a function's error in a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It gets the type of a contradiction.
    Typed,
    /// It is handed on, or made into another error.
    Reported,
    /// It goes no further as an error.
    Dropped,
}

/// What the quick look found.
pub(super) struct Scan<'p> {
    /// The program's names.
    pub index: &'p Index<'p>,
    /// The words.
    pub pack: &'p Pack,
    names: RefCell<FxHashMap<Name, Role>>,
    /// Roles of fields whose own name does not tell, by unit.
    wires: FxHashMap<(u32, Name), Role>,
    /// Functions that literals put into fields, by the field.
    pub in_fields: FxHashMap<Name, Vec<FunctionId>>,
    /// Variables that a closure writes.
    pub captured: FxHashSet<(FunctionId, u16)>,
    /// Functions that read a paging field or call one that does, in source order.
    pub readers: Vec<FunctionId>,
    reading: FxHashSet<FunctionId>,
    callers: FxHashMap<Name, Vec<FunctionId>>,
    /// Functions that name the type of a contradiction.
    typed: FxHashSet<FunctionId>,
    /// Sentinel errors and error types that stand for it.
    typed_names: FxHashSet<Name>,
}

impl<'p> Scan<'p> {
    /// Looks at a program; `None` where nothing reads a flag.
    pub fn new(index: &'p Index<'p>, pack: &'p Pack) -> Option<Self> {
        let mut scan = Scan {
            index,
            pack,
            names: RefCell::default(),
            wires: FxHashMap::default(),
            in_fields: FxHashMap::default(),
            captured: FxHashSet::default(),
            readers: Vec::new(),
            reading: FxHashSet::default(),
            callers: FxHashMap::default(),
            typed: FxHashSet::default(),
            typed_names: FxHashSet::default(),
        };
        for m in 0..index.program.modules.len() as u32 {
            scan.field_names(m);
        }
        let mut direct = Vec::new();
        for (m, module) in index.program.modules.iter().enumerate() {
            for i in 0..module.functions.len() {
                let id = FunctionId { module: m as u32, index: i as u32 };
                if scan.look(id) {
                    direct.push(id);
                }
            }
        }
        scan.reading.extend(direct.iter().copied());
        for id in &direct {
            let name = &scan.function(*id).name;
            scan.reading.extend(scan.callers.get(name).into_iter().flatten().copied());
        }
        scan.readers = scan.reading.iter().copied().collect();
        scan.readers.sort_unstable();
        (!direct.is_empty()).then_some(scan)
    }

    /// A function of the program.
    pub fn function(&self, id: FunctionId) -> &'p Function {
        &self.index.module(id.module).functions[id.index as usize]
    }

    /// Whether a function reads a paging field.
    pub fn reads(&self, id: FunctionId) -> bool {
        self.reading.contains(&id)
    }

    /// What a field, key or variable of this name is about: a flag, a cursor, or nothing.
    pub fn name_role(&self, name: &Name) -> Role {
        if name.len() > 24 || name.contains('-') {
            return 0;
        }
        if let Some(known) = self.names.borrow().get(name) {
            return *known;
        }
        let role = match (self.pack.is_raw_more(name), self.pack.is_raw(name)) {
            (true, _) => FLAG,
            (_, true) => CURSOR,
            _ => 0,
        };
        self.names.borrow_mut().insert(name.clone(), role);
        role
    }

    /// What a member of this name is about, as seen from a module.
    pub fn member_role(&self, module: u32, name: &Name) -> Role {
        match self.name_role(name) {
            0 => {
                let key = (self.index.unit_of(module), name.clone());
                self.wires.get(&key).copied().unwrap_or(0)
            }
            role => role,
        }
    }

    /// Functions that name a function.
    pub fn callers(&self, name: &Name) -> &[FunctionId] {
        self.callers.get(name).map_or(&[], Vec::as_slice)
    }

    fn is_typed(&self, id: FunctionId) -> bool {
        self.typed.contains(&id)
    }

    /// What a caller of a function does with its error: where it looks at the error that the
    /// call gave, or by a call around the call.
    pub fn fate(&self, caller: FunctionId, called: &Name) -> Fate {
        let calls = |v: &Value| match &v.kind {
            ValueKind::Call { callee, .. } => match &callee.kind {
                ValueKind::Global(name) | ValueKind::Member(_, name, _) => name == called,
                _ => false,
            },
            _ => false,
        };
        let module = caller.module;
        let mut errors: FxHashSet<u16> = FxHashSet::default();
        let (mut typed, mut reported) = (false, false);
        each_stmt(&self.function(caller).body, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { targets, value, .. } => {
                if let Some(ValueKind::Local(local)) = targets.last().map(|t| &t.kind) {
                    match calls(value) {
                        true => errors.insert(local.slot),
                        false => errors.remove(&local.slot),
                    };
                }
            }
            StmtKind::If { condition, then, otherwise } => {
                let mut asks = false;
                each_value(condition, &mut |v| {
                    asks |= matches!(&v.kind, ValueKind::Local(l) if errors.contains(&l.slot));
                });
                if asks {
                    for block in [then, otherwise] {
                        each_stmt(block, &mut |s| {
                            typed |= self.stmt_says_type(module, s);
                            reported |= self.hands_on(module, s, &errors, true);
                        });
                    }
                }
            }
            StmtKind::Return(values) => {
                for value in values {
                    let mut inside = false;
                    each_value(value, &mut |v| inside |= calls(v));
                    typed |= inside && self.says_type(module, value);
                    reported |= inside;
                }
                reported |= self.hands_on(module, stmt, &errors, false);
            }
            _ => {}
        });
        match (typed, reported) {
            (true, _) => Fate::Typed,
            (_, true) => Fate::Reported,
            _ => Fate::Dropped,
        }
    }

    /// Whether a statement returns one of some errors, or any that it makes.
    fn hands_on(&self, module: u32, stmt: &Stmt, errors: &FxHashSet<u16>, any: bool) -> bool {
        let StmtKind::Return(values) = &stmt.kind else { return false };
        values.iter().any(|value| {
            let mut named = any && self.makes_error(module, value, true);
            each_value(value, &mut |v| {
                named |= matches!(&v.kind, ValueKind::Local(l) if errors.contains(&l.slot));
            });
            named
        })
    }

    fn stmt_says_type(&self, module: u32, stmt: &Stmt) -> bool {
        let mut typed = false;
        each_of_stmt(stmt, &mut |v| {
            typed |=
                matches!(v.kind, ValueKind::Str(_) | ValueKind::Call { .. } | ValueKind::Global(_))
                    && self.says_type(module, v);
        });
        typed
    }

    /// Whether a function's last result is an error.
    pub fn hands_errors_on(&self, id: FunctionId) -> bool {
        let error = Type::Named(None, "error".into());
        self.function(id).results.last() == Some(&error)
    }

    /// Whether a function belongs to the output path itself.
    pub fn is_machinery(&self, id: FunctionId) -> bool {
        let package = self.index.module(id.module).name.as_ref();
        let owner = self.function(id).owner.as_ref();
        package.into_iter().chain(owner).any(|n| self.pack.machinery.iter().any(|m| m == n))
    }

    /// Whether an expression is an error of the right type, by what it says itself.
    pub fn says_type(&self, module: u32, value: &Value) -> bool {
        let mut said = false;
        each_value(value, &mut |v| {
            said |= match &v.kind {
                ValueKind::Str(text) => text.contains(&self.pack.meta.inconsistency),
                ValueKind::Global(name) => {
                    self.typed_names.contains(name) || self.is_typed_item(module, name)
                }
                ValueKind::Struct(Type::Named(_, name), _) => self.typed_names.contains(name),
                ValueKind::Member(base, name, _) => {
                    self.typed_names.contains(name)
                        || self.of_unit(module, base, name).is_some_and(|i| self.item_typed(i))
                }
                _ => false,
            };
        });
        said
    }

    fn is_typed_item(&self, module: u32, name: &Name) -> bool {
        self.index.lookup(module, None, name).is_some_and(|item| self.item_typed(item))
    }

    fn item_typed(&self, item: Item) -> bool {
        match item {
            Item::Function(id) => self.is_typed(id),
            Item::Global(m, i) => self.global_text_is_type(m, i),
            _ => false,
        }
    }

    fn global_text_is_type(&self, m: u32, i: u32) -> bool {
        let Some(value) = &self.index.global(m, i).value else { return false };
        let mut said = false;
        each_value(value, &mut |v| {
            if let ValueKind::Str(text) = &v.kind {
                said |= text.contains(&self.pack.meta.inconsistency);
            }
        });
        said
    }

    /// What `base.name` means where `base` is another package.
    pub fn of_unit(&self, module: u32, base: &Value, name: &str) -> Option<Item> {
        let ValueKind::Global(base) = &base.kind else { return None };
        match self.index.lookup(module, None, base)? {
            Item::Unit(unit) => self.index.in_unit(unit, name),
            _ => None,
        }
    }

    /// Whether a value is an error that is made here, by its form and the names in it.
    pub fn makes_error(&self, module: u32, value: &Value, by_name: bool) -> bool {
        self.makes_error_within(module, value, by_name, 0)
    }

    fn makes_error_within(&self, module: u32, value: &Value, by_name: bool, depth: u8) -> bool {
        use crate::ir::Builtin;
        match &value.kind {
            ValueKind::Builtin(Builtin::Error, _) => true,
            ValueKind::Struct(Type::Named(_, name), _) => {
                let name = name.to_lowercase();
                ["error", "err", "fault", "failure"].iter().any(|w| name.ends_with(w))
                    || name.starts_with("errorinfo")
            }
            ValueKind::Global(name) => {
                by_name
                    && (name.starts_with("err") || name.starts_with("Err"))
                    && !matches!(self.index.lookup(module, None, name), Some(Item::Function(_)))
            }
            ValueKind::Call { callee, args, builtin } => match (&callee.kind, builtin) {
                (_, Some(Builtin::Error)) => true,
                (_, Some(_)) => false,
                (ValueKind::Member(_, name, _), _) if name == "Error" && args.is_empty() => false,
                (ValueKind::Member(base, name, _), _) => {
                    let item = self.of_unit(module, base, name);
                    // A method without arguments tells of an error that is there already.
                    by_name
                        && (item.is_some() || !args.is_empty())
                        && self.names_error(item, name, depth)
                }
                (ValueKind::Global(name), _) => {
                    by_name && self.names_error(self.index.lookup(module, None, name), name, depth)
                }
                _ => false,
            },
            ValueKind::Member(base, name, _) => {
                by_name
                    && name.starts_with("Err")
                    && matches!(self.of_unit(module, base, name), Some(Item::Global(..)))
            }
            _ => false,
        }
    }

    /// Whether a function makes errors, by its result where that is known, else by its name.
    fn names_error(&self, item: Option<Item>, name: &Name, depth: u8) -> bool {
        let plain = |ty: &Type| match ty {
            Type::Named(_, name) => {
                matches!(name.as_str(), "bool" | "string" | "int" | "any" | "int64")
            }
            Type::List(_) | Type::Map(_) => true,
            Type::Unknown | Type::Func(_) => false,
        };
        if let Some(Item::Function(id)) = item {
            let function = self.function(id);
            let [result] = function.results.as_slice() else { return false };
            if plain(result) {
                return false;
            }
            if matches!(result, Type::Named(_, name) if name.len() > 5 && name.ends_with("Error")) {
                return true;
            }
            if *result == Type::Named(None, "error".into()) && self.only_errors(id, depth) {
                return true;
            }
        }
        let name = folded(name);
        let mut words = name.split('_');
        words.clone().next().is_some_and(|first| !ASKING_WORDS.contains(&first))
            && words.any(|w| ERROR_WORDS.contains(&w))
    }

    /// Whether every way out of a function gives an error that it makes.
    fn only_errors(&self, id: FunctionId, depth: u8) -> bool {
        let mut returns = 0;
        let mut all = depth < MAX_DEPTH;
        each_stmt(&self.function(id).body, &mut |stmt| {
            if let StmtKind::Return(values) = &stmt.kind {
                returns += 1;
                all = all
                    && values
                        .last()
                        .is_some_and(|v| self.makes_error_within(id.module, v, true, depth + 1));
            }
        });
        returns > 0 && all
    }

    fn field_names(&mut self, m: u32) {
        let unit = self.index.unit_of(m);
        for decl in &self.index.module(m).types {
            for field in &decl.fields {
                if self.name_role(&field.name) != 0 {
                    continue;
                }
                let role = field.wire.as_ref().map_or(0, |wire| self.name_role(wire));
                let known = self.wires.entry((unit, field.name.clone())).or_insert(role);
                // A name that means something else in another type of the package tells nothing.
                if *known != role {
                    *known = 0;
                }
            }
        }
    }

    /// Takes down the variables of enclosing functions that a closure writes.
    fn writes_outside(&mut self, id: FunctionId) {
        let functions = &self.index.module(id.module).functions;
        if functions[id.index as usize].parent.is_none() {
            return;
        }
        let mut written = Vec::new();
        each_stmt(&functions[id.index as usize].body, &mut |stmt| {
            let StmtKind::Assign { targets, .. } = &stmt.kind else { return };
            for target in targets {
                if let ValueKind::Local(local) = &target.kind {
                    written.push(*local);
                }
            }
        });
        for local in written.into_iter().filter(|l| l.up > 0) {
            let outer = (0..local.up).try_fold(id.index, |at, _| functions[at as usize].parent);
            if let Some(index) = outer {
                self.captured.insert((FunctionId { module: id.module, index }, local.slot));
            }
        }
    }

    /// Takes down what a function names; whether it reads a paging field itself.
    fn look(&mut self, id: FunctionId) -> bool {
        let function = self.function(id);
        let mut reads = function.slot_names.iter().any(|name| self.name_role(name) != 0);
        let mut typed = false;
        self.writes_outside(id);
        let mut called: FxHashSet<Name> = FxHashSet::default();
        let mut sentinels = Vec::new();
        let mut fields = Vec::new();
        each_in_block(&function.body, &mut |v| match &v.kind {
            ValueKind::Str(text) => {
                reads |= self.name_role(text) != 0;
                typed |= text.contains(&self.pack.meta.inconsistency);
            }
            ValueKind::Global(name) => {
                if let Some(Item::Global(m, i)) = self.index.lookup(id.module, None, name) {
                    typed |= self.global_text_is_type(m, i) && self.index.global(m, i).constant;
                    sentinels.push(name.clone());
                } else {
                    called.insert(name.clone());
                }
            }
            ValueKind::Member(base, name, _) => {
                reads |= self.member_role(id.module, name) != 0;
                called.insert(name.clone());
                if let Some(Item::Global(..)) = self.of_unit(id.module, base, name) {
                    sentinels.push(name.clone());
                }
            }
            ValueKind::Struct(_, entries) => {
                for entry in entries {
                    if let (EntryKey::Known(field), ValueKind::Global(name)) =
                        (&entry.key, &entry.value.kind)
                    {
                        fields.push((field.clone(), name.clone()));
                    }
                }
            }
            _ => {}
        });
        for (field, name) in fields {
            if let Some(Item::Function(target)) = self.index.lookup(id.module, None, &name) {
                let known = self.in_fields.entry(field).or_default();
                if known.len() < 8 && !known.contains(&target) {
                    known.push(target);
                }
            }
        }
        for name in called {
            self.callers.entry(name).or_default().push(id);
        }
        if typed {
            self.typed.insert(id);
            self.typed_names.extend(function.owner.clone());
            let sentinel = |name: &Name| name.starts_with("err") || name.starts_with("Err");
            self.typed_names.extend(sentinels.into_iter().filter(sentinel));
        }
        reads
    }
}

/// Visits every statement of a block, blocks inside included.
pub(super) fn each_stmt<'b>(block: &'b Block, visit: &mut dyn FnMut(&'b Stmt)) {
    let mut stack: Vec<&Stmt> = block.iter().rev().collect();
    while let Some(stmt) = stack.pop() {
        visit(stmt);
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                stack.extend(then.iter().chain(otherwise).rev());
            }
            StmtKind::Loop { body, post, .. } => stack.extend(body.iter().chain(post).rev()),
            StmtKind::Switch { arms, .. } => {
                stack.extend(arms.iter().flat_map(|arm| &arm.body).rev());
            }
            StmtKind::Try { body, handler, finally, .. } => {
                stack.extend(body.iter().chain(handler).chain(finally).rev());
            }
            StmtKind::Opaque(_, blocks) => stack.extend(blocks.iter().flatten().rev()),
            StmtKind::Assign { .. }
            | StmtKind::Return(_)
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Eval(_)
            | StmtKind::Defer(_)
            | StmtKind::Throw(_) => {}
        }
    }
}

/// Visits every expression of a block, outer ones first.
pub(super) fn each_in_block<'b>(block: &'b Block, visit: &mut dyn FnMut(&'b Value)) {
    each_stmt(block, &mut |stmt| each_of_stmt(stmt, visit));
}

/// Visits the expressions of a statement, not those of the blocks inside it.
pub(super) fn each_of_stmt<'b>(stmt: &'b Stmt, visit: &mut dyn FnMut(&'b Value)) {
    match &stmt.kind {
        StmtKind::Assign { targets, value, .. } => {
            targets.iter().for_each(|t| each_value(t, visit));
            each_value(value, visit);
        }
        StmtKind::If { condition, .. } => each_value(condition, visit),
        StmtKind::Loop { kind: LoopKind::While(condition), .. } => {
            condition.iter().for_each(|c| each_value(c, visit));
        }
        StmtKind::Loop { kind: LoopKind::Each { over, .. }, .. } => each_value(over, visit),
        StmtKind::Switch { subject, arms } => {
            subject.iter().for_each(|s| each_value(s, visit));
            for arm in arms {
                arm.guard.iter().for_each(|g| each_value(g, visit));
                for pattern in &arm.patterns {
                    if let Pattern::Value(v) = pattern {
                        each_value(v, visit);
                    }
                }
            }
        }
        StmtKind::Return(values) | StmtKind::Opaque(values, _) => {
            values.iter().for_each(|v| each_value(v, visit));
        }
        StmtKind::Eval(v) | StmtKind::Defer(v) | StmtKind::Throw(v) => each_value(v, visit),
        StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Try { .. } => {}
    }
}

/// Visits an expression and all inside it, closures' bodies excepted.
pub(super) fn each_value<'b>(value: &'b Value, visit: &mut dyn FnMut(&'b Value)) {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        visit(value);
        match &value.kind {
            ValueKind::Object(entries) | ValueKind::Struct(_, entries) => {
                for entry in entries {
                    if let EntryKey::Computed(key) = &entry.key {
                        stack.push(key);
                    }
                    stack.push(&entry.value);
                }
            }
            ValueKind::Call { callee, args, .. } => {
                stack.push(callee);
                stack.extend(args.iter().map(|a| &a.value));
            }
            ValueKind::New(_, args) => stack.extend(args.iter().map(|a| &a.value)),
            ValueKind::Builtin(_, parts)
            | ValueKind::Format(parts)
            | ValueKind::List(parts)
            | ValueKind::Opaque(parts) => stack.extend(parts),
            ValueKind::Member(v, ..)
            | ValueKind::Spread(v)
            | ValueKind::Unary(_, v)
            | ValueKind::Await(v)
            | ValueKind::Assert(v, _)
            | ValueKind::CommaOk(v) => stack.push(v),
            ValueKind::Index(a, b) | ValueKind::Binary(_, a, b) | ValueKind::Assign(a, b) => {
                stack.extend([&**a, &**b]);
            }
            ValueKind::Ternary(a, b, c) => stack.extend([&**a, &**b, &**c]),
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Int(_)
            | ValueKind::Float(_)
            | ValueKind::Str(_)
            | ValueKind::Local(_)
            | ValueKind::Global(_)
            | ValueKind::This
            | ValueKind::Closure(_) => {}
        }
    }
}
