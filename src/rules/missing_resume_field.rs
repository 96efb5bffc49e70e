//! A linear response has no resume field on a path where more can remain.

use super::{about, Context};
use crate::pack::Role;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.pages().filter(|p| p.linear) {
        let lacking =
            page.cases.iter().any(|c| c.more != Some(false) && !page.has(c, Role::Resume));
        if !lacking {
            continue;
        }
        let mut finding = about(
            "missing-resume-field",
            page,
            page.anchor(),
            "more can remain here, and the tool takes an offset, but no resume field says where to go on".to_string(),
        );
        finding.help =
            Some("send `next_offset` or `next_start_line` wherever `has_more` is true".to_string());
        finding.field = cx.pack.fields.resume.first().cloned();
        acc.push(finding);
    }
}
