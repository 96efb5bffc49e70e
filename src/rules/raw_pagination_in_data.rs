//! A raw paging field is a known field of emitted data.

use super::{emitted, guess, label, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for field in &cx.facts.raw_fields {
        let mut finding = emitted(
            cx,
            "raw-pagination-in-data",
            &field.emitter,
            field.span,
            format!("`{}` is a paging field of the service, and is emitted as data", field.name),
        );
        guess(&mut finding, field.guessed);
        finding.help =
            Some("leave it out of `data`; paging state belongs in `meta.pagination`".to_string());
        finding.field = Some(field.name.clone());
        if field.sink != field.span {
            finding.labels.push(label(field.sink, "the data leaves here"));
        }
        acc.push(finding);
    }
}
