//! Many revisions to their ledgers, so that what did not change between two is not done twice.
//!
//! A slice is one file with all that its functions can reach by name; only slices that changed
//! are analysed. Trusts content alone: what is remembered is found again by what was read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::digest::{mix, Digest, Words};
use super::graph::Graph;
use super::ledger::{built_of, unmeasured, Ledger, Row};
use crate::check::{check_lowered, lower_file, Lowered};
use crate::config::Config;
use crate::text::{FileId, Sources};

/// One file of a revision: as the front end read it, and what identifies its parts.
#[derive(Clone)]
struct Known {
    lowered: Lowered,
    digest: Arc<Digest>,
}

/// Analyses revisions of one workspace under one configuration.
pub struct Analyst<'a, B> {
    config: &'a Config,
    /// Whether each revision is analysed as a whole.
    whole: bool,
    /// Files by path and content; nothing where no front end reads one.
    files: Mutex<HashMap<(String, B), Option<Known>>>,
    words: Words,
    /// Rows of slices by all that they were made of.
    slices: Mutex<HashMap<u64, Arc<Vec<Row>>>>,
    /// The stages that the packs know, once an analysis has told them.
    stages: Mutex<Vec<String>>,
}

impl<'a, B: Copy + Eq + Hash + Send + Sync> Analyst<'a, B> {
    /// A fresh one.
    pub fn new(config: &'a Config, whole: bool) -> Self {
        let (files, slices) = (Mutex::default(), Mutex::default());
        Analyst { config, whole, files, words: Words::default(), slices, stages: Mutex::default() }
    }

    /// How many files were lowered and how many slices were analysed so far.
    pub fn done(&self) -> (usize, usize) {
        (open(&self.files).len(), open(&self.slices).len())
    }

    /// The ledger of one revision, not measured yet; `blob` tells the content of a path.
    pub fn ledger(&self, sources: &Sources, blob: &(dyn Fn(&str) -> Option<B> + Sync)) -> Ledger {
        let files = self.files_of(sources, blob);
        if self.whole || files.is_empty() {
            let lowered = files.into_iter().map(|known| known.lowered).collect();
            return unmeasured(&check_lowered(sources, lowered, self.config), sources);
        }
        let graph = Graph::new(files.iter().map(|known| known.digest.as_ref()));
        let mut parts: Vec<Arc<Vec<Row>>> = Vec::new();
        let missing: Vec<(usize, u64)> = (0..files.len())
            .map(|at| (at, graph.key(at)))
            .filter(|(_, key)| match open(&self.slices).get(key) {
                Some(rows) => {
                    parts.push(Arc::clone(rows));
                    false
                }
                None => true,
            })
            .collect();
        let fresh: Vec<(u64, Ledger)> = missing
            .into_par_iter()
            .map(|(at, key)| (key, self.slice(sources, &files, &graph.reach(at))))
            .collect();
        for (key, ledger) in fresh {
            let rows = Arc::new(ledger.rows);
            if !ledger.stages.is_empty() {
                *open(&self.stages) = ledger.stages;
            }
            open(&self.slices).insert(key, Arc::clone(&rows));
            parts.push(rows);
        }
        Ledger { rows: merge(&parts), stages: open(&self.stages).clone(), expired: Vec::new() }
    }

    fn slice(&self, sources: &Sources, files: &[Known], reach: &BTreeSet<u32>) -> Ledger {
        let lowered = files.iter().map(|known| Lowered {
            module: known.digest.module(&known.lowered.module, reach),
            troubles: Arc::from([]),
            ..known.lowered.clone()
        });
        unmeasured(&check_lowered(sources, lowered.collect(), self.config), sources)
    }

