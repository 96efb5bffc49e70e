//! A page's total or has-more flag does not say the truth about what was left out.

use super::{about, label, Context};
use crate::infer::facts::Inexact;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.pages() {
        let Some((what, at)) = page.inexact.first() else { continue };
        let field = &page.fields[*at];
        let name = &field.name;
        let message = match what {
            Inexact::CutRows => format!("`{name}` is the size of rows that were already cut"),
            Inexact::CountStops => format!("`{name}` stops counting where the page is full"),
            Inexact::OtherRows => format!("`{name}` counts other rows than the page holds"),
            Inexact::ConstantMore => format!("`{name}` is a constant, but the rows can be cut"),
            Inexact::FullPage => {
                format!("`{name}` only says that the page is full, not that more remains")
            }
            Inexact::IgnoresOffset => format!("`{name}` does not take the offset into account"),
        };
        let span = field.sites.first().map_or(page.created, |s| s.span);
        let mut finding = about("inexact-total", page, span, message);
        finding.help = Some(
            "count every row past the cap, then compare with what was skipped and sent".to_string(),
        );
        finding.field = Some(name.clone());
        for (_, other) in page.inexact.iter().skip(1).filter(|(_, other)| other != at) {
            let other = &page.fields[*other];
            let sites = other.sites.first().into_iter();
            finding.labels.extend(sites.map(|s| label(s.span, "nor does this say it")));
        }
        acc.push(finding);
    }
}
