//! A window parameter over its maximum is answered with an error.

use super::{about_window, label, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for window in &cx.facts.windows {
        for (span, function) in &window.rejections {
            let mut finding = about_window(
                "rejected-over-max",
                window,
                *span,
                format!("`{}` over its maximum is answered with an error", window.name),
            );
            finding.function = Some(function.clone());
            finding.help = Some(
                "hold it at the maximum, and send `limit_clamped: true` with a clause in `hint`"
                    .to_string(),
            );
            finding.labels.push(label(window.read, "read here"));
            acc.push(finding);
        }
    }
}
