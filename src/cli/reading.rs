//! What a command is asked to read, to sources, configuration and everything known of them.
//!
//! Knows no format and no exit status.

#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

use super::args::Reading;
use super::failure::Failure;
use crate::check::{check, Outcome};
use crate::config::{self, Config, Known};
use crate::discover::{Options, Workspace};
use crate::lang::LANGUAGES;
use crate::report::Level;
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

/// Reads and analyses. `adjust` changes the configuration before it is used.
pub fn analyse(
    reading: &Reading,
    adjust: impl FnOnce(&mut Config) -> Result<(), Failure>,
) -> Result<Analysed, Failure> {
    let workspace = Workspace::find(&reading.paths)?;
    let mut config = load(reading, &workspace)?;
    config.tests |= reading.tests;
    adjust(&mut config)?;
    let options = Options {
        extensions: LANGUAGES.iter().flat_map(|language| language.extensions).copied().collect(),
        exclude: config.exclude.clone(),
        tests: config.tests,
        no_ignore: reading.no_ignore,
        jobs: reading.jobs.unwrap_or(0),
    };
    let (sources, problems) = workspace.read(&options);
    if !sources.files.iter().any(|file| file.reported) {
        return Err(Failure::NoSources {
            paths: reading.paths.clone(),
            extensions: options.extensions,
            tests: config.tests,
            problems,
        });
    }
    let mut outcome = check(&sources, &config);
    outcome.report.problems.extend(problems);
    outcome.report.problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(Analysed { sources, config, outcome })
}

/// In a strict run a problem means that the job was not done.
pub fn strict(reading: &Reading, outcome: &Outcome) -> Result<(), Failure> {
    let problems = outcome.report.problems.iter();
    let count = problems.filter(|problem| problem.level >= Level::Warning).count();
    if reading.strict && count > 0 {
        return Err(Failure::Strict(count));
    }
    Ok(())
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
