//! `pagelint check`: findings, in a format, and whether they should fail a build.
//!
//! Knows no rule and no format by name.

use std::io::Write;

use super::args::CheckArgs;
use super::failure::Failure;
use super::reading::{analyse, strict, Analysed};
use super::{terminal, Status};
use crate::config::{nearest, Config};
use crate::render::{Style, FORMATS};
use crate::report::Level;
use crate::rules::{self, RULES};

/// Runs the command.
pub fn run(args: &CheckArgs, style: Style, out: &mut dyn Write) -> Result<Status, Failure> {
    let adjust = |config: &mut Config| {
        for argument in &args.rules {
            let (id, level) = rule_level(argument)?;
            config.forced.insert(id, level);
        }
        if let Some(fail_on) = args.fail_on {
            config.fail_on = fail_on.level();
        }
        Ok(())
    };
    let Analysed { sources, config, mut outcome } = analyse(&args.reading, adjust)?;
    if !args.stages.is_empty() {
        let wanted =
            |stage: &Option<String>| stage.as_ref().is_some_and(|s| args.stages.contains(s));
        outcome.report.findings.retain(|finding| wanted(&finding.stage));
    }
    let style = terminal::paths_from_here(style, &sources.root);
    let format = FORMATS.iter().find(|format| format.id == args.format).unwrap_or(&FORMATS[0]);
    (format.render)(&outcome.report, &sources, &style, out)?;
    out.flush()?;
    strict(&args.reading, &outcome)?;
    let fails = |level: Level| config.fail_on.is_some_and(|least| level >= least);
    let failed = outcome.report.findings.iter().any(|finding| fails(finding.level));
    Ok(if failed { Status::Findings } else { Status::Clean })
}

fn rule_level(argument: &str) -> Result<(String, Level), Failure> {
    let wrong = || Failure::RuleArgument(argument.to_string());
    let (id, word) = argument.split_once('=').ok_or_else(wrong)?;
    let levels = [Level::Off, Level::Note, Level::Warning, Level::Error];
    let level = levels.into_iter().find(|level| level.word() == word).ok_or_else(wrong)?;
    match rules::find(id) {
        Some(_) => Ok((id.to_string(), level)),
        None => Err(no_rule(id)),
    }
}

/// The failure for a rule that does not exist.
pub fn no_rule(id: &str) -> Failure {
    let ids: Vec<&'static str> = RULES.iter().map(|rule| rule.id).collect();
    Failure::NoRule(id.to_string(), nearest(id, &ids))
}
