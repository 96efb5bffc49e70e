//! What a command is asked to read, to sources, configuration and everything known of them.
//!
//! Knows no format and no exit status.

#![allow(clippy::disallowed_methods)]

use std::io::Read;
use std::path::{Path, PathBuf};

use super::args::Reading;
use super::failure::Failure;
use super::terminal;
use crate::check::{check, Outcome};
use crate::config::{self, Config, Known};
use crate::discover::{is_test, Options, Workspace};
use crate::lang::LANGUAGES;
use crate::render::Style;
use crate::report::{Level, Problem};
use crate::rules::RULES;
use crate::text::{Source, Sources};

/// Sources, the configuration that governs them, and what was found.
pub struct Analysed {
    /// Where the sources are.
    pub workspace: Workspace,
    /// How they were read.
    pub options: Options,
    /// The sources.
    pub sources: Sources,
    /// The configuration.
    pub config: Config,
    /// Its text; empty where there is none.
    pub text: String,
    /// What was found; holds the problems of reading too.
    pub outcome: Outcome,
}

/// A text to read in place of a file's own.
pub struct Overlay {
    /// The file, which need not exist.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// Reads and analyses. `adjust` changes the configuration before it is used.
pub fn analyse(
    reading: &Reading,
    adjust: impl FnOnce(&mut Config) -> Result<(), Failure>,
) -> Result<Analysed, Failure> {
    analyse_with(reading, None, adjust)
}

/// Reads and analyses; with an overlay, only its file is reported.
pub fn analyse_with(
    reading: &Reading,
    overlay: Option<Overlay>,
    adjust: impl FnOnce(&mut Config) -> Result<(), Failure>,
) -> Result<Analysed, Failure> {
    let extensions: Vec<&str> =
        LANGUAGES.iter().flat_map(|language| language.extensions).copied().collect();
    let listed = reading.files_from.as_deref().map(|from| listed(from, &extensions)).transpose()?;
    // A list may name nothing of interest, and a text of some other language is none.
    let may_be_empty = listed.is_some() || overlay.is_some();
    let nothing = listed.as_ref().is_some_and(Vec::is_empty);
    let paths = match (&overlay, listed) {
        (Some(overlay), _) => vec![nearest_dir(&overlay.path)],
        (None, Some(listed)) if nothing => {
            vec![PathBuf::from(".")].into_iter().chain(listed).collect()
        }
        (None, Some(listed)) => listed,
        (None, None) => reading.paths.clone(),
    };
    let mut workspace = Workspace::find(&paths)?;
    let (mut config, text) = load(reading, &workspace)?;
    config.tests |= reading.tests;
    adjust(&mut config)?;
    let options = Options {
        extensions,
        exclude: config.exclude.clone(),
        tests: config.tests,
        no_ignore: reading.no_ignore,
        jobs: reading.jobs.unwrap_or(0),
    };
    let progress = terminal::progress("reading files");
    let (mut sources, problems) = match nothing {
        true => (Sources { root: workspace.root.clone(), ..Sources::default() }, Vec::new()),
        false => workspace.read(&options),
    };
    if nothing {
        workspace.asked.clear();
    }
    if let Some(overlay) = overlay {
        lay_over(&mut sources, overlay, &mut workspace, &options)?;
    }
    if !may_be_empty && !sources.files.iter().any(|file| file.reported) {
        return Err(Failure::NoSources {
            paths,
            extensions: options.extensions,
            tests: config.tests,
            faults: lines(&problems, &sources),
        });
    }
    progress.set_message(format!("analysing {} files", sources.files.len()));
    let mut outcome = check(&sources, &config);
    outcome.report.problems.extend(problems);
    outcome.report.problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    progress.finish_and_clear();
    Ok(Analysed { workspace, options, sources, config, text, outcome })
}

/// Everything but sources and what was found, for a workspace that is not read from disk.
pub fn prepare(reading: &Reading, workspace: Workspace) -> Result<Analysed, Failure> {
    let (mut config, text) = load(reading, &workspace)?;
    config.tests |= reading.tests;
    let options = Options {
        extensions: LANGUAGES.iter().flat_map(|language| language.extensions).copied().collect(),
        exclude: config.exclude.clone(),
        tests: config.tests,
        no_ignore: reading.no_ignore,
        jobs: reading.jobs.unwrap_or(0),
    };
    let sources = Sources { root: workspace.root.clone(), ..Sources::default() };
    Ok(Analysed { workspace, options, sources, config, text, outcome: Outcome::default() })
}

/// The source files that a list names. What is no source is left out, and so is what is no
/// longer there: the list may come from a tool that names deleted files too.
fn listed(from: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error: std::io::Error| Failure::File(from.to_path_buf(), error.to_string());
    let mut bytes = Vec::new();
    if from == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes).map_err(unreadable)?;
    } else {
        bytes = std::fs::read(from).map_err(unreadable)?;
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::File(from.to_path_buf(), "it is not valid UTF-8".to_string()))?;
    let separator = if text.contains('\0') { '\0' } else { '\n' };
    let paths = text.split(separator).map(|line| PathBuf::from(line.trim_end_matches('\r')));
    let wanted = |path: &PathBuf| {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        path.is_dir() && !path.as_os_str().is_empty()
            || extensions.contains(&extension) && path.is_file()
    };
    Ok(paths.filter(wanted).collect())
}

/// The nearest directory that exists at or above a file that may not.
fn nearest_dir(file: &Path) -> PathBuf {
    let dir = file.ancestors().skip(1).find(|dir| dir.is_dir());
    dir.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Puts a text in the place of a file, which alone is reported then.
fn lay_over(
    sources: &mut Sources,
    overlay: Overlay,
    workspace: &mut Workspace,
    options: &Options,
) -> Result<(), Failure> {
    let dir = nearest_dir(&overlay.path);
    let rest = overlay.path.strip_prefix(&dir).unwrap_or(&overlay.path).to_path_buf();
    let full = match dir.canonicalize() {
        Ok(dir) => dir.join(rest),
        Err(error) => return Err(Failure::File(dir, error.to_string())),
    };
    workspace.asked = vec![full.clone()];
    sources.files.iter_mut().for_each(|file| file.reported = false);
    let extension = full.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !options.extensions.contains(&extension) || options.exclude.matches(&full, false) {
        return Ok(());
    }
    let path = workspace.relative(&full);
    let (test, text) = (is_test(&path), overlay.text.into());
    let file = Source { path, text, test, reported: true };
    match sources.files.binary_search_by(|known| known.path.cmp(&file.path)) {
        Ok(at) => sources.files[at] = file,
        Err(at) => sources.files.insert(at, file),
    }
    Ok(())
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
fn load(reading: &Reading, workspace: &Workspace) -> Result<(Config, String), Failure> {
    let Some(path) = choose(reading, workspace)? else {
        return Ok((Config::default(), String::new()));
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
    match Config::parse(&text, base, known) {
        Ok(config) => Ok((config, text)),
        Err(error) => Err(Failure::Config { path: shown(&path), text, error }),
    }
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
