//! Which thing a name means: scopes, imports, types and methods across files.
//!
//! Runs nothing and knows no pack.

use super::grounds::{Grounds, Part, Watch};
use super::names::Tables;
use super::value::FunctionId;
use crate::ir::{Function, Global, Import, Module, Name, Program, Type, TypeDecl, ValueKind};

/// What a name of a scope means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A function.
    Function(FunctionId),
    /// A constant or variable: module and index.
    Global(u32, u32),
    /// A type: module and index.
    Type(u32, u32),
    /// Another scope.
    Unit(u32),
    /// A module that is not in the workspace; the import's module and index.
    External(u32, u32),
}

/// Most units that are asked for what they pass on under a name.
const MAX_PASSED_ON: usize = 64;

/// What a program is looked up with: its lookup tables. Takes down what was looked at.
pub struct Index<'p> {
    /// The program.
    pub program: &'p Program,
    pub(super) tables: &'p Tables,
    pub(super) watch: Watch,
}

/// What a look at a program is made of.
#[derive(Clone, Copy)]
pub struct Parts<'p> {
    program: &'p Program,
    tables: &'p Tables,
    watched: bool,
}

impl<'p> Parts<'p> {
    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }
}

impl<'p> Index<'p> {
    /// A fresh look at a program that nobody will ask what it rested on.
    pub fn new(program: &'p Program, tables: &'p Tables) -> Self {
        Index::made_of(Parts { program, tables, watched: false })
    }

    /// A fresh look at a program that takes down what it rests on.
    pub fn watched(program: &'p Program, tables: &'p Tables) -> Self {
        Index::made_of(Parts { program, tables, watched: true })
    }

    /// A fresh look.
    pub fn made_of(parts: Parts<'p>) -> Self {
        let watch = if parts.watched { Watch::default() } else { Watch::idle() };
        Index { program: parts.program, tables: parts.tables, watch }
    }

