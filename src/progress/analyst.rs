//! Many revisions to their ledgers, each distinct file lowered once.
//!
//! Trusts content alone: what is remembered is found again by what was read, never by when.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::ledger::{unmeasured, Ledger};
use crate::check::{check_lowered, lower_file, lower_with, Cache, Lowered};
use crate::config::Config;
use crate::lang::{Fragments, Recall};
use crate::text::{FileId, Sources};

/// A file of some revision: its path and what names its content.
type Version<B> = (String, B);

/// Analyses revisions of one workspace under one configuration.
pub struct Analyst<'a, B> {
    config: &'a Config,
    /// Files by path and content, each for as long as a revision is to come that holds it.
    files: Mutex<HashMap<Version<B>, Kept>>,
    lowered: AtomicUsize,
    /// The parts of each path's file that was lowered last: the next is made of most of them.
    parts: Mutex<HashMap<String, Arc<Fragments>>>,
    /// What a file that is not there is lowered to, by what stands for its path.
    missing: Mutex<HashMap<String, Option<Lowered>>>,
}

/// A file that some revision to come holds.
#[derive(Default)]
struct Kept {
    /// How many revisions are to come.
    uses: usize,
    /// What it was lowered to, once it was; nothing inside where no front end reads it.
    lowered: Option<Option<Lowered>>,
}

impl<'a, B: Copy + Eq + Hash + Send + Sync> Analyst<'a, B> {
    /// A fresh one, told which file versions the revisions hold, each as often as one does.
    pub fn new(config: &'a Config, versions: impl Iterator<Item = Version<B>>) -> Self {
        let mut files: HashMap<Version<B>, Kept> = HashMap::new();
        for version in versions {
            files.entry(version).or_default().uses += 1;
        }
        let (lowered, parts, missing) = (AtomicUsize::new(0), Mutex::default(), Mutex::default());
        Analyst { config, files: Mutex::new(files), lowered, parts, missing }
    }

    /// How often a file was lowered so far.
    pub fn lowered(&self) -> usize {
        self.lowered.load(Ordering::Relaxed)
    }

    /// The ledger of one revision, not measured yet; `blob` tells the content of a path, and
    /// `cache` is what the revision before it was analysed with.
    pub fn ledger(
        &self,
        sources: &Sources,
        blob: &(dyn Fn(&str) -> Option<B> + Sync),
        cache: &mut Cache,
    ) -> Ledger {
        let files: Vec<FileId> = sources.iter().map(|(id, _)| id).collect();
        let lower = |file: FileId| {
            let source = sources.get(file);
            let Some(blob) = blob(&source.path) else {
                let mut missing = open(&self.missing);
                let known = missing.entry(source.path.clone());
                let lowered = known.or_insert_with(|| lower_file(file, source)).clone();
                return lowered.map(|lowered| lowered.at(file));
            };
            let version = (source.path.clone(), blob);
            if let Some(known) = self.take(&version) {
                return known.map(|lowered| lowered.at(file));
            }
            let before = open(&self.parts).get(&source.path).cloned().unwrap_or_default();
            let mut recall = Recall::of(&before);
            let lowered = lower_with(file, source, &mut recall);
            open(&self.parts).insert(source.path.clone(), Arc::new(recall.done()));
            self.lowered.fetch_add(1, Ordering::Relaxed);
            if let Some(kept) = open(&self.files).get_mut(&version) {
                kept.lowered = Some(lowered.clone());
            }
            lowered
        };
        let lowered = files.into_par_iter().filter_map(lower).collect();
        unmeasured(&check_lowered(sources, lowered, self.config, cache), sources)
    }

    /// What a version was lowered to, if it was; forgets it after its last use.
    fn take(&self, version: &Version<B>) -> Option<Option<Lowered>> {
        let mut files = open(&self.files);
        let kept = files.get_mut(version)?;
        kept.uses = kept.uses.saturating_sub(1);
        if kept.uses > 0 {
            return kept.lowered.clone();
        }
        files.remove(version)?.lowered
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
