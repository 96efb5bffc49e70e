//! `pagelint check`: findings, in a format, and whether they should fail a build.
//!
//! Knows no rule and no format by name.

use std::collections::BTreeSet;
use std::io::{Read, Write};

use super::args::CheckArgs;
use super::failure::Failure;
use super::reading::{analyse_with, strict, Analysed, Named, Overlay};
use super::{allow, changed, exceptions, output, ratchet, terminal, Status};
use crate::config::{nearest, Config, DocumentKind};
use crate::discover::decode;
use crate::render::Style;
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
    let targets = output::targets(args)?;
    let overlay = overlay(args)?;
    let whole = overlay.is_none() && args.add_allow.is_none();
    let mut analysed = analyse_with(&args.reading, &named(args)?, overlay, adjust)?;
    known_stages(args, &analysed)?;
    let fresh = changed::Fresh::find(args, &mut analysed)?;
    let shrinks = ratchet::compare(args, &mut analysed)?;
    fresh.narrow(&mut analysed.outcome.report.findings);
    if whole {
        // After the baseline and what changed: a day passes without an edit.
        exceptions::judge(&mut analysed, exceptions::day(args.today.as_deref())?);
    }
    let report = &mut analysed.outcome.report;
    if !args.stages.is_empty() {
        let wanted = |stage: &str| args.stages.iter().any(|asked| asked == stage);
        report.findings.retain(|finding| finding.stage.as_deref().is_some_and(wanted));
    }
    if let Some(reason) = &args.add_allow {
        return allow::run(reason, &analysed, &style, out);
    }
    let (report, sources) = (&analysed.outcome.report, &analysed.sources);
    let style = terminal::paths_from_here(style, &sources.root);
    output::write(report, sources, &style, args, &targets, out)?;
    out.flush()?;
    strict(&args.reading, &analysed, !style.quiet)?;
    let least = analysed.config.fail_on;
    let failed = report.findings.iter().any(|f| least.is_some_and(|least| f.level >= least));
    if shrinks && (style.quiet || args.statistics) {
        terminal::complain("the baseline could shrink; run `pagelint check --update`");
    }
    Ok(if failed || shrinks { Status::Findings } else { Status::Clean })
}

/// A stage that is misspelled would select nothing, and pass.
fn known_stages(args: &CheckArgs, analysed: &Analysed) -> Result<(), Failure> {
    let named = analysed.outcome.stages.iter().chain(analysed.config.stages.keys());
    let declared = analysed.outcome.report.findings.iter().filter_map(|f| f.stage.as_ref());
    let known: BTreeSet<&String> = named.chain(declared).collect();
    match args.stages.iter().find(|asked| !known.contains(asked)) {
        Some(asked) => Err(Failure::NoStage(asked.clone(), analysed.outcome.stages.clone())),
        None => Ok(()),
    }
}

/// The text from standard input under the name that it was given.
fn overlay(args: &CheckArgs) -> Result<Option<Overlay>, Failure> {
    let (true, Some(path)) = (args.stdin, &args.stdin_filename) else { return Ok(None) };
    let mut bytes = Vec::new();
    let unreadable = |reason: String| Failure::File("standard input".into(), reason);
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
    let text = decode(bytes).map_err(|(_, reason)| unreadable(reason))?;
    let kind = pairs(args)?.into_iter().find(|(file, _)| file == path).and_then(|(_, kind)| kind);
    Ok(Some(Overlay { path: path.clone(), text, kind }))
}

/// The files of captured JSON that were named with their kind and lie on the disk.
fn named(args: &CheckArgs) -> Result<Vec<Named>, Failure> {
    let mut named = pairs(args)?;
    named.retain(|(file, _)| args.stdin_filename.as_ref() != Some(file));
    Ok(named)
}

/// The files that were named with their kind.
fn pairs(args: &CheckArgs) -> Result<Vec<Named>, Failure> {
    let mut named = Vec::new();
    for pair in args.documents.chunks(2) {
        let [word, file] = pair else { continue };
        let word = word.to_string_lossy();
        let kind =
            DocumentKind::ALL.iter().find(|(_, known)| *known == word).map(|(kind, _)| *kind);
        let kind = kind.ok_or_else(|| Failure::DocumentKind(word.to_string()))?;
        named.push((file.clone(), Some(kind)));
    }
    Ok(named)
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
