//! The command line as types.
//!
//! Decides nothing: what an argument does is written where it is used.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::progress::{settle, EVERYTHING};
use crate::progress::render as progress;
use crate::render::FORMATS;
use crate::report::Level;

/// Finds tools and commands that build pagination fields by hand.
#[derive(Debug, Parser)]
#[command(name = "pagelint", version, about, arg_required_else_help = true)]
#[command(
    after_help = "Exit status: 0 nothing to report, 1 findings, 2 the job could not be done."
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Print results only: no problems, no summary
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report where responses depart from the contract
    Check(CheckArgs),
    /// Record today's findings, so that only new ones fail
    Baseline(BaselineArgs),
    /// Show the object that each tool can send
    Shapes(ShapesArgs),
    /// Show what could not be decided
    Coverage(CoverageArgs),
    /// Show how far a migration has come
    Progress(ProgressArgs),
    /// List all rules
    Rules,
    /// Show the page of a rule
    Explain {
        /// Id of the rule, as in a finding
        rule: String,
    },
    /// Serve an editor: the Language Server Protocol on standard input and output
    Lsp,
    /// Print a JSON Schema
    Schema {
        /// What the schema is of
        #[arg(value_enum, default_value_t = SchemaOf::Config)]
        of: SchemaOf,
    },
    /// Print a completion script
    Completions {
        /// The shell that reads it
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

impl Command {
    /// Without paths, the current directory is meant, unless files of captured JSON are named.
    pub fn complete(&mut self) {
        let (reading, named) = match self {
            Command::Check(args) => (&mut args.reading, !args.documents.is_empty()),
            Command::Baseline(args) => (&mut args.reading, false),
            Command::Shapes(args) => (&mut args.reading, false),
            Command::Coverage(args) => (&mut args.reading, false),
            Command::Progress(args) => {
                settle(args);
                (&mut args.reading, false)
            }
            Command::Rules
            | Command::Explain { .. }
            | Command::Lsp
            | Command::Schema { .. }
            | Command::Completions { .. }
            | Command::Man => return,
        };
        if reading.paths.is_empty() && !named {
            reading.paths.push(PathBuf::from("."));
        }
    }

    /// What is to be read, for the commands that read.
    pub fn reading(&self) -> Option<&Reading> {
        match self {
            Command::Check(args) => Some(&args.reading),
            Command::Baseline(args) => Some(&args.reading),
            Command::Shapes(args) => Some(&args.reading),
            Command::Coverage(args) => Some(&args.reading),
            Command::Progress(args) => Some(&args.reading),
            Command::Rules
            | Command::Explain { .. }
            | Command::Lsp
            | Command::Schema { .. }
            | Command::Completions { .. }
            | Command::Man => None,
        }
    }
}

/// What to read and how.
#[derive(Clone, Debug, ClapArgs)]
pub struct Reading {
    /// Files and directories to report on; the workspace around them is read for context [default: .]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Read the paths from a file, one a line or separated by NUL; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub files_from: Option<PathBuf>,
    /// Read tests too
    #[arg(long)]
    pub tests: bool,
    /// Read files that .gitignore and .ignore leave out
    #[arg(long)]
    pub no_ignore: bool,
    /// Configuration to use in place of the nearest pagelint.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Number of threads; 0 is one for each processor
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub jobs: Option<usize>,
    /// Exit with 2 when a file could not be read or analysed
    #[arg(long)]
    pub strict: bool,
}

/// Arguments of `check`.
#[derive(Debug, ClapArgs)]
pub struct CheckArgs {
    /// What to read.
    #[command(flatten)]
    pub reading: Reading,
    /// How to print findings
    #[arg(long, default_value = FORMATS[0].id, value_name = "FORMAT", value_parser = formats())]
    pub format: String,
    /// The day on which exceptions are judged, YYYY-MM-DD [default: today]
    #[arg(long, value_name = "DATE")]
    pub today: Option<String>,
    /// Lowest level that makes the exit status 1 [default: warning]
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub fail_on: Option<FailOn>,
    /// Set the level of a rule, over all configuration; LEVEL is off, note, warning or error
    #[arg(long = "rule", value_name = "ID=LEVEL")]
    pub rules: Vec<String>,
    /// Read FILE as captured JSON; KIND is response, schema or session. FILE may be the name
    /// that --stdin-filename gives
    #[arg(long = "as", value_names = ["KIND", "FILE"], num_args = 2)]
    pub documents: Vec<PathBuf>,
    /// Report only findings in commands of this stage
    #[arg(long = "stage", value_name = "STAGE")]
    pub stages: Vec<String>,
    /// Write findings to a file too; may be given several times
    #[arg(long = "output", value_name = "FORMAT=FILE")]
    pub outputs: Vec<String>,
    /// Print how often each rule was broken, in place of findings
    #[arg(long)]
    pub statistics: bool,
    /// Print no more than N findings; the exit status counts all
    #[arg(long, value_name = "N")]
    pub max_findings: Option<usize>,
    /// Report only findings that are not there in this revision
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    pub since: Option<String>,
    /// Report only findings that are not there in the last commit, be they staged or not
    #[arg(long)]
    pub staged: bool,
    /// Read one file from standard input
    #[arg(long, requires = "stdin_filename", conflicts_with_all = ["paths", "files_from", "since", "staged"])]
    pub stdin: bool,
    /// The name of that file; the workspace around it is read for context
    #[arg(long, value_name = "NAME", requires = "stdin")]
    pub stdin_filename: Option<PathBuf>,
    /// Fail when the baseline holds findings that are fixed
    #[arg(long, conflicts_with_all = ["update", "no_baseline"])]
    pub locked: bool,
    /// Remove fixed findings from the baseline
    #[arg(long, conflicts_with = "no_baseline")]
    pub update: bool,
    /// Report findings that the baseline knows, too
    #[arg(long)]
    pub no_baseline: bool,
    /// Write comments that allow the findings, for this reason
    #[arg(long, value_name = "REASON", conflicts_with_all = ["stdin", "locked", "update"])]
    pub add_allow: Option<String>,
}

/// Arguments of `baseline`.
#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BaselineArgs {
    /// What to read.
    #[command(flatten)]
    pub reading: Reading,
    /// What else to do with it.
    #[command(subcommand)]
    pub command: Option<BaselineCommand>,
}

