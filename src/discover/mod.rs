//! Paths to [`Sources`]: finds the workspace, walks it and reads it.
//!
//! The only reader of source files; knows which extensions to read but not what a language is.

#![allow(clippy::disallowed_methods)]

mod decode;
mod documents;
mod mounts;
pub mod near;
mod places;
mod scan;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::Documents;
use crate::globs::Globs;
use crate::report::Problem;
use crate::text::{Source, Sources};

pub use decode::{decode, decode_within, MAX_SOURCE_BYTES};
pub use documents::{Large, Line, Wanted};
pub use mounts::declared as mounts_of;
pub use places::keep_places;
pub use scan::{would_be_read, Scan, Text};
pub use walk::is_test;

/// Entries that make a directory the root of a workspace.
const ROOT_MARKS: [&str; 4] = ["pagelint.toml", "project.godot", "go.mod", ".git"];

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// File name extensions, without the dot.
    pub extensions: Vec<&'static str>,
    /// Files and directories to leave out.
    pub exclude: Globs,
    /// Whether tests are read.
    pub tests: bool,
    /// Whether ignore files are disregarded.
    pub no_ignore: bool,
    /// Number of threads; 0 lets the walker choose.
    pub jobs: usize,
    /// Which files are captured JSON, for files that somebody else has read.
    pub documents: Documents,
    /// The largest of these, in bytes.
    pub largest_document: usize,
}

/// Why nothing could be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A path does not exist.
    #[error("{} does not exist", .0.display())]
    NoSuchPath(PathBuf),
    /// A path cannot be looked at.
    #[error("{} cannot be read: {}", .0.display(), .1)]
    Unreadable(PathBuf, String),
    /// A path is neither a file nor a directory.
    #[error("{} is neither a file nor a directory", .0.display())]
    NotAFile(PathBuf),
}

/// Where to read: found from the paths, before anything is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Absolute directory that all paths are relative to.
    pub root: PathBuf,
    /// The directories that are walked for context; all lie in the root.
    pub bases: Vec<PathBuf>,
    /// The absolute paths whose findings are asked for.
    pub asked: Vec<PathBuf>,
}

impl Workspace {
    /// Finds the workspace around some paths: the nearest marked directory of each, and of
    /// several the directory that holds them all.
    pub fn find(paths: &[PathBuf]) -> Result<Workspace, Failure> {
        let asked = paths.iter().map(|path| absolute(path)).collect::<Result<Vec<_>, _>>()?;
        let mut bases: Vec<PathBuf> = asked.iter().map(|path| base_of(path)).collect();
        bases.sort();
        bases.dedup();
        // Walking the directory that holds two unrelated roots could mean walking the disk.
        let all = bases.clone();
        bases.retain(|base| !all.iter().any(|other| other != base && base.starts_with(other)));
        let root = bases
            .iter()
            .skip(1)
            .fold(bases.first().cloned().unwrap_or_default(), |root, base| common(root, base));
        Ok(Workspace { root, bases, asked })
    }

    /// Walks and reads. A file that cannot be used is a [`Problem`]; the others go on.
    pub fn read(&self, options: &Options) -> (Sources, Vec<Problem>) {
        self.scan(options).sources(&BTreeMap::new(), &[])
    }

    /// The sources among files that somebody else has read: a path relative to the root, and
    /// `read` gives the text of one that may be so many bytes long. All of them are reported.
    /// What cannot be decoded is left out.
    pub fn assemble(
        &self,
        files: impl Iterator<Item = String>,
        options: &Options,
        read: &dyn Fn(&str, usize) -> Option<Arc<str>>,
    ) -> Sources {
        let mut sources =
            Sources { root: self.root.clone(), files: Vec::new(), mounts: Vec::new() };
        for base in &self.bases {
            sources.mounts.extend(mounts::from_above(base, &self.relative(base)));
        }
        for path in files {
            let full = self.root.join(&path);
            let within = |place: &PathBuf| full.starts_with(place);
            if !self.bases.iter().chain(&self.asked).any(within) {
                continue;
            }
            let Some(kind) = walk::sort_path(&path, options, &self.root) else { continue };
            let most = match kind {
                walk::Kind::Document => options.largest_document,
                walk::Kind::Anchor | walk::Kind::Source => MAX_SOURCE_BYTES,
            };
            let Some(text) = read(&path, most) else { continue };
            let (dir, name) = path.rsplit_once('/').unwrap_or(("", &path));
            match kind {
                walk::Kind::Anchor => {
                    sources.mounts.extend(mounts::declared(dir, name, &text).unwrap_or_default());
                }
                walk::Kind::Source if decode::is_generated(&text) => {}
                walk::Kind::Source => {
                    let test = walk::is_test(&path);
                    sources.files.push(Source { path, text, test, reported: true });
                }
                walk::Kind::Document => {
                    sources.files.push(Source { path, text, test: false, reported: true });
                }
            }
        }
        sources.files.sort_by(|a, b| a.path.cmp(&b.path));
        sources
    }

    /// Whether [`Workspace::assemble`] would ask for a file.
    pub fn wants(&self, path: &str, options: &Options) -> bool {
        let full = self.root.join(path);
        let within = |place: &PathBuf| full.starts_with(place);
        self.bases.iter().chain(&self.asked).any(within)
            && walk::sort_path(path, options, &self.root).is_some()
    }

    /// A path below the root as output shows it.
    pub fn relative(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }
}

/// Finds the workspace around `paths` and reads it.
pub fn discover(paths: &[PathBuf], options: &Options) -> Result<(Sources, Vec<Problem>), Failure> {
    Ok(Workspace::find(paths)?.read(options))
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let full = path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::NoSuchPath(path.to_path_buf()),
        _ => Failure::Unreadable(path.to_path_buf(), error.to_string()),
    })?;
    match full.metadata() {
        Ok(meta) if meta.is_dir() || meta.is_file() => Ok(full),
        Ok(_) => Err(Failure::NotAFile(path.to_path_buf())),
        Err(error) => Err(Failure::Unreadable(path.to_path_buf(), error.to_string())),
    }
}

/// The nearest marked directory at or above a path; without one, the path's own directory.
fn base_of(path: &Path) -> PathBuf {
    let own = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let marked = own.ancestors().find(|dir| ROOT_MARKS.iter().any(|mark| dir.join(mark).exists()));
    marked.unwrap_or(own).to_path_buf()
}

fn common(a: PathBuf, b: &Path) -> PathBuf {
    a.iter().zip(b.iter()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect()
}

/// Reads a file that is meant to be text; on failure says where and why.
fn read_text(path: &Path) -> Result<String, (Option<u32>, String)> {
    use std::io::Read;

    let unreadable = |error: std::io::Error| {
        (None, format!("cannot be read ({error}); check its permissions or exclude it"))
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // The size may change after it was asked for: the limit holds for what is read.
    file.take(MAX_SOURCE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    decode(bytes)
}
