//! A walk to texts that are read once, so that open buffers can stand in for some of them.
//!
//! Never knows who holds a buffer nor why.

#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::decode::{decode, is_generated};
use super::{mounts, read_text, walk, Options, Workspace};
use crate::report::{Level, Problem};
use crate::text::{Mount, Source, Sources};

/// The text of a file or a buffer, or the line and the reason why it is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text, or the reason why there is none.
    pub read: Result<Arc<str>, (Option<u32>, String)>,
    /// Whether a program wrote it.
    generated: bool,
}

impl Text {
    /// Takes text that an editor holds through the same checks as a file's bytes.
    pub fn of_buffer(text: &Arc<str>) -> Text {
        Text::new(decode(text.as_bytes().to_vec()).map(|decoded| {
            if decoded.len() == text.len() {
                text.clone()
            } else {
                decoded.into()
            }
        }))
    }

    fn new(read: Result<Arc<str>, (Option<u32>, String)>) -> Text {
        let generated = read.as_ref().is_ok_and(|text| is_generated(text));
        Text { read, generated }
    }
}

/// One file that the walk found.
#[derive(Clone, Debug)]
struct Found {
    /// Path as output shows it.
    path: String,
    full: PathBuf,
    text: Text,
}

/// What lay on the disk when it was read.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    root: PathBuf,
    files: Vec<Found>,
    mounts: Vec<Mount>,
    problems: Vec<Problem>,
    asked: Vec<PathBuf>,
    /// Indices of the files by full path.
    known: BTreeMap<PathBuf, usize>,
}

impl Workspace {
    /// Walks and reads everything.
    pub fn scan(&self, options: &Options) -> Scan {
        let found = walk::walk(self, options);
        let read = |full: PathBuf| {
            let text = Text::new(read_text(&full).map(Arc::from));
            Found { path: self.relative(&full), full, text }
        };
        let mut scan = Scan {
            root: self.root.clone(),
            files: found.files.into_par_iter().map(read).collect(),
            mounts: Vec::new(),
            problems: found.problems,
            asked: self.asked.clone(),
            known: BTreeMap::new(),
        };
        let names = scan.files.iter().map(|file| file.full.clone());
        scan.known = names.zip(0..).collect();
        for base in &self.bases {
            scan.mounts.extend(mounts::from_above(base, &self.relative(base)));
        }
        for file in &found.anchors {
            match mounts::read(&self.root, file) {
                Ok(mounts) => scan.mounts.extend(mounts),
                Err(message) => {
                    let (path, level) = (self.relative(file), Level::Warning);
                    scan.problems.push(Problem { path, line: None, level, message });
                }
            }
        }
        scan
    }
}

impl Scan {
    /// Whether the walk found a file.
    pub fn holds(&self, full: &Path) -> bool {
        self.known.contains_key(full)
    }

    /// Whether the file on the disk says the same.
    pub fn says(&self, full: &Path, text: &Text) -> bool {
        self.known.get(full).is_some_and(|index| self.files[*index].text == *text)
    }

    /// Asks for the findings of other files than before.
    pub fn ask(&mut self, asked: Vec<PathBuf>) {
        self.asked = asked;
    }

    /// The sources, with `buffers` in place of the files of those paths. A buffer whose file
    /// the walk did not find is left out, unless it is `fresh`: not saved yet.
    pub fn sources(
        &self,
        buffers: &BTreeMap<PathBuf, Text>,
        fresh: &[PathBuf],
    ) -> (Sources, Vec<Problem>) {
        let mut sources = Sources { root: self.root.clone(), ..Sources::default() };
        let mut problems = self.problems.clone();
        sources.mounts = self.mounts.clone();
        let mut add = |path: &str, full: &Path, text: &Text| {
            let reported = self.asked.iter().any(|asked| full.starts_with(asked));
            let path = path.to_string();
            match &text.read {
                Err((line, message)) => {
                    // A file that only serves as context is no fault of what was asked for.
                    let level = if reported { Level::Warning } else { Level::Note };
                    problems.push(Problem { path, line: *line, level, message: message.clone() });
                }
                Ok(_) if text.generated => {}
                Ok(text) => {
                    let test = walk::is_test(&path);
                    sources.files.push(Source { path, text: text.clone(), test, reported });
                }
            }
        };
        for file in &self.files {
            let text = buffers.get(&file.full).unwrap_or(&file.text);
            add(&file.path, &file.full, text);
        }
        for full in fresh.iter().filter(|full| !self.holds(full)) {
            if let Some(text) = buffers.get(full) {
                add(&shown(full, &self.root), full, text);
            }
        }
        sources.files.sort_by(|a, b| a.path.cmp(&b.path));
        problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        (sources, problems)
    }
}

/// Whether a file that is not on the disk yet would be read there, by its name alone.
pub fn would_be_read(full: &Path, root: &Path, options: &Options) -> bool {
    let path = shown(full, root);
    full.starts_with(root) && walk::sort_path(&path, options, root) == Some(walk::Kind::Source)
}

fn shown(full: &Path, root: &Path) -> String {
    let relative = full.strip_prefix(root).unwrap_or(full);
    let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
