//! `pagelint progress`: the ledger of a migration, now, since a revision, or over a history.
//!
//! Knows no format by name; what is read and when is decided here, what it means is not.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::args::ProgressArgs;
use super::exceptions;
use super::failure::Failure;
use super::over_time::{over_time, Read};
use super::reading::{analyse, strict, Analysed};
use super::Status;
use crate::check::check;
use crate::discover::{self, Workspace};
use crate::progress::compare::compare;
use crate::progress::ledger::Terms;
use crate::progress::owners::{Owners, PLACES};
use crate::progress::render::{find, of_file, unknown_part, Format, Shown, FORMATS};
use crate::progress::{ledger, Ledger};
use crate::render::Style;
use crate::revisions::{Repository, Revision};

/// Where a line can be read when nothing else is said: relative to the page.
const LINK: &str = "{path}#L{line}";

/// What `--history` means without a range.
pub const EVERYTHING: &str = "HEAD";

/// Takes back a range that was written as a word of its own, `--history A..B`, and so was read as
/// a path: what is no path, and is a range or the name of a revision, is meant as such.
pub fn settle(args: &mut ProgressArgs) {
    if let Some(range) = args.history.as_mut().filter(|range| range.starts_with("..")) {
        range.insert_str(0, EVERYTHING);
    }
    if args.history.as_deref() != Some(EVERYTHING) {
        return;
    }
    let paths = &args.reading.paths;
    let Some(at) = paths.iter().position(|path| !path.exists()) else { return };
    let Some(word) = paths[at].to_str() else { return };
    let beside = paths.iter().find(|path| path.is_dir()).map(PathBuf::as_path);
    let dir = args.git_dir.as_deref().or(beside).unwrap_or(Path::new("."));
    let known = |name: &str| Repository::open(dir).is_ok_and(|r| r.name_of(name).is_some());
    // A path leads up by `../`; no revision's name holds two dots.
    let range = word.contains("..") && !word.starts_with("../") && !word.contains("/../");
    if range || known(word) {
        args.history = Some(word.to_string());
        args.reading.paths.remove(at);
    }
}

/// With `--history`, what is no path may have been meant as a revision.
fn explain(failure: Failure, args: &ProgressArgs) -> Failure {
    match failure {
        Failure::Path(discover::Failure::NoSuchPath(path)) if args.history.is_some() => {
            let what = format!("`{}` is neither a path nor a revision", path.display());
            Failure::Argument(what, "check the spelling; a range is written --history=A..B")
        }
        failure => failure,
    }
}

/// Runs the command.
pub fn run(args: &ProgressArgs, style: Style, out: &mut dyn Write) -> Result<Status, Failure> {
    let today = exceptions::day(args.today.as_deref())?;
    let format = format(args)?;
    if let Some(part) = args.link.as_deref().and_then(unknown_part) {
        let what = format!("`{part}` in --link means nothing");
        return Err(Failure::Argument(what, "use {path}, {line} and {revision}"));
    }
    let mut analysed = match &args.git_dir {
        Some(dir) => from_objects(args, dir)?,
        None => {
            analyse(&args.reading, &[], |_| Ok(())).map_err(|failure| explain(failure, args))?
        }
    };
    let owners = owners(&analysed, args)?;
    let plan = std::mem::take(&mut analysed.config.plan);
    let terms = Terms { owners: &owners, plan: &plan, today };
    let read = Read { analysed: &analysed, terms, args, quiet: style.quiet };
    let history = match &args.history {
        Some(range) => Some(over_time(&read, range)?),
        None => None,
    };
    // Of a range that ends elsewhere, its end is what is shown, not the work tree.
    let now = match history.as_ref().and_then(|history| history.points.last()) {
        Some(newest) if ends_elsewhere(&analysed, args) => Ledger::clone(&newest.ledger),
        _ => ledger(&analysed.outcome, &analysed.sources, &terms),
    };
    let before = args.compare.as_deref().map(|name| at(&read, name)).transpose()?;
    let changes = before.as_ref().map(|(name, before)| (name.as_str(), compare(before, &now)));
    let title = args.title.clone().unwrap_or_else(|| name_of(&analysed.workspace.root));
    let revision = revision(&analysed, args);
    let shown = Shown {
        ledger: &now,
        changes: changes.as_ref().map(|(name, changes)| (*name, changes.as_slice())),
        history: history.as_ref(),
        title: &title,
        link: args.link.as_deref().unwrap_or(LINK),
        revision: &revision,
        today: today.to_string(),
        width: (style.terminal && args.output.is_none()).then_some(style.width),
        colour: style.colour && args.output.is_none(),
    };
    write(&shown, format, args, out)?;
    if args.git_dir.is_none() {
        strict(&args.reading, &analysed, false)?;
    }
    Ok(if now.expired.is_empty() { Status::Clean } else { Status::Findings })
}

