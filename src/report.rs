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
#[derive(Clone, Debug)]
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
    /// Problems of the run.
    pub problems: Vec<Problem>,
    /// What was seen.
    pub counts: Counts,
}

impl Report {
    /// How many findings have a level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|f| f.level == level).count()
    }
}
