//! What pagelint says, as plain data; formats and protocols make their own text of it.

use crate::text::Span;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Not reported.
    Off,
    /// Worth knowing.
    Note,
    /// Should change.
    Warning,
    /// Must change.
    Error,
}

impl Level {
    /// The word used in configuration and output.
    pub fn word(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// How sure pagelint is that the finding is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Confidence {
    /// Something on the way could not be followed.
    Low,
    /// Likely.
    Medium,
    /// Proven from the source.
    High,
}

impl Confidence {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// A further place that belongs to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there.
    pub message: String,
}

/// Whether a fix may be applied without looking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// Keeps what the program means.
    Safe,
    /// May change what readers of the output see.
    Unsafe,
    /// Only a suggestion.
    Display,
}

/// A replacement of one span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// A way to mend a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does.
    pub message: String,
    /// Whether it may be applied without looking.
    pub safety: Safety,
    /// Its edits; they never overlap.
    pub edits: Vec<Edit>,
}

/// One departure from a contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Rule id.
    pub rule: &'static str,
    /// Weight, after stages, configuration and caps.
    pub level: Level,
    /// How sure.
    pub confidence: Confidence,
    /// One sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The primary place.
    pub primary: Span,
    /// Further places.
    pub labels: Vec<Label>,
    /// The function that holds the primary place.
    pub function: Option<String>,
    /// Tools or commands concerned, sorted.
    pub commands: Vec<String>,
    /// The stage that the level follows, if any.
    pub stage: Option<String>,
    /// The field concerned.
    pub field: Option<String>,
    /// Which response object of the function: counted from 0 in source order.
    pub object: u32,
    /// Identity that survives edits, moves and renames elsewhere; filled in by triage.
    pub fingerprint: String,
    /// A way to mend it.
    pub fix: Option<Fix>,
}

impl Finding {
    /// The same, with every span where `real` says.
    pub fn at(mut self, real: &dyn Fn(Span) -> Span) -> Self {
        let edits = self.fix.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.span);
        let labels = self.labels.iter_mut().map(|label| &mut label.span);
        for span in edits.chain(labels).chain([&mut self.primary]) {
            *span = real(*span);
        }
        self
    }
}

/// Why a finding is known and yet not reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Excuse {
    /// A comment in the source allows it, for this reason.
    Allowed(String),
    /// The baseline knows it.
    Baseline,
}

/// A finding that is not reported.
#[derive(Clone, Debug)]
pub struct Suppressed {
    /// The finding.
    pub finding: Finding,
    /// Why.
    pub excuse: Excuse,
}

/// A file that could not be read or analysed whole, or another fact about the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path relative to the workspace root.
    pub path: String,
    /// 1-based line, if one can be told.
    pub line: Option<u32>,
    /// Weight.
    pub level: Level,
    /// What is wrong and what to do.
    pub message: String,
}

/// What a run saw, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files read.
    pub files: usize,
    /// Files parsed.
    pub parsed: usize,
    /// Response objects found.
    pub emitters: usize,
}

/// All that a run has to say.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Findings in path and source order.
    pub findings: Vec<Finding>,
    /// Findings that are counted but not printed, in the same order.
    pub left_out: Vec<Finding>,
    /// Findings that somebody has excused, in the same order.
    pub suppressed: Vec<Suppressed>,
    /// Problems of the run.
    pub problems: Vec<Problem>,
    /// What was seen.
    pub counts: Counts,
}

impl Report {
    /// All findings, printed or not.
    pub fn counted(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().chain(&self.left_out)
    }

    /// How many findings have a level.
    pub fn count(&self, level: Level) -> usize {
        self.counted().filter(|f| f.level == level).count()
    }
}

/// What kind of thing emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EmitterKind {
    /// A tool registered under a name.
    Tool,
    /// A command line command.
    Command,
    /// A function that no registration leads to.
    Function,
}

impl EmitterKind {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            EmitterKind::Tool => "tool",
            EmitterKind::Command => "command",
            EmitterKind::Function => "function",
        }
    }
}