    fn files_of(&self, sources: &Sources, blob: &(dyn Fn(&str) -> Option<B> + Sync)) -> Vec<Known> {
        let files: Vec<FileId> = sources.iter().map(|(id, _)| id).collect();
        let know = |file: FileId| {
            let source = sources.get(file);
            let key = blob(&source.path).map(|blob| (source.path.clone(), blob));
            let known = key.as_ref().and_then(|key| open(&self.files).get(key).cloned());
            if let Some(known) = known {
                return known.map(|known| Known { lowered: Lowered { file, ..known.lowered }, ..known });
            }
            let known = lower_file(file, source).map(|lowered| {
                let digest = Digest::new(source, &lowered.module, &self.words);
                Known { lowered, digest: Arc::new(digest) }
            });
            if let Some(key) = key {
                open(&self.files).insert(key, known.clone());
            }
            known
        };
        files.into_par_iter().filter_map(know).collect()
    }
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rows of several slices as one ledger: a tool may emit from several files, and a helper
/// is seen from each of its callers.
fn merge(parts: &[Arc<Vec<Row>>]) -> Vec<Row> {
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    for row in parts.iter().flat_map(|part| part.iter()) {
        match rows.entry((row.name.clone(), row.kind.clone())) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(row.clone());
            }
            std::collections::btree_map::Entry::Occupied(mut place) => join(place.get_mut(), row),
        }
    }
    // What a slice took for an emitter of its own is one of a tool of another slice.
    let taken: BTreeSet<(String, Option<String>)> = rows
        .values()
        .filter(|row| row.kind != "function")
        .flat_map(|row| &row.emitters)
        .map(|place| (place.path.clone(), place.function.clone()))
        .collect();
    let taken = |row: &Row| {
        let mut places = row.emitters.iter().map(|p| (p.path.clone(), p.function.clone()));
        places.all(|place| taken.contains(&place))
    };
    rows.retain(|_, row| row.kind != "function" || !taken(row));
    rows.into_values().collect()
}

fn join(into: &mut Row, other: &Row) {
    let alike = |a: &super::ledger::Place, b: &super::ledger::Place| {
        (&a.path, &a.function, &a.shape, &a.built) == (&b.path, &b.function, &b.shape, &b.built)
    };
    for place in &other.emitters {
        if !into.emitters.iter().any(|known| alike(known, place)) {
            into.emitters.push(place.clone());
        }
    }
    into.emitters.sort_by(|a, b| (&a.path, a.line, &a.shape).cmp(&(&b.path, b.line, &b.shape)));
    for finding in &other.findings {
        let same = |f: &super::ledger::Open| {
            (&f.rule, &f.path, &f.fingerprint) == (&finding.rule, &finding.path, &finding.fingerprint)
        };
        if !into.findings.iter().any(same) {
            into.findings.push(finding.clone());
        }
    }
    into.findings.sort_by(|a, b| (&a.path, a.line, &a.rule).cmp(&(&b.path, b.line, &b.rule)));
    let lists = [
        (&mut into.missing, &other.missing),
        (&mut into.old_names, &other.old_names),
        (&mut into.clamps, &other.clamps),
        (&mut into.leaks, &other.leaks),
    ];
    for (list, more) in lists {
        list.extend(more.iter().cloned());
        list.sort();
        list.dedup();
    }
    into.masked = into.masked.max(other.masked);
    into.resumable = into.resumable.max(other.resumable);
    if into.family.as_deref().is_none_or(|family| family == "LIST") {
        into.family = other.family.clone().or(into.family.take());
    }
    into.built = built_of(into.emitters.iter().map(|place| place.built.as_str())).to_string();
}

/// Ledgers that are alike, kept once.
#[derive(Default)]
pub struct Alike {
    known: HashMap<u64, Vec<Arc<Ledger>>>,
}

impl Alike {
    /// The one kept ledger that equals this one.
    pub fn keep(&mut self, ledger: Ledger) -> Arc<Ledger> {
        let mut hash = ledger.rows.len() as u64;
        for row in &ledger.rows {
            hash = mix(hash, format!("{row:?}").as_bytes());
        }
        let known = self.known.entry(hash).or_default();
        if let Some(known) = known.iter().find(|known| ***known == ledger) {
            return Arc::clone(known);
        }
        let ledger = Arc::new(ledger);
        known.push(Arc::clone(&ledger));
        ledger
    }
}
