//! A window parameter that makes no sense is silently repaired, or accepted unchecked.

use super::{about_window, label, Context};
use crate::pack::WindowKind;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for window in cx.facts.windows.iter().filter(|w| w.accepts_invalid) {
        let least = match window.kind {
            WindowKind::Offset => "0",
            WindowKind::Limit | WindowKind::Start | WindowKind::End => "1",
        };
        let (primary, what) = match &window.repaired {
            Some((span, _)) => (*span, "is silently repaired"),
            None => (window.read, "is accepted unchecked"),
        };
        let mut finding = about_window(
            "unvalidated-window",
            window,
            primary,
            format!("`{}` below {least} {what}", window.name),
        );
        finding.help = Some(format!("answer `{}` below {least} with an error", window.name));
        if primary != window.read {
            finding.labels.push(label(window.read, "read here"));
        }
        acc.push(finding);
    }
}
