//! Which functions are worth running: those that name a word of the pack, shape an object, or
//! call one that does.
//!
//! A quick look at names only; says nothing of what a function does.

use rustc_hash::{FxHashMap, FxHashSet};

use super::effects::{collects, is_small, passes};
use super::resolve::{Index, Item};
use super::telling::{encodes, paging_types};
use super::value::FunctionId;
use super::words::{declares, is_declaration, is_word, pack_call_names, PackCalls};
use crate::ir::{
    Builtin, EntryKey, Function, LoopKind, Name, Pattern, Stmt, StmtKind, Type, Value, ValueKind,
};
use crate::pack::Pack;

/// What the quick look found.
#[derive(Debug, Default, PartialEq)]
pub struct Relevance {
    worth: FxHashSet<FunctionId>,
    /// Functions that are run where a call reaches them, but are no reason to run anything.
    small: FxHashSet<FunctionId>,
    /// Functions short enough to be a check of a value.
    checks: FxHashSet<FunctionId>,
    opaque_modules: FxHashSet<u32>,
    /// Functions that name themselves.
    recursive: FxHashSet<FunctionId>,
    /// Functions that no other function of the workspace names.
    uncalled: Vec<FunctionId>,
    named_only: Vec<FunctionId>,
    /// Those of them that are only handed on as values, never called by name.
    handed_on: FxHashSet<FunctionId>,
    /// Variables of file scope that declare commands: module and index.
    declaring: Vec<(u32, u32)>,
    pack_calls: PackCalls,
    builders: FxHashSet<u32>,
    builder_texts: Vec<(Name, usize, Name)>,
    /// The first module of each of the pack's builders.
    named: Vec<Option<u32>>,
}

/// What a look needs to know of where it looks.
#[derive(Clone, Copy)]
struct Eyes<'a> {
    index: &'a Index<'a>,
    pack: &'a Pack,
    calls: &'a PackCalls,
    types: &'a FxHashSet<Name>,
    module: u32,
}

#[derive(Default)]
struct Look {
    /// Names of functions, as far as they could not be told.
    names: FxHashSet<Name>,
    /// Functions that are named.
    functions: FxHashSet<FunctionId>,
    /// Names that are called.
    called: FxHashSet<Name>,
    closures: Vec<u32>,
    /// Whether it says a word of the pack, or makes a call that sends, asks or declares.
    interesting: bool,
    /// Whether it shapes objects or asks what decides about them: worth running where something
    /// calls it that is worth it.
    shapes: bool,
    declares: bool,
    passes: bool,
    collects: bool,
    statements: u32,
    /// Texts given to methods of the shared builder: method, place, text.
    builder_texts: Vec<(Name, usize, Name)>,
}

/// Most statements of a function that is run only for what it does to its arguments.
const MAX_PASSING: u32 = 12;
/// Most statements of a function that is run only because a window parameter is given to it.
const MAX_CHECKING: u32 = 40;
/// Most statements of a function that is run only for what it collects in a list of its caller's.
const MAX_COLLECTING: u32 = 120;

impl Relevance {
    /// Looks at a program with a pack's eyes.
    pub fn new(index: &Index<'_>, pack: &Pack) -> Self {
        let pack_calls = pack_call_names(pack);
        let mut builders = FxHashSet::default();
        let mut named = vec![None; pack.builders.len()];
        for (m, module) in index.program.modules.iter().enumerate() {
            for (b, builder) in pack.builders.iter().enumerate() {
                if builder.is_file(&module.unit) {
                    builders.insert(m as u32);
                    named[b].get_or_insert(m as u32);
                }
            }
        }
        for (b, builder) in pack.builders.iter().enumerate() {
            // Where the workspace says what goes by the builder's name, that is the builder.
            let Some(unit) = index.unit_named(&builder.name) else { continue };
            for m in index.modules_of(unit) {
                builders.insert(*m);
                named[b] = Some(*m);
            }
        }
        let opaque_modules = index
            .program
            .modules
            .iter()
            .enumerate()
            .filter(|(_, m)| {
                let package = m.name.as_ref().filter(|_| !m.global_name);
                package.is_some_and(|p| {
                    pack.opaque.iter().any(|o| o.strip_suffix(".*") == Some(p.as_str()))
                })
            })
            .map(|(i, _)| i as u32)
            .collect();
        let mut found =
            Relevance { pack_calls, builders, named, opaque_modules, ..Relevance::default() };
        found.look_at(index, pack);
        found
    }

    /// Whether running a function can show anything.
    pub fn worth_running(&self, id: FunctionId) -> bool {
        self.worth.contains(&id)
    }

