//! One lowered file to what identifies its parts, and to the same file with parts emptied.
//!
//! Knows names and texts of declarations, not what they do.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::ir::{Function, Module, Range};
use crate::text::Source;

/// Numbers for words, the same over all revisions.
#[derive(Default)]
pub struct Words {
    known: Mutex<HashMap<String, u32>>,
}

impl Words {
    fn numbers<'t>(&self, words: impl Iterator<Item = &'t str>) -> Vec<u32> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut number = |word: &str| match known.get(word) {
            Some(number) => *number,
            None => {
                let next = known.len() as u32;
                known.insert(word.to_string(), next);
                next
            }
        };
        let mut numbers: Vec<u32> = words.map(&mut number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// A declaration: a function, global, type, import, or the head of the file itself.
pub struct Item {
    /// Its name.
    pub name: u32,
    /// Its text and the file's path.
    pub hash: u64,
    /// All words of its text.
    pub words: Vec<u32>,
}

/// What identifies the parts of a file.
pub struct Digest {
    /// Its declarations.
    pub items: Vec<Item>,
    /// The name of each function; closures bear that of the function around them.
    names: Vec<u32>,
    hollow: Arc<Module>,
}

impl Digest {
    /// Digests a file.
    pub fn new(source: &Source, module: &Module, words: &Words) -> Digest {
        let text = |range: Range| {
            source.text.get(range.start as usize..range.end as usize).unwrap_or_default()
        };
        // A comment that allows something may stand outside of what it is about.
        let allows = module.comments.iter().filter(|c| c.text.contains("pagelint"));
        let path = allows.fold(mix(0, source.path.as_bytes()), |h, c| mix(h, c.text.as_bytes()));
        let item = |name: &str, text: &str| Item {
            name: words.numbers(std::iter::once(name))[0],
            hash: mix(mix(path, name.as_bytes()), text.as_bytes()),
            words: words.numbers(split(text)),
        };
        let head = format!("\u{1}{}", source.path);
        let mut items: Vec<Item> = Vec::new();
        let mut names = Vec::with_capacity(module.functions.len());
        for function in &module.functions {
            let outer = outermost(module, function);
            let name = if outer.name.is_empty() { head.as_str() } else { outer.name.as_str() };
            let own = function.parent.is_none().then(|| item(name, text(function.range)));
            names.push(own.as_ref().map_or_else(|| words.numbers(std::iter::once(name))[0], |i| i.name));
            items.extend(own);
        }
        items.extend(module.globals.iter().map(|global| item(&global.name, text(global.range))));
        items.extend(module.types.iter().map(|ty| item(&ty.name, text(ty.range))));
        let mut whole = format!("{:?} {:?} {}", module.name, module.extends, module.unit);
        for import in &module.imports {
            let said = format!("{:?} {:?}", import.targets, import.item);
            whole.push_str(&said);
            items.push(item(&import.local, &said));
        }
        for export in &module.reexports {
            whole.push_str(&format!("{:?} {:?} {:?}", export.name, export.item, export.targets));
        }
        items.push(item(&head, &whole));
        let hollow = Arc::new(emptied(module, &|_| false));
        Digest { items, names, hollow }
    }

    /// The file with the bodies of only those functions whose name is among the given ones.
    pub fn module(&self, module: &Arc<Module>, names: &BTreeSet<u32>) -> Arc<Module> {
        let kept = self.names.iter().filter(|name| names.contains(name)).count();
        match kept {
            0 => Arc::clone(&self.hollow),
            kept if kept == self.names.len() => Arc::clone(module),
            _ => Arc::new(emptied(module, &|at| names.contains(&self.names[at]))),
        }
    }
}

fn outermost<'m>(module: &'m Module, function: &'m Function) -> &'m Function {
    let mut outer = function;
    while let Some(parent) = outer.parent.and_then(|at| module.functions.get(at as usize)) {
        outer = parent;
    }
    outer
}

fn emptied(module: &Module, keeps: &dyn Fn(usize) -> bool) -> Module {
    let functions = module.functions.iter().enumerate();
    Module {
        unit: module.unit.clone(),
        name: module.name.clone(),
        global_name: module.global_name,
        extends: module.extends.clone(),
        imports: module.imports.clone(),
        functions: functions.map(|(at, f)| if keeps(at) { f.clone() } else { bare(f) }).collect(),
        types: module.types.clone(),
        globals: module.globals.clone(),
        reexports: module.reexports.clone(),
        comments: module.comments.iter().filter(|c| c.text.contains("pagelint")).cloned().collect(),
        generated: module.generated,
    }
}

fn bare(function: &Function) -> Function {
    Function {
        name: function.name.clone(),
        owner: function.owner.clone(),
        kind: function.kind,
        receiver: function.receiver,
        params: function.params.clone(),
        results: function.results.clone(),
        result_slots: function.result_slots.clone(),
        body: Default::default(),
        slots: function.slots,
        slot_names: function.slot_names.clone(),
        range: function.range,
        name_range: function.name_range,
        parent: function.parent,
        has_error: false,
    }
}

/// The words of a text, whatever the language: letters, digits and underscores.
fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// FNV-1a, with a separator.
pub fn mix(hash: u64, bytes: &[u8]) -> u64 {
    let start = hash ^ 0xcbf2_9ce4_8422_2325;
    let hash = bytes.iter().fold(start, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    hash.wrapping_mul(0x0100_0000_01b3) ^ bytes.len() as u64
}
