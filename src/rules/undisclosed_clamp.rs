//! A window parameter is bounded from above, and a page that this affects does not say so.

use super::{about_window, label, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for window in &cx.facts.windows {
        for clamp in window.clamps.iter().filter(|c| !c.silent.is_empty()) {
            let how =
                if clamp.reset { "is reset to a default" } else { "is cut down to a maximum" };
            let help =
                "send `limit_clamped: true` and a clause in `hint` wherever the bound applied";
            if !clamp.disclosed {
                let mut finding = about_window(
                    "undisclosed-clamp",
                    window,
                    clamp.span,
                    format!("`{}` {how} here, and no page of the tool says so", window.name),
                );
                finding.function = Some(clamp.function.clone());
                finding.help = Some(help.to_string());
                for (span, ..) in &clamp.silent {
                    finding.labels.push(label(*span, "this page can be sent under it"));
                }
                acc.push(finding);
                continue;
            }
            for (_, function, created) in &clamp.silent {
                let mut finding = about_window(
                    "undisclosed-clamp",
                    window,
                    *created,
                    format!("`{}` {how}, but this page does not say so", window.name),
                );
                finding.function = Some(function.clone());
                finding.help = Some(help.to_string());
                finding.labels.push(label(clamp.span, "the bound is put on here"));
                acc.push(finding);
            }
        }
    }
}