    /// Whether a call of a function is run: it is worth it, or so short that running it costs
    /// less than not knowing its result; never inside an opaque package.
    pub fn run_on_call(&self, id: FunctionId) -> bool {
        !self.opaque_modules.contains(&id.module)
            && (self.worth.contains(&id) || self.small.contains(&id))
    }

    /// Whether a function is short enough to be looked into where it may check or bound what it
    /// is given.
    pub fn run_as_check(&self, id: FunctionId) -> bool {
        !self.opaque_modules.contains(&id.module) && self.checks.contains(&id)
    }

    /// Whether a function may call itself.
    pub fn is_recursive(&self, id: FunctionId) -> bool {
        self.recursive.contains(&id)
    }

    /// Functions worth running that nothing in the workspace names, in source order.
    pub fn uncalled(&self) -> &[FunctionId] {
        &self.uncalled
    }

    /// Variables of file scope that declare commands.
    pub fn declaring(&self) -> &[(u32, u32)] {
        &self.declaring
    }

    /// The other functions worth running, in source order.
    pub fn named_only(&self) -> &[FunctionId] {
        &self.named_only
    }

    /// Whether a function is only handed on as a value, to whoever may call it.
    pub fn is_handed_on(&self, id: FunctionId) -> bool {
        self.handed_on.contains(&id)
    }

    /// Whether a pack may have something to say of calls by this name.
    pub fn is_pack_call(&self, name: &Name) -> bool {
        self.pack_calls.contains_key(name)
    }

    /// Whether a module is a shared builder.
    pub fn is_builder(&self, module: u32) -> bool {
        self.builders.contains(&module)
    }

    /// Texts that the workspace gives to a method of the shared builder at a place.
    pub fn builder_texts(&self, method: &str, place: usize) -> impl Iterator<Item = &Name> {
        let method = Name::new(method);
        self.builder_texts
            .iter()
            .filter(move |(m, p, _)| *m == method && *p == place)
            .map(|(.., text)| text)
    }

    /// The module of a builder of the pack, by the builder's index.
    pub fn builder_module(&self, builder: usize) -> Option<u32> {
        self.named.get(builder).copied().flatten()
    }

    fn look_at(&mut self, index: &Index<'_>, pack: &Pack) {
        let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
        let mut named_by: FxHashMap<Name, Vec<FunctionId>> = FxHashMap::default();
        let mut named: FxHashSet<Name> = FxHashSet::default();
        let mut called: FxHashSet<Name> = FxHashSet::default();
        let mut makers: FxHashSet<Name> = FxHashSet::default();
        let mut queue = Vec::new();
        let types = &paging_types(index, pack);
        for (m, module) in index.program.modules.iter().enumerate() {
            for (i, function) in module.functions.iter().enumerate() {
                let id = FunctionId { module: m as u32, index: i as u32 };
                let calls = &self.pack_calls;
                let look = look(function, Eyes { index, pack, calls, types, module: m as u32 });
                if look.declares && !function.name.is_empty() {
                    makers.insert(function.name.clone());
                }
                if is_small(&function.body)
                    || look.shapes
                    || look.passes && look.statements <= MAX_PASSING
                    || look.collects && look.statements <= MAX_COLLECTING
                {
                    self.small.insert(id);
                }
                if look.statements <= MAX_CHECKING {
                    self.checks.insert(id);
                }
                if look.functions.contains(&id) || look.names.contains(&function.name) {
                    self.recursive.insert(id);
                }
                self.builder_texts.extend(look.builder_texts.iter().cloned());
                for function in &look.functions {
                    callers.entry(*function).or_default().push(id);
                    named.extend((*function != id).then(|| index.function(*function).name.clone()));
                }
                called.extend(look.called.iter().cloned());
                for name in &look.names {
                    named_by.entry(name.clone()).or_default().push(id);
                    if *name != function.name {
                        named.insert(name.clone());
                    }
                }
                if (look.interesting || self.builders.contains(&id.module)) && self.worth.insert(id)
                {
                    queue.push(id);
                }
            }
        }
        while let Some(id) = queue.pop() {
            let module = index.module(id.module);
            let function = &module.functions[id.index as usize];
            if let Some(parent) = function.parent {
                let parent = FunctionId { module: id.module, index: parent };
                if self.worth.insert(parent) {
                    queue.push(parent);
                }
            }
            if function.name.is_empty() {
                continue;
            }
            let by_name = named_by.get(&function.name).into_iter().flatten();
            let by_name = by_name.filter(|caller| index.may_hold(caller.module, id));
            for caller in callers.get(&id).into_iter().flatten().chain(by_name) {
                if self.worth.insert(*caller) {
                    queue.push(*caller);
                }
            }
        }
        for (m, module) in index.program.modules.iter().enumerate() {
            for (g, global) in module.globals.iter().enumerate() {
                if let Some(value) = &global.value {
                    let mut look = Look::default();
                    let calls = &self.pack_calls;
                    let eyes = Eyes { index, pack, calls, types, module: m as u32 };
                    look_value(value, eyes, &mut look);
                    let called = look.functions.iter().map(|f| &index.function(*f).name);
                    let calls_maker = look.names.iter().chain(called).any(|n| makers.contains(n));
                    if look.declares || (calls_maker && !global.constant) {
                        self.declaring.push((m as u32, g as u32));
                    }
                    named.extend(look.functions.iter().map(|f| index.function(*f).name.clone()));
                    named.extend(look.names);
                }
            }
            for (i, function) in module.functions.iter().enumerate() {
                let id = FunctionId { module: m as u32, index: i as u32 };
                if function.parent.is_some() || !self.worth.contains(&id) {
                    continue;
                }
                if named.contains(&function.name) {
                    self.named_only.push(id);
                    if !called.contains(&function.name) {
                        self.handed_on.insert(id);
                    }
                } else {
                    self.uncalled.push(id);
                }
            }
        }
    }
}

