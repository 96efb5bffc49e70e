//! The summary of a product or group carries a declaration of pagination.

use super::{finding, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for span in &cx.facts.on_groups {
        let mut finding = finding(
            "pagination-on-group",
            *span,
            "a group has no page, yet its summary declares pagination".to_string(),
        );
        finding.help = Some("declare it on the command that returns the rows".to_string());
        finding.field = Some(cx.pack.meta.group_field.clone());
        acc.push(finding);
    }
}
