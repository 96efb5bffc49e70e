//! The hint of a cursor-less response names no parameter that narrows the rows.

use super::{about, Context};
use crate::infer::facts::{Case, Response};
use crate::pack::Role;
use crate::report::{Finding, Label};

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.pages().filter(|p| !p.linear && p.role(Role::Resume).next().is_none()) {
        if !page.cases.iter().any(|c| c.more == Some(true) && !navigates(page, c)) {
            continue;
        }
        let hint = page.role(Role::Hint).flat_map(|(_, f)| &f.sites).next();
        let scopes: Vec<String> = page.scopes.iter().take(4).map(|s| format!("`{s}`")).collect();
        let what =
            if hint.is_some() { "names no parameter that narrows the rows" } else { "is missing" };
        let primary = hint.map_or(page.anchor(), |site| site.span);
        let mut finding = about(
            "missing-navigation-hint",
            page,
            primary,
            format!("more can remain here, but the hint {what}"),
        );
        finding.help = Some(match scopes.is_empty() {
            false => {
                format!("name a parameter that narrows the rows, such as {}", scopes.join(", "))
            }
            true => "give the tool a parameter that narrows the rows, and name it in the hint"
                .to_string(),
        });
        finding.field = cx.pack.fields.hint.first().cloned();
        if let Some(site) = hint {
            if site.span != page.anchor() {
                finding.labels.push(Label {
                    span: page.anchor(),
                    message: "this page can have more".to_string(),
                });
            }
        }
        acc.push(finding);
    }
}

/// Whether every hint that a case can send names a scoping parameter, as far as can be told.
fn navigates(page: &Response, case: &Case) -> bool {
    !case.hints.is_empty()
        && case.hints.iter().all(|hint| match &hint.text {
            Some(text) => page.scopes.iter().any(|scope| names(text, scope)),
            None => true,
        })
}

/// Whether a text has a name in it as a word of its own.
fn names(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
}
