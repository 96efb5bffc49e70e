//! Why the job could not be done, as text with the next step.
//!
//! All such text of the program stands here; nothing here decides whether it is a failure.

use std::io;
use std::path::PathBuf;

use crate::baseline::CONFLICT;
use crate::config::ConfigError;
use crate::discover;
use crate::render::excerpt::{draw, Mark, Notice};
use crate::render::{visible, Style};
use crate::report::Level;
use crate::revisions;
use crate::text::LineIndex;

/// Why the job could not be done.
#[derive(Debug)]
pub enum Failure {
    /// A path that cannot be read.
    Path(discover::Failure),
    /// Nothing to analyse.
    NoSources {
        /// What was asked for.
        paths: Vec<PathBuf>,
        /// File name extensions that are read.
        extensions: Vec<&'static str>,
        /// Whether tests were read.
        tests: bool,
        /// Files that were left out for a fault of their own, a line each.
        faults: Vec<String>,
    },
    /// A configuration that cannot be read.
    ConfigUnreadable(PathBuf, String),
    /// A configuration with a mistake.
    Config {
        /// Path as the reader may open it.
        path: PathBuf,
        /// Its text.
        text: String,
        /// The mistake.
        error: ConfigError,
    },
    /// Paths under different configurations.
    TwoConfigs(PathBuf, PathBuf),
    /// A rule that does not exist, with the nearest that does.
    NoRule(String, Option<&'static str>),
    /// A stage that does not exist, and those that do.
    NoStage(String, Vec<String>),
    /// An argument of `--rule` that is not `id=level`.
    RuleArgument(String),
    /// A word behind `--as` that is no kind of captured JSON.
    DocumentKind(String),
    /// Problems in a strict run.
    Strict {
        /// How many.
        count: usize,
        /// Those that were not shown yet, a line each.
        unseen: Vec<String>,
    },
    /// A text that is no date.
    Date(String),
    /// A revision that cannot be read.
    Revision(revisions::Failure),
    /// A baseline that cannot be understood: its path, the line and what is wrong.
    Baseline(PathBuf, usize, String),
    /// A file that cannot be read: its path and the reason.
    File(PathBuf, String),
    /// An argument that does not do: what is wrong, and what to do.
    Argument(String, &'static str),
    /// Comments that would not do what they should: how many findings would stay.
    Comments(usize),
    /// Threads could not be started.
    Threads(String),
    /// Output could not be written.
    Output(io::Error),
    /// The program went wrong.
    Bug,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

impl From<revisions::Failure> for Failure {
    fn from(failure: revisions::Failure) -> Self {
        Failure::Revision(failure)
    }
}

impl From<discover::Failure> for Failure {
    fn from(failure: discover::Failure) -> Self {
        Failure::Path(failure)
    }
}

impl Failure {
    /// The whole text, ending in a line end.
    pub fn text(&self, style: &Style) -> String {
        if let Some(text) = config_text(self, style) {
            return text;
        }
        let word = if style.colour { "\u{1b}[1;31merror\u{1b}[0m" } else { "error" };
        let lines = match self {
            Failure::NoSources { faults: lines, .. } | Failure::Strict { unseen: lines, .. } => {
                lines
            }
            _ => &Vec::new(),
        };
        let mut out: String = lines.iter().map(|line| format!("{}\n", visible(line))).collect();
        let (what, next) = (self.what(), self.next());
        out.push_str(&format!("{word}: {}\n  help: {}\n", visible(&what), visible(&next)));
        out
    }

    fn what(&self) -> String {
        match self {
            Failure::Path(failure) => failure.to_string(),
            Failure::NoSources { paths, extensions, .. } => no_sources(paths, extensions),
            Failure::ConfigUnreadable(path, reason) => {
                format!("{} cannot be read: {reason}", path.display())
            }
            Failure::Config { error, .. } => error.to_string(),
            Failure::TwoConfigs(one, other) => {
                let (one, other) = (one.display(), other.display());
                format!("the paths have two configurations: {one} and {other}")
            }
            Failure::NoRule(id, _) => format!("there is no rule `{id}`"),
            Failure::NoStage(stage, _) => format!("there is no stage `{stage}`"),
            Failure::RuleArgument(text) => format!("`--rule {text}` sets no level"),
            Failure::DocumentKind(word) => format!("`--as {word}` names no kind of captured JSON"),
            Failure::Strict { count: 1, .. } => "1 problem in a strict run".to_string(),
            Failure::Strict { count, .. } => format!("{count} problems in a strict run"),
            Failure::Date(text) => format!("`{text}` is no date"),
            Failure::Revision(failure) => failure.to_string(),
            Failure::Baseline(path, line, reason) => {
                format!("line {line} of {} cannot be understood: {reason}", path.display())
            }
            Failure::File(path, reason) => format!("{} cannot be read: {reason}", path.display()),
            Failure::Argument(what, _) => what.clone(),
            Failure::Comments(count) => {
                format!("comments cannot allow {count} of the findings; nothing was written")
            }
            Failure::Threads(reason) => format!("threads cannot be started: {reason}"),
            Failure::Output(error) => format!("the output cannot be written: {error}"),
            Failure::Bug => "this is a bug in pagelint; the message above says where".to_string(),
        }
    }

    fn next(&self) -> String {
        let next = match self {
            Failure::Path(discover::Failure::NoSuchPath(_)) => {
                "check the spelling; paths are relative to the current directory"
            }
            Failure::Path(discover::Failure::Unreadable(..)) => {
                "check the permissions of the path and of the directories above it"
            }
            Failure::Path(discover::Failure::NotAFile(_)) => {
                "give files or directories; pipes and devices are not read"
            }
            Failure::NoSources { faults, .. } if !faults.is_empty() => "mend the files named above",
            Failure::NoSources { tests: true, .. } => {
                "--no-ignore reads ignored files; `exclude` in pagelint.toml may hide the rest"
            }
            Failure::NoSources { tests: false, .. } => {
                "--tests reads tests, --no-ignore ignored files; `exclude` in pagelint.toml may \
                 hide the rest"
            }
            Failure::ConfigUnreadable(..) => "give --config the path of a readable pagelint.toml",
            Failure::Config { .. } => "`pagelint schema config` prints the keys and what they take",
            Failure::TwoConfigs(..) => "check them in two runs, or choose one with --config",
            Failure::NoRule(_, Some(near)) => {
                return format!("did you mean `{near}`? `pagelint rules` lists all rules");
            }
            Failure::NoRule(_, None) => "`pagelint rules` lists all rules",
            Failure::NoStage(_, known) if known.is_empty() => "no pack that runs declares stages",
            Failure::NoStage(_, known) => return format!("known: {}", known.join(", ")),
            Failure::RuleArgument(_) => {
                "write --rule ID=LEVEL, where LEVEL is off, note, warning or error"
            }
            Failure::DocumentKind(_) => {
                "write --as KIND FILE, where KIND is response, schema or session"
            }
            Failure::Strict { .. } => {
                "mend or exclude the files named above, or run without --strict"
            }
            Failure::Date(_) => "dates are written as YYYY-MM-DD",
            Failure::Revision(revisions::Failure::NoRepository(_)) => {
                "older revisions are read from a git repository; run it inside one"
            }
            Failure::Revision(revisions::Failure::NoRevision(name)) if name == "HEAD" => {
                "the repository has no commit yet; make one, or run without a revision"
            }
            Failure::Revision(revisions::Failure::NoRevision(_)) => {
                "check the name; a shallow clone lacks older commits, `git fetch --unshallow` \
                 brings them"
            }
            Failure::Revision(revisions::Failure::Unreadable(_)) => {
                "`git fsck` looks for damage; a partial clone lacks files, \
                 `git fetch --refetch --no-filter` brings them"
            }
            Failure::Baseline(_, _, reason) if reason == CONFLICT => {
                "`pagelint baseline` settles it and records what there is now"
            }
            Failure::Baseline(..) => {
                "`git checkout` brings an older one back; or delete it, and `pagelint baseline` \
                 writes a new one"
            }
            Failure::File(..) => "check that it is there, and its permissions",
            Failure::Argument(_, next) => next,
            Failure::Comments(_) => {
                "record them with `pagelint baseline`, or set their level in pagelint.toml"
            }
            Failure::Threads(_) => "ask for fewer with --jobs",
            Failure::Output(_) => "check the disk and the file that the output goes to",
            Failure::Bug => {
                concat!(
                    "please report it with that message: ",
                    env!("CARGO_PKG_REPOSITORY"),
                    "/issues"
                )
            }
        };
        next.to_string()
    }
}

fn no_sources(paths: &[PathBuf], extensions: &[&str]) -> String {
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let kinds: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
    let kinds = match kinds.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "source".to_string(),
    };
    format!("no {kinds} file to analyse under {}", shown.join(", "))
}

fn config_text(failure: &Failure, style: &Style) -> Option<String> {
    let Failure::Config { path, text, error } = failure else {
        return None;
    };
    let word = if style.colour { "\u{1b}[1;31merror\u{1b}[0m" } else { "error" };
    let help = error.help.clone().unwrap_or_else(|| failure.next());
    let notice = Notice {
        level: Level::Error,
        message: format!("{word}: {}", visible(&failure.what())),
        path: visible(&path.display().to_string()).into_owned(),
        text,
        marks: vec![Mark { range: error.span.clone(), message: String::new(), primary: true }],
        help: Some(visible(&help).into_owned()),
    };
    Some(draw(&notice, &LineIndex::new(text), style))
}