/// The format that was asked for, or that the name of the output file says.
fn format(args: &ProgressArgs) -> Result<&'static Format, Failure> {
    let named = args.format.as_deref().map(|id| find(id).unwrap_or(&FORMATS[0]));
    match (named, &args.output) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(&FORMATS[0]),
        (None, Some(path)) => of_file(path).ok_or_else(|| {
            let what = format!("the name of {} says no format", path.display());
            Failure::Argument(what, "say which with --format")
        }),
    }
}

fn write(
    shown: &Shown<'_>,
    format: &Format,
    args: &ProgressArgs,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Some(path) = &args.output else {
        (format.render)(shown, out)?;
        return Ok(out.flush()?);
    };
    let unwritable = |error: std::io::Error| {
        Failure::Output(std::io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    };
    let mut file = BufWriter::new(fs::File::create(path).map_err(unwritable)?);
    (format.render)(shown, &mut file).and_then(|()| file.flush()).map_err(unwritable)
}

/// Reads the newest revision of a repository that has no work tree at hand.
fn from_objects(args: &ProgressArgs, dir: &Path) -> Result<Analysed, Failure> {
    let full = dir.canonicalize().map_err(|e| Failure::File(dir.to_path_buf(), e.to_string()))?;
    // The directory of a repository with a work tree: paths count from the work tree.
    let full = match full.parent() {
        Some(top) if full.ends_with(".git") => top.to_path_buf(),
        _ => full,
    };
    let workspace =
        Workspace { root: full.clone(), bases: vec![full.clone()], asked: vec![full.clone()] };
    let mut analysed = super::reading::prepare(&args.reading, workspace)?;
    let repository = Repository::open(&full)?;
    let revision = Revision::Named(tip(args).to_string());
    analysed.sources = repository.sources(&revision, &analysed.workspace, &analysed.options)?;
    analysed.outcome = check(&analysed.sources, &analysed.config);
    Ok(analysed)
}

/// The ledger of a revision, with the name that it is shown by.
fn at(read: &Read<'_>, name: &str) -> Result<(String, Ledger), Failure> {
    let analysed = read.analysed;
    let repository = Repository::open(&analysed.workspace.root)?;
    let revision = Revision::Named(name.to_string());
    let sources = repository.sources(&revision, &analysed.workspace, &analysed.options)?;
    let outcome = check(&sources, &analysed.config);
    Ok((name.to_string(), ledger(&outcome, &sources, &read.terms)))
}

/// The owners that the repository names, its paths made relative to the workspace.
fn owners(analysed: &Analysed, args: &ProgressArgs) -> Result<Owners, Failure> {
    if let Some(dir) = &args.git_dir {
        let repository = Repository::open(dir)?;
        let text = PLACES.iter().find_map(|place| repository.file("HEAD", place));
        return Ok(text
            .map(|t| Owners::parse(&String::from_utf8_lossy(&t), ""))
            .unwrap_or_default());
    }
    let root = &analysed.workspace.root;
    let top = root.ancestors().find(|dir| dir.join(".git").exists()).unwrap_or(root);
    let inner: String = root
        .strip_prefix(top)
        .unwrap_or(Path::new(""))
        .iter()
        .map(|part| format!("{}/", part.to_string_lossy()))
        .collect();
    let text = PLACES.iter().find_map(|place| fs::read(top.join(place)).ok());
    Ok(text.map(|t| Owners::parse(&String::from_utf8_lossy(&t), &inner)).unwrap_or_default())
}

/// The revision that links lead to: known only where the repository can be read.
fn revision(analysed: &Analysed, args: &ProgressArgs) -> String {
    let repository = Repository::open(&analysed.workspace.root).ok();
    repository.and_then(|r| r.name_of(tip(args))).unwrap_or_default()
}

/// The newest revision that was asked for.
fn tip(args: &ProgressArgs) -> &str {
    let Some(range) = args.history.as_deref() else { return EVERYTHING };
    match range.rsplit_once("..").map_or(range, |(_, tip)| tip) {
        "" => EVERYTHING,
        tip => tip,
    }
}

/// Whether that is not the revision that the work tree stands on.
fn ends_elsewhere(analysed: &Analysed, args: &ProgressArgs) -> bool {
    let repository = Repository::open(&analysed.workspace.root).ok();
    let named = |name: &str| repository.as_ref().and_then(|r| r.name_of(name));
    named(tip(args)) != named(EVERYTHING)
}

fn name_of(root: &Path) -> String {
    // A bare repository is called `name.git` or lies in a directory of its name.
    let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
    let own = name(root).unwrap_or_default();
    own.trim_end_matches(".git").to_string()
}

/// Where results of older revisions are remembered.
pub fn cache_dir(args: &ProgressArgs, analysed: &Analysed) -> Option<PathBuf> {
    if args.no_cache {
        return None;
    }
    let beside = || match args.git_dir {
        Some(_) => PathBuf::from(".pagelint_cache"),
        None => analysed.workspace.root.join(".pagelint_cache"),
    };
    Some(args.cache_dir.clone().unwrap_or_else(beside))
}
