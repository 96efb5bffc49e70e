//! The meta half of a page comes from another upstream call than its data.

use super::{emitted, label, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for call in &cx.facts.second_calls {
        let mut finding = emitted(
            cx,
            "second-upstream-call",
            &call.emitter,
            call.span,
            "`meta.pagination` and the data come from two calls, between which records change"
                .to_string(),
        );
        finding.help = Some("make both of one response".to_string());
        finding.labels.push(label(call.first, "the first call"));
        finding.labels.push(label(call.sink, "the page leaves here"));
        acc.push(finding);
    }
}
