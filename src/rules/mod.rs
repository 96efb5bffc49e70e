//! The table of rules: everything that lists, explains, runs or configures rules reads it.
//!
//! Knows no source text, no tree and no language.

mod hand_built_envelope;
mod incomplete_builder;
mod inexact_total;
mod legacy_field;
mod masked_inconsistency;
mod missing_invariant;
mod missing_navigation_hint;
mod missing_resume_field;
mod overridden_meta_path;
mod pagination_in_data_schema;
mod pagination_on_group;
mod protocol_alias;
mod raw_pagination_in_data;
mod rejected_over_max;
mod resume_field_named_cursor;
mod second_upstream_call;
mod server_response_builder;
mod undelivered_pagination;
mod undisclosed_clamp;
mod ungated_hint;
mod unguarded_resume_field;
mod unknown_cursor_parameter;
mod unpaired_page_state;
mod unsupported_pagination_kind;
mod untyped_inconsistency;
mod unvalidated_window;
mod upstream_passthrough;

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::infer::commands::DeclaredField;
use crate::infer::facts::{Command, Emitter, Facts, Inconsistency, Response, Window};
use crate::pack::Pack;
use crate::report::{Confidence, Finding, Label, Level};
use crate::text::{FileId, Span};

/// What a rule may look at.
pub struct Context<'a> {
    /// What was inferred.
    pub facts: &'a Facts,
    /// The words.
    pub pack: &'a Pack,
}

