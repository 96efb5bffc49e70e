//! An integer resume field is called cursor or token.

use super::{about, Context};
use crate::infer::facts::Worth;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.pages() {
        for field in &page.fields {
            if field.worth != Worth::Number || !cx.pack.is_cursor_word(&field.name) {
                continue;
            }
            let Some(site) = field.sites.first() else { continue };
            let mut finding = about(
                "resume-field-named-cursor",
                page,
                site.span,
                format!("`{}` is an integer, but its name promises an opaque cursor", field.name),
            );
            finding.help =
                Some("call an integer resume field `next_offset` or `next_start_line`".to_string());
            finding.field = Some(field.name.clone());
            acc.push(finding);
        }
    }
}
