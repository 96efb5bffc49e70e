//! What a command is asked to read, to sources, configuration and everything known of them.
//!
//! Knows no format and no exit status.

#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use super::args::Reading;
use super::failure::Failure;
use super::terminal;
use crate::check::{check_streams, Outcome};
use crate::config::{self, Config, DocumentKind, Known};
use crate::discover::{self, Large, Options, Wanted, Workspace};
use crate::documents::{Line, Stream, MAX_BYTES};
use crate::lang::LANGUAGES;
use crate::render::Style;
use crate::report::{Level, Problem};
use crate::rules::RULES;
use crate::text::Sources;

/// Sources, the configuration that governs them, and what was found.
pub struct Analysed {
    /// The sources.
    pub sources: Sources,
    /// The configuration.
    pub config: Config,
    /// What was found; holds the problems of reading too.
    pub outcome: Outcome,
}

/// A file of captured JSON, with its kind if that was said.
pub type Named = (PathBuf, Option<DocumentKind>);

/// Reads and analyses. `named` are files of captured JSON; `adjust` changes the configuration
/// before it is used.
pub fn analyse(
    reading: &Reading,
    named: &[Named],
    adjust: impl FnOnce(&mut Config) -> Result<(), Failure>,
) -> Result<Analysed, Failure> {
    let (paths, named) = documents(reading, named);
    let files: Vec<PathBuf> = named.iter().map(|(file, _)| file.clone()).collect();
    let workspace = Workspace::find_with(&paths, &files)?;
    let mut config = load(reading, &workspace)?;
    config.tests |= reading.tests;
    for (file, kind) in named {
        config.documents.named.extend(file.canonicalize().ok().map(|file| (file, kind)));
    }
    adjust(&mut config)?;
    let options = Options {
        extensions: LANGUAGES.iter().flat_map(|language| language.extensions).copied().collect(),
        exclude: config.exclude.clone(),
        tests: config.tests,
        no_ignore: reading.no_ignore,
        jobs: reading.jobs.unwrap_or(0),
    };
    // Files of captured JSON by themselves need no source around them.
    let (mut sources, mut problems) = match paths.is_empty() {
        true => (Sources { root: workspace.root.clone(), ..Sources::default() }, Vec::new()),
        false => workspace.read(&options),
    };
    let is_document = |file: &Path| config.documents.kind(file).is_some();
    let wanted = Wanted {
        named: &files,
        matches: config.documents.patterns.then_some(&is_document),
        limit: MAX_BYTES,
    };
    let large = workspace.documents(&options, wanted, &mut sources, &mut problems);
    let mut streams: Vec<Stream> = large.into_iter().map(stream).collect();
    if streams.is_empty() && !sources.files.iter().any(|file| file.reported) {
        return Err(Failure::NoSources {
            paths: if paths.is_empty() { files } else { paths },
            extensions: options.extensions,
            tests: config.tests,
            faults: lines(&problems, &sources),
        });
    }
    let mut outcome = check_streams(&mut sources, &mut streams, &config);
    outcome.report.problems.extend(problems);
    outcome.report.problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(Analysed { sources, config, outcome })
}

/// The paths of source, and the files of captured JSON: those named with their kind, and those
/// that are JSON by their names.
fn documents(reading: &Reading, named: &[Named]) -> (Vec<PathBuf>, Vec<Named>) {
    let by_name = |path: &PathBuf| {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        matches!(extension, "json" | "jsonl" | "ndjson" | "jsonlines") && path.is_file()
    };
    let (json, paths): (Vec<PathBuf>, Vec<PathBuf>) = reading.paths.iter().cloned().partition(by_name);
    // What was said with a kind comes last, and so holds.
    let named = json.into_iter().map(|file| (file, None)).chain(named.iter().cloned()).collect();
    (paths, named)
}

/// A large file as the lines that the analysis asks for.
fn stream(mut large: Large) -> Stream {
    Stream {
        path: large.path.clone(),
        reported: large.reported,
        next: Box::new(move || {
            large.line().map(|line| match line {
                discover::Line::Bytes(bytes) => Line::Bytes(bytes),
                discover::Line::TooLong => Line::TooLong,
                discover::Line::Broken(reason) => Line::Broken(reason),
            })
        }),
    }
}

/// In a strict run a problem means that the job was not done.
/// `shown` tells whether the output has named the problems already.
pub fn strict(reading: &Reading, analysed: &Analysed, shown: bool) -> Result<(), Failure> {
    let problems = lines(&analysed.outcome.report.problems, &analysed.sources);
    let count = problems.len();
    if reading.strict && count > 0 {
        return Err(Failure::Strict { count, unseen: if shown { Vec::new() } else { problems } });
    }
    Ok(())
}

/// The problems that count, a line each.
fn lines(problems: &[Problem], sources: &Sources) -> Vec<String> {
    let style = terminal::paths_from_here(Style::default(), &sources.root);
    let counted = problems.iter().filter(|problem| problem.level >= Level::Warning);
    let shown = counted.map(|problem| {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line}: {}", style.path(&problem.path), problem.message)
    });
    shown.collect()
}

/// The configuration named by the user, or the one that governs the paths.
fn load(reading: &Reading, workspace: &Workspace) -> Result<Config, Failure> {
    let Some(path) = choose(reading, workspace)? else {
        return Ok(Config::default());
    };
    let unreadable =
        |error: std::io::Error| Failure::ConfigUnreadable(path.clone(), error.to_string());
    let bytes = std::fs::read(&path).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::ConfigUnreadable(path.clone(), "it is not valid UTF-8".to_string())
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_string();
    let full = path.canonicalize().map_err(unreadable)?;
    // Patterns are relative to the file, unless it lies somewhere else altogether.
    let own = full.parent().unwrap_or(&workspace.root);
    let related = workspace.root.starts_with(own) || own.starts_with(&workspace.root);
    let base = if related { own } else { &workspace.root };

    let rules: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let mut packs: Vec<&str> = RULES.iter().map(|rule| rule.pack).collect();
    packs.sort_unstable();
    packs.dedup();
    let languages: Vec<&str> = LANGUAGES.iter().map(|language| language.id).collect();
    let known = Known { rules: &rules, packs: &packs, languages: &languages };
    Config::parse(&text, base, known).map_err(|error| Failure::Config {
        path: shown(&path),
        text: text.clone(),
        error,
    })
}

fn choose(reading: &Reading, workspace: &Workspace) -> Result<Option<PathBuf>, Failure> {
    if let Some(path) = &reading.config {
        return Ok(Some(path.clone()));
    }
    let holds = |dir: &Path, name: &str| dir.join(name).exists();
    let mut chosen: Option<PathBuf> = None;
    for path in &workspace.asked {
        match (config::governing(path, holds), &chosen) {
            (Some(new), Some(old)) if new != *old => {
                return Err(Failure::TwoConfigs(shown(old), shown(&new)));
            }
            (Some(new), _) => chosen = Some(new),
            (None, _) => {}
        }
    }
    Ok(chosen)
}

/// A path without the current directory in front.
fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|dir| dir.canonicalize()).unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_path_buf()
}
