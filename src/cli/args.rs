//! The command line as types.
//!
//! Decides nothing: what an argument does is written where it is used.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

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
    /// Show the object that each tool can send
    Shapes(ShapesArgs),
    /// Show what could not be decided
    Coverage(CoverageArgs),
    /// List all rules
    Rules,
    /// Show the page of a rule
    Explain {
        /// Id of the rule, as in a finding
        rule: String,
    },
    /// Print a JSON Schema
    Schema {
        /// What the schema is of
        #[arg(value_enum)]
        of: SchemaOf,
    },
}

impl Command {
    /// Without paths, the current directory is meant, unless files of captured JSON are named.
    pub fn complete(&mut self) {
        let (reading, named) = match self {
            Command::Check(args) => (&mut args.reading, !args.documents.is_empty()),
            Command::Shapes(args) => (&mut args.reading, false),
            Command::Coverage(args) => (&mut args.reading, false),
            Command::Rules | Command::Explain { .. } | Command::Schema { .. } => return,
        };
        if reading.paths.is_empty() && !named {
            reading.paths.push(PathBuf::from("."));
        }
    }

    /// What is to be read, for the commands that read.
    pub fn reading(&self) -> Option<&Reading> {
        match self {
            Command::Check(args) => Some(&args.reading),
            Command::Shapes(args) => Some(&args.reading),
            Command::Coverage(args) => Some(&args.reading),
            Command::Rules | Command::Explain { .. } | Command::Schema { .. } => None,
        }
    }
}

/// What to read and how.
#[derive(Debug, ClapArgs)]
pub struct Reading {
    /// Files and directories to report on; the workspace around them is read for context [default: .]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Read tests too
    #[arg(long)]
    pub tests: bool,
    /// Read files that .gitignore and .ignore leave out
    #[arg(long)]
    pub no_ignore: bool,
    /// Configuration to use in place of the nearest pagelint.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Number of threads
    #[arg(short, long, value_name = "N")]
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
    /// Lowest level that makes the exit status 1 [default: warning]
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub fail_on: Option<FailOn>,
    /// Set the level of a rule, over all configuration; LEVEL is off, note, warning or error
    #[arg(long = "rule", value_name = "ID=LEVEL")]
    pub rules: Vec<String>,
    /// Read FILE as captured JSON; KIND is response, schema or session
    #[arg(long = "as", value_names = ["KIND", "FILE"], num_args = 2)]
    pub documents: Vec<PathBuf>,
    /// Report only findings in commands of this stage
    #[arg(long = "stage", value_name = "STAGE")]
    pub stages: Vec<String>,
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

fn percent(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('%').trim().parse::<f64>();
    value.ok().filter(|p| (0.0..=100.0).contains(p)).ok_or("give a number from 0 to 100".into())
}
