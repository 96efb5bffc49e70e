//! What a result rests on: modules that were looked into, names whose meaning was asked for, and
//! functions of which it was asked whether they are worth running.
//!
//! Knows no result.

use std::cell::{Cell, RefCell};
use std::hash::{BuildHasher, Hash};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::names::Tables;
use super::value::FunctionId;
use crate::ir::Program;

/// Stands for a name in [`Grounds`]; two names that share one only make more be found out anew.
type Short = u32;

fn short(name: &str) -> Short {
    FxBuildHasher.hash_one(name) as u32
}

/// Takes down what is looked at.
pub struct Watch {
    modules: Vec<Cell<bool>>,
    names: RefCell<FxHashSet<Short>>,
    functions: RefCell<FxHashSet<FunctionId>>,
}

impl Watch {
    /// Nothing was looked at yet, in a program of so many modules.
    pub fn new(modules: usize) -> Self {
        Watch {
            modules: vec![Cell::new(false); modules],
            names: RefCell::default(),
            functions: RefCell::default(),
        }
    }

    /// A module was looked into, past its names.
    pub fn looked_into(&self, m: u32) {
        self.modules[m as usize].set(true);
    }

    /// The meaning of a name was asked for, anywhere.
    pub fn asked_for(&self, name: &str) {
        self.names.borrow_mut().insert(short(name));
    }

    /// It was asked how a function is run.
    pub fn asked_about(&self, id: FunctionId) {
        self.functions.borrow_mut().insert(id);
    }

    /// What was looked at so far.
    pub fn grounds(&self) -> Grounds {
        let modules = self.modules.iter().enumerate().filter(|(_, seen)| seen.get());
        Grounds {
            modules: modules.map(|(m, _)| m as u32).collect(),
            names: self.names.borrow().iter().copied().collect(),
            functions: self.functions.borrow().iter().copied().collect(),
        }
    }
}

/// What a result rests on.
#[derive(Debug, Default)]
pub struct Grounds {
    modules: Box<[u32]>,
    names: Box<[Short]>,
    functions: Box<[FunctionId]>,
}

impl Grounds {
    /// Whether a change leaves them as they were.
    pub fn survive(&self, change: &Change) -> bool {
        let same = |m: &u32| !change.modules[*m as usize];
        let known = |name: &Short| !change.names.contains(name);
        let alike = |id: &FunctionId| !change.functions.contains(id);
        self.modules.iter().all(same)
            && (change.names.is_empty() || self.names.iter().all(known))
            && (change.functions.is_empty() || self.functions.iter().all(alike))
    }
}

/// What is not the same in two versions of a program.
#[derive(Debug, Default)]
pub struct Change {
    /// Whether each module has changed.
    pub modules: Vec<bool>,
    names: FxHashSet<Short>,
    /// Functions that are run otherwise than before.
    pub functions: FxHashSet<FunctionId>,
}

impl Change {
    /// The change from one program to another with its files in the same places.
    pub fn between(before: (&Program, &Tables), now: (&Program, &Tables)) -> Self {
        let modules = before.0.modules.iter().zip(&now.0.modules);
        let modules = modules.map(|(a, b)| !std::sync::Arc::ptr_eq(a, b)).collect();
        let (before, now) = (before.1, now.1);
        let mut names = FxHashSet::default();
        let note = |name: &str, names: &mut FxHashSet<Short>| {
            names.insert(short(name));
        };
        differing(&before.unit_names, &now.unit_names, |name| note(name, &mut names));
        differing(&before.global_names, &now.global_names, |name| note(name, &mut names));
        differing(&before.methods_by_name, &now.methods_by_name, |name| note(name, &mut names));
        differing(&before.members, &now.members, |(_, _, name)| note(name, &mut names));
        for (before, now) in before.scopes.iter().zip(&now.scopes) {
            differing(before, now, |name| note(name, &mut names));
        }
        Change { modules, names, functions: FxHashSet::default() }
    }
}

/// Tells each key that has not the same value in both maps.
fn differing<K: Hash + Eq, V: PartialEq>(
    before: &FxHashMap<K, V>,
    now: &FxHashMap<K, V>,
    mut tell: impl FnMut(&K),
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
