//! Command lines to runs: wires the floors together and decides the exit status.
//!
//! The only place that knows the environment, the terminal and how the program ends.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod allow;
mod args;
mod cache;
mod changed;
mod check;
mod coverage;
mod exceptions;
mod explain;
mod failure;
mod generate;
mod output;
mod over_time;
mod progress;
mod ratchet;
mod reading;
mod shapes;
mod terminal;

use std::io::{self, BufWriter, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command, SchemaOf};
use failure::Failure;

use crate::config;
use crate::lsp;
use crate::rules::RULES;

/// Stack of a thread that walks syntax trees: their depth is bounded, but not small.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// How a run ended that did its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Nothing that should fail a build.
    Clean,
    /// Something that should.
    Findings,
}

/// Runs the program on its arguments: 0 clean, 1 findings, 2 the job could not be done.
pub fn main() -> ExitCode {
    let mut args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help goes to standard output, where a closed pipe is no fault.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    args.command.complete();
    let style = terminal::style(args.color, args.quiet, &io::stderr());
    match panic::catch_unwind(AssertUnwindSafe(|| run_in_pool(&args))) {
        Ok(Ok(Status::Clean)) => ExitCode::SUCCESS,
        Ok(Ok(Status::Findings)) => ExitCode::from(1),
        Ok(Err(Failure::Output(error))) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Ok(Err(failure)) => {
            let _ = io::stderr().write_all(failure.text(&style).as_bytes());
            ExitCode::from(2)
        }
        Err(_) => {
            let _ = io::stderr().write_all(Failure::Bug.text(&style).as_bytes());
            ExitCode::from(2)
        }
    }
}

/// All work is done on threads with stacks of our own choice.
fn run_in_pool(args: &Args) -> Result<Status, Failure> {
    let jobs = args.command.reading().map_or(1, |reading| reading.jobs.unwrap_or(0));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .stack_size(STACK_BYTES)
        .build()
        .map_err(|error| Failure::Threads(error.to_string()))?;
    let mut out = BufWriter::new(io::stdout());
    let status = pool.install(|| run(args, &mut out))?;
    out.flush()?;
    Ok(status)
}

fn run(args: &Args, out: &mut (dyn Write + Send)) -> Result<Status, Failure> {
    let style = terminal::style(args.color, args.quiet, &io::stdout());
    match &args.command {
        Command::Check(check) => check::run(check, style, out),
        Command::Baseline(baseline) => ratchet::run(baseline, style, out),
        Command::Shapes(shapes) => shapes::run(shapes, style, out),
        Command::Coverage(coverage) => coverage::run(coverage, style, out),
        Command::Progress(progress) => progress::run(progress, style, out),
        Command::Completions { shell } => generate::completions(*shell, out),
        Command::Man => generate::manual(out),
        Command::Rules => explain::rules(&style, out),
        Command::Explain { rule } => explain::rule(rule, &style, out),
        Command::Lsp => {
            // The protocol's own rule: 1 for a client that left without a word.
            let proper =
                lsp::serve_streams(io::BufReader::new(io::stdin()), io::stdout(), output::replace)?;
            Ok(if proper { Status::Clean } else { Status::Findings })
        }
        Command::Schema { of: SchemaOf::Config } => {
            let rules: Vec<_> = RULES.iter().map(|rule| (rule.id, rule.summary)).collect();
            out.write_all(config::schema(&rules).as_bytes())?;
            Ok(Status::Clean)
        }
    }
}
