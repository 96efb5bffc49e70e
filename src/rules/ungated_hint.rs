//! A hint is sent when nothing remains and nothing was clamped, or is missing where it is due.

use super::{about, Context};
use crate::infer::facts::{Case, Response};
use crate::pack::Role;
use crate::report::Finding;
use crate::text::Span;

/// Words by which a hint speaks of a clamp.
const CLAMP_WORDS: &[&str] =
    &["clamp", "exceed", "max", "capped", "at most", "lowered", "reduced", "upper bound"];

const GATE: &str =
    "send `hint` only with `has_more` or `limit_clamped`, and say there what happened";
const SAY_CLAMP: &str = "say in `hint` that the limit was lowered, and to what";
const SAY_NEXT: &str = "send `hint` wherever `has_more` is true, and say there how to go on";

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.pages() {
        let Some((primary, message, help)) = question(page) else { continue };
        let mut finding = about("ungated-hint", page, primary, message.to_string());
        finding.help = Some(help.to_string());
        finding.field = cx.pack.fields.hint.first().cloned();
        acc.push(finding);
    }
}

/// Where the finding is, what is wrong, and what to do.
fn question(page: &Response) -> Option<(Span, &'static str, &'static str)> {
    let hint = page.role(Role::Hint).flat_map(|(_, f)| &f.sites).next().map(|s| s.span);
    let clamped = page.role(Role::Clamped).flat_map(|(_, f)| &f.sites).next().map(|s| s.span);
    let sure = || page.cases.iter().filter(|c| c.sure);
    let idle = |c: &&Case| c.more == Some(false) && !page.has(c, Role::Clamped);
    if sure().filter(idle).any(|c| page.has(c, Role::Hint)) {
        let loose =
            page.role(Role::Hint).flat_map(|(_, f)| &f.sites).find(|s| s.idle).map(|s| s.span);
        return Some((
            loose.or(hint)?,
            "a hint can be sent although nothing remains and nothing was clamped",
            GATE,
        ));
    }
    // What is said only where something was clamped speaks of the clamp, whatever its words.
    let unclamped: Vec<&Case> = page.cases.iter().filter(|c| !page.has(c, Role::Clamped)).collect();
    let only_clamped = |c: &Case| {
        !unclamped.is_empty()
            && !c.hints.is_empty()
            && c.hints.iter().all(|h| !unclamped.iter().any(|u| u.hints.contains(h)))
    };
    let unsaid = |c: &&Case| page.has(c, Role::Clamped) && !speaks_of_clamp(c) && !only_clamped(c);
    if sure().any(|c| unsaid(&c)) {
        let message = "a clamp is disclosed, but the hint has no clause about it";
        return Some((clamped?, message, SAY_CLAMP));
    }
    let resumable = page.role(Role::Resume).next().is_some();
    let silent =
        |c: &&Case| c.more == Some(true) && page.has(c, Role::Resume) && !page.has(c, Role::Hint);
    if resumable && sure().any(|c| silent(&c)) {
        let message = "more can remain here, but no hint says how to go on";
        return Some((page.anchor(), message, SAY_NEXT));
    }
    None
}

fn speaks_of_clamp(case: &Case) -> bool {
    !case.hints.is_empty()
        && case.hints.iter().all(|hint| match &hint.text {
            Some(text) => {
                let text = text.to_lowercase();
                CLAMP_WORDS.iter().any(|w| text.contains(w))
            }
            None => true,
        })
}
