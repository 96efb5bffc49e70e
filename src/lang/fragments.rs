//! The parts of a file that lower on their own, remembered from one version of it to the next.
//!
//! Knows no language: a part is a text and what it was lowered to.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ir::Module;

/// What a part of a file was lowered to; offsets count from its first byte.
#[derive(Debug)]
pub struct Fragment {
    /// Its text as the parser saw it.
    pub prepared: String,
    /// What else its lowering took from the file.
    pub context: String,
    /// What it says.
    pub module: Module,
    /// What its code outside of any function says, which only a broken text has.
    pub stray: Module,
    /// The first byte that could not be understood.
    pub error: Option<u32>,
}

/// The fragments of one version of a file, by text.
#[derive(Debug, Default)]
pub struct Fragments {
    by_text: FxHashMap<Box<str>, Arc<Fragment>>,
}

/// What is recalled of the version before, and taken down for the next.
#[derive(Debug, Default)]
pub struct Recall<'a> {
    before: Option<&'a Fragments>,
    now: Fragments,
}

impl<'a> Recall<'a> {
    /// Recalls the fragments of the version before.
    pub fn of(before: &'a Fragments) -> Self {
        Recall { before: Some(before), now: Fragments::default() }
    }

    /// Whether there is a version before to recall.
    pub fn recalls(&self) -> bool {
        self.before.is_some()
    }

    /// The fragments of this version; none where nothing was to be recalled.
    pub fn done(self) -> Fragments {
        self.now
    }

    /// The fragment of a text; lowered where none is known that was lowered under the same
    /// conditions.
    pub fn fragment<E>(
        &mut self,
        text: &str,
        (prepared, context): (&str, &str),
        lower: impl FnOnce() -> Result<Fragment, E>,
    ) -> Result<Arc<Fragment>, E> {
        let Some(before) = self.before else { return lower().map(Arc::new) };
        let same = |f: &&Arc<Fragment>| f.prepared == prepared && f.context == context;
        let fragment = match before.by_text.get(text).filter(same) {
            Some(known) => known.clone(),
            None => Arc::new(lower()?),
        };
        self.now.by_text.insert(text.into(), fragment.clone());
        Ok(fragment)
    }
}
