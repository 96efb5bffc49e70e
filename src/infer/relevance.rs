//! Which functions are worth running: those that name a word of the pack, shape an object, or
//! call one that does.
//!
//! A quick look at names only; says nothing of what a function does.

use std::cell::LazyCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::look::ModuleLook;
use super::resolve::Index;
use super::value::FunctionId;
use super::words::PackCalls;
use crate::ir::{Function, Name};
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
    /// Functions with a literal that fills a field which holds what is called, by the field.
    fills: FxHashMap<Name, Vec<FunctionId>>,
    builders: FxHashSet<u32>,
    builder_texts: Vec<(Name, usize, Name)>,
    /// The first module of each of the pack's builders.
    named: Vec<Option<u32>>,
}

/// Most statements of a function that is run only for what it does to its arguments.
pub(super) const MAX_PASSING: u32 = 12;
/// Most statements of a function that is run only because a window parameter is given to it.
pub(super) const MAX_CHECKING: u32 = 40;
/// Most statements of a function that is run only for what it collects in a list of its caller's.
pub(super) const MAX_COLLECTING: u32 = 120;

impl Relevance {
    /// What a look at every module shows of a program, with the eyes of a pack and its calls.
    pub(super) fn new(
        index: &Index<'_>,
        pack: &Pack,
        pack_calls: PackCalls,
        looks: &[Arc<ModuleLook>],
    ) -> Self {
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
        found.look_at(index, looks);
        found
    }

    /// Whether two looks at every module of a program make no difference here.
    pub(super) fn told_alike(
        index: &Index<'_>,
        before: &[Arc<ModuleLook>],
        now: &[Arc<ModuleLook>],
    ) -> bool {
        let functions = LazyCell::new(|| -> FxHashSet<&Name> {
            index.program.modules.iter().flat_map(|m| &m.functions).map(|f| &f.name).collect()
        });
        let is_function = |name: &Name| functions.contains(name);
        let same = |(a, b): (&Arc<ModuleLook>, &Arc<ModuleLook>)| {
            Arc::ptr_eq(a, b) || a.tells_as(b, &is_function)
        };
        before.len() == now.len() && before.iter().zip(now).all(same)
    }

    /// Whether the pack's own things were found in the same places.
    pub fn same_setting(&self, other: &Relevance) -> bool {
        self.opaque_modules == other.opaque_modules
            && self.pack_calls == other.pack_calls
            && self.fills == other.fills
            && self.builders == other.builders
            && self.named == other.named
    }

    /// The functions that are run otherwise.
    pub fn differing(&self, other: &Relevance) -> FxHashSet<FunctionId> {
        fn sets(of: &Relevance) -> [&FxHashSet<FunctionId>; 4] {
            [&of.worth, &of.small, &of.checks, &of.recursive]
        }
        let pairs = sets(self).into_iter().zip(sets(other));
        pairs.flat_map(|(a, b)| a.symmetric_difference(b)).copied().collect()
    }

    /// The modules that declare other things.
    pub fn declaring_otherwise(&self, other: &Relevance) -> FxHashSet<u32> {
        let sets = |r: &Relevance| r.declaring.iter().copied().collect::<FxHashSet<(u32, u32)>>();
        sets(self).symmetric_difference(&sets(other)).map(|(m, _)| *m).collect()
    }

    /// The functions with a literal that fills a field of this name which holds what is called.
    pub fn filling(&self, field: &Name) -> &[FunctionId] {
        self.fills.get(field).map_or(&[], Vec::as_slice)
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

    fn look_at(&mut self, index: &Index<'_>, looks: &[Arc<ModuleLook>]) {
        let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
        let mut named_by: FxHashMap<Name, Vec<FunctionId>> = FxHashMap::default();
        let mut named: FxHashSet<Name> = FxHashSet::default();
        let mut called: FxHashSet<Name> = FxHashSet::default();
        let mut makers: FxHashSet<Name> = FxHashSet::default();
        let mut queue = Vec::new();
        for (m, module) in index.program.modules.iter().enumerate() {
            for (i, function) in module.functions.iter().enumerate() {
                let id = FunctionId { module: m as u32, index: i as u32 };
                let look = &looks[m].functions[i];
                if look.declares && !function.name.is_empty() {
                    makers.insert(function.name.clone());
                }
                if look.small
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
                for field in &look.fills {
                    self.fills.entry(field.clone()).or_default().push(id);
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
        // Where code is in files and not in packages, a file may be a class.
        let is_method = |m: u32, f: &Function| f.owner.is_some() || !index.is_package(m);
        let mut methods: FxHashMap<&Name, u32> = FxHashMap::default();
        for (m, module) in index.program.modules.iter().enumerate() {
            for function in module.functions.iter().filter(|f| is_method(m as u32, f)) {
                *methods.entry(&function.name).or_default() += 1;
            }
        }
        for (m, module) in index.program.modules.iter().enumerate() {
            for (g, global) in module.globals.iter().enumerate() {
                if let Some(look) = &looks[m].globals[g] {
                    let called = look.functions.iter().map(|f| &index.function(*f).name);
                    let calls_maker = look.names.iter().chain(called).any(|n| makers.contains(n));
                    if look.declares || (calls_maker && !global.constant) {
                        self.declaring.push((m as u32, g as u32));
                    }
                    named.extend(look.functions.iter().map(|f| index.function(*f).name.clone()));
                    named.extend(look.names.iter().cloned());
                }
            }
            for (i, function) in module.functions.iter().enumerate() {
                let id = FunctionId { module: m as u32, index: i as u32 };
                if function.parent.is_some() || !self.worth.contains(&id) {
                    continue;
                }
                if named.contains(&function.name) {
                    self.named_only.push(id);
                    // One of several methods of a name is called as what nobody can tell.
                    let several = is_method(m as u32, function) && methods[&function.name] > 1;
                    if several || !called.contains(&function.name) {
                        self.handed_on.insert(id);
                    }
                } else {
                    self.uncalled.push(id);
                }
            }
        }
    }
}
