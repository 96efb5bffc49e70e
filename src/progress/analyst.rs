//! Many revisions to their ledgers, each distinct file lowered once.
//!
//! Trusts content alone: what is remembered is found again by what was read, never by when.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::ledger::{unmeasured, Ledger};
use crate::check::{check_lowered, lower_file, Cache, Lowered};
use crate::config::Config;
use crate::text::{FileId, Sources};

/// Analyses revisions of one workspace under one configuration.
pub struct Analyst<'a, B> {
    config: &'a Config,
    /// Files by path and content; nothing where no front end reads one.
    files: Mutex<HashMap<(String, B), Option<Lowered>>>,
}

impl<'a, B: Copy + Eq + Hash + Send + Sync> Analyst<'a, B> {
    /// A fresh one.
    pub fn new(config: &'a Config) -> Self {
        Analyst { config, files: Mutex::default() }
    }

    /// How many files were lowered so far.
    pub fn lowered(&self) -> usize {
        open(&self.files).len()
    }

    /// The ledger of one revision, not measured yet; `blob` tells the content of a path.
    pub fn ledger(&self, sources: &Sources, blob: &(dyn Fn(&str) -> Option<B> + Sync)) -> Ledger {
        let files: Vec<FileId> = sources.iter().map(|(id, _)| id).collect();
        let lower = |file: FileId| {
            let source = sources.get(file);
            let key = blob(&source.path).map(|blob| (source.path.clone(), blob));
            let known = key.as_ref().and_then(|key| open(&self.files).get(key).cloned());
            if let Some(known) = known {
                return known.map(|lowered| Lowered { file, ..lowered });
            }
            let lowered = lower_file(file, source);
            if let Some(key) = key {
                open(&self.files).insert(key, lowered.clone());
            }
            lowered
        };
        let lowered = files.into_par_iter().filter_map(lower).collect();
        unmeasured(&check_lowered(sources, lowered, self.config, &mut Cache::default()), sources)
    }
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ledgers that are alike, kept once.
#[derive(Default)]
pub struct Alike {
    known: HashMap<u64, Vec<Arc<Ledger>>>,
}

impl Alike {
    /// The one kept ledger that equals this one.
    pub fn keep(&mut self, ledger: Ledger) -> Arc<Ledger> {
        let mut hasher = std::hash::DefaultHasher::new();
        for row in &ledger.rows {
            (&row.name, row.status, &row.stage, row.findings.len()).hash(&mut hasher);
        }
        let known = self.known.entry(hasher.finish()).or_default();
        if let Some(known) = known.iter().find(|known| ***known == ledger) {
            return Arc::clone(known);
        }
        let ledger = Arc::new(ledger);
        known.push(Arc::clone(&ledger));
        ledger
    }
}
