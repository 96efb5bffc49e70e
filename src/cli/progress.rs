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
use crate::progress::render::{find, Shown, FORMATS};
use crate::progress::{ledger, Ledger};
use crate::render::Style;
use crate::revisions::{Repository, Revision};

/// Where a line can be read when nothing else is said: relative to the page.
const LINK: &str = "{path}#L{line}";

/// Runs the command.
pub fn run(args: &ProgressArgs, style: Style, out: &mut dyn Write) -> Result<Status, Failure> {
    let today = exceptions::day(args.today.as_deref())?;
    let mut analysed = match &args.git_dir {
        Some(dir) => from_objects(args, dir)?,
        None => analyse(&args.reading, &[], |_| Ok(())).map_err(misplaced_range)?,
    };
    let owners = owners(&analysed, args)?;
    let plan = std::mem::take(&mut analysed.config.plan);
    let terms = Terms { owners: &owners, plan: &plan, today };
    let read = Read { analysed: &analysed, terms, args, quiet: style.quiet };
    let history = match &args.history {
        Some(range) => Some(over_time(&read, range)?),
        None => None,
    };
    let now = ledger(&analysed.outcome, &analysed.sources, &terms);
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
        width: style.width,
        colour: style.colour && args.output.is_none(),
    };
    write(&shown, args, out)?;
    if args.git_dir.is_none() {
        strict(&args.reading, &analysed, false)?;
    }
    Ok(if now.expired.is_empty() { Status::Clean } else { Status::Findings })
}

/// Tells a range of revisions that was taken for a path from a path that is misspelled.
fn misplaced_range(failure: Failure) -> Failure {
    match failure {
        Failure::Path(discover::Failure::NoSuchPath(path)) if is_range(&path.to_string_lossy()) => {
            Failure::Range(path)
        }
        other => other,
    }
}

fn is_range(word: &str) -> bool {
    word.contains("..") && !word.split('/').any(|part| part == "..")
}

fn write(shown: &Shown<'_>, args: &ProgressArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let format = find(&args.format).unwrap_or(&FORMATS[0]);
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
    let workspace =
        Workspace { root: full.clone(), bases: vec![full.clone()], asked: vec![full.clone()] };
    let mut analysed = super::reading::prepare(&args.reading, workspace)?;
    let repository = Repository::open(&full)?;
    let tip = args.history.as_deref().map_or("HEAD", |range| {
        range.rsplit_once("..").map_or(range, |(_, tip)| if tip.is_empty() { "HEAD" } else { tip })
    });
    let revision = Revision::Named(tip.to_string());
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
    let tip = args.history.as_deref().map_or("HEAD", |range| {
        range.rsplit_once("..").map_or(range, |(_, tip)| if tip.is_empty() { "HEAD" } else { tip })
    });
    let repository = Repository::open(&analysed.workspace.root).ok();
    repository.and_then(|r| r.name_of(tip)).unwrap_or_default()
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
