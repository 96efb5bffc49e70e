//! Sources to lowered files at their places, as far as they are not remembered.
//!
//! Asks no pack and infers nothing.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::ir::Module;
use crate::lang::{language_of, Fragments, Input, Recall, Trouble};
use crate::layout::{Layouts, Placed};
use crate::suppress::FileScopes;
use crate::text::{FileId, Source, Sources};

/// Files as they were lowered and placed last, by path.
#[derive(Debug, Default)]
pub(super) struct Files {
    known: FxHashMap<String, Known>,
    /// Of files that somebody else lowered: what was placed, and its places.
    placed: FxHashMap<String, (Arc<Module>, Placed)>,
}

/// One lowered file.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Which file of the sources.
    pub file: FileId,
    /// Id of its language.
    pub language: &'static str,
    /// What it says.
    pub module: Arc<Module>,
    /// What of it could not be understood.
    pub troubles: Arc<[Trouble]>,
    /// Its comments and extents.
    pub scopes: Arc<FileScopes>,
}

impl Lowered {
    /// The same as another file of the sources.
    pub fn at(mut self, file: FileId) -> Self {
        if self.file != file {
            self.file = file;
            Arc::make_mut(&mut self.scopes).file = file;
        }
        self
    }
}

/// Lowered files, at their places.
pub(super) struct Laid {
    pub lowered: Vec<Lowered>,
    pub layouts: Layouts,
}

/// Gives each file its places; what stands as it did keeps those that are known.
pub(super) fn place(sources: &Sources, mut lowered: Vec<Lowered>, files: &mut Files) -> Laid {
    let known = &mut files.placed;
    let place = |one: &mut Lowered| {
        let source = sources.get(one.file);
        let before = known.get(&source.path);
        let placed = match before.filter(|(module, _)| Arc::ptr_eq(module, &one.module)) {
            Some((_, placed)) => placed.clone(),
            None => {
                let module = Module::clone(&one.module);
                Placed::new(&source.text, module, before.map(|(_, placed)| placed))
            }
        };
        let module = std::mem::replace(&mut one.module, placed.module.clone());
        (one.file, (module, placed))
    };
    let placed: Vec<(FileId, (Arc<Module>, Placed))> = lowered.par_iter_mut().map(place).collect();
    let mut layouts = Layouts::default();
    for (file, placed) in placed {
        layouts.add(file, &placed.1);
        known.insert(sources.get(file).path.clone(), placed);
    }
    Laid { lowered, layouts }
}

/// A file as it was lowered and placed last.
#[derive(Clone, Debug)]
struct Known {
    text: Arc<str>,
    /// With the module at its places.
    lowered: Lowered,
    placed: Placed,
    /// What it was lowered from; only kept of a file that has changed, which will change again.
    fragments: Arc<Fragments>,
}

/// Lowers and places every file; what is remembered of the same text is not lowered again.
pub(super) fn lower(sources: &Sources, remembered: &mut Files) -> Laid {
    let files: Vec<FileId> = sources.iter().map(|(id, _)| id).collect();
    let known = std::mem::take(&mut remembered.known);
    let one = |file: FileId| {
        let source = sources.get(file);
        let text = source.text.clone();
        let before = known.get(&source.path);
        if let Some(same) = before.filter(|k| Arc::ptr_eq(&k.text, &text) || k.text == text) {
            return Some(Known { text, lowered: same.lowered.clone().at(file), ..same.clone() });
        }
        let mut recall = before.map_or(Recall::default(), |before| Recall::of(&before.fragments));
        let mut lowered = lower_with(file, source, &mut recall)?;
        let fragments = Arc::new(recall.done());
        let module = Arc::unwrap_or_clone(std::mem::take(&mut lowered.module));
        let placed = Placed::new(&text, module, before.map(|before| &before.placed));
        lowered.module = placed.module.clone();
        Some(Known { text, lowered, placed, fragments })
    };
    let files: Vec<Known> = files.into_par_iter().filter_map(one).collect();
    let lowered = files.iter().map(|known| known.lowered.clone()).collect();
    let mut layouts = Layouts::default();
    files.iter().for_each(|known| layouts.add(known.lowered.file, &known.placed));
    let path = |known: &Known| sources.get(known.lowered.file).path.clone();
    remembered.known = files.into_iter().map(|known| (path(&known), known)).collect();
    Laid { lowered, layouts }
}

/// Lowers every file of sources that no later version follows: their text is their place.
pub(super) fn lower_once(sources: &Sources) -> Laid {
    let files: Vec<(FileId, &Source)> = sources.iter().collect();
    let lowered = files.into_par_iter().filter_map(|(id, source)| lower_file(id, source));
    Laid { lowered: lowered.collect(), layouts: Layouts::default() }
}

/// Lowers one file; nothing where no front end reads it.
pub fn lower_file(file: FileId, source: &Source) -> Option<Lowered> {
    lower_with(file, source, &mut Recall::default())
}

/// Lowers one file, of which parts may be recalled.
pub fn lower_with(file: FileId, source: &Source, recall: &mut Recall<'_>) -> Option<Lowered> {
    let language = language_of(&source.path)?;
    let input = Input { path: &source.path, text: &source.text };
    let (module, troubles) = (language.lower_with)(&input, recall);
    Some(Lowered {
        file,
        language: language.id,
        scopes: Arc::new(FileScopes::of(file, &module)),
        module: Arc::new(module),
        troubles: troubles.into(),
    })
}