/// Asks the facts one small question and adds a finding for each answer.
pub type Check = fn(&Context<'_>, &mut Vec<Finding>);

/// What is known of a rule without running it.
#[derive(Clone, Copy, Debug)]
pub struct RuleInfo {
    /// Its id, which reads after "allow".
    pub id: &'static str,
    /// The pack it belongs to.
    pub pack: &'static str,
    /// Its level where nothing else is configured.
    pub level: Level,
    /// One clause: what is wrong where it fires.
    pub summary: &'static str,
    /// Its page, in Markdown.
    pub page: &'static str,
    /// Its question, where it is asked of facts inferred from source.
    pub check: Option<Check>,
}

impl RuleInfo {
    /// Where the page can be read without the program.
    pub fn url(&self) -> String {
        format!("{}/blob/main/rules/{}/{}.md", env!("CARGO_PKG_REPOSITORY"), self.pack, self.id)
    }
}

macro_rules! rule {
    ($pack:literal, $id:literal, $level:ident, $check:expr, $summary:literal) => {
        RuleInfo {
            id: $id,
            pack: $pack,
            level: Level::$level,
            summary: $summary,
            page: include_str!(concat!("../../rules/", $pack, "/", $id, ".md")),
            check: $check,
        }
    };
}

/// All rules, pack by pack.
#[rustfmt::skip]
pub const RULES: &[RuleInfo] = &[
    rule!("offset-envelope", "hand-built-envelope", Error, Some(hand_built_envelope::check), "a paging response gets a paging field from somewhere other than the shared builder"),
    rule!("offset-envelope", "legacy-field", Error, Some(legacy_field::check), "a paging response carries a field name from before the envelope"),
    rule!("offset-envelope", "missing-invariant", Error, Some(missing_invariant::check), "a paging response lacks has_more, returned or its total on some path"),
    rule!("offset-envelope", "unguarded-resume-field", Error, Some(unguarded_resume_field::check), "a resume field can be sent on the last page"),
    rule!("offset-envelope", "resume-field-named-cursor", Warning, Some(resume_field_named_cursor::check), "an integer resume field is called cursor or token"),
    rule!("offset-envelope", "missing-resume-field", Warning, Some(missing_resume_field::check), "a tool that takes an offset does not say where to go on"),
    rule!("offset-envelope", "missing-navigation-hint", Warning, Some(missing_navigation_hint::check), "a capped response without a resume field names no parameter to narrow it"),
    rule!("offset-envelope", "ungated-hint", Note, Some(ungated_hint::check), "hint is sent when nothing remains, or is missing when it is due"),
    rule!("offset-envelope", "undisclosed-clamp", Warning, Some(undisclosed_clamp::check), "a window parameter is cut down to a maximum and no response says so"),
    rule!("offset-envelope", "rejected-over-max", Warning, Some(rejected_over_max::check), "a window parameter over its maximum is answered with an error"),
    rule!("offset-envelope", "unvalidated-window", Note, Some(unvalidated_window::check), "a limit, offset or start line that makes no sense is repaired or let through"),
    rule!("offset-envelope", "inexact-total", Warning, Some(inexact_total::check), "the total or has_more does not tell the truth about what was left out"),
    rule!("offset-envelope", "incomplete-builder", Error, Some(incomplete_builder::check), "the shared builder can give a page without a required field, or lets a caller overwrite one"),
    rule!("offset-envelope", "server-response-builder", Error, Some(server_response_builder::check), "code that only forwards a response builds or changes a page"),
    rule!("meta-pagination", "raw-pagination-in-data", Error, Some(raw_pagination_in_data::check), "emitted data carries a paging field of the upstream service"),
    rule!("meta-pagination", "upstream-passthrough", Warning, Some(upstream_passthrough::check), "the whole upstream response of a paging call is emitted as it came"),
    rule!("meta-pagination", "pagination-in-data-schema", Error, Some(pagination_in_data_schema::check), "a declared data schema lists a paging field of the upstream service"),
    rule!("meta-pagination", "unsupported-pagination-kind", Error, Some(unsupported_pagination_kind::check), "a pagination declaration has a kind other than cursor"),
    rule!("meta-pagination", "unknown-cursor-parameter", Error, Some(unknown_cursor_parameter::check), "cursor_parameter names no parameter of its command"),
    rule!("meta-pagination", "overridden-meta-path", Error, Some(overridden_meta_path::check), "a product sets one of the fixed meta paths to something else"),
    rule!("meta-pagination", "unpaired-page-state", Error, Some(unpaired_page_state::check), "endpoint_exhausted and next_token contradict each other"),
    rule!("meta-pagination", "second-upstream-call", Error, Some(second_upstream_call::check), "meta.pagination comes from another upstream call than data"),
    rule!("meta-pagination", "masked-inconsistency", Error, Some(masked_inconsistency::check), "a contradiction of the upstream paging fields passes for the last page"),
    rule!("meta-pagination", "untyped-inconsistency", Note, Some(untyped_inconsistency::check), "a contradiction of the paging fields is an error, but not a pagination_inconsistent one"),
    rule!("meta-pagination", "undelivered-pagination", Warning, Some(undelivered_pagination::check), "a command declares pagination and never emits it, or emits it undeclared"),
    rule!("meta-pagination", "pagination-on-group", Error, Some(pagination_on_group::check), "the summary of a product or group carries a pagination object"),
    rule!("meta-pagination", "variant-mismatch", Error, None, "the compact and the full schema of a command differ in result or pagination"),
    rule!("meta-pagination", "protocol-alias", Error, Some(protocol_alias::check), "a flag or field offers another version of the output protocol"),
    rule!("meta-pagination", "stage-regression", Warning, None, "a command's stage is lower than the recorded one"),
    rule!("documents", "wrong-field-type", Error, None, "a field of the envelope has another JSON type than the contract says"),
    rule!("documents", "returned-mismatch", Error, None, "returned is not the number of rows that came"),
    rule!("documents", "broken-walk", Error, None, "the pages of one walk do not fit together"),
    rule!("documents", "repeated-page", Error, None, "a walk gets the same page or the same token twice"),
    rule!("documents", "shape-drift", Warning, None, "a captured response has other fields than the source can send"),
    rule!("run", "unused-allow", Warning, None, "an allow comment hides nothing"),
    rule!("run", "unknown-rule", Warning, None, "an allow comment or the configuration names a rule that does not exist"),
    rule!("run", "malformed-allow", Warning, None, "an allow comment gives no reason or has another form"),
    rule!("run", "expired-exception", Warning, None, "an exception is past the date it was given"),
];

/// The rule of an id.
pub fn find(id: &str) -> Option<&'static RuleInfo> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Runs every rule of a pack on its facts.
pub fn run(facts: &Facts, pack: &Pack) -> Vec<Finding> {
    let context = Context { facts, pack };
    let checks: Vec<_> =
        RULES.iter().filter(|r| r.pack == pack.id).filter_map(|r| r.check).collect();
    let found = checks.into_par_iter().flat_map_iter(|check| {
        let mut found = Vec::new();
        check(&context, &mut found);
        found
    });
    let mut findings: Vec<Finding> = found.collect();
    // What stands in a model of the builder is nobody's to change.
    findings.retain(|f| f.primary.file != FileId::NOWHERE);
    findings.iter_mut().for_each(|f| f.labels.retain(|l| l.span.file != FileId::NOWHERE));
    findings
}

impl<'a> Context<'a> {
    /// The responses that are pages.
    pub fn pages(&self) -> impl Iterator<Item = &'a Response> {
        self.facts.responses.iter().map(|r| &**r).filter(|r| r.paging && !r.forwards)
    }
}

/// A finding of a rule at its own level, without anything optional.
pub fn finding(rule: &'static str, primary: Span, message: String) -> Finding {
    let level = find(rule).map_or(Level::Warning, |r| r.level);
    Finding {
        rule,
        level,
        confidence: Confidence::High,
        message,
        help: None,
        primary,
        labels: Vec::new(),
        function: None,
        commands: Vec::new(),
        stage: None,
        field: None,
        object: 0,
        fingerprint: String::new(),
        fix: None,
    }
}

