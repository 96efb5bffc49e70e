//! Which expressions are errors, which of them bear the type of a contradiction, and what callers
//! do with the error of a function.
//!
//! Looks at names, types and texts; runs nothing.

use rustc_hash::FxHashSet;

use super::scan::Scan;
use crate::infer::resolve::Item;
use crate::infer::value::FunctionId;
use crate::ir::walk::{each_of_stmt, each_part, each_stmt, each_value};
use crate::ir::{Name, Stmt, StmtKind, Type, Value, ValueKind};
use crate::pack::folded;

/// Words of a function's name that say that it makes or is an error.
const ERROR_WORDS: &[&str] = &["error", "err", "errorf", "failure", "fail", "invalid", "fault"];
/// First words of a function's name that say that it only asks.
const ASKING_WORDS: &[&str] = &[
    "is", "has", "should", "as", "can", "with", "check", "validate", "verify", "ensure", "detect",
    "find", "get", "look",
];

/// First words of the functions of a package of errors that make one.
const MAKING_WORDS: &[&str] = &["new", "wrap", "wrapf"];
/// How the names of packages of errors end.
const PACKAGE_ENDS: &[&str] = &["err", "errs", "error", "errors"];

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
    /// Only a field has the function's name.
    Elsewhere,
}

impl Scan<'_> {
    pub(super) fn is_typed(&self, id: FunctionId) -> bool {
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
                each_part(condition, &mut |v| {
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
                    each_part(value, &mut |v| inside |= calls(v));
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
            _ if !self.names(caller, called) => Fate::Elsewhere,
            _ => Fate::Dropped,
        }
    }

    /// Whether a function calls something of a name, or takes it as a value.
    fn names(&self, caller: FunctionId, called: &Name) -> bool {
        let mut found = false;
        each_value(&self.function(caller).body, &mut |v| {
            found |= match &v.kind {
                ValueKind::Global(name) => name == called,
                ValueKind::Call { callee, .. } => {
                    matches!(&callee.kind, ValueKind::Member(_, name, _) if name == called)
                }
                _ => false,
            };
        });
        found
    }

    /// Whether a statement returns one of some errors, or any that it makes.
    pub(super) fn hands_on(
        &self,
        module: u32,
        stmt: &Stmt,
        errors: &FxHashSet<u16>,
        any: bool,
    ) -> bool {
        let StmtKind::Return(values) = &stmt.kind else { return false };
        values.iter().any(|value| {
            let mut named = any && self.makes_error(module, value, true);
            each_part(value, &mut |v| {
                named |= matches!(&v.kind, ValueKind::Local(l) if errors.contains(&l.slot));
            });
            named
        })
    }

    pub(super) fn stmt_says_type(&self, module: u32, stmt: &Stmt) -> bool {
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
        each_part(value, &mut |v| {
            said |= v.struct_name().is_some_and(|name| self.typed_names.contains(name));
            said |= match &v.kind {
                ValueKind::Str(text) => text.contains(&self.pack.meta.inconsistency),
                ValueKind::Global(name) => {
                    self.typed_names.contains(name) || self.is_typed_item(module, name)
                }
                ValueKind::Member(base, name, _) => {
                    self.typed_names.contains(name)
                        || self.of_unit(module, base, name).is_some_and(|i| self.item_typed(i))
                }
                _ => false,
            };
        });
        said
    }

    pub(super) fn is_typed_item(&self, module: u32, name: &Name) -> bool {
        self.index.lookup(module, None, name).is_some_and(|item| self.item_typed(item))
    }

    pub(super) fn item_typed(&self, item: Item) -> bool {
        match item {
            Item::Function(id) => self.is_typed(id),
            Item::Global(m, i) => self.global_text_is_type(m, i),
            _ => false,
        }
    }

    pub(super) fn global_text_is_type(&self, m: u32, i: u32) -> bool {
        let Some(value) = &self.index.global(m, i).value else { return false };
        let mut said = false;
        each_part(value, &mut |v| {
            if let ValueKind::Str(text) = &v.kind {
                said |= text.contains(&self.pack.meta.inconsistency);
            }
        });
        said
    }

    /// Whether a value is an error that is made here, by its form and the names in it.
    pub fn makes_error(&self, module: u32, value: &Value, by_name: bool) -> bool {
        self.makes_error_within(module, value, by_name, 0)
    }

    pub(super) fn makes_error_within(
        &self,
        module: u32,
        value: &Value,
        by_name: bool,
        depth: u8,
    ) -> bool {
        use crate::ir::Builtin;
        if let Some(name) = value.struct_name() {
            let name = name.to_lowercase();
            return ["error", "err", "fault", "failure"].iter().any(|w| name.ends_with(w))
                || name.starts_with("errorinfo");
        }
        match &value.kind {
            ValueKind::Builtin(Builtin::Error, _) => true,
            ValueKind::Global(name) => {
                let item = self.index.lookup(module, None, name);
                let named = name.starts_with("err") || name.starts_with("Err");
                by_name
                    && (named && !matches!(item, Some(Item::Function(_)))
                        || self.is_sentinel(item, depth))
            }
            ValueKind::Call { callee, args, builtin } => match (&callee.kind, builtin) {
                (_, Some(Builtin::Error)) => true,
                (_, Some(_)) => false,
                (ValueKind::Member(_, name, _), _) if name == "Error" && args.is_empty() => false,
                (ValueKind::Member(base, name, _), _) => {
                    let item = self.of_unit(module, base, name);
                    if by_name && item.is_none() && makes_by_package(base, name) {
                        return true;
                    }
                    // A method without arguments tells of an error that is there already.
                    by_name
                        && match item.is_some() || !args.is_empty() {
                            true => self.names_error(item, name, depth),
                            false => is_of_error_package(base),
                        }
                }
                (ValueKind::Global(name), _) => {
                    by_name && self.names_error(self.index.lookup(module, None, name), name, depth)
                }
                _ => false,
            },
            ValueKind::Member(base, name, _) => {
                let item = self.of_unit(module, base, name).filter(|_| by_name);
                name.starts_with("Err") && matches!(item, Some(Item::Global(..)))
                    || self.is_sentinel(item, depth)
            }
            _ => false,
        }
    }

    /// Whether a variable of file scope is an error that is made once for all.
    fn is_sentinel(&self, item: Option<Item>, depth: u8) -> bool {
        let Some(Item::Global(m, i)) = item else { return false };
        let value = self.index.global(m, i).value.as_ref().filter(|_| depth < MAX_DEPTH);
        value.is_some_and(|v| self.makes_error_within(m, v, true, depth + 1))
    }

    /// Whether a function makes errors, by its result where that is known, else by its name.
    pub(super) fn names_error(&self, item: Option<Item>, name: &Name, depth: u8) -> bool {
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
            if *result == Type::Named(None, "error".into()) {
                if self.only_errors(id, depth) {
                    return true;
                }
                // Who gives no error on some way looks for one, whatever the name says.
                if self.may_give_none(id) {
                    return false;
                }
            }
        }
        let name = folded(name);
        let mut words = name.split('_');
        words.clone().next().is_some_and(|first| !ASKING_WORDS.contains(&first))
            && words.any(|w| ERROR_WORDS.contains(&w))
    }

    /// Whether some way out of a function gives no error.
    fn may_give_none(&self, id: FunctionId) -> bool {
        let mut none = false;
        each_stmt(&self.function(id).body, &mut |stmt| {
            if let StmtKind::Return(values) = &stmt.kind {
                none |= values.last().is_some_and(|v| matches!(v.kind, ValueKind::Null));
            }
        });
        none
    }

    /// Whether every way out of a function gives an error that it makes.
    pub(super) fn only_errors(&self, id: FunctionId, depth: u8) -> bool {
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
}

/// Whether a function of a package of errors that is not here makes one, by its first word.
fn makes_by_package(base: &Value, name: &Name) -> bool {
    let ValueKind::Global(package) = &base.kind else { return false };
    let first = folded(name);
    PACKAGE_ENDS.iter().any(|end| package.ends_with(end))
        && first.split('_').next().is_some_and(|word| MAKING_WORDS.contains(&word))
}

/// Whether a chain of calls begins in a package of errors: what comes out at its end is one.
fn is_of_error_package(base: &Value) -> bool {
    let (mut at, mut calls) = (base, 0);
    loop {
        match &at.kind {
            ValueKind::Call { callee, .. } => {
                calls += 1;
                at = callee;
            }
            ValueKind::Member(base, ..) => at = base,
            ValueKind::Global(name) => {
                return calls > 0 && PACKAGE_ENDS.iter().any(|end| name.ends_with(end));
            }
            _ => return false,
        }
    }
}
