//! What was found out about a program last, so that an edit costs what it can change.
//!
//! Keeps nothing whose grounds have changed: a root's run is good while every module that was
//! looked into for it is the same, and the names of all others are.

use std::sync::Arc;

use super::names::Tables;
use super::relevance::Relevance;
use super::schedule::Runs;
use crate::ir::{Module, Program};
use crate::pack::Pack;

/// The memory of one pack.
pub struct Memory<T> {
    last: Option<Last<T>>,
}

struct Last<T> {
    program: Program,
    pack: Pack,
    tables: Arc<Tables>,
    /// The pack with what the builders teach, and the functions worth running by it.
    worth: Option<(Pack, Relevance)>,
    roots: Runs<T>,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Memory { last: None }
    }
}

impl<T> std::fmt::Debug for Memory<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory of {} roots", self.last.as_ref().map_or(0, |last| last.roots.len()))
    }
}

impl<T> Memory<T> {
    /// Turns to a program: forgets what its changes touch. Gives its lookup tables.
    pub fn turn_to(&mut self, program: &Program, pack: &Pack) -> Arc<Tables> {
        let fits = |last: &Last<T>| last.pack == *pack && same_outline(&last.program, program);
        match self.last.as_mut().filter(|last| fits(last)) {
            Some(last) => {
                let changed = changed(&last.program, program);
                last.roots.retain(|_, run| run.looked_into.iter().all(|m| !changed[*m as usize]));
                last.program = program.clone();
                last.tables.clone()
            }
            None => {
                let tables = Arc::new(Tables::new(program));
                self.last = Some(Last {
                    program: program.clone(),
                    pack: pack.clone(),
                    tables: tables.clone(),
                    worth: None,
                    roots: Runs::default(),
                });
                tables
            }
        }
    }

    /// The runs that are still good where these functions are worth running.
    pub fn known(&mut self, pack: &Pack, relevance: &Relevance) -> Runs<T> {
        let Some(last) = &mut self.last else { return Runs::default() };
        let same = last.worth.as_ref().is_some_and(|(p, r)| p == pack && r == relevance);
        if !same {
            last.roots.clear();
        }
        std::mem::take(&mut last.roots)
    }

    /// Remembers the runs of all roots.
    pub fn keep(&mut self, pack: Pack, relevance: Relevance, runs: Runs<T>) {
        if let Some(last) = &mut self.last {
            last.worth = Some((pack, relevance));
            last.roots = runs;
        }
    }
}

/// Which modules of a program are not the same as before.
fn changed(before: &Program, now: &Program) -> Vec<bool> {
    before.modules.iter().zip(&now.modules).map(|(a, b)| !Arc::ptr_eq(a, b)).collect()
}

/// Whether two programs have the same files with the same names in them.
fn same_outline(a: &Program, b: &Program) -> bool {
    a.modules.len() == b.modules.len()
        && a.files == b.files
        && a.tests == b.tests
        && a.forwards == b.forwards
        && a.mounts == b.mounts
        && a.modules.iter().zip(&b.modules).all(|(a, b)| Arc::ptr_eq(a, b) || same_names(a, b))
}

/// Whether two versions of a file have the same names, in the same places of their lists.
fn same_names(a: &Module, b: &Module) -> bool {
    a.unit == b.unit
        && a.name == b.name
        && a.global_name == b.global_name
        && a.extends == b.extends
        && a.imports.len() == b.imports.len()
        && a.imports
            .iter()
            .zip(&b.imports)
            .all(|(a, b)| (&a.local, &a.targets, &a.item) == (&b.local, &b.targets, &b.item))
        && a.functions.len() == b.functions.len()
        && a.functions.iter().zip(&b.functions).all(|(a, b)| {
            (&a.name, a.kind, &a.owner, a.parent) == (&b.name, b.kind, &b.owner, b.parent)
        })
        && a.types.len() == b.types.len()
        && a.types
            .iter()
            .zip(&b.types)
            .all(|(a, b)| (&a.name, &a.extends, &a.alias) == (&b.name, &b.extends, &b.alias))
        && a.globals.len() == b.globals.len()
        && a.globals
            .iter()
            .zip(&b.globals)
            .all(|(a, b)| (&a.name, &a.owner, a.constant) == (&b.name, &b.owner, b.constant))
        && a.reexports.len() == b.reexports.len()
        && a.reexports
            .iter()
            .zip(&b.reexports)
            .all(|(a, b)| (&a.name, &a.item, &a.targets) == (&b.name, &b.item, &b.targets))
}
