//! A quick look at a function: which words, calls and shapes it holds.
//!
//! Says nothing of what it does, and nothing of others.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::effects::{collects, is_small, passes};
use super::given::called_fields;
use super::grounds::{Change, Grounds, Touched};
use super::resolve::{Index, Item};
use super::telling::{encodes, paging_types, sends};
use super::value::FunctionId;
use super::words::{declares, is_declaration, is_word, word_names, PackCalls};
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

/// A look that was taken.
#[derive(Debug)]
struct Kept {
    look: Arc<ModuleLook>,
    /// What it rests on; nothing where that has changed.
    grounds: Option<Grounds>,
    /// What of the module itself has changed since.
    touched: Option<Touched>,
}

impl Kept {
    /// Whether nothing has changed.
    fn is_good(&self) -> bool {
        self.grounds.is_some() && self.touched.is_none()
    }

    /// Notes a change to the program, in which the module has this index.
    fn turn(&mut self, m: u32, change: &Change) {
        let Some(grounds) = self.grounds.take() else { return };
        if self.touched.is_none() && grounds.survive(change) {
            self.grounds = Some(grounds);
            return;
        }
        let Some(mut touched) = change.touched(m) else { return };
        if grounds.survive_outside(m, change) {
            let before = self.touched.take().unwrap_or_default();
            touched.functions.extend(before.functions);
            touched.globals.extend(before.globals);
            (self.grounds, self.touched) = (Some(grounds), Some(touched));
        }
    }

    /// The look as it was, where only what was touched need be looked at again.
    fn again(&mut self, module: &Module, eyes: Eyes<'_>) -> Option<ModuleLook> {
        let touched = self.touched.take().filter(|_| self.grounds.is_some())?;
        let ModuleLook { functions, globals } = &*self.look;
        let same =
            functions.len() == module.functions.len() && globals.len() == module.globals.len();
        if !same {
            self.grounds = None;
            return None;
        }
        let (mut functions, mut globals) = (functions.clone(), globals.clone());
        // What was there for a while only is not there any more.
        for (i, function) in (0..).zip(&module.functions) {
            if touched.functions.contains(&i) {
                functions[i as usize] = Arc::new(look(function, eyes));
            }
        }
        for (i, global) in (0..).zip(&module.globals) {
            if touched.globals.contains(&i) {
                globals[i as usize] = look_at_global(global, eyes);
            }
        }
        Some(ModuleLook { functions, globals })
    }
}

/// The looks of one program, kept from one version of it to the next.
#[derive(Debug, Default)]
pub struct Looks {
    kept: Vec<Seen>,
}

/// Looks with the same eyes.
#[derive(Debug)]
struct Seen {
    pack: Pack,
    types: FxHashSet<Name>,
    words: FxHashSet<Name>,
    called_fields: FxHashSet<Name>,
    modules: Vec<Option<Kept>>,
    used: bool,
}

impl Looks {
    /// Forgets what a change touches, and what nobody used since the last one.
    pub fn turn(&mut self, change: &Change) {
        self.kept.retain_mut(|seen| std::mem::take(&mut seen.used));
        for seen in &mut self.kept {
            for (m, kept) in (0..).zip(&mut seen.modules) {
                kept.iter_mut().for_each(|kept| kept.turn(m, change));
            }
        }
    }

    /// A look at every module; what was seen before with the same eyes is not looked at again, and
    /// a second look that shows the same is the first one.
    pub(super) fn at_all(
        &mut self,
        index: &Index<'_>,
        pack: &Pack,
        calls: &PackCalls,
    ) -> Vec<Arc<ModuleLook>> {
        let (types, words) = (paging_types(index, pack), word_names(index, pack));
        let called_fields = called_fields(index, pack);
        let same = |s: &Seen| {
            let sets = s.types == types && s.words == words && s.called_fields == called_fields;
            sets && s.pack == *pack
        };
        let at = self.kept.iter().position(same).unwrap_or_else(|| {
            let modules = index.program.modules.iter().map(|_| None).collect();
            let pack = pack.clone();
            self.kept.push(Seen { pack, types, words, called_fields, modules, used: true });
            self.kept.len() - 1
        });
        let seen = &mut self.kept[at];
        seen.used = true;
        let (parts, types, words) = (index.parts(), &seen.types, &seen.words);
        let called_fields = &seen.called_fields;
        let all = seen.modules.par_iter_mut().enumerate().map(|(m, kept)| {
            if let Some(good) = kept.as_ref().filter(|kept| kept.is_good()) {
                return good.look.clone();
            }
            let (index, module) = (&Index::made_of(parts), &parts.program().modules[m]);
            let module_index = m as u32;
            let eyes =
                Eyes { index, pack, calls, types, words, called_fields, module: module_index };
            let mut before = kept.take();
            let look = before.as_mut().and_then(|before| before.again(module, eyes));
            let look = look.unwrap_or_else(|| look_at(module, eyes));
            let (before, grounds) = before.map_or((None, None), |b| (Some(b.look), b.grounds));
            let grounds = match grounds {
                Some(grounds) => grounds.with(index.grounds()),
                None => index.grounds(),
            };
            let look = before.filter(|before| **before == look).unwrap_or_else(|| Arc::new(look));
            *kept = Some(Kept { look: look.clone(), grounds: Some(grounds), touched: None });
            look
        });
        all.collect()
    }
}

fn look_at(module: &Module, eyes: Eyes<'_>) -> ModuleLook {
    eyes.index.module(eyes.module);
    let functions = module.functions.iter().map(|function| Arc::new(look(function, eyes)));
    let globals = module.globals.iter().map(|global| look_at_global(global, eyes));
    ModuleLook { functions: functions.collect(), globals: globals.collect() }
}

fn look_at_global(global: &Global, eyes: Eyes<'_>) -> Option<Arc<Look>> {
    let value = global.value.as_ref()?;
    let mut look = Look::default();
    look_value(value, eyes, &mut look);
    Some(Arc::new(look))
}

/// A look at one function.
fn look(function: &Function, eyes: Eyes<'_>) -> Look {
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