fn look(function: &Function, eyes: Eyes<'_>) -> Look {
    let mut look = Look::default();
    for param in &function.params {
        if let Some(default) = &param.default {
            look_value(default, eyes, &mut look);
        }
    }
    let mut stack: Vec<&Stmt> = function.body.iter().collect();
    while let Some(stmt) = stack.pop() {
        look.statements += 1;
        look.passes |= passes(function, stmt);
        look.collects |= collects(function, stmt);
        let mut value = |v: &Value| look_value(v, eyes, &mut look);
        match &stmt.kind {
            StmtKind::Assign { targets, value: v, .. } => {
                targets.iter().for_each(&mut value);
                value(v);
            }
            StmtKind::If { condition, then, otherwise } => {
                value(condition);
                stack.extend(then.iter().chain(otherwise));
            }
            StmtKind::Loop { kind, body, post } => {
                match kind {
                    LoopKind::While(condition) => condition.iter().for_each(&mut value),
                    LoopKind::Each { over, .. } => value(over),
                }
                stack.extend(body.iter().chain(post));
            }
            StmtKind::Switch { subject, arms } => {
                subject.iter().for_each(&mut value);
                for arm in arms {
                    arm.guard.iter().for_each(&mut value);
                    for pattern in &arm.patterns {
                        if let Pattern::Value(v) = pattern {
                            value(v);
                        }
                    }
                    stack.extend(&arm.body);
                }
            }
            StmtKind::Return(values) => values.iter().for_each(&mut value),
            StmtKind::Eval(v) | StmtKind::Defer(v) | StmtKind::Throw(v) => value(v),
            StmtKind::Try { body, handler, finally, .. } => {
                stack.extend(body.iter().chain(handler).chain(finally));
            }
            StmtKind::Opaque(values, blocks) => {
                values.iter().for_each(&mut value);
                stack.extend(blocks.iter().flatten());
            }
            StmtKind::Break(_) | StmtKind::Continue(_) => {}
        }
    }
    look
}

impl Eyes<'_> {
    /// Notes whether `base.name` may be a call that the pack speaks of.
    fn look_at_call(&self, base: Option<&Value>, name: &Name, look: &mut Look) {
        if let Some(call) = self.calls.get(name).filter(|c| self.is_on(base, &c.packages)) {
            look.interesting |= call.acts;
            look.shapes |= !call.acts;
        }
    }

    /// Whether a call on `base` may be one on a package of the list; an empty one admits all.
    fn is_on(&self, base: Option<&Value>, packages: &[Name]) -> bool {
        if packages.is_empty() {
            return true;
        }
        match base.map(|b| &b.kind) {
            Some(ValueKind::Global(base)) => packages.iter().any(|p| {
                p == base
                    || self.index.import_path(self.module, base).is_some_and(|t| ends_in(t, p))
            }),
            Some(_) => false,
            None => {
                self.index.module(self.module).name.as_ref().is_some_and(|n| packages.contains(n))
            }
        }
    }

    /// Notes that `base.name` is named: the function itself, or its name where that is all that
    /// can be told.
    fn mention(&self, base: Option<&Value>, name: &Name, look: &mut Look) {
        let item = match base.map(|b| &b.kind) {
            None => self.index.lookup(self.module, None, name),
            Some(ValueKind::Global(base)) => match self.index.import(self.module, base) {
                Some(Item::Unit(unit)) => self.index.in_unit(unit, name),
                Some(Item::External(..)) => return,
                _ => None,
            },
            Some(_) => None,
        };
        match item {
            Some(Item::Function(id)) => {
                look.functions.insert(id);
            }
            _ => {
                look.names.insert(name.clone());
            }
        }
    }
}

