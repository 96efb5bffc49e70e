//! What a result rests on: parts of modules that were looked into, names whose meaning was asked
//! for, and functions of which it was asked whether they are worth running.
//!
//! Knows no result.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::names::Tables;
use super::value::FunctionId;
use crate::ir::{Module, Program};

/// Stands for a name in [`Grounds`]; two names that share one only make more be found out anew.
pub type Short = u32;

fn short_in(unit: u32, name: &str) -> Short {
    FxBuildHasher.hash_one((unit, name)) as u32
}

fn short(name: &str) -> Short {
    FxBuildHasher.hash_one(name) as u32
}

/// A part of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// All of it.
    Whole(u32),
    /// What it is called and what it extends.
    Head(u32),
    /// A function, with where it stands.
    Function(u32, u32),
    /// A constant or variable, with where it stands.
    Global(u32, u32),
    /// A type, with where it stands.
    Type(u32, u32),
    /// What it imports by a name.
    Import(u32, Short),
}

impl Part {
    /// What a module imports by a name.
    pub fn import(m: u32, local: &str) -> Part {
        Part::Import(m, short(local))
    }
}

/// Takes down what is looked at, where anybody will ask.
#[derive(Default)]
pub struct Watch {
    idle: bool,
    parts: RefCell<FxHashSet<Part>>,
    names: RefCell<FxHashSet<Short>>,
    functions: RefCell<FxHashSet<FunctionId>>,
}

impl Watch {
    /// One that takes nothing down.
    pub fn idle() -> Self {
        Watch { idle: true, ..Watch::default() }
    }

    /// Whether it takes nothing down.
    pub fn is_idle(&self) -> bool {
        self.idle
    }

    /// A part of a module was looked into.
    pub fn looked_into(&self, part: Part) {
        if !self.idle {
            self.parts.borrow_mut().insert(part);
        }
    }

    /// The meaning of a name was asked for that may stand anywhere.
    pub fn asked_for(&self, name: &str) {
        if !self.idle {
            self.names.borrow_mut().insert(short(name));
        }
    }

    /// The meaning of a name was asked for in a unit's scope, or in one of its types.
    pub fn asked_in(&self, unit: u32, name: &str) {
        if !self.idle {
            self.names.borrow_mut().insert(short_in(unit, name));
        }
    }

    /// It was asked how a function is run.
    pub fn asked_about(&self, id: FunctionId) {
        if !self.idle {
            self.functions.borrow_mut().insert(id);
        }
    }

    /// What was looked at so far.
    pub fn grounds(&self) -> Grounds {
        Grounds {
            parts: self.parts.borrow().iter().copied().collect(),
            names: self.names.borrow().iter().copied().collect(),
            functions: self.functions.borrow().iter().copied().collect(),
        }
    }
}

/// What a result rests on.
#[derive(Debug, Default)]
pub struct Grounds {
    parts: Box<[Part]>,
    names: Box<[Short]>,
    functions: Box<[FunctionId]>,
}

impl Grounds {
    /// Whether a change leaves them as they were.
    pub fn survive(&self, change: &Change) -> bool {
        self.survive_but(None, change)
    }

    /// Whether a change leaves them as they were, but for what stands in one module.
    pub fn survive_outside(&self, m: u32, change: &Change) -> bool {
        self.survive_but(Some(Part::Whole(m)), change)
    }

    fn survive_but(&self, spared: Option<Part>, change: &Change) -> bool {
        fn apart<T: Hash + Eq>(own: &[T], changed: &FxHashSet<T>, spared: Option<T>) -> bool {
            let touched = |one: &T| changed.contains(one) && spared.as_ref() != Some(one);
            changed.is_empty() || !own.iter().any(touched)
        }
        apart(&self.parts, &change.parts, spared)
            && apart(&self.names, &change.names, None)
            && apart(&self.functions, &change.functions, None)
    }

    /// These and others.
    pub fn with(self, other: Grounds) -> Grounds {
        fn both<T: Copy + Hash + Eq>(a: &[T], b: &[T]) -> Box<[T]> {
            let all: FxHashSet<T> = a.iter().chain(b).copied().collect();
            all.into_iter().collect()
        }
        Grounds {
            parts: both(&self.parts, &other.parts),
            names: both(&self.names, &other.names),
            functions: both(&self.functions, &other.functions),
        }
    }
}

