//! A linear response has no resume field on a path where more can remain.

use super::{about, Context};
use crate::pack::Role;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.pages().filter(|p| p.linear) {
        // A flag that is only ever sent as true says by its absence that nothing remains.
        let says_no = page.cases.iter().any(|c| c.more == Some(false));
        let says_yes = page.cases.iter().any(|c| c.more == Some(true));
        let lacking = page.cases.iter().any(|c| {
            let can_go_on = c.more == Some(true) || c.more.is_none() && (says_no || !says_yes);
            can_go_on && !page.has(c, Role::Resume)
        });
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
