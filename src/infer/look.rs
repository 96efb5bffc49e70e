//! A quick look at a function: which words, calls and shapes it holds.
//!
//! Says nothing of what it does, and nothing of others.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::effects::{collects, is_small, passes};
use super::relevance::{MAX_CHECKING, MAX_COLLECTING, MAX_PASSING};
use super::resolve::{Index, Item};
use super::telling::{encodes, sends};
use super::value::FunctionId;
use super::words::{declares, is_declaration, is_word, PackCalls};
use crate::ir::walk::{each_own, each_stmt};
use crate::ir::{Builtin, EntryKey, Function, Global, Module, Name, Type, Value, ValueKind};
use crate::pack::Pack;

/// What a look needs to know of where it looks.
#[derive(Clone, Copy)]
pub(super) struct Eyes<'a> {
    pub(super) index: &'a Index<'a>,
    pub(super) pack: &'a Pack,
    pub(super) calls: &'a PackCalls,
    pub(super) types: &'a FxHashSet<Name>,
    /// Names that hold a word of the pack.
    pub(super) words: &'a FxHashSet<Name>,
    /// Fields that hold what is called.
    pub(super) called_fields: &'a FxHashSet<Name>,
    pub(super) module: u32,
}

/// What a look at one function or value saw.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Look {
    /// Names of functions, as far as they could not be told.
    pub(super) names: FxHashSet<Name>,
    /// Functions that are named.
    pub(super) functions: FxHashSet<FunctionId>,
    /// Names that are called.
    pub(super) called: FxHashSet<Name>,
    /// Whether it says a word of the pack, or makes a call that sends, asks or declares.
    pub(super) interesting: bool,
    /// Whether it shapes objects or asks what decides about them: worth running where something
    /// calls it that is worth it.
    pub(super) shapes: bool,
    pub(super) declares: bool,
    /// Whether it makes JSON text.
    pub(super) encodes: bool,
    pub(super) passes: bool,
    pub(super) collects: bool,
    /// Whether it is a handful of statements without a loop.
    pub(super) small: bool,
    pub(super) statements: u32,
    /// Texts given to methods of the shared builder: method, place, text.
    pub(super) builder_texts: Vec<(Name, usize, Name)>,
    /// Fields that hold what is called and that a literal fills.
    pub(super) fills: FxHashSet<Name>,
}

/// Looks at all of a module.
#[derive(Debug, PartialEq)]
pub(super) struct ModuleLook {
    /// One for each function.
    pub(super) functions: Vec<Arc<Look>>,
    /// One for each variable of file scope that has a value.
    pub(super) globals: Vec<Option<Arc<Look>>>,
}

impl Look {
    /// Whether another look at the function is the same but for names that are no function's.
    fn tells_as(&self, other: &Look, is_function: &impl Fn(&Name) -> bool) -> bool {
        let Look {
            names,
            functions,
            called,
            interesting,
            shapes,
            declares,
            encodes: _,
            passes,
            collects,
            small,
            statements,
            builder_texts,
            fills,
        } = self;
        let alike = |a: &FxHashSet<Name>, b| !a.symmetric_difference(b).any(is_function);
        // How long it is only matters in these ways.
        let short = |passes: bool, collects: bool, statements: u32| {
            let passes = passes && statements <= MAX_PASSING;
            (passes, collects && statements <= MAX_COLLECTING, statements <= MAX_CHECKING)
        };
        let marks = |l: &Look| (l.interesting, l.shapes, l.declares, l.small);
        (*interesting, *shapes, *declares, *small) == marks(other)
            && short(*passes, *collects, *statements)
                == short(other.passes, other.collects, other.statements)
            && *functions == other.functions
            && *builder_texts == other.builder_texts
            && *fills == other.fills
            && alike(names, &other.names)
            && alike(called, &other.called)
    }
}