/// Functions and variables of a module, by index.
#[derive(Debug, Default)]
pub struct Touched {
    /// The functions.
    pub functions: FxHashSet<u32>,
    /// The constants and variables.
    pub globals: FxHashSet<u32>,
}

/// What is not the same in two versions of a program.
#[derive(Debug, Default)]
pub struct Change {
    parts: FxHashSet<Part>,
    names: FxHashSet<Short>,
    functions: FxHashSet<FunctionId>,
}

impl Change {
    /// The change by which nothing but these functions are run otherwise than before.
    pub fn of(functions: FxHashSet<FunctionId>) -> Self {
        Change { functions, ..Change::default() }
    }

    /// The functions and variables of a module that are others, where what the module is called
    /// and extends is the same.
    pub fn touched(&self, m: u32) -> Option<Touched> {
        let mut touched = Touched::default();
        for part in &self.parts {
            match part {
                Part::Function(own, i) if *own == m => drop(touched.functions.insert(*i)),
                Part::Global(own, i) if *own == m => drop(touched.globals.insert(*i)),
                Part::Head(own) if *own == m => return None,
                Part::Whole(_)
                | Part::Head(_)
                | Part::Function(..)
                | Part::Global(..)
                | Part::Type(..)
                | Part::Import(..) => {}
            }
        }
        Some(touched)
    }

    /// The change from one program to another with its files in the same places.
    pub fn between(before: (&Program, &Tables), now: (&Program, &Tables)) -> Self {
        let mut change = Change::default();
        let modules = before.0.modules.iter().zip(&now.0.modules).enumerate();
        for (m, (before, now)) in modules.filter(|(_, (a, b))| !Arc::ptr_eq(a, b)) {
            change.note_parts(m as u32, before, now);
        }
        if std::ptr::eq(before.1, now.1) {
            return change;
        }
        let (before, now) = (before.1, now.1);
        let names = &mut change.names;
        differing(&before.unit_names, &now.unit_names, |name| names.insert(short(name)));
        differing(&before.global_names, &now.global_names, |name| names.insert(short(name)));
        differing(&before.methods_by_name, &now.methods_by_name, |name| names.insert(short(name)));
        differing(&before.members, &now.members, |(unit, _, name)| {
            names.insert(short_in(*unit, name))
        });
        for (unit, (before, now)) in (0..).zip(before.scopes.iter().zip(&now.scopes)) {
            differing(before, now, |name| names.insert(short_in(unit, name)));
        }
        change
    }

    fn note_parts(&mut self, m: u32, before: &Module, now: &Module) {
        self.parts.insert(Part::Whole(m));
        let head = |m: &Module| {
            let names = (m.unit.clone(), m.name.clone(), m.extends.clone());
            (names, m.global_name, m.empty_is_false)
        };
        if head(before) != head(now) || before.reexports != now.reexports {
            self.parts.insert(Part::Head(m));
        }
        for i in unlike(&before.functions, &now.functions) {
            self.parts.insert(Part::Function(m, i));
        }
        for i in unlike(&before.globals, &now.globals) {
            self.parts.insert(Part::Global(m, i));
        }
        for i in unlike(&before.types, &now.types) {
            self.parts.insert(Part::Type(m, i));
        }
        // An import is only ever found by its name, and nothing is told of where it stands.
        let imports = |module: &Module| {
            let mut imports = FxHashMap::default();
            for import in &module.imports {
                let means = (import.targets.clone(), import.item.clone());
                imports.entry(import.local.clone()).or_insert(means);
            }
            imports
        };
        let parts = &mut self.parts;
        differing(&imports(before), &imports(now), |name| parts.insert(Part::import(m, name)));
    }
}

/// The places at which two lists have not the same.
fn unlike<'a, T: PartialEq>(before: &'a [T], now: &'a [T]) -> impl Iterator<Item = u32> + 'a {
    let all = 0..before.len().max(now.len());
    all.filter(|i| before.get(*i) != now.get(*i)).map(|i| i as u32)
}

/// Tells each key that has not the same value in both maps.
fn differing<K: Hash + Eq, V: PartialEq>(
    before: &FxHashMap<K, V>,
    now: &FxHashMap<K, V>,
    mut tell: impl FnMut(&K) -> bool,
) {
    for (key, value) in before {
        if now.get(key) != Some(value) {
            tell(key);
        }
    }
    for key in now.keys().filter(|key| !before.contains_key(*key)) {
        tell(key);
    }
}
