//! Allow comments to the findings they excuse, and to findings about the comments themselves.
//!
//! Never sees a tree or a language: comments and extents come as plain data.

mod add;
mod directive;
mod scopes;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::report::{Confidence, Edit, Excuse, Finding, Fix, Level, Report, Safety, Suppressed};
use crate::text::{LineIndex, Sources, Span};

pub use add::{additions, Refused};
use directive::{Directive, Reach};
pub use scopes::{Comment, FileScopes};

/// The rule about comments that hide nothing.
pub const UNUSED: &str = "unused-allow";
/// The rule about names that no rule has.
pub const UNKNOWN: &str = "unknown-rule";
/// The rule about comments without a reason or of another form.
pub const MALFORMED: &str = "malformed-allow";

/// What is known of rules, as far as comments name them.
pub struct Known<'a> {
    /// Whether there is a rule of this id.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// The rule that a name of none may stand for.
    pub near: &'a dyn Fn(&str) -> Option<&'static str>,
    /// Whether the rule was looked for in the file of the span.
    pub ran: &'a dyn Fn(&str, Span) -> bool,
}

/// One rule named by one comment.
struct Allow {
    rule: String,
    rule_span: Span,
    comment: Span,
    own_line: bool,
    alone: bool,
    reason: String,
    reach: Span,
    used: bool,
}

/// Moves excused findings aside and adds findings about the comments.
pub fn apply(
    mut report: Report,
    files: &[Arc<FileScopes>],
    sources: &Sources,
    known: &Known<'_>,
) -> Report {
    let mut allows = Vec::new();
    let mut faults = Vec::new();
    for file in files.iter().filter(|file| sources.get(file.file).reported) {
        read_file(file, sources, known, &mut allows, &mut faults);
    }
    let findings = std::mem::take(&mut report.findings);
    split(&mut report, findings, &mut allows);
    // Findings about comments can be allowed in their turn, but not those about such allows.
    for allow in allows.iter().filter(|allow| !about_run(&allow.rule) && !allow.used) {
        if (known.ran)(&allow.rule, allow.comment) {
            faults.push(unused(allow, files, sources));
        }
    }
    split(&mut report, faults, &mut allows);
    for allow in allows.iter().filter(|allow| about_run(&allow.rule) && !allow.used) {
        if (known.ran)(&allow.rule, allow.comment) {
            report.findings.push(unused(allow, files, sources));
        }
    }
    report
}

fn about_run(rule: &str) -> bool {
    [UNUSED, UNKNOWN, MALFORMED].contains(&rule)
}

/// Findings that an allow reaches are excused by it; the others stay.
fn split(report: &mut Report, findings: Vec<Finding>, allows: &mut [Allow]) {
    for finding in findings {
        let at = Span { end: finding.primary.start, ..finding.primary };
        let mut excuse = None;
        // Every allow that reaches it is used, so that none of two is called unused.
        for allow in allows.iter_mut() {
            if allow.rule == finding.rule && allow.reach.contains(at) {
                allow.used = true;
                excuse.get_or_insert_with(|| Excuse::Allowed(allow.reason.clone()));
            }
        }
        match excuse {
            Some(excuse) => report.suppressed.push(Suppressed { finding, excuse }),
            None => report.findings.push(finding),
        }
    }
}

fn read_file(
    file: &FileScopes,
    sources: &Sources,
    known: &Known<'_>,
    allows: &mut Vec<Allow>,
    faults: &mut Vec<Finding>,
) {
    let text = &sources.get(file.file).text;
    let mut lines: Option<LineIndex> = None;
    for comment in &file.comments {
        let Some(directive) = Directive::read(comment, text) else { continue };
        let index = lines.get_or_insert_with(|| LineIndex::new(text));
        let span = Span { file: file.file, start: comment.start, end: comment.end };
        let directive = match directive {
            Ok(directive) => directive,
            Err(message) => {
                faults.push(fault(MALFORMED, span, message, None, file));
                continue;
            }
        };
        let (start, end) = match directive.reach {
            Reach::File => (0, text.len() as u32),
            Reach::Here => file.reach(comment, text, index),
        };
        let alone = directive.rules.len() == 1;
        for (rule, start_of_name) in directive.rules {
            let rule_span = Span {
                file: file.file,
                start: start_of_name,
                end: start_of_name + rule.len() as u32,
            };
            if !(known.exists)(&rule) {
                let message = format!("there is no rule `{rule}`");
                let near = (known.near)(&rule);
                let mut finding = fault(UNKNOWN, rule_span, message, Some(rule), file);
                if let Some(near) = near {
                    finding.help = Some(format!("did you mean `{near}`?"));
                }
                faults.push(finding);
                continue;
            }
            allows.push(Allow {
                rule,
                rule_span,
                comment: span,
                own_line: comment.own_line,
                alone,
                reason: directive.reason.clone(),
                reach: Span { file: file.file, start, end },
                used: false,
            });
        }
    }
}

fn unused(allow: &Allow, files: &[Arc<FileScopes>], sources: &Sources) -> Finding {
    let message = format!("this comment allows `{}`, which is not found here", allow.rule);
    let file = files.iter().find(|file| file.file == allow.comment.file);
    let none = FileScopes::empty(allow.comment.file);
    let file = file.map_or(&none, |file| &**file);
    let mut finding = fault(UNUSED, allow.rule_span, message, Some(allow.rule.clone()), file);
    if allow.alone {
        finding.fix = Some(Fix {
            message: "remove the comment".to_string(),
            safety: Safety::Safe,
            edits: vec![Edit { span: removal(allow, sources), text: String::new() }],
        });
    }
    finding
}

/// The bytes of a comment with what it leaves behind: its line, or the space before it.
fn removal(allow: &Allow, sources: &Sources) -> Span {
    let text = &sources.get(allow.comment.file).text;
    let (start, end) = (allow.comment.start as usize, allow.comment.end as usize);
    let before = text.get(..start).unwrap_or("");
    let blank = before.len() - before.trim_end_matches([' ', '\t']).len();
    let line_end = text.get(end..).and_then(|rest| rest.find('\n')).map_or(0, |at| at + 1);
    let rest_blank = text.get(end..end + line_end).is_some_and(|rest| rest.trim().is_empty());
    let end = if allow.own_line && rest_blank { end + line_end } else { end };
    Span { start: (start - blank) as u32, end: end as u32, ..allow.comment }
}

fn fault(
    rule: &'static str,
    primary: Span,
    message: String,
    field: Option<String>,
    file: &FileScopes,
) -> Finding {
    let help = match rule {
        UNUSED => "remove it",
        UNKNOWN => "`pagelint rules` lists the rules",
        _ => "write `pagelint: allow(rule) reason`, or `allow-file(rule) reason` for the file",
    };
    Finding {
        rule,
        level: Level::Warning,
        confidence: Confidence::High,
        message,
        help: Some(help.to_string()),
        primary,
        labels: Vec::new(),
        function: file.function_at(primary.start).map(str::to_string),
        commands: Vec::new(),
        stage: None,
        field,
        object: 0,
        fingerprint: String::new(),
        fix: None,
    }
}

/// The names of all functions, by path: what tells a renamed function from a mended one.
pub fn functions<'a>(
    files: &'a [Arc<FileScopes>],
    sources: &'a Sources,
) -> BTreeSet<(&'a str, &'a str)> {
    let mut names = BTreeSet::new();
    for file in files {
        let path = sources.get(file.file).path.as_str();
        names.extend(file.functions.iter().map(|function| (path, function.name.as_str())));
    }
    names
}

#[cfg(test)]
mod tests;