/// Who wrote the paging fields of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BuiltBy {
    /// The shared builder wrote all of them.
    Builder,
    /// The emitter wrote all of them itself.
    Hand,
    /// Both wrote some.
    Mixed,
    /// They came with an upstream response.
    Upstream,
    /// There are none.
    None,
}

impl BuiltBy {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            BuiltBy::Builder => "builder",
            BuiltBy::Hand => "hand",
            BuiltBy::Mixed => "mixed",
            BuiltBy::Upstream => "upstream",
            BuiltBy::None => "none",
        }
    }
}

/// One place where an object leaves the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitter {
    /// The place.
    pub span: Span,
    /// The function that holds it.
    pub function: Option<String>,
    /// The object, for reading: `{nodes, returned, next_offset?}`.
    pub shape: String,
    /// The meta half that a command sends with it, in the same form.
    pub meta: Option<String>,
    /// Who wrote its paging fields.
    pub built_by: BuiltBy,
    /// How sure the shape is.
    pub confidence: Confidence,
}

/// One tool, command or function with all objects that it can send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeRow {
    /// The tool's or command's name, or the function's.
    pub name: String,
    /// What it is.
    pub kind: EmitterKind,
    /// The declared stage, where the workspace declares stages.
    pub stage: Option<String>,
    /// Where it emits, in path and source order.
    pub emitters: Vec<Emitter>,
    /// Where paging fields of a response that is passed on are read.
    pub reads: Vec<PageReading>,
    /// The kind of page: the vocabulary's own word for it.
    pub family: Option<String>,
    /// Whether a caller can go on where the page ends, if that can be told.
    pub resumable: Option<bool>,
    /// Whether any emitter sends a page.
    pub paging: bool,
}

impl ShapeRow {
    /// A row of which nothing is known yet.
    pub fn new(name: String, kind: EmitterKind) -> Self {
        ShapeRow {
            name,
            kind,
            stage: None,
            emitters: Vec::new(),
            reads: Vec::new(),
            family: None,
            resumable: None,
            paging: false,
        }
    }

    /// The same, with every span where `real` says.
    pub fn at(mut self, real: &dyn Fn(Span) -> Span) -> Self {
        let emitters = self.emitters.iter_mut().map(|emitter| &mut emitter.span);
        let reads = self.reads.iter_mut().map(|read| &mut read.span);
        for span in emitters.chain(reads) {
            *span = real(*span);
        }
        self
    }
}

/// Code that reads paging fields of a response that it passes on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageReading {
    /// The first of the reads.
    pub span: Span,
    /// The function.
    pub function: String,
    /// The fields, sorted.
    pub fields: Vec<String>,
}

/// What a command declares about itself, as far as the source tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRow {
    /// Its full name, as in [`ShapeRow::name`].
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its stage; `None` where the workspace declares no stages.
    pub stage: Option<String>,
    /// Its pagination declaration, in a word or two (`cursor --page-token`).
    pub pagination: Option<String>,
    /// Whether some path emits the meta half of a page; `None` where that cannot be told.
    pub emits_meta: Option<bool>,
    /// Whether all of its parameters are known.
    pub parameters_known: bool,
    /// Whether its data schema is known; `None` where it declares none.
    pub schema_known: Option<bool>,
    /// Whether it pages, as far as declaration, request or response tell.
    pub paging: bool,
}

/// Something that could not be decided.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undecided {
    /// Path relative to the workspace root.
    pub path: String,
    /// 1-based line; 0 when it is the whole file.
    pub line: u32,
    /// What it is, in one sentence.
    pub what: String,
}

/// How much of what emits was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Emitters found.
    pub found: usize,
    /// Those whose object is known.
    pub understood: usize,
    /// Those whose object is not.
    pub unresolved: usize,
    /// What could not be decided, in path and line order.
    pub items: Vec<Undecided>,
}

impl Coverage {
    /// Emitters understood of those found, in percent; nothing when none was found.
    pub fn percent(&self) -> Option<f64> {
        (self.found > 0).then(|| self.understood as f64 * 100.0 / self.found as f64)
    }
}
