//! One workspace as the server keeps it: what was read, what governs it, what was found last.
//!
//! Knows no message and no client beyond how columns are counted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{Diagnostic, DiagnosticSeverity, Position, Range};

use crate::check::{check_with, Cache, Outcome};
use crate::config::{Config, ConfigError, Known};
use crate::diagnostics::{self, Indexes, Lists, Places};
use crate::discover::{near, would_be_read, Options, Scan, Text, Workspace};
use crate::lang::LANGUAGES;
use crate::positions::{Encoding, Lines};
use crate::rules::RULES;
use crate::text::{FileId, Sources};

use super::known::Known as Baseline;

/// What is known of a workspace for one state of the buffers.
pub struct Analysed {
    /// The paths whose findings are asked for.
    pub asked: Vec<PathBuf>,
    /// The files.
    pub sources: Sources,
    /// What was found in them.
    pub outcome: Outcome,
    /// What is known from before.
    pub known: Baseline,
    /// What to show, by full path.
    pub diagnostics: BTreeMap<PathBuf, Arc<[Diagnostic]>>,
}

impl Analysed {
    /// The file of a full path.
    pub fn file(&self, path: &Path) -> Option<FileId> {
        let inside = path.strip_prefix(&self.sources.root).ok()?;
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        let shown = parts.join("/");
        let files = &self.sources.files;
        let at = files.binary_search_by(|file| file.path.as_str().cmp(&shown)).ok()?;
        Some(FileId(at as u32))
    }
}

/// A mistake in a configuration: the file and what to show there.
type Fault = (PathBuf, Diagnostic);

/// A workspace and all that is kept of it between runs.
pub struct Place {
    workspace: Workspace,
    encoding: Encoding,
    settings: Settings,
    known: Baseline,
    options: Options,
    scan: Scan,
    /// Open files that a walk passed by, so that they cause no further one.
    passed_by: BTreeSet<PathBuf>,
    cache: Cache,
    indexes: Indexes,
    lists: Lists,
    /// The buffers of the last run.
    inputs: Vec<(PathBuf, Arc<str>)>,
    last: Option<Arc<Analysed>>,
}

/// The configuration as it was read last.
#[derive(Default)]
struct Settings {
    file: Option<PathBuf>,
    saved: Option<Result<String, String>>,
    used: Option<Result<String, String>>,
    config: Config,
    fault: Option<Fault>,
}

impl Place {
    /// Reads a workspace.
    pub fn new(workspace: Workspace, encoding: Encoding, buffers: &Buffers) -> Place {
        let known = Baseline::read(&workspace.root);
        let mut place = Place {
            workspace,
            known,
            encoding,
            settings: Settings::default(),
            options: Options::default(),
            scan: Scan::default(),
            passed_by: BTreeSet::new(),
            cache: Cache::default(),
            indexes: Indexes::default(),
            lists: Lists::default(),
            inputs: Vec::new(),
            last: None,
        };
        place.read_again(buffers);
        place
    }

    /// Reads the disk again.
    pub fn read_again(&mut self, buffers: &Buffers) {
        let asked = self.workspace.asked.first();
        self.settings.file = asked.and_then(|asked| near::configuration(asked));
        self.settings.saved = self.settings.file.as_deref().map(near::read);
        self.settings.used = None;
        self.settings.reload(buffers, self.encoding);
        self.known = Baseline::read(&self.workspace.root);
        self.passed_by.clear();
        self.walk();
    }

    fn walk(&mut self) {
        let extensions = LANGUAGES.iter().flat_map(|language| language.extensions).copied();
        self.options = Options {
            extensions: extensions.collect(),
            exclude: self.settings.config.exclude.clone(),
            tests: self.settings.config.tests,
            ..Options::default()
        };
        self.scan = self.workspace.scan(&self.options);
        self.last = None;
    }

    /// Asks for the findings of other files than before.
    pub fn ask(&mut self, asked: Vec<PathBuf>, buffers: &Buffers) {
        if asked == self.workspace.asked {
            return;
        }
        let known = asked.iter().all(|path| self.scan.holds(path) || !near::is_file(path));
        self.workspace.asked.clone_from(&asked);
        self.last = None;
        if known {
            self.scan.ask(asked);
        } else {
            self.read_again(buffers);
        }
    }

    /// What is to be said with these buffers; the last answer where nothing has changed.
    pub fn run(&mut self, buffers: &Buffers) -> Arc<Analysed> {
        if self.settings.reload(buffers, self.encoding) {
            self.walk();
        }
        let inside = buffers.range(self.workspace.root.clone()..);
        let inside = inside.take_while(|(path, _)| path.starts_with(&self.workspace.root));
        // A buffer that says what its file says changes nothing: to open one is free.
        let inside = inside.filter(|(path, buffer)| !self.scan.says(path, &buffer.checked));
        let mine: BTreeMap<PathBuf, Text> =
            inside.map(|(path, buffer)| (path.clone(), buffer.checked.clone())).collect();
        self.find_new(&mine);
        let inputs: Vec<(PathBuf, Arc<str>)> = mine
            .iter()
            .map(|(path, text)| (path.clone(), text.read.clone().unwrap_or_else(|_| "".into())))
            .collect();
        type Held<'a> = &'a (PathBuf, Arc<str>);
        let same = |(a, b): (Held, Held)| a.0 == b.0 && Arc::ptr_eq(&a.1, &b.1);
        let unchanged =
            inputs.len() == self.inputs.len() && inputs.iter().zip(&self.inputs).all(same);
        if let (true, Some(last)) = (unchanged, &self.last) {
            return last.clone();
        }
        self.inputs = inputs;
        let analysed = Arc::new(self.analyse(&mine));
        self.last = Some(analysed.clone());
        analysed
    }

