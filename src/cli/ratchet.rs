//! The baseline file: read where there is one, written when asked, merged for git.
//!
//! Decides nothing about identity: it only knows where the file is and who may change it.

#![allow(clippy::disallowed_methods)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::args::{BaselineArgs, BaselineCommand, CheckArgs, Reading};
use super::changed::holds;
use super::failure::Failure;
use super::output::replace;
use super::reading::{analyse, strict, Analysed};
use super::Status;
use crate::baseline::{self, Baseline, Difference, Entry, View, FILE_NAME};
use crate::discover::is_test;
use crate::render::Style;
use crate::report::{Level, Problem};
use crate::revisions::{Repository, Revision};
use crate::suppress;

/// Set for the merge that a merge driver asks git for, so that it does not ask again.
const WITHIN: &str = "PAGELINT_WITHIN_MERGE";

/// Moves known findings aside. Gives whether the run fails because the baseline could shrink.
pub fn compare(args: &CheckArgs, analysed: &mut Analysed) -> Result<bool, Failure> {
    if args.no_baseline {
        return Ok(false);
    }
    let Some(place) = Place::find(&analysed.workspace.root) else { return Ok(false) };
    let Some(known) = place.read()? else { return Ok(false) };
    let mut report = std::mem::take(&mut analysed.outcome.report);
    let difference = with_view(analysed, &place, |view| known.apply(&mut report, view));
    for finding in report.findings.iter_mut().filter(|f| f.rule == "stage-regression") {
        let file = analysed.sources.root.join(&analysed.sources.get(finding.primary.file).path);
        finding.level = analysed.config.level(finding.rule, &file).unwrap_or(finding.level);
    }
    report.findings.retain(|finding| finding.level != Level::Off);
    if args.update {
        if difference.next != known {
            replace(&place.file, difference.next.text().as_bytes())?;
            report.problems.extend(removed(&difference, &place));
        }
    } else {
        report.problems.extend(stale(&difference, args.locked, &place));
    }
    analysed.outcome.report = report;
    Ok(args.locked && !difference.fixed.is_empty())
}

/// What there is to say about known findings that have just left.
fn removed(difference: &Difference, place: &Place) -> Option<Problem> {
    let was = if difference.fixed.len() == 1 { "was" } else { "were" };
    let message = format!("{} and {was} removed", gone(difference)?);
    let path = format!("{}{FILE_NAME}", place.above);
    Some(Problem { path, line: None, level: Level::Note, message })
}

/// How many known findings are gone, and how; `None` where none is.
fn gone(difference: &Difference) -> Option<String> {
    let (all, allowed) = (difference.fixed.len(), difference.allowed.len());
    let how = match allowed {
        0 => "fixed",
        some if some == all => "allowed in the source",
        _ => "fixed or allowed in the source",
    };
    match all {
        0 => None,
        1 => Some(format!("1 known finding is {how}")),
        _ => Some(format!("{all} known findings are {how}")),
    }
}

/// What there is to say about known findings that are fixed.
fn stale(difference: &Difference, locked: bool, place: &Place) -> Vec<Problem> {
    let problem = |level, message| Problem {
        path: format!("{}{FILE_NAME}", place.above),
        line: None,
        level,
        message,
    };
    if !locked {
        let Some(what) = gone(difference) else { return Vec::new() };
        let it = if difference.fixed.len() == 1 { "it" } else { "them" };
        let next = format!("`pagelint check --update` takes {it} out of the baseline");
        return vec![problem(Level::Note, format!("{what}; {next}"))];
    }
    let line = |entry: &Entry| {
        let function = match entry.function.as_str() {
            "" => String::new(),
            function => format!(" in `{function}`"),
        };
        let allowed = difference.allowed.contains(entry);
        let how = if allowed { "allowed in the source" } else { "fixed" };
        let message = format!(
            "`{}`{function} of {} is {how}; shrink the baseline with `pagelint check --update`",
            entry.rule, entry.path
        );
        problem(Level::Error, message)
    };
    difference.fixed.iter().map(line).collect()
}

