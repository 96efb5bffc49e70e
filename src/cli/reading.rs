//! What a command is asked to read, to sources, configuration and everything known of them.
//!
//! Knows no format and no exit status.

#![allow(clippy::disallowed_methods)]

use std::io::Read;
use std::path::{Path, PathBuf};

use super::args::Reading;
use super::failure::Failure;
use super::terminal;
use crate::check::{check_streams, Outcome};
use crate::config::{self, Config, DocumentKind, Known};
use crate::discover::{self, is_test, Large, Options, Wanted, Workspace};
use crate::documents::{Line, Stream, MAX_BYTES};
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
    /// Its file, if there is one.
    pub governed_by: Option<PathBuf>,
    /// What was found; holds the problems of reading too.
    pub outcome: Outcome,
}

/// A file of captured JSON, with its kind if that was said.
pub type Named = (PathBuf, Option<DocumentKind>);

/// A text to read in place of a file's own.
pub struct Overlay {
    /// The file, which need not exist.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What it is, where it is captured JSON and that was said.
    pub kind: Option<DocumentKind>,
}

impl Overlay {
    /// Its place, as files that exist are known.
    fn full(&self) -> Result<PathBuf, Failure> {
        let dir = nearest_dir(&self.path);
        let rest = self.path.strip_prefix(&dir).unwrap_or(&self.path);
        match dir.canonicalize() {
            Ok(full) => Ok(full.join(rest)),
            Err(error) => Err(Failure::File(dir, error.to_string())),
        }
    }
}

/// Reads and analyses. `named` are files of captured JSON; `adjust` changes the configuration
/// before it is used.
pub fn analyse(
    reading: &Reading,
    named: &[Named],
    adjust: impl FnOnce(&mut Config) -> Result<(), Failure>,
) -> Result<Analysed, Failure> {
    analyse_with(reading, named, None, adjust)
}

/// Reads and analyses; with an overlay, only its file is reported.
pub fn analyse_with(
    reading: &Reading,
    named: &[Named],
    overlay: Option<Overlay>,
    adjust: impl FnOnce(&mut Config) -> Result<(), Failure>,
) -> Result<Analysed, Failure> {
    let asked = Asked::find(reading, named, overlay.as_ref())?;
    let mut workspace = Workspace::find_with(&asked.paths, &asked.files())?;
    let (mut config, text, governed_by) = load(reading, &workspace)?;
    let files = asked.name(&mut config);
    if let Some(overlay) = overlay.as_ref().filter(|o| o.kind.is_some() || is_json_name(&o.path)) {
        let full = overlay.full()?;
        // Without a kind the configuration's patterns still say more than the name.
        if overlay.kind.is_some() || config.documents.kind(&full).is_none() {
            config.documents.named.insert(full, overlay.kind);
        }
    }
    adjust(&mut config)?;
    let options = options(reading, &mut config);
    let progress = terminal::progress("reading files");
    let (mut sources, mut problems) = match asked.source {
        true => workspace.read(&options),
        false => (Sources { root: workspace.root.clone(), ..Sources::default() }, Vec::new()),
    };
    if !asked.source && !asked.paths.is_empty() {
        workspace.asked.clear();
    }
    let mut streams: Vec<Stream> = Vec::new();
    if let Some(overlay) = overlay {
        lay_over(&mut sources, overlay, &mut workspace, &options)?;
    } else {
        let is_document = |file: &Path| config.documents.kind(file).is_some();
        let patterns = config.documents.patterns && asked.source;
        let matches = patterns.then_some(&is_document as &dyn Fn(&Path) -> bool);
        let wanted = Wanted { named: &files, matches, limit: MAX_BYTES };
        let large = workspace.documents(&options, wanted, &mut sources, &mut problems);
        streams.extend(large.into_iter().map(stream));
    }
    let some = !streams.is_empty() || sources.files.iter().any(|file| file.reported);
    if !some && !asked.may_be_empty {
        return Err(Failure::NoSources {
            paths: if asked.paths.is_empty() { files } else { asked.paths },
            extensions: options.extensions,
            tests: config.tests,
            faults: lines(&problems, &sources),
        });
    }
    progress.set_message(format!("analysing {} files", sources.files.len() + streams.len()));
    let mut outcome = check_streams(&mut sources, &mut streams, &config);
    outcome.report.problems.extend(problems);
    outcome.report.problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    progress.finish_and_clear();
    Ok(Analysed { workspace, options, sources, config, text, governed_by, outcome })
}

/// Everything but sources and what was found, for a workspace that is not read from disk.
pub fn prepare(reading: &Reading, workspace: Workspace) -> Result<Analysed, Failure> {
    let (mut config, text, governed_by) = load(reading, &workspace)?;
    let options = options(reading, &mut config);
    let sources = Sources { root: workspace.root.clone(), ..Sources::default() };
    Ok(Analysed {
        workspace,
        options,
        sources,
        config,
        text,
        governed_by,
        outcome: Outcome::default(),
    })
}

