//! `--history`: the revisions of a range to their ledgers, through a cache on disk.
//!
//! Checks nothing out and writes nothing but the cache.

#![allow(clippy::disallowed_methods)]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

use super::args::ProgressArgs;
use super::cache::{key, Cache};
use super::failure::Failure;
use super::progress::cache_dir;
use super::reading::Analysed;
use crate::check::Cache as Carried;
use crate::config::Date;
use crate::discover::{decode_within, keep_places};
use crate::progress::analyst::{Alike, Analyst};
use crate::progress::history::{History, Point};
use crate::progress::ledger::Terms;
use crate::progress::Ledger;
use crate::revisions::{before, mainline, Blob, Commit, Repository, Trees};
use crate::text::Sources;

/// What is read, and what it is measured against.
pub struct Read<'a> {
    /// The workspace as it is now.
    pub analysed: &'a Analysed,
    /// What ledgers are measured against.
    pub terms: Terms<'a>,
    /// What the user asked for.
    pub args: &'a ProgressArgs,
    /// Whether to say nothing but results.
    pub quiet: bool,
}

/// The files of a revision that are worth reading: path in the workspace, and content.
type Files = Vec<(String, Blob)>;

/// Analyses the revisions of a range.
pub fn over_time(read: &Read<'_>, range: &str) -> Result<History, Failure> {
    let begun = Instant::now();
    let (analysed, args) = (read.analysed, read.args);
    if range.contains("...") {
        let what = format!("`{range}` is what two revisions do not share, and no history");
        return Err(Failure::Argument(what, "write A..B for what leads from A to B"));
    }
    let repository = Repository::open(&analysed.workspace.root)?;
    let mut commits = repository.commits(range, args.first_parent)?;
    if commits.is_empty() {
        let what = format!("there is no revision in `{range}`");
        return Err(Failure::Argument(what, "write A..B where A leads to B, not B to A"));
    }
    let start = start(&repository, range)?.filter(|_| !commits.is_empty());
    let from = usize::from(start.is_some());
    commits.splice(0..0, start);
    let (kept, before_it) = choose(&commits, from, args)?;
    let line = mainline(&commits);
    let trees = contents(read, &repository, &commits, &kept)?;
    let mut ledgers: BTreeMap<String, Ledger> = BTreeMap::new();
    let cache = cache_dir(args, analysed).map(|dir| Cache::open(&dir));
    // In the order of revisions: neighbours are most alike.
    let mut todo: Vec<(&str, &Files)> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for (key, files) in trees.iter().filter(|(key, _)| seen.insert(key)) {
        match cache.as_ref().and_then(|cache| cache.get(key)) {
            Some(ledger) => {
                ledgers.insert(key.clone(), ledger);
            }
            None => {
                todo.push((key, files));
            }
        }
    }
    let remembered = ledgers.len();
    let lowered = analyse_all(read, &todo, cache.as_ref(), &mut ledgers)?;
    let mut alike = Alike::default();
    let measured: HashMap<&String, Arc<Ledger>> = ledgers
        .iter()
        .map(|(key, ledger)| (key, alike.keep(ledger.clone().measured(&read.terms))))
        .collect();
    let places = before(&commits, &kept);
    let ledger = |at: usize| measured.get(&trees[at].0).map(Arc::clone).unwrap_or_default();
    let points: Vec<Point> = kept
        .iter()
        .zip(places)
        .enumerate()
        .skip(before_it)
        .map(|(place, (at, before))| {
            let commit = &commits[*at];
            Point {
                revision: commit.id.to_string(),
                time: commit.time,
                subject: commit.subject.clone(),
                mainline: line.contains(at),
                before: before.and_then(|before| before.checked_sub(before_it)),
                ledger: ledger(place),
            }
        })
        .collect();
    let start = if before_it > 0 { ledger(0) } else { Arc::default() };
    if !read.quiet {
        tell(&points, ledgers.len(), remembered, lowered, begun);
    }
    Ok(History::new(points, &start))
}

/// Where a range begins: the revision that its first ones are compared with.
fn start(repository: &Repository, range: &str) -> Result<Option<Commit>, Failure> {
    match range.split_once("..") {
        Some((from, _)) => Ok(repository.commits(from, true)?.pop()),
        None => Ok(None),
    }
}

/// The commits to analyse, by index, the newest always among them; and how many of them only
/// serve to tell what the first one changed. The range proper begins at `from`.
fn choose(
    commits: &[Commit],
    from: usize,
    args: &ProgressArgs,
) -> Result<(Vec<usize>, usize), Failure> {
    let since = match &args.since {
        Some(text) => Date::parse(text).ok_or_else(|| Failure::Date(text.clone()))?.days() * 86_400,
        None => i64::MIN,
    };
    let range = from..commits.len();
    let (recent, older): (Vec<usize>, Vec<usize>) =
        range.partition(|at| commits[*at].time >= since);
    let every = args.every.unwrap_or(1).max(1);
    let count = recent.len();
    let chosen = recent
        .into_iter()
        .enumerate()
        .filter(|(i, _)| (count - 1 - i).is_multiple_of(every))
        .map(|(_, at)| at);
    let line = mainline(commits);
    let before = older.into_iter().rev().find(|at| line.contains(at)).or(from.checked_sub(1));
    let before = before.filter(|_| count > 0);
    Ok((before.into_iter().chain(chosen).collect(), usize::from(before.is_some())))
}

