//! A quick look at every function: which read paging fields, which call which, which know the
//! type of error that a contradiction is.
//!
//! Looks at names and texts only; runs nothing.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::worlds::{Role, CURSOR, CURSOR_KEY, FLAG, FLAG_KEY};
use crate::infer::resolve::{Index, Item};
use crate::infer::value::FunctionId;
use crate::ir::walk::{each_part, each_stmt, each_value};
use crate::ir::{EntryKey, Function, Name, Stmt, StmtKind, Value, ValueKind};
use crate::pack::{folded, Pack};

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
    /// Functions that do nothing but give the state of the last page.
    pub(super) last_pages: FxHashSet<FunctionId>,
    /// Functions that name the type of a contradiction.
    pub(super) typed: FxHashSet<FunctionId>,
    /// Sentinel errors and error types that stand for it.
    pub(super) typed_names: FxHashSet<Name>,
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
            last_pages: FxHashSet::default(),
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

    /// The field that a text names: a key, or the last step of a path.
    pub fn key_role(&self, text: &Name) -> Role {
        let last = match text.rsplit_once(['.', '/']) {
            Some((_, last)) if !text.contains(' ') => &Name::new(last),
            _ => text,
        };
        as_key(self.name_role(last))
    }

    /// The field that a setting says where to find, by the setting's name.
    pub fn setting_role(&self, name: &Name) -> Role {
        let words = folded(name);
        let Some((field, "path" | "key" | "field" | "pointer")) = words.rsplit_once('_') else {
            return 0;
        };
        match self.pack.is_weak_cursor(field) {
            true => CURSOR_KEY,
            false => as_key(self.name_role(&Name::new(field))),
        }
    }

    /// What a member of this name is about, as seen from a module.
    pub fn member_role(&self, module: u32, name: &Name) -> Role {
        match self.name_role(name) {
            0 => {
                let of = |unit: u32| self.wires.get(&(unit, name.clone())).copied();
                let own = of(self.index.unit_of(module));
                own.unwrap_or_else(|| same(self.index.imported(module).filter_map(of)))
            }
            role => role,
        }
    }

    /// Functions that name a function.
    pub fn callers(&self, name: &Name) -> &[FunctionId] {
        self.callers.get(name).map_or(&[], Vec::as_slice)
    }

    /// What `base.name` means where `base` is another package.
    pub fn of_unit(&self, module: u32, base: &Value, name: &str) -> Option<Item> {
        let ValueKind::Global(base) = &base.kind else { return None };
        match self.index.lookup(module, None, base)? {
            Item::Unit(unit) => self.index.in_unit(unit, name),
            _ => None,
        }
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
        each_value(&function.body, &mut |v| match &v.kind {
            ValueKind::Str(text) => {
                reads |= self.key_role(text) != 0;
                typed |= text.contains(&self.pack.meta.inconsistency);
            }
            ValueKind::Global(name) => {
                if let Some(Item::Global(m, i)) = self.index.lookup(id.module, None, name) {
                    let global = self.index.global(m, i);
                    typed |= self.global_text_is_type(m, i) && global.constant;
                    if let Some(Value { kind: ValueKind::Str(text), .. }) = &global.value {
                        reads |= global.constant && self.key_role(text) != 0;
                    }
                    sentinels.push(name.clone());
                } else {
                    called.insert(name.clone());
                }
            }
            ValueKind::Member(base, name, _) => {
                reads |= self.member_role(id.module, name) != 0 || self.setting_role(name) != 0;
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
        if gives_last_page(function, &self.pack.meta.exhausted) {
            self.last_pages.insert(id);
        }
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

/// The role that all of a field's types give it, if they agree.
fn same(mut roles: impl Iterator<Item = Role>) -> Role {
    let first = roles.next().unwrap_or(0);
    match roles.all(|role| role == first) {
        true => first,
        false => 0,
    }
}

/// Whether all that a function does is to give a state that says that the pages are exhausted.
fn gives_last_page(function: &Function, exhausted: &[String]) -> bool {
    let [Stmt { kind: StmtKind::Return(values), .. }] = function.body.as_slice() else {
        return false;
    };
    let mut says = false;
    for value in values {
        each_part(value, &mut |v| {
            if let ValueKind::Struct(_, entries) | ValueKind::Object(entries) = &v.kind {
                says |= entries.iter().any(|entry| {
                    matches!(&entry.key, EntryKey::Known(name) if exhausted.iter().any(|e| e == name))
                        && matches!(entry.value.kind, ValueKind::Bool(true))
                });
            }
        });
    }
    says
}

/// The role of a name for what the name is about.
fn as_key(role: Role) -> Role {
    match role {
        FLAG => FLAG_KEY,
        CURSOR => CURSOR_KEY,
        _ => 0,
    }
}
