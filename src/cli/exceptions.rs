//! The agreed exceptions of the configuration and a day to findings about those that have ended.
//!
//! Knows no ledger: what an exception takes out of one is decided there.

#![allow(clippy::disallowed_methods)]

use std::time::{SystemTime, UNIX_EPOCH};

use super::failure::Failure;
use super::reading::Analysed;
use crate::config::{Date, Exception};
use crate::report::{Finding, Level};
use crate::rules;
use crate::text::{FileId, Source, Span};
use crate::triage;

/// The rule that speaks of them.
const RULE: &str = "expired-exception";

/// The day that was named, or the one it is.
pub fn day(named: Option<&str>) -> Result<Date, Failure> {
    match named {
        Some(text) => Date::parse(text).ok_or_else(|| Failure::Date(text.to_string())),
        None => {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
            Ok(Date::from_days((since / 86_400) as i64))
        }
    }
}

/// Adds a finding for each exception that has ended, at its line of the configuration.
pub fn judge(analysed: &mut Analysed, today: Date) {
    let Some(path) = &analysed.governed_by else { return };
    let info = rules::find(RULE).map_or(Level::Warning, |rule| rule.level);
    let level = analysed.config.level(RULE, path).unwrap_or(info);
    let ended: Vec<&Exception> =
        analysed.config.plan.exceptions.iter().filter(|e| e.expired(today)).collect();
    if ended.is_empty() || level == Level::Off {
        return;
    }
    let file = FileId(analysed.sources.files.len() as u32);
    analysed.sources.files.push(Source {
        path: analysed.workspace.relative(path),
        text: analysed.text.as_str().into(),
        test: false,
        reported: true,
    });
    let findings = ended.into_iter().map(|e| finding(e, level, line(&analysed.text, file, e.line)));
    analysed.outcome.report.findings.extend(findings);
    let sources = &analysed.sources;
    let place = |f: &Finding| (&sources.get(f.primary.file).path, f.primary.start);
    analysed.outcome.report.findings.sort_by(|a, b| place(a).cmp(&place(b)));
}

/// The text of a line, without what surrounds it.
fn line(text: &str, file: FileId, number: u32) -> Span {
    let lines = text.split_inclusive('\n').take(number as usize);
    let (mut start, mut last) = (0, "");
    for line in lines {
        start += last.len();
        last = line;
    }
    start += last.len() - last.trim_start().len();
    Span { file, start: start as u32, end: (start + last.trim().len()) as u32 }
}

fn finding(exception: &Exception, level: Level, primary: Span) -> Finding {
    let about = exception.rule.as_deref().unwrap_or("everything");
    Finding {
        level,
        help: Some("mend what it excepts and remove it, or agree on a new day".to_string()),
        fingerprint: triage::fingerprint(&[RULE, &exception.name, about]),
        ..rules::finding(RULE, primary, exception.ended())
    }
}