/// What else can be done with a baseline.
#[derive(Debug, Subcommand)]
pub enum BaselineCommand {
    /// Merge two baselines: a merge driver for git
    Merge {
        /// The common ancestor, %O
        base: PathBuf,
        /// The current version, %A; takes the result
        ours: PathBuf,
        /// The other version, %B
        theirs: PathBuf,
        /// The path in the repository, %P
        #[arg(default_value = crate::baseline::FILE_NAME)]
        path: PathBuf,
    },
}

/// Arguments of `shapes`.
#[derive(Debug, ClapArgs)]
pub struct ShapesArgs {
    /// What to read.
    #[command(flatten)]
    pub reading: Reading,
    /// How to print
    #[arg(long, value_enum, default_value_t = Plain::Text)]
    pub format: Plain,
    /// List tools that send no page too
    #[arg(long)]
    pub all: bool,
}

/// Arguments of `coverage`.
#[derive(Debug, ClapArgs)]
pub struct CoverageArgs {
    /// What to read.
    #[command(flatten)]
    pub reading: Reading,
    /// How to print
    #[arg(long, value_enum, default_value_t = Plain::Text)]
    pub format: Plain,
    /// Exit with 1 when fewer percent of the emitters are understood
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub min: Option<f64>,
}

/// Arguments of `progress`.
#[derive(Debug, ClapArgs)]
pub struct ProgressArgs {
    /// What to read.
    #[command(flatten)]
    pub reading: Reading,
    /// How to print [default: what the name of the output file says, else table]
    #[arg(long, value_name = "FORMAT", value_parser = progress_formats())]
    pub format: Option<String>,
    /// Write to a file in place of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Analyse older revisions too: all that lead to HEAD, or a range, --history=v1.0..main
    #[arg(long, value_name = "RANGE", num_args = 0..=1, require_equals = true, default_missing_value = EVERYTHING)]
    pub history: Option<String>,
    /// Of the history, leave out what came with merges
    #[arg(long, requires = "history")]
    pub first_parent: bool,
    /// Of the history, take every Nth revision, counted from the newest
    #[arg(long, value_name = "N", requires = "history", value_parser = from_one)]
    pub every: Option<usize>,
    /// Of the history, take what was committed on this day or later, YYYY-MM-DD
    #[arg(long, value_name = "DATE", requires = "history")]
    pub since: Option<String>,
    /// Show what changed in the ledger since this revision
    #[arg(long, value_name = "REV")]
    pub compare: Option<String>,
    /// Read everything from a git directory, without a work tree
    #[arg(long, value_name = "DIR")]
    pub git_dir: Option<PathBuf>,
    /// Neither read nor write remembered results of older revisions
    #[arg(long)]
    pub no_cache: bool,
    /// Where they are remembered [default: .pagelint_cache in the workspace]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache_dir: Option<PathBuf>,
    /// Address of a line, with {path}, {line} and {revision} [default: {path}#L{line}]
    #[arg(long, value_name = "TEMPLATE")]
    pub link: Option<String>,
    /// Title of the page [default: the workspace's name]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// The day on which exceptions are judged, YYYY-MM-DD [default: today]
    #[arg(long, value_name = "DATE")]
    pub today: Option<String>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Formats of what is no report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Plain {
    /// For reading.
    Text,
    /// For programs.
    Json,
}

/// What a schema is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// Of pagelint.toml.
    Config,
}

/// The lowest level that makes the exit status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Any finding.
    Note,
    /// Warnings and errors.
    Warning,
    /// Errors only.
    Error,
    /// Nothing.
    Never,
}

impl FailOn {
    /// The level of the word; none for "never".
    pub fn level(self) -> Option<Level> {
        match self {
            FailOn::Note => Some(Level::Note),
            FailOn::Warning => Some(Level::Warning),
            FailOn::Error => Some(Level::Error),
            FailOn::Never => None,
        }
    }
}

fn formats() -> Vec<PossibleValue> {
    FORMATS.iter().map(|format| PossibleValue::new(format.id).help(format.help)).collect()
}

fn progress_formats() -> Vec<PossibleValue> {
    let formats = progress::FORMATS.iter();
    formats.map(|format| PossibleValue::new(format.id).help(format.help)).collect()
}

fn percent(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('%').trim().parse::<f64>();
    value.ok().filter(|p| (0.0..=100.0).contains(p)).ok_or("give a number from 0 to 100".into())
}

/// More threads than any machine has work for only take memory, and minutes to start.
fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number <= 1024);
    number.ok_or_else(|| "give a number from 0 to 1024".to_string())
}

fn from_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "give a number from 1".to_string())
}
