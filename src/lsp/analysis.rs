//! The thread that analyses: takes what is wanted, gives what was found, one run at a time.
//!
//! Knows no message of the protocol. A panic costs one run and what was kept, not the server.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use lsp_types::Diagnostic;

use super::place::{Analysed, Buffers, Place};
use crate::discover::{near, Workspace};
use crate::lang::language_of;
use crate::positions::Encoding;

/// Stack of a thread that walks syntax trees: their depth is bounded, but not small.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// What to analyse.
pub struct Wanted {
    /// Counts the states of the session.
    pub generation: u64,
    /// The folders that are open.
    pub folders: Vec<PathBuf>,
    /// The buffers that are open.
    pub buffers: Buffers,
    /// Whether the disk may have changed.
    pub reread: bool,
    /// How columns are counted.
    pub encoding: Encoding,
}

/// What was found.
#[derive(Default)]
pub struct Finished {
    /// The state it is about.
    pub generation: u64,
    /// The workspaces; a file may lie in several.
    pub workspaces: Vec<Arc<Analysed>>,
    /// What to show, by full path.
    pub diagnostics: BTreeMap<PathBuf, Arc<[Diagnostic]>>,
    /// The version of each buffer that was analysed.
    pub versions: BTreeMap<PathBuf, i32>,
    /// How long it took.
    pub took: Duration,
    /// What went wrong, a sentence each.
    pub failures: Vec<String>,
    /// Whether there is no result at all.
    pub broken: bool,
}

impl Finished {
    /// The workspace that answers for a file: the one asked for most closely around it.
    pub fn owner(&self, path: &Path) -> Option<&Arc<Analysed>> {
        let closeness = |analysed: &Analysed| {
            let around = analysed.asked.iter().filter(|asked| path.starts_with(asked));
            around.map(|asked| asked.as_os_str().len()).max()
        };
        let close = self.workspaces.iter().filter_map(|one| Some((closeness(one)?, one)));
        close.max_by_key(|(closeness, _)| *closeness).map(|(_, one)| one)
    }
}

/// Starts the thread; `tell` is called with each result. It ends when the sender is dropped.
pub fn start(tell: impl Fn(Finished) + Send + 'static) -> std::io::Result<Sender<Wanted>> {
    let (sender, receiver) = mpsc::channel::<Wanted>();
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK_BYTES)
        .thread_name(|index| format!("analysis-{index}"))
        .build()
        .map_err(std::io::Error::other)?;
    thread::Builder::new().name("analysis".to_string()).spawn(move || {
        let mut analyst = Analyst::default();
        for wanted in receiver {
            let run = AssertUnwindSafe(|| pool.install(|| analyst.run(&wanted)));
            let finished = panic::catch_unwind(run).unwrap_or_else(|_| {
                analyst = Analyst::default();
                let failure = "the analysis failed; this is a bug in pagelint".to_string();
                let (generation, failures) = (wanted.generation, vec![failure]);
                Finished { generation, failures, broken: true, ..Finished::default() }
            });
            tell(finished);
        }
    })?;
    Ok(sender)
}

/// What tells a workspace from others: its folder, or for files outside all folders the root
/// and the configuration that they have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Folder(PathBuf),
    Loose(PathBuf, Option<PathBuf>),
}

#[derive(Default)]
struct Analyst {
    places: BTreeMap<Key, Place>,
    /// The workspaces of files outside all folders; to find one asks the disk.
    loose: BTreeMap<PathBuf, Option<(Key, Workspace)>>,
}

impl Analyst {
    fn run(&mut self, wanted: &Wanted) -> Finished {
        let begun = Instant::now();
        let mut finished = Finished { generation: wanted.generation, ..Finished::default() };
        if wanted.reread {
            self.loose.clear();
        }
        let known: Vec<Key> = self.places.keys().cloned().collect();
        let groups = self.groups(wanted, &mut finished.failures);
        self.places.retain(|key, _| groups.contains_key(key));
        for (key, workspace) in groups {
            let buffers = &wanted.buffers;
            let place = self
                .places
                .entry(key.clone())
                .or_insert_with(|| Place::new(workspace.clone(), wanted.encoding, buffers));
            place.ask(workspace.asked, buffers);
            if wanted.reread && known.contains(&key) {
                place.read_again(buffers);
            }
            finished.workspaces.push(place.run(buffers));
        }
        let mut shown = BTreeMap::new();
        for analysed in &finished.workspaces {
            for (path, list) in &analysed.diagnostics {
                let owner = finished.owner(path);
                if owner.is_none_or(|owner| Arc::ptr_eq(owner, analysed)) {
                    shown.insert(path.clone(), list.clone());
                }
            }
        }
        finished.diagnostics = shown;
        let versions = wanted.buffers.iter().map(|(path, buffer)| (path.clone(), buffer.version));
        finished.versions = versions.collect();
        finished.took = begun.elapsed();
        finished
    }

    /// The workspaces that the folders and the buffers outside them need.
    fn groups(&mut self, wanted: &Wanted, failures: &mut Vec<String>) -> BTreeMap<Key, Workspace> {
        let mut groups = BTreeMap::new();
        for folder in &wanted.folders {
            match Workspace::find(std::slice::from_ref(folder)) {
                Ok(workspace) => drop(groups.insert(Key::Folder(folder.clone()), workspace)),
                Err(failure) => failures.push(failure.to_string()),
            }
        }
        for path in wanted.buffers.keys() {
            let outside = !wanted.folders.iter().any(|folder| path.starts_with(folder));
            if !outside || language_of(&path.to_string_lossy()).is_none() {
                continue;
            }
            let found = self.loose.entry(path.clone()).or_insert_with(|| loose(path));
            if let Some((key, workspace)) = found {
                let group = groups
                    .entry(key.clone())
                    .or_insert_with(|| Workspace { asked: Vec::new(), ..workspace.clone() });
                group.asked.push(path.clone());
            }
        }
        groups
    }
}

/// The workspace of a file outside all folders, which need not be saved yet.
fn loose(path: &Path) -> Option<(Key, Workspace)> {
    let find = |path: &Path| Workspace::find(&[path.to_path_buf()]).ok();
    let workspace = find(path).or_else(|| find(path.parent()?))?;
    let key = Key::Loose(workspace.root.clone(), near::configuration(path));
    Some((key, workspace))
}