/// Runs `pagelint baseline`.
pub fn run(args: &BaselineArgs, style: Style, out: &mut dyn Write) -> Result<Status, Failure> {
    if let Some(BaselineCommand::Merge { base, ours, theirs, path }) = &args.command {
        return merge([base, ours, theirs], path, &args.reading);
    }
    let analysed = analyse(&args.reading, &[], |_| Ok(()))?;
    let root = &analysed.workspace.root;
    let place = Place::find(root).unwrap_or_else(|| Place::at(root.clone(), root));
    let known = place.read_merged()?.unwrap_or_default();
    let next = with_view(&analysed, &place, |view| {
        let mut next = Baseline::of(&analysed.outcome.report.findings, view);
        // What lies outside the paths that were asked for stays as it was.
        let kept = known.entries.iter().filter(|entry| !(view.looked)(entry));
        next.entries.extend(kept.cloned());
        if !view.whole {
            for (command, stage) in &known.stages {
                next.stages.entry(command.clone()).or_insert_with(|| stage.clone());
            }
        }
        next
    });
    replace(&place.file, next.text().as_bytes())?;
    if !style.quiet {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let (findings, stages) = (next.entries.len(), next.stages.len());
        write!(out, "recorded {findings} finding{}", plural(findings))?;
        if stages > 0 {
            write!(out, " and {stages} stage{}", plural(stages))?;
        }
        writeln!(out, " in {}{FILE_NAME}", place.above)?;
    }
    strict(&args.reading, &analysed, false)?;
    Ok(Status::Clean)
}

/// Where the baseline is.
struct Place {
    file: PathBuf,
    /// Stands before a path of the workspace to start from the file's directory.
    prefix: String,
    /// Leads from the workspace to the file's directory.
    above: String,
}

impl Place {
    /// The nearest baseline at or above a workspace, not looking above a repository.
    fn find(root: &Path) -> Option<Place> {
        for dir in root.ancestors() {
            if dir.join(FILE_NAME).is_file() {
                return Some(Place::at(dir.to_path_buf(), root));
            }
            if dir.join(".git").exists() {
                break;
            }
        }
        None
    }

    fn at(dir: PathBuf, root: &Path) -> Place {
        let inner = root.strip_prefix(&dir).unwrap_or(Path::new(""));
        let prefix: String = inner.iter().map(|p| format!("{}/", p.to_string_lossy())).collect();
        let above = "../".repeat(inner.iter().count());
        Place { file: dir.join(FILE_NAME), prefix, above }
    }

    fn read(&self) -> Result<Option<Baseline>, Failure> {
        self.bytes()?.map(|bytes| parse(&self.file, bytes)).transpose()
    }

    /// As `read`, but of a merge conflict both sides hold: what is written next settles it.
    fn read_merged(&self) -> Result<Option<Baseline>, Failure> {
        let settled = |bytes| match String::from_utf8(bytes) {
            Ok(text) => baseline::both_sides(&text).into_bytes(),
            Err(error) => error.into_bytes(),
        };
        self.bytes()?.map(|bytes| parse(&self.file, settled(bytes))).transpose()
    }

    fn bytes(&self) -> Result<Option<Vec<u8>>, Failure> {
        // In a checkout of somebody else's changes a link could lead anywhere, and what is written
        // would take its place.
        if std::fs::symlink_metadata(&self.file).is_ok_and(|meta| meta.is_symlink()) {
            let what = format!("{} is a symbolic link", self.file.display());
            return Err(Failure::Argument(what, "put a copy of the file in its place"));
        }
        match std::fs::read(&self.file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::File(self.file.clone(), error.to_string())),
        }
    }
}

fn parse(file: &Path, bytes: Vec<u8>) -> Result<Baseline, Failure> {
    let bad = |line, reason: &str| Failure::Baseline(file.to_path_buf(), line, reason.to_string());
    let text = String::from_utf8(bytes).map_err(|_| bad(1, "it is not valid UTF-8"))?;
    Baseline::parse(&text).map_err(|error| bad(error.line, error.message))
}