    /// What a fresh look of the same kind is made of, on whichever thread.
    pub fn parts(&self) -> Parts<'p> {
        Parts { program: self.program, tables: self.tables, watched: !self.watch.is_idle() }
    }

    /// What was looked at so far.
    pub fn grounds(&self) -> Grounds {
        self.watch.grounds()
    }

    /// Takes down that it was asked how a function is run.
    pub fn asked_about(&self, id: FunctionId) {
        self.watch.asked_about(id);
    }

    fn scope_item(&self, unit: u32, name: &str) -> Option<Item> {
        self.watch.asked_in(unit, name);
        self.tables.scopes[unit as usize].get(name).copied()
    }

    /// The module of an index, with all that is in it.
    pub fn module(&self, m: u32) -> &'p Module {
        self.watch.looked_into(Part::Whole(m));
        &self.program.modules[m as usize]
    }

    /// The module of an index, of which only its head is read: what it is called, what it extends,
    /// what it passes on.
    pub fn head(&self, m: u32) -> &'p Module {
        self.watch.looked_into(Part::Head(m));
        &self.program.modules[m as usize]
    }

    /// The function of an id.
    pub fn function(&self, id: FunctionId) -> &'p Function {
        self.watch.looked_into(Part::Function(id.module, id.index));
        &self.program.modules[id.module as usize].functions[id.index as usize]
    }

    /// The function of an id, unless it only stands for a unit's declarations.
    pub fn function_at(&self, id: FunctionId) -> Option<&'p Function> {
        (id.index != u32::MAX).then(|| self.function(id))
    }

    /// The import of a module by its local name, and its index.
    pub fn import_named(&self, m: u32, local: &str) -> Option<(u32, &'p Import)> {
        if !self.watch.is_idle() {
            self.watch.looked_into(Part::import(m, local));
        }
        let mut imports = self.program.modules[m as usize].imports.iter().zip(0..);
        imports.find(|(import, _)| import.local == local).map(|(import, i)| (i, import))
    }

    /// The import of a module by its index.
    pub fn import_at(&self, m: u32, i: u32) -> &'p Import {
        let import = &self.program.modules[m as usize].imports[i as usize];
        self.watch.looked_into(Part::import(m, &import.local));
        import
    }

    /// Whether a module is a part of a package, and not a class or a scope of its own.
    pub fn is_package(&self, m: u32) -> bool {
        let module = self.head(m);
        module.name.is_some() && !module.global_name
    }

    /// Whether code of a module may hold a value that the function can be called on: a method of a
    /// package that it is in or imports, or a member of the class that a file is.
    pub fn may_hold(&self, m: u32, id: FunctionId) -> bool {
        if !self.is_package(id.module) {
            return true;
        }
        let unit = self.unit_of(id.module);
        self.function(id).owner.is_some()
            && (self.unit_of(m) == unit || self.tables.imported[m as usize].contains(&unit))
    }

    /// The units that a module imports.
    pub fn imported(&self, m: u32) -> impl Iterator<Item = u32> + 'p {
        self.watch.looked_into(Part::Whole(m));
        self.tables.imported[m as usize].iter().copied()
    }

    /// What an import by this name brings in, as written.
    pub fn import_path(&self, m: u32, name: &str) -> Option<&'p str> {
        let (_, import) = self.import_named(m, name)?;
        import.targets.first().map(|t| t.as_str())
    }

    /// The unit that a module belongs to.
    pub fn unit_of(&self, m: u32) -> u32 {
        self.tables.unit_of[m as usize]
    }

    /// The modules of a unit.
    pub fn modules_of(&self, unit: u32) -> &[u32] {
        &self.tables.units[unit as usize]
    }

    /// A constant or variable.
    pub fn global(&self, m: u32, i: u32) -> &'p Global {
        self.watch.looked_into(Part::Global(m, i));
        &self.program.modules[m as usize].globals[i as usize]
    }

    /// A type declaration.
    pub fn type_decl(&self, m: u32, i: u32) -> &'p TypeDecl {
        self.watch.looked_into(Part::Type(m, i));
        &self.program.modules[m as usize].types[i as usize]
    }

    /// What `name` means inside a module, seen from a function of `owner` if given.
    pub fn lookup(&self, m: u32, owner: Option<&Name>, name: &str) -> Option<Item> {
        let unit = self.unit_of(m);
        if let Some(owner) = owner {
            if let Some(item) = self.member(unit, owner, name) {
                return Some(item);
            }
        }
        if let Some(item) = self.import(m, name) {
            return Some(item);
        }
        self.in_unit(unit, name).or_else(|| self.global_unit(Some(m), name).map(Item::Unit))
    }

    /// The unit that a dotted name stands for everywhere in the workspace.
    pub fn unit_named(&self, dotted: &str) -> Option<u32> {
        let mut names = dotted.split('.');
        let mut unit = self.global_unit(None, names.next()?)?;
        for name in names {
            unit = match self.in_unit(unit, name)? {
                Item::Unit(next) => next,
                Item::Global(m, i) => match &self.global(m, i).value.as_ref()?.kind {
                    ValueKind::Global(other) => match self.lookup(m, None, other)? {
                        Item::Unit(next) => next,
                        _ => return None,
                    },
                    _ => return None,
                },
                _ => return None,
            };
        }
        Some(unit)
    }

    /// What an import of this name binds in a module.
    pub fn import(&self, m: u32, name: &str) -> Option<Item> {
        self.import_past(m, name, &mut Vec::new())
    }

    /// The same, where what the units of `seen` pass on under a name is being looked for already.
    fn import_past(&self, m: u32, name: &str, seen: &mut Vec<(u32, Name)>) -> Option<Item> {
        let (i, import) = self.import_named(m, name)?;
        let Some(unit) = self.resolve_targets(m, &import.targets) else {
            return Some(Item::External(m, i));
        };
        match &import.item {
            None => Some(Item::Unit(unit)),
            Some(item) => Some(self.exported(unit, item, seen).unwrap_or(Item::External(m, i))),
        }
    }

    fn exported(&self, unit: u32, name: &Name, seen: &mut Vec<(u32, Name)>) -> Option<Item> {
        if let Some(item) = self.scope_item(unit, name) {
            return Some(item);
        }
        // Files may pass names on to each other in circles.
        let asked = (unit, name.clone());
        if seen.len() >= MAX_PASSED_ON || seen.contains(&asked) {
            return None;
        }
        seen.push(asked);
        for m in self.modules_of(unit) {
            for export in &self.head(*m).reexports {
                let fits = export.name.as_ref().is_none_or(|n| n == name);
                if !fits {
                    continue;
                }
                let Some(target) = self.resolve_targets(*m, &export.targets) else { continue };
                let item = match (&export.name, &export.item) {
                    (Some(_), None) => return Some(Item::Unit(target)),
                    (_, Some(item)) => item,
                    (None, None) => name,
                };
                if let Some(found) = self.exported(target, item, seen) {
                    return Some(found);
                }
            }
            if let Some(found) = self.import_past(*m, name, seen) {
                return Some(found);
            }
        }
        None
    }

    /// What a name means in a unit's own scope, following what its class extends.
    pub fn in_unit(&self, unit: u32, name: &str) -> Option<Item> {
        let mut unit = unit;
        for _ in 0..8 {
            if let Some(item) = self.scope_item(unit, name) {
                return Some(item);
            }
            if let Some(found) = self.exported(unit, &Name::new(name), &mut Vec::new()) {
                return Some(found);
            }
            unit = self.parent_unit(unit)?;
        }
        None
    }

    /// The unit whose class a unit's class extends.
    fn parent_unit(&self, unit: u32) -> Option<u32> {
        let m = *self.modules_of(unit).first()?;
        let parent = self.head(m).extends.as_ref()?;
        if let Some(unit) = self.global_unit(Some(m), parent) {
            return Some(unit);
        }
        match self.import(m, parent) {
            Some(Item::Unit(unit)) => Some(unit),
            _ => self.resolve_targets(m, std::slice::from_ref(parent)),
        }
    }

    /// A member of an inner class or type of a unit.
    pub fn member(&self, unit: u32, owner: &Name, name: &str) -> Option<Item> {
        let mut at = (unit, owner.clone());
        for _ in 0..8 {
            self.watch.asked_in(at.0, name);
            if let Some(item) = self.tables.members.get(&(at.0, at.1.clone(), Name::new(name))) {
                return Some(*item);
            }
            let Some(Item::Type(m, i)) = self.scope_item(at.0, &at.1) else { return None };
            let decl = self.type_decl(m, i);
            let next =
                decl.extends.iter().chain(decl.alias.as_ref()).find_map(|t| self.named(m, t))?;
            match next {
                Item::Type(m2, i2) => at = (self.unit_of(m2), self.type_decl(m2, i2).name.clone()),
                Item::Unit(u) => return self.in_unit(u, name),
                _ => return None,
            }
        }
        None
    }

    /// What a named type means in a module.
    pub fn named(&self, m: u32, ty: &Type) -> Option<Item> {
        let Type::Named(qualifier, name) = ty else { return None };
        match qualifier {
            None => self.lookup(m, None, name),
            Some(q) => match self.lookup(m, None, q)? {
                Item::Unit(unit) => self.in_unit(unit, name),
                Item::Global(gm, gi) => match self.alias_target(gm, gi)? {
                    Item::Unit(unit) => self.in_unit(unit, name),
                    _ => None,
                },
                _ => None,
            },
        }
        .and_then(|item| match item {
            Item::Global(gm, gi) => self.alias_target(gm, gi),
            other => Some(other),
        })
    }

    /// What a constant that only names another thing stands for (`const A = Modules.A`).
    fn alias_target(&self, m: u32, i: u32) -> Option<Item> {
        let value = self.global(m, i).value.as_ref()?;
        match &value.kind {
            ValueKind::Global(name) => self.lookup(m, None, name),
            ValueKind::Member(base, name, _) => match &base.kind {
                ValueKind::Global(base) => match self.lookup(m, None, base)? {
                    Item::Unit(unit) => self.in_unit(unit, name),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// The declaration that a type means, through aliases of types.
    pub fn declaration(&self, m: u32, ty: &Type) -> Option<(u32, u32)> {
        let mut at = (m, ty.clone());
        for _ in 0..8 {
            match self.named(at.0, &at.1)? {
                Item::Type(tm, ti) => match &self.type_decl(tm, ti).alias {
                    Some(alias @ Type::Named(..)) if self.named(tm, alias).is_some() => {
                        at = (tm, alias.clone());
                    }
                    _ => return Some((tm, ti)),
                },
                _ => return None,
            }
        }
        None
    }

    /// The method of a type, as seen from a module.
    pub fn method(&self, m: u32, ty: &Type, name: &str) -> Option<FunctionId> {
        let item = match self.named(m, ty)? {
            Item::Type(tm, ti) => {
                let decl = self.type_decl(tm, ti);
                match self.member(self.unit_of(tm), &decl.name, name) {
                    // An interface that one type of the workspace implements is that type.
                    None if decl.interface => return self.only_method(name),
                    found => found?,
                }
            }
            Item::Unit(unit) => self.in_unit(unit, name)?,
            _ => return None,
        };
        let Item::Function(id) = item else { return None };
        Some(id)
    }

    /// The function, or the one around it, that belongs to a class; else the outermost one.
    pub fn holder(&self, id: FunctionId) -> Option<&'p Function> {
        let mut function = self.function_at(id)?;
        while let (None, Some(parent)) = (&function.owner, function.parent) {
            function = self.function(FunctionId { index: parent, ..id });
        }
        Some(function)
    }

    /// The only method of this name in the workspace, if there is just one.
    pub fn only_method(&self, name: &str) -> Option<FunctionId> {
        self.watch.asked_for(name);
        match self.tables.methods_by_name.get(name)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}
