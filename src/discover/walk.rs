//! Directories to the files worth reading.
//!
//! Never opens a file and never follows a link, so no loop can hold it and nothing outside
//! the workspace is read.

use std::path::{Path, PathBuf};
use std::sync::{mpsc, Arc};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::{Options, Workspace};
use crate::globs::Globs;
use crate::report::{Level, Problem};

/// Directories of other people's code.
const FOREIGN: [&str; 2] = ["vendor", "node_modules"];
/// Directories of tests.
const TEST_DIRS: [&str; 3] = ["test", "tests", "__tests__"];
/// Files that say what an import prefix stands for.
const ANCHORS: [&str; 3] = ["project.godot", "go.mod", "tsconfig.json"];

/// What a walk found.
#[derive(Debug, Default)]
pub struct Found {
    /// Source files, in path order.
    pub files: Vec<PathBuf>,
    /// Files that tell where import prefixes lead, in path order.
    pub anchors: Vec<PathBuf>,
    /// Directories that could not be read.
    pub problems: Vec<Problem>,
}

/// Walks the bases, then the asked paths by themselves: what is asked for by name is read
/// even where an ignore file hides it.
pub fn walk(workspace: &Workspace, options: &Options) -> Found {
    let mut found = Found::default();
    for base in &workspace.bases {
        walk_one(workspace, base, options, &mut found);
    }
    for asked in &workspace.asked {
        if !found.files.iter().any(|file| file.starts_with(asked)) {
            walk_one(workspace, asked, options, &mut found);
        }
    }
    for list in [&mut found.files, &mut found.anchors] {
        list.sort();
        list.dedup();
    }
    found.problems.sort_by(|a, b| a.path.cmp(&b.path));
    found.problems.dedup();
    found
}

fn walk_one(workspace: &Workspace, start: &Path, options: &Options, found: &mut Found) {
    let mut builder = WalkBuilder::new(start);
    builder
        .standard_filters(!options.no_ignore)
        .hidden(true)
        // An exported tree has no .git but means its ignore files all the same; what a user
        // ignores everywhere must not change what a team sees.
        .require_git(false)
        .git_global(false)
        .follow_links(false)
        .threads(options.jobs);
    let filter = Arc::new(Filter {
        exclude: options.exclude.clone(),
        tests: options.tests,
        start: start.to_path_buf(),
        root: workspace.root.clone(),
    });
    let below = Arc::clone(&filter);
    builder.filter_entry(move |entry| below.keeps(entry));
    let (sender, receiver) = mpsc::channel();
    builder.build_parallel().run(|| {
        let sender = sender.clone();
        let (extensions, filter) = (&options.extensions, Arc::clone(&filter));
        Box::new(move |entry| {
            let sent = match entry {
                // The walker itself does not ask about the place it starts from.
                Ok(entry) if entry.depth() == 0 && !filter.keeps(&entry) => None,
                Ok(entry) => sort_out(entry, extensions).map(Ok),
                Err(error) => Some(Err(error)),
            };
            match sent.map(|item| sender.send(item)) {
                Some(Err(_)) => WalkState::Quit,
                _ => WalkState::Continue,
            }
        })
    });
    drop(sender);
    for item in receiver {
        match item {
            Ok((path, false)) => found.files.push(path),
            Ok((path, true)) => found.anchors.push(path),
            Err(error) => found.problems.push(unwalkable(workspace, &error)),
        }
    }
}

/// The path of an entry worth reading, and whether it is an anchor.
fn sort_out(entry: DirEntry, extensions: &[&str]) -> Option<(PathBuf, bool)> {
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return None;
    }
    let name = entry.file_name().to_str().unwrap_or_default();
    let anchor = ANCHORS.contains(&name);
    let extension = entry.path().extension().and_then(|e| e.to_str()).unwrap_or_default();
    (anchor || extensions.contains(&extension)).then(|| (entry.into_path(), anchor))
}

/// What a walk leaves out beyond what ignore files say.
struct Filter {
    exclude: Globs,
    tests: bool,
    start: PathBuf,
    root: PathBuf,
}

impl Filter {
    fn keeps(&self, entry: &DirEntry) -> bool {
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        let name = entry.file_name().to_str().unwrap_or_default();
        // A directory that was asked for by name is not foreign.
        if is_dir && entry.path() != self.start && FOREIGN.contains(&name) {
            return false;
        }
        (self.tests || !self.is_test(entry, is_dir)) && !self.exclude.matches(entry.path(), is_dir)
    }

    fn is_test(&self, entry: &DirEntry, is_dir: bool) -> bool {
        let relative = entry.path().strip_prefix(&self.root).unwrap_or(entry.path());
        let dirs = if is_dir { Some(relative) } else { relative.parent() };
        let in_tests = dirs.into_iter().flatten().any(|part| TEST_DIRS.iter().any(|d| part == *d));
        let name = entry.file_name().to_str().unwrap_or_default();
        in_tests || (!is_dir && is_test_name(name))
    }
}

/// What a path, relative to the workspace root, is worth by its name alone; for trees that
/// are not walked because they lie in a repository.
pub fn sort_path(path: &str, options: &Options, root: &Path) -> Option<Kind> {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    let full = root.join(path);
    if options.documents.named.contains_key(&full) {
        return Some(Kind::Document);
    }
    if options.documents.patterns && options.documents.kind(&full).is_some() {
        let wanted = !hidden && !options.exclude.matches(&full, false);
        return wanted.then_some(Kind::Document);
    }
    let foreign = dirs.split('/').any(|dir| FOREIGN.contains(&dir));
    if hidden || foreign || options.exclude.matches(&full, false) {
        return None;
    }
    if ANCHORS.contains(&name) {
        return Some(Kind::Anchor);
    }
    let extension = name.rsplit_once('.')?.1;
    let wanted = options.extensions.contains(&extension) && (options.tests || !is_test(path));
    wanted.then_some(Kind::Source)
}

/// What a file is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its program.
    Source,
    /// What it says of import prefixes.
    Anchor,
    /// The JSON that was captured in it.
    Document,
}

/// Whether a path, relative to the workspace root, is a test by its name or place.
pub fn is_test(path: &str) -> bool {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    dirs.split('/').any(|dir| TEST_DIRS.contains(&dir)) || is_test_name(name)
}

fn is_test_name(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let by_end = ["_test", ".test", ".spec"].iter().any(|end| stem.ends_with(end));
    by_end || (extension == "gd" && stem.starts_with("test_"))
}

fn unwalkable(workspace: &Workspace, error: &ignore::Error) -> Problem {
    let path = path_of(error).map(|path| workspace.relative(path)).unwrap_or_default();
    // The workspace itself.
    let path = if path.is_empty() { ".".to_string() } else { path };
    let reason = error.io_error().map_or_else(|| error.to_string(), |e| e.to_string());
    let message = format!("cannot be read ({reason}); check its permissions or exclude it");
    Problem { path, line: None, level: Level::Warning, message }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        ignore::Error::Partial(errors) => errors.iter().find_map(path_of),
        _ => None,
    }
}
