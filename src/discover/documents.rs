//! Files of captured JSON to sources, or to streams of lines where they are too large to hold.
//!
//! Knows no JSON: which files are meant is told to it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::{absolute, base_of, common, decode, Failure, Options, Workspace};
use crate::report::{Level, Problem};
use crate::text::{Source, Sources};

/// Which files are captured JSON.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Files named one by one, in full.
    pub named: &'a [PathBuf],
    /// Whether a file is one of those meant by a pattern; nothing where there are no patterns.
    pub matches: Option<&'a dyn Fn(&Path) -> bool>,
    /// The largest file that is held as a whole, in bytes; also the longest line of a stream.
    pub limit: usize,
}

/// A file that is too large to be held.
#[derive(Debug)]
pub struct Large {
    /// Path relative to the workspace root.
    pub path: String,
    /// Whether findings of this file are asked for.
    pub reported: bool,
    file: BufReader<File>,
    limit: usize,
    broken: bool,
}

/// A line of a large file.
#[derive(Debug)]
pub enum Line {
    /// Its bytes, without the line end.
    Bytes(Vec<u8>),
    /// It is longer than the limit.
    TooLong,
    /// The file cannot be read any further.
    Broken(String),
}

impl Large {
    /// The next line, until there is none.
    pub fn line(&mut self) -> Option<Line> {
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(self.limit as u64 + 1).read_until(b'\n', &mut bytes);
        match read {
            Ok(0) => None,
            Ok(_) if bytes.last() == Some(&b'\n') => {
                bytes.pop();
                Some(Line::Bytes(bytes))
            }
            Ok(read) if read <= self.limit => Some(Line::Bytes(bytes)),
            Ok(_) => match skip_line(&mut self.file) {
                Ok(()) => Some(Line::TooLong),
                Err(error) => Some(Line::Broken(error.to_string())),
            },
            // Another try would most likely fail alike, and for ever.
            Err(_) if self.broken => None,
            Err(error) => {
                self.broken = true;
                Some(Line::Broken(error.to_string()))
            }
        }
    }
}

/// Passes over the rest of a line without holding it.
fn skip_line(file: &mut BufReader<File>) -> std::io::Result<()> {
    loop {
        let buffer = file.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (length, done) =
            (end.map_or(buffer.len(), |at| at + 1), end.is_some() || buffer.is_empty());
        file.consume(length);
        if done {
            return Ok(());
        }
    }
}

impl Workspace {
    /// Finds the workspace around some paths and files of captured JSON. Around the latter
    /// nothing is read for context.
    pub fn find_with(paths: &[PathBuf], documents: &[PathBuf]) -> Result<Workspace, Failure> {
        if documents.is_empty() {
            return Workspace::find(paths);
        }
        let documents =
            documents.iter().map(|path| absolute(path)).collect::<Result<Vec<_>, _>>()?;
        let mut workspace = if paths.is_empty() {
            let root = base_of(&documents[0]);
            Workspace { root, bases: Vec::new(), asked: Vec::new() }
        } else {
            Workspace::find(paths)?
        };
        for document in &documents {
            let own = document.parent().unwrap_or(document);
            workspace.root = common(workspace.root, own);
        }
        workspace.asked.extend(documents);
        Ok(workspace)
    }

    /// Reads the files of captured JSON into the sources; the large ones are left to be read
    /// line by line. A file that cannot be used is a [`Problem`].
    pub fn documents(
        &self,
        options: &Options,
        wanted: Wanted<'_>,
        sources: &mut Sources,
        problems: &mut Vec<Problem>,
    ) -> Vec<Large> {
        let mut files: Vec<PathBuf> =
            wanted.named.iter().filter_map(|p| absolute(p).ok()).collect();
        if let Some(matches) = wanted.matches {
            let walked = self.bases.iter().flat_map(|base| walk(base, options, problems, self));
            files.extend(walked.filter(|file| matches(file)).collect::<Vec<_>>());
        }
        files.sort();
        files.dedup();
        let mut large = Vec::new();
        for file in files {
            let path = self.relative(&file);
            let reported = self.asked.iter().any(|asked| file.starts_with(asked));
            match open(&file, wanted.limit) {
                Ok(Opened::Whole(bytes)) => match decode::decode_within(bytes, wanted.limit) {
                    Ok(text) => {
                        sources.files.retain(|source| source.path != path);
                        sources.files.push(Source {
                            path,
                            text: text.into(),
                            test: false,
                            reported,
                        });
                    }
                    Err((line, message)) => {
                        problems.push(Problem { path, line, level: level(reported), message })
                    }
                },
                Ok(Opened::Large(file)) => {
                    large.push(Large { path, reported, file, limit: wanted.limit, broken: false })
                }
                Err(error) => {
                    let message =
                        format!("cannot be read ({error}); check its permissions or leave it out");
                    problems.push(Problem { path, line: None, level: level(reported), message });
                }
            }
        }
        sources.files.sort_by(|a, b| a.path.cmp(&b.path));
        large
    }
}

fn level(reported: bool) -> Level {
    if reported {
        Level::Warning
    } else {
        Level::Note
    }
}

enum Opened {
    Whole(Vec<u8>),
    Large(BufReader<File>),
}

fn open(path: &Path, limit: usize) -> std::io::Result<Opened> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() > limit as u64 {
        return Ok(Opened::Large(BufReader::with_capacity(1 << 20, file)));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Opened::Whole(bytes))
}

/// Every file below a directory that no ignore file leaves out. Captured JSON often lies among
/// tests, so these are not left out.
fn walk(
    base: &Path,
    options: &Options,
    problems: &mut Vec<Problem>,
    workspace: &Workspace,
) -> Vec<PathBuf> {
    let exclude = options.exclude.clone();
    let mut builder = WalkBuilder::new(base);
    builder
        .standard_filters(!options.no_ignore)
        .hidden(true)
        .require_git(false)
        .git_global(false)
        .follow_links(false)
        .filter_entry(move |entry| {
            let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
            !exclude.matches(entry.path(), is_dir)
        });
    let mut files = Vec::new();
    for entry in builder.build() {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                files.push(entry.into_path())
            }
            Ok(_) => {}
            Err(error) => {
                let message =
                    format!("cannot be read ({error}); check its permissions or exclude it");
                let path = workspace.relative(base);
                problems.push(Problem { path, line: None, level: Level::Warning, message });
            }
        }
    }
    files
}
