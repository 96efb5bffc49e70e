//! Why the job could not be done, as text with the next step.
//!
//! All such text of the program stands here; nothing here decides whether it is a failure.

use std::io;
use std::path::PathBuf;

use crate::config::ConfigError;
use crate::discover;
use crate::render::excerpt::{draw, Mark, Notice};
use crate::render::{visible, Style};
use crate::report::{Level, Problem};
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
        /// Why files were left out.
        problems: Vec<Problem>,
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
    /// An argument of `--rule` that is not `id=level`.
    RuleArgument(String),
    /// Problems in a strict run.
    Strict(usize),
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

impl From<discover::Failure> for Failure {
    fn from(failure: discover::Failure) -> Self {
        Failure::Path(failure)
    }
}

impl Failure {
    /// The whole text, ending in a line end.
    pub fn text(&self, style: &Style) -> String {
        if let Failure::Config { path, text, error } = self {
            return config_text(path, text, error, style);
        }
        let (what, next) = self.parts();
        let word = if style.colour { "\u{1b}[1;31merror\u{1b}[0m" } else { "error" };
        let mut out = String::new();
        if let Failure::NoSources { problems, .. } = self {
            for problem in problems {
                let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
                let path = style.path(&problem.path);
                out.push_str(&format!("{path}{line}: {}\n", visible(&problem.message)));
            }
        }
        let next = visible(&next).into_owned();
        out.push_str(&format!("{word}: {}\n  help: {next}\n", visible(&what)));
        out
    }

    /// What is wrong, and the next step.
    fn parts(&self) -> (String, String) {
        match self {
            Failure::Path(failure) => {
                let next = match failure {
                    discover::Failure::NoSuchPath(_) => {
                        "check the spelling; paths are relative to the current directory"
                    }
                    discover::Failure::Unreadable(..) => {
                        "check the permissions of the path and of the directories above it"
                    }
                    discover::Failure::NotAFile(_) => {
                        "give files or directories; pipes and devices are not read"
                    }
                };
                (failure.to_string(), next.to_string())
            }
            Failure::NoSources { paths, extensions, tests, .. } => {
                no_sources(paths, extensions, *tests)
            }
            Failure::ConfigUnreadable(path, reason) => (
                format!("{} cannot be read: {reason}", path.display()),
                "give --config the path of a readable pagelint.toml".to_string(),
            ),
            Failure::TwoConfigs(one, other) => (
                format!(
                    "the paths have two configurations: {} and {}",
                    one.display(),
                    other.display()
                ),
                "check them in two runs, or choose one with --config".to_string(),
            ),
            Failure::NoRule(id, near) => (
                format!("there is no rule `{id}`"),
                match near {
                    Some(near) => {
                        format!("did you mean `{near}`? `pagelint rules` lists all rules")
                    }
                    None => "`pagelint rules` lists all rules".to_string(),
                },
            ),
            Failure::RuleArgument(text) => (
                format!("--rule {text} sets no level"),
                "write --rule ID=LEVEL, where LEVEL is off, note, warning or error".to_string(),
            ),
            Failure::Strict(count) => (
                format!("{count} problem{} in a strict run", if *count == 1 { "" } else { "s" }),
                "mend or exclude the files named above, or run without --strict".to_string(),
            ),
            Failure::Threads(reason) => (
                format!("threads cannot be started: {reason}"),
                "ask for fewer with --jobs".to_string(),
            ),
            Failure::Output(error) => (
                format!("the output cannot be written: {error}"),
                "check the disk and the file that the output goes to".to_string(),
            ),
            Failure::Bug | Failure::Config { .. } => (
                "this is a bug in pagelint; the message above says where".to_string(),
                format!(
                    "please report it with that message: {}/issues",
                    env!("CARGO_PKG_REPOSITORY")
                ),
            ),
        }
    }
}

fn no_sources(paths: &[PathBuf], extensions: &[&str], tests: bool) -> (String, String) {
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let kinds: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
    let kinds = match kinds.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "source".to_string(),
    };
    let what = format!("no {kinds} file to analyse under {}", shown.join(", "));
    let also = if tests { "" } else { "tests are read with --tests, " };
    (
        what,
        format!(
            "{also}ignored files with --no-ignore; `exclude` in pagelint.toml may hide the rest"
        ),
    )
}

fn config_text(path: &std::path::Path, text: &str, error: &ConfigError, style: &Style) -> String {
    let word = if style.colour { "\u{1b}[1;31merror\u{1b}[0m" } else { "error" };
    let help = error.help.clone().unwrap_or_else(|| {
        "the README lists the keys; `pagelint schema config` prints a schema for editors"
            .to_string()
    });
    let notice = Notice {
        level: Level::Error,
        message: format!("{word}: {}", visible(&error.message)),
        path: visible(&path.display().to_string()).into_owned(),
        text,
        marks: vec![Mark { range: error.span.clone(), message: String::new(), primary: true }],
        help: Some(visible(&help).into_owned()),
    };
    draw(&notice, &LineIndex::new(text), style)
}