/// For each chosen commit what would be read of it, and the key of that.
fn contents(
    read: &Read<'_>,
    repository: &Repository,
    commits: &[Commit],
    kept: &[usize],
) -> Result<Vec<(String, Files)>, Failure> {
    let analysed = read.analysed;
    let prefix = repository.prefix(&analysed.workspace.root);
    let mut trees = Trees::default();
    let mut wanted: HashMap<String, bool> = HashMap::new();
    let mut found = Vec::with_capacity(kept.len());
    for at in kept {
        let mut files = Files::new();
        for (path, blob) in repository.files(commits[*at].tree, &mut trees)?.iter() {
            let Some(path) = path.strip_prefix(prefix.as_str()) else { continue };
            let wants = match wanted.get(path) {
                Some(known) => *known,
                None => {
                    let wants = analysed.workspace.wants(path, &analysed.options);
                    wanted.insert(path.to_string(), wants);
                    wants
                }
            };
            if wants {
                files.push((path.to_string(), *blob));
            }
        }
        found.push((key(&analysed.text, &analysed.options, &files), files));
    }
    Ok(found)
}

/// Analyses what the cache does not know; gives the number of files that were lowered.
fn analyse_all(
    read: &Read<'_>,
    todo: &[(&str, &Files)],
    cache: Option<&Cache>,
    ledgers: &mut BTreeMap<String, Ledger>,
) -> Result<usize, Failure> {
    let bar = bar(todo.len());
    let versions = todo.iter().flat_map(|(_, files)| files.iter().cloned());
    let analyst = Analyst::new(&read.analysed.config, versions);
    // Each thread goes through neighbours, so that it can carry along what does not change.
    let share = todo.len().div_ceil(rayon::current_num_threads()).max(1);
    let stretch = |stretch: &[(&str, &Files)]| {
        let repository = Repository::open(&read.analysed.workspace.root)?;
        let (mut texts, mut carried) = (Texts::default(), Carried::default());
        let paths = stretch.iter().flat_map(|(_, files)| files.iter().map(|(path, _)| path));
        let paths: Vec<String> = paths.collect::<BTreeSet<_>>().into_iter().cloned().collect();
        let mut done = Vec::with_capacity(stretch.len());
        for (key, files) in stretch {
            let blobs: HashMap<&str, Blob> = files.iter().map(|(p, b)| (p.as_str(), *b)).collect();
            let mut sources = texts.sources(read.analysed, &repository, files, &blobs);
            keep_places(&mut sources, &paths, &read.analysed.options);
            let ledger = analyst.ledger(&sources, &|path| blobs.get(path).copied(), &mut carried);
            if let Some(cache) = cache {
                cache.put(key, &ledger);
            }
            done.push((key.to_string(), ledger));
            bar.inc(1);
        }
        Ok(done)
    };
    let done: Vec<Result<Vec<(String, Ledger)>, Failure>> =
        todo.par_chunks(share).map(stretch).collect();
    bar.finish_and_clear();
    for one in done {
        ledgers.extend(one?);
    }
    Ok(analyst.lowered())
}

/// The texts of the revision before.
#[derive(Default)]
struct Texts {
    known: HashMap<(Blob, usize), Option<Arc<str>>>,
}

impl Texts {
    /// The sources of a revision, read where the one before had another text.
    fn sources(
        &mut self,
        analysed: &Analysed,
        repository: &Repository,
        files: &Files,
        blobs: &HashMap<&str, Blob>,
    ) -> Sources {
        let before = std::mem::take(&mut self.known);
        let now = RefCell::new(HashMap::with_capacity(before.len()));
        let read = |path: &str, most: usize| {
            let key = (*blobs.get(path)?, most);
            let decoded = || Some(decode_within(repository.bytes(key.0)?, most).ok()?.into());
            let text: Option<Arc<str>> = before.get(&key).cloned().unwrap_or_else(decoded);
            now.borrow_mut().insert(key, text.clone());
            text
        };
        let paths = files.iter().map(|(path, _)| path.clone());
        let sources = analysed.workspace.assemble(paths, &analysed.options, &read);
        self.known = now.into_inner();
        sources
    }
}

fn bar(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    // The library itself draws nothing where standard error is no terminal.
    bar.set_draw_target(ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} trees, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Says on standard error what it took.
fn tell(points: &[Point], trees: usize, remembered: usize, lowered: usize, begun: Instant) {
    let memory = peak_memory().map(|m| format!(", {m} MB of memory at most")).unwrap_or_default();
    let named = |count: usize, what: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {what}{plural}")
    };
    let text = format!(
        "{}, {}, {remembered} of them remembered, {} lowered; {:.1} s{memory}",
        named(points.len(), "revision"),
        named(trees, "different tree"),
        named(lowered, "file"),
        begun.elapsed().as_secs_f64()
    );
    super::terminal::note(&text);
}

/// The most memory that the program has held, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}