    /// A file that was opened before anybody told that it is there is looked for.
    fn find_new(&mut self, buffers: &BTreeMap<PathBuf, Text>) {
        let new = |path: &&PathBuf| {
            !self.scan.holds(path)
                && !self.passed_by.contains(*path)
                && would_be_read(path, &self.workspace.root, &self.options)
                && near::is_file(path)
        };
        let new: Vec<PathBuf> = buffers.keys().filter(new).cloned().collect();
        if !new.is_empty() {
            self.walk();
            self.passed_by.extend(new);
        }
    }

    fn analyse(&mut self, buffers: &BTreeMap<PathBuf, Text>) -> Analysed {
        let unsaved = |path: &&PathBuf| {
            !self.scan.holds(path)
                && would_be_read(path, &self.workspace.root, &self.options)
                && !near::is_file(path)
        };
        let fresh: Vec<PathBuf> = buffers.keys().filter(unsaved).cloned().collect();
        let (sources, problems) = self.scan.sources(buffers, &fresh);
        let mut outcome = check_with(&sources, &self.settings.config, &mut self.cache);
        outcome.report.problems.extend(problems);
        let (asked, config) = (&self.workspace.asked, &self.settings.config);
        self.known.apply(asked, &sources, config, &mut outcome);
        let mut places =
            Places { sources: &sources, encoding: self.encoding, indexes: &mut self.indexes };
        let lists = &mut self.lists;
        let by_path = diagnostics::by_path(&outcome.report, &mut places, lists, true).into_iter();
        let mut diagnostics: BTreeMap<PathBuf, Arc<[Diagnostic]>> =
            by_path.map(|(path, list)| (sources.root.join(path), list)).collect();
        let fault = self.settings.fault.iter().map(|(path, fault)| (path, fault));
        for (path, fault) in fault.chain(self.known.fault.iter().map(|f| (&self.known.file, f))) {
            let list = diagnostics.entry(path.clone()).or_default();
            *list = list.iter().chain([fault]).cloned().collect();
        }
        let (asked, known) = (self.workspace.asked.clone(), self.known.clone());
        Analysed { asked, sources, outcome, known, diagnostics }
    }
}

/// Open buffers by path.
pub type Buffers = BTreeMap<PathBuf, Buffer>;

/// One open buffer, as far as the analysis needs it.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The client's number for this text.
    pub version: i32,
    /// The text itself.
    pub text: Arc<str>,
    /// The text after the checks that a file's bytes go through.
    pub checked: Text,
}

impl Settings {
    /// Reads the text that governs now. Gives whether it is another one than before. A text
    /// with a mistake leaves the last good configuration in force.
    fn reload(&mut self, buffers: &Buffers, encoding: Encoding) -> bool {
        let Some(file) = &self.file else {
            let governed = self.used.take().is_some();
            if governed {
                (self.config, self.fault) = (Config::default(), None);
            }
            return governed;
        };
        let open = buffers.get(file);
        let same = |text: &str| matches!(&self.used, Some(Ok(used)) if used == text);
        match (open, &self.saved) {
            (Some(buffer), _) if same(&buffer.text) => return false,
            (None, saved) if *saved == self.used => return false,
            _ => {}
        }
        self.used = match open {
            Some(buffer) => Some(Ok(buffer.text.to_string())),
            None => self.saved.clone(),
        };
        self.fault = None;
        match &self.used {
            Some(Ok(text)) => match parse(text, file) {
                Ok(config) => self.config = config,
                Err(error) => self.fault = Some((file.clone(), mistake(&error, text, encoding))),
            },
            Some(Err(reason)) => {
                let message = format!("the configuration cannot be read: {reason}");
                self.fault = Some((file.clone(), fault(Range::default(), message)));
            }
            None => self.config = Config::default(),
        }
        true
    }
}

fn parse(text: &str, file: &Path) -> Result<Config, ConfigError> {
    let rules: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let mut packs: Vec<&str> = RULES.iter().map(|rule| rule.pack).collect();
    packs.sort_unstable();
    packs.dedup();
    let languages: Vec<&str> = LANGUAGES.iter().map(|language| language.id).collect();
    let known = Known { rules: &rules, packs: &packs, languages: &languages };
    Config::parse(text, file.parent().unwrap_or(Path::new("")), known)
}

fn mistake(error: &ConfigError, text: &str, encoding: Encoding) -> Diagnostic {
    let lines = Lines::new(text);
    let place = |offset: usize| {
        let (line, character) = lines.place(text, offset as u32, encoding);
        Position { line, character }
    };
    let range = Range { start: place(error.span.start), end: place(error.span.end) };
    let message = match &error.help {
        Some(help) => format!("{}\nhelp: {help}", error.message),
        None => error.message.clone(),
    };
    fault(range, message)
}

/// What to show for a file that governs a run and cannot be used.
pub fn fault(range: Range, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(diagnostics::SOURCE.to_string()),
        message,
        ..Diagnostic::default()
    }
}