/// Calls with what a baseline is compared with.
fn with_view<T>(analysed: &Analysed, place: &Place, call: impl FnOnce(&View<'_>) -> T) -> T {
    let (sources, config) = (&analysed.sources, &analysed.config);
    let functions = suppress::functions(&analysed.outcome.scopes, sources);
    let alive = |path: &str, function: &str| match path.strip_prefix(place.prefix.as_str()) {
        Some(path) => holds(&functions, sources, path, function),
        None => true,
    };
    let looked = |entry: &Entry| {
        let Some(path) = entry.path.strip_prefix(place.prefix.as_str()) else { return false };
        let full = sources.root.join(path);
        if config.level(&entry.rule, &full) == Some(Level::Off) {
            return false;
        }
        match sources.files.iter().find(|file| file.path == path) {
            Some(file) => file.reported,
            // A file that is gone was looked at if the place where it was has been.
            None => {
                let asked = analysed.workspace.asked.iter().any(|asked| full.starts_with(asked));
                let captured = config.documents.kind(&full).is_some();
                asked && (config.tests || captured || !is_test(path))
            }
        }
    };
    call(&View {
        sources,
        prefix: &place.prefix,
        alive: &alive,
        looked: &looked,
        whole: analysed.workspace.asked.iter().any(|asked| sources.root.starts_with(asked)),
        rows: &analysed.outcome.commands,
        stages: &analysed.outcome.stages,
    })
}

/// The merge driver: what both sides say is merged, then asked of the merged files.
fn merge(files: [&PathBuf; 3], path: &Path, reading: &Reading) -> Result<Status, Failure> {
    let mut sides = Vec::new();
    for file in files {
        let bytes = std::fs::read(file).map_err(|e| Failure::File(file.clone(), e.to_string()))?;
        sides.push(parse(file, bytes)?);
    }
    let mut merged = baseline::merge(&sides[0], &sides[1], &sides[2]);
    if std::env::var_os(WITHIN).is_none() {
        if let Some(tree) = merged_tree() {
            // Everything that a side knows may be what a finding of the merged files is.
            let mut known = merged.clone();
            known.entries.extend(sides.drain(1..).flat_map(|side| side.entries));
            // Where that cannot be done, what both sides say is still a baseline, and the next
            // check tells the rest; a failure would leave a conflict.
            if let Ok(Some(found)) = analyse_tree(&tree, path, reading, &known) {
                merged = found;
            }
        }
    }
    replace(files[1], merged.text().as_bytes())?;
    Ok(Status::Clean)
}

/// The tree that the merge under way will give, if it merges without conflicts. While git
/// runs a merge driver, the work tree still has one side only.
fn merged_tree() -> Option<String> {
    let heads = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut heads = heads.filter_map(|name| name.strip_prefix("GITHEAD_").map(str::to_string));
    let (theirs, None) = (heads.next()?, heads.next()) else { return None };
    let output = Command::new("git")
        .args(["merge-tree", "--write-tree", "--no-messages", "HEAD", &theirs])
        .env(WITHIN, "1")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.lines().next().unwrap_or_default().to_string())
}

/// The known findings that a tree still has, and the stages that its commands are in.
fn analyse_tree(
    tree: &str,
    path: &Path,
    reading: &Reading,
    known: &Baseline,
) -> Result<Option<Baseline>, Failure> {
    let here = std::env::current_dir()?;
    let dir = here.join(path).parent().map_or(here.clone(), Path::to_path_buf);
    let reading = Reading { paths: vec![dir], ..reading.clone() };
    // Only to find the workspace and its configuration; the files come from the tree.
    let Ok(mut analysed) = analyse(&reading, &[], |_| Ok(())) else { return Ok(None) };
    let repository = Repository::open(&analysed.workspace.root)?;
    let revision = Revision::Named(tree.to_string());
    analysed.sources = repository.sources(&revision, &analysed.workspace, &analysed.options)?;
    analysed.outcome = crate::check::check(&analysed.sources, &analysed.config);
    let root = analysed.workspace.root.clone();
    let place = Place::find(&root).unwrap_or_else(|| Place::at(root.clone(), &root));
    let mut report = std::mem::take(&mut analysed.outcome.report);
    Ok(Some(with_view(&analysed, &place, |view| known.apply(&mut report, view).next)))
}