impl ModuleLook {
    /// Whether another look at the module is the same but for names that are no function's.
    pub(super) fn tells_as(
        &self,
        other: &ModuleLook,
        is_function: &impl Fn(&Name) -> bool,
    ) -> bool {
        let same =
            |(a, b): (&Arc<Look>, &Arc<Look>)| Arc::ptr_eq(a, b) || a.tells_as(b, is_function);
        let globals = || self.globals.iter().zip(&other.globals);
        self.functions.len() == other.functions.len()
            && self.globals.len() == other.globals.len()
            && self.functions.iter().zip(&other.functions).all(same)
            && globals().all(|(a, b)| a.is_some() == b.is_some())
            && globals().filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?))).all(same)
    }
}

/// A look at all of a module.
pub(super) fn look_at(module: &Module, eyes: Eyes<'_>) -> ModuleLook {
    eyes.index.module(eyes.module);
    let functions = module.functions.iter().map(|function| Arc::new(look(function, eyes)));
    let globals = module.globals.iter().map(|global| look_at_global(global, eyes));
    ModuleLook { functions: functions.collect(), globals: globals.collect() }
}

/// A look at the value of a variable of file scope, where it has one.
pub(super) fn look_at_global(global: &Global, eyes: Eyes<'_>) -> Option<Arc<Look>> {
    let value = global.value.as_ref()?;
    let mut look = Look::default();
    look_value(value, eyes, &mut look);
    Some(Arc::new(look))
}

/// A look at one function.
pub(super) fn look(function: &Function, eyes: Eyes<'_>) -> Look {
    let mut look = Look { small: is_small(&function.body), ..Look::default() };
    for param in &function.params {
        if let Some(default) = &param.default {
            look_value(default, eyes, &mut look);
        }
    }
    each_stmt(&function.body, &mut |stmt| {
        look.statements += 1;
        look.passes |= passes(function, stmt);
        look.collects |= collects(function, stmt);
        each_own(stmt, &mut |value| look_value(value, eyes, &mut look));
    });
    // Who hands on a page of the service may give it to what sends it.
    let pages = |ty: &Type| matches!(ty, Type::Named(_, name) if eyes.types.contains(name));
    look.interesting |= function.results.iter().any(pages);
    look.interesting |= look.encodes && sends(&look, eyes.pack);
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
                    || !self.index.is_package(self.module)
                    || self.index.import_path(self.module, base).is_some_and(|t| ends_in(t, p))
            }),
            // Only where code is in packages can nothing but a name stand for one.
            Some(_) => !self.index.is_package(self.module),
            None => {
                self.index.module(self.module).name.as_ref().is_some_and(|n| packages.contains(n))
            }
        }
    }

    /// Notes that `base.name` is named: the function itself, or its name where that is all that
    /// can be told.
    fn mention(&self, base: Option<&Value>, name: &Name, look: &mut Look) {
        look.interesting |= self.words.contains(name);
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

/// A look at one expression.
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
                if let Some(name) = value.struct_name() {
                    look.interesting |= eyes.types.contains(name);
                    look.declares |= declares(name, pack);
                    look.interesting |= is_declaration(name, pack);
                }
                let is_struct = matches!(value.kind, ValueKind::Struct(..));
                for entry in entries {
                    match &entry.key {
                        EntryKey::Known(name) => {
                            look.interesting |= is_word(name, pack);
                            if is_struct && eyes.called_fields.contains(name) {
                                look.fills.insert(name.clone());
                            }
                        }
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
                look.encodes |= matches!(builtin, Some(Builtin::Encode));
                look.interesting |= encodes(*builtin, pack);
                if let ValueKind::Global(name) | ValueKind::Member(_, name, _) = &callee.kind {
                    look.called.insert(name.clone());
                }
                stack.push(callee);
                stack.extend(args.iter().map(|a| &a.value));
            }
            ValueKind::Builtin(builtin, operands) => {
                look.shapes |= shapes_objects(Some(*builtin));
                look.encodes |= matches!(builtin, Builtin::Encode);
                stack.extend(operands);
            }
            ValueKind::New(ty, args) => {
                look.interesting |=
                    matches!(&**ty, Type::Named(_, name) if eyes.types.contains(name));
                stack.extend(args.iter().map(|a| &a.value));
            }
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
            | ValueKind::Closure(_)
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
