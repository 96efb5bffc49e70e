//! Lookup tables of a program, made of the names in it alone.
//!
//! Looks into no body; the same names give the same tables.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::resolve::{Index, Item};
use super::value::FunctionId;
use crate::ir::{Function, FunctionKind, Import, Module, Name, Program};

/// Lookup tables of a program, made of the names in it alone.
#[derive(Default)]
pub struct Tables {
    /// The modules of each unit.
    pub(super) units: Vec<Vec<u32>>,
    /// Units by path.
    pub(super) unit_names: FxHashMap<Name, u32>,
    /// The unit of each module.
    pub(super) unit_of: Vec<u32>,
    /// The units of each name that is visible everywhere.
    pub(super) global_names: FxHashMap<Name, Vec<u32>>,
    /// What each unit's own names mean.
    pub(super) scopes: Vec<FxHashMap<Name, Item>>,
    /// Members of types, by unit, type and name.
    pub(super) members: FxHashMap<(u32, Name, Name), Item>,
    /// Methods of all types by name.
    pub(super) methods_by_name: FxHashMap<Name, Vec<FunctionId>>,
    /// The units that each module imports.
    pub(super) imported: Vec<FxHashSet<u32>>,
}

/// Whether two programs give the same tables, and the same functions stand in others.
pub fn same(a: &Program, b: &Program) -> bool {
    let same = |(a, b): (&Arc<Module>, &Arc<Module>)| Arc::ptr_eq(a, b) || same_names(a, b);
    a.mounts == b.mounts
        && a.modules.len() == b.modules.len()
        && a.modules.iter().zip(&b.modules).all(same)
}

fn same_names(a: &Module, b: &Module) -> bool {
    let mut functions = a.functions.iter().zip(&b.functions);
    let function = |(a, b): (&Function, &Function)| {
        (a.kind, &a.name, &a.owner, a.parent) == (b.kind, &b.name, &b.owner, b.parent)
    };
    let mut imports = a.imports.iter().zip(&b.imports);
    let import = |(a, b): (&Import, &Import)| {
        (&a.local, &a.targets, &a.item) == (&b.local, &b.targets, &b.item)
    };
    let mut globals = a.globals.iter().zip(&b.globals);
    let mut types = a.types.iter().zip(&b.types);
    let lengths = |m: &Module| [m.functions.len(), m.imports.len(), m.globals.len(), m.types.len()];
    (&a.unit, &a.name, a.global_name, &a.extends) == (&b.unit, &b.name, b.global_name, &b.extends)
        && lengths(a) == lengths(b)
        && a.reexports == b.reexports
        && functions.all(function)
        && imports.all(import)
        && globals.all(|(a, b)| (&a.name, &a.owner) == (&b.name, &b.owner))
        && types.all(|(a, b)| a.name == b.name)
}

impl Tables {
    /// The tables of a program.
    pub fn new(program: &Program) -> Self {
        let mut tables = Tables::default();
        for (m, module) in program.modules.iter().enumerate() {
            let next = tables.units.len() as u32;
            let unit = *tables.unit_names.entry(module.unit.clone()).or_insert(next);
            if unit == next {
                tables.units.push(Vec::new());
                tables.scopes.push(FxHashMap::default());
            }
            tables.units[unit as usize].push(m as u32);
            tables.unit_of.push(unit);
            if module.global_name {
                if let Some(name) = &module.name {
                    let units = tables.global_names.entry(name.clone()).or_default();
                    if !units.contains(&unit) {
                        units.push(unit);
                    }
                }
            }
        }
        for m in 0..program.modules.len() as u32 {
            tables.add_module(program, m);
        }
        let index = Index::new(program, &tables);
        let imported = program.modules.iter().zip(0..).map(|(module, m)| {
            module.imports.iter().filter_map(|x| index.resolve_targets(m, &x.targets)).collect()
        });
        let imported = imported.collect();
        tables.imported = imported;
        tables
    }

    fn add_module(&mut self, program: &Program, m: u32) {
        let module = &program.modules[m as usize];
        let unit = self.unit_of[m as usize];
        let scope = unit as usize;
        for (i, global) in module.globals.iter().enumerate() {
            let item = Item::Global(m, i as u32);
            match &global.owner {
                None => {
                    self.scopes[scope].entry(global.name.clone()).or_insert(item);
                }
                Some(owner) => {
                    self.members.entry((unit, owner.clone(), global.name.clone())).or_insert(item);
                }
            }
        }
        for (i, ty) in module.types.iter().enumerate() {
            self.scopes[scope].entry(ty.name.clone()).or_insert(Item::Type(m, i as u32));
        }
        for (i, function) in module.functions.iter().enumerate() {
            if matches!(function.kind, FunctionKind::Closure | FunctionKind::Init) {
                continue;
            }
            let id = FunctionId { module: m, index: i as u32 };
            let item = Item::Function(id);
            match &function.owner {
                None => {
                    self.scopes[scope].entry(function.name.clone()).or_insert(item);
                }
                Some(owner) => {
                    self.members
                        .entry((unit, owner.clone(), function.name.clone()))
                        .or_insert(item);
                    self.methods_by_name.entry(function.name.clone()).or_default().push(id);
                }
            }
        }
    }
}