fn options(reading: &Reading, config: &mut Config) -> Options {
    config.tests |= reading.tests;
    Options {
        extensions: extensions(),
        exclude: config.exclude.clone(),
        tests: config.tests,
        no_ignore: reading.no_ignore,
        jobs: reading.jobs.unwrap_or(0),
        documents: config.documents.clone(),
        largest_document: MAX_BYTES,
    }
}

fn extensions() -> Vec<&'static str> {
    LANGUAGES.iter().flat_map(|language| language.extensions).copied().collect()
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// Whether a file holds JSON, by its name.
fn is_json(path: &Path) -> bool {
    is_json_name(path) && path.is_file()
}

fn is_json_name(path: &Path) -> bool {
    matches!(extension(path), "json" | "jsonl" | "ndjson" | "jsonlines")
}

/// What the arguments ask for.
struct Asked {
    /// Files and directories of source.
    paths: Vec<PathBuf>,
    /// Files of captured JSON.
    named: Vec<Named>,
    /// Files of JSON that are looked at only if the configuration says that it was captured.
    perhaps: Vec<PathBuf>,
    /// Whether the source around them is read. Captured JSON by itself needs none.
    source: bool,
    /// Whether it is no fault to find nothing: a list may name nothing of interest, and a text
    /// of some other language is none.
    may_be_empty: bool,
}

impl Asked {
    fn find(
        reading: &Reading,
        named: &[Named],
        overlay: Option<&Overlay>,
    ) -> Result<Asked, Failure> {
        let (mut named, mut perhaps) = (named.to_vec(), Vec::new());
        let mut paths = match (overlay, &reading.files_from) {
            (Some(overlay), _) => vec![nearest_dir(&overlay.path)],
            (None, Some(from)) => {
                let (json, paths) = listed(from)?.into_iter().partition(|path| is_json(path));
                perhaps = json;
                paths
            }
            (None, None) => {
                let paths = reading.paths.iter().cloned();
                let (json, paths): (Vec<_>, Vec<_>) = paths.partition(|path| is_json(path));
                // What was said with a kind comes last, and so holds.
                named.splice(0..0, json.into_iter().map(|file| (file, None)));
                paths
            }
        };
        let source = !paths.is_empty();
        if !source && named.is_empty() && perhaps.is_empty() {
            // Only to find the configuration.
            paths.push(PathBuf::from("."));
        }
        let may_be_empty = overlay.is_some() || reading.files_from.is_some();
        Ok(Asked { paths, named, perhaps, source, may_be_empty })
    }

    /// All files of JSON.
    fn files(&self) -> Vec<PathBuf> {
        self.named.iter().map(|(file, _)| file).chain(&self.perhaps).cloned().collect()
    }

    /// Tells the configuration what was named, and gives the files of captured JSON.
    fn name(&self, config: &mut Config) -> Vec<PathBuf> {
        for (file, kind) in &self.named {
            config.documents.named.extend(file.canonicalize().ok().map(|file| (file, *kind)));
        }
        let captured = |file: &PathBuf| {
            file.canonicalize().is_ok_and(|file| config.documents.kind(&file).is_some())
        };
        self.files().into_iter().filter(captured).collect()
    }
}

/// The files that a list names. What is neither source nor JSON is left out, and so is what is
/// no longer there: the list may come from a tool that names deleted files too.
fn listed(from: &Path) -> Result<Vec<PathBuf>, Failure> {
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
    let extensions = extensions();
    let wanted = |path: &PathBuf| {
        path.is_dir() && !path.as_os_str().is_empty()
            || extensions.contains(&extension(path)) && path.is_file()
            || is_json(path)
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
    let full = overlay.full()?;
    workspace.asked = vec![full.clone()];
    sources.files.iter_mut().for_each(|file| file.reported = false);
    let captured = options.documents.kind(&full).is_some();
    let source = options.extensions.contains(&extension(&full));
    if !captured && (!source || options.exclude.matches(&full, false)) {
        return Ok(());
    }
    let path = workspace.relative(&full);
    let (test, text) = (!captured && is_test(&path), overlay.text.into());
    let file = Source { path, text, test, reported: true };
    match sources.files.binary_search_by(|known| known.path.cmp(&file.path)) {
        Ok(at) => sources.files[at] = file,
        Err(at) => sources.files.insert(at, file),
    }
    Ok(())
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
fn load(
    reading: &Reading,
    workspace: &Workspace,
) -> Result<(Config, String, Option<PathBuf>), Failure> {
    let Some(path) = choose(reading, workspace)? else {
        return Ok((Config::default(), String::new(), None));
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
        Ok(config) => Ok((config, text, Some(full))),
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
