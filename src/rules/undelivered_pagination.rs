//! A command declares pagination, and no path of it emits the meta half of a page.

use super::{label, of_command, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for command in &cx.facts.commands {
        let (Some(pagination), Some(name)) = (&command.pagination, &command.name) else { continue };
        if cx.facts.delivered.get(name) != Some(&false) {
            continue;
        }
        let mut finding = of_command(
            cx,
            "undelivered-pagination",
            command,
            pagination.span,
            "pagination is declared, but no path emits `meta.pagination`".to_string(),
        );
        finding.help =
            Some("emit the paging state as `meta.pagination`, or do not declare it".to_string());
        if pagination.literal != pagination.span {
            finding.labels.push(label(pagination.literal, "the declaration is made here"));
        }
        acc.push(finding);
    }
}