/// A finding about a response; one that is only guessed to leave weighs a warning at most.
fn about(rule: &'static str, response: &Response, primary: Span, message: String) -> Finding {
    let mut finding = finding(rule, primary, message);
    finding.confidence = response.confidence;
    if response.confidence == Confidence::Low {
        finding.level = finding.level.min(Level::Warning);
    } else if !response.understood {
        finding.confidence = Confidence::Medium;
    }
    finding.function = Some(response.function.clone());
    finding.object = response.object;
    finding.commands = response.tools.iter().cloned().collect();
    finding
}

/// A finding about a window parameter.
fn about_window(rule: &'static str, window: &Window, primary: Span, message: String) -> Finding {
    let mut finding = finding(rule, primary, message);
    finding.function = Some(window.function.clone());
    finding.confidence = window.confidence;
    if window.confidence == Confidence::Low {
        finding.level = finding.level.min(Level::Warning);
    }
    finding.commands = window.tools.iter().cloned().collect();
    finding.field = Some(window.name.clone());
    finding
}

/// A finding about what a command emits; its stage caps the level.
fn emitted(
    cx: &Context<'_>,
    rule: &'static str,
    emitter: &Emitter,
    primary: Span,
    message: String,
) -> Finding {
    let mut finding = finding(rule, primary, message);
    finding.function = Some(emitter.function.clone());
    finding.commands = emitter.command.iter().cloned().collect();
    cap(cx, &mut finding, emitter.stage.as_deref());
    for call in emitter.calls.iter().take(6) {
        finding.labels.push(label(*call, "reached through this call"));
    }
    finding
}

/// A finding about a declared command; its stage caps the level.
fn of_command(
    cx: &Context<'_>,
    rule: &'static str,
    command: &Command,
    primary: Span,
    message: String,
) -> Finding {
    let mut finding = finding(rule, primary, message);
    finding.commands = command.name.iter().cloned().collect();
    cap(cx, &mut finding, command.stage.as_deref());
    if command.span != primary {
        finding.labels.push(label(command.span, "the command is declared here"));
    }
    finding
}

/// The declarations of pages, each with the command that makes it: those of commands, then those
/// that no command is seen to use.
fn declarations<'a>(
    cx: &Context<'a>,
) -> impl Iterator<Item = (Option<&'a Command>, &'a [DeclaredField])> {
    let own = cx.facts.commands.iter().filter_map(|command| {
        command.pagination.as_ref().map(|p| (Some(&**command), p.fields.as_slice()))
    });
    let used: BTreeSet<Span> = cx
        .facts
        .commands
        .iter()
        .flat_map(|c| c.pagination.iter().chain(&c.result_pagination))
        .map(|p| p.literal)
        .collect();
    let loose = cx.facts.declarations.iter().filter_map(move |(literal, declaration)| {
        let is_loose = !declaration.in_result && !used.contains(literal);
        is_loose.then_some((None, declaration.fields.as_slice()))
    });
    own.chain(loose)
}

/// A finding about a declaration, of a command where it is one's.
fn of_declaration(
    cx: &Context<'_>,
    rule: &'static str,
    command: Option<&Command>,
    primary: Span,
    message: String,
) -> Finding {
    match command {
        Some(command) => of_command(cx, rule, command, primary, message),
        None => finding(rule, primary, message),
    }
}

/// A finding about a page that contradicts itself; the highest stage that runs into it caps it.
fn of_page(
    cx: &Context<'_>,
    rule: &'static str,
    found: &Inconsistency,
    message: &str,
    others: &str,
) -> Finding {
    let mut finding = finding(rule, found.span, message.to_string());
    finding.function = Some(found.function.clone());
    finding.commands = found.commands.iter().cloned().collect();
    cap(cx, &mut finding, found.stage.as_deref());
    finding.labels.extend(found.others.iter().take(6).map(|other| label(*other, others)));
    finding
}

/// Holds a finding at the level of its command's stage. A command that declares none is in the
/// lowest stage, in a workspace that declares stages at all.
fn cap(cx: &Context<'_>, finding: &mut Finding, stage: Option<&str>) {
    let staged = cx.facts.commands.iter().any(|c| c.stage.is_some());
    let stage = match stage.filter(|_| staged) {
        Some(stage) => cx.pack.stages.iter().find(|s| s.name == stage),
        None if staged => cx.pack.stages.first(),
        None => None,
    };
    if let Some(stage) = stage {
        finding.stage = Some(stage.name.clone());
        let most = [Level::Off, Level::Note, Level::Warning, Level::Error]
            .into_iter()
            .find(|l| l.word() == stage.cap);
        finding.level = finding.level.min(most.unwrap_or(Level::Error));
    }
}

/// Holds a finding down where it is only guessed that the data leaves.
fn guess(finding: &mut Finding, guessed: bool) {
    if guessed {
        finding.confidence = Confidence::Low;
        finding.level = finding.level.min(Level::Warning);
    }
}

fn label(span: Span, message: impl Into<String>) -> Label {
    Label { span, message: message.into() }
}