/// Whether a path's last element is a package's name.
fn ends_in(path: &str, package: &str) -> bool {
    path.rsplit('/').next() == Some(package)
}

fn look_value(value: &Value, eyes: Eyes<'_>, look: &mut Look) {
    let pack = eyes.pack;
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match &value.kind {
            ValueKind::Str(text) => look.interesting |= is_word(text, pack),
            ValueKind::Global(name) => {
                eyes.look_at_call(None, name, look);
                eyes.mention(None, name, look);
            }
            ValueKind::Member(base, name, _) => {
                look.interesting |= is_word(name, pack);
                eyes.look_at_call(Some(base), name, look);
                eyes.mention(Some(base), name, look);
                stack.push(base);
            }
            ValueKind::Object(entries) | ValueKind::Struct(_, entries) => {
                if let ValueKind::Struct(Type::Named(_, name), _) = &value.kind {
                    look.interesting |= eyes.types.contains(name);
                    look.declares |= declares(name, pack);
                    look.interesting |= is_declaration(name, pack);
                }
                for entry in entries {
                    match &entry.key {
                        EntryKey::Known(name) => look.interesting |= is_word(name, pack),
                        EntryKey::Computed(key) => {
                            look.shapes = true;
                            stack.push(key);
                        }
                        EntryKey::Spread | EntryKey::Position(_) => {}
                    }
                    stack.push(&entry.value);
                }
            }
            ValueKind::Call { callee, args, builtin } => {
                if let Some(method) = builder_method(callee, pack) {
                    for (place, arg) in args.iter().enumerate() {
                        if let ValueKind::Str(text) = &arg.value.kind {
                            look.builder_texts.push((method.clone(), place, text.clone()));
                        }
                    }
                }
                look.shapes |= shapes_objects(*builtin);
                look.interesting |= encodes(*builtin, pack);
                if let ValueKind::Global(name) | ValueKind::Member(_, name, _) = &callee.kind {
                    look.called.insert(name.clone());
                }
                stack.push(callee);
                stack.extend(args.iter().map(|a| &a.value));
            }
            ValueKind::Builtin(builtin, operands) => {
                look.shapes |= shapes_objects(Some(*builtin));
                stack.extend(operands);
            }
            ValueKind::New(ty, args) => {
                look.interesting |= matches!(ty, Type::Named(_, name) if eyes.types.contains(name));
                stack.extend(args.iter().map(|a| &a.value));
            }
            ValueKind::Closure(index) => look.closures.push(*index),
            ValueKind::Format(parts) | ValueKind::List(parts) | ValueKind::Opaque(parts) => {
                stack.extend(parts)
            }
            ValueKind::Spread(v)
            | ValueKind::Unary(_, v)
            | ValueKind::Await(v)
            | ValueKind::Assert(v, _)
            | ValueKind::CommaOk(v) => stack.push(v),
            ValueKind::Index(a, b) | ValueKind::Binary(_, a, b) | ValueKind::Assign(a, b) => {
                stack.extend([&**a, &**b])
            }
            ValueKind::Ternary(a, b, c) => stack.extend([&**a, &**b, &**c]),
            ValueKind::Null
            | ValueKind::Bool(_)
            | ValueKind::Int(_)
            | ValueKind::Float(_)
            | ValueKind::Local(_)
            | ValueKind::This => {}
        }
    }
}

/// The method of the shared builder that a call names, by the builder's last name.
fn builder_method<'v>(callee: &'v Value, pack: &Pack) -> Option<&'v Name> {
    let ValueKind::Member(base, method, _) = &callee.kind else { return None };
    let (ValueKind::Member(_, base, _) | ValueKind::Global(base)) = &base.kind else { return None };
    pack.builders.iter().any(|b| b.name.rsplit('.').next() == Some(base.as_str())).then_some(method)
}

fn shapes_objects(builtin: Option<Builtin>) -> bool {
    matches!(builtin, Some(Builtin::Merge | Builtin::Assign | Builtin::Remove | Builtin::Set))
}
