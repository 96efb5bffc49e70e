//! The whole upstream response is emitted, unstripped, by a command that pages.

use std::collections::BTreeMap;

use super::{emitted, guess, label, Context};
use crate::report::{Confidence, Finding};
use crate::text::Span;

/// Most tools that one place may read paging fields for and still tell that each of them pages:
/// a mapper that every command shares looks for the fields in any response.
const MOST_TOOLS: usize = 16;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    let mut served: BTreeMap<Span, usize> = BTreeMap::new();
    for span in cx.facts.paged_tools.values() {
        *served.entry(*span).or_default() += 1;
    }
    for whole in &cx.facts.passthroughs {
        let known = whole.tool.as_ref().and_then(|t| cx.facts.paged_tools.get(t));
        let known = known.filter(|span| served.get(*span).is_none_or(|n| *n <= MOST_TOOLS));
        if !whole.asks_for_page && known.is_none() {
            continue;
        }
        let what = match &whole.tool {
            Some(tool) => {
                format!("the whole response of `{tool}`, which pages, is emitted as it came")
            }
            None => "the whole response of a paging call is emitted as it came".to_string(),
        };
        let mut finding = emitted(cx, "upstream-passthrough", &whole.emitter, whole.span, what);
        finding.confidence = Confidence::Medium;
        guess(&mut finding, whole.guessed);
        finding.help = Some(
            "emit the business fields only, and put the paging state into `meta.pagination`"
                .to_string(),
        );
        if let (false, Some(span)) = (whole.asks_for_page, known) {
            finding.labels.push(label(*span, "the tool is known to page from here"));
        }
        acc.push(finding);
    }
}
