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
    for span in cx.facts.paged_tools.values().flat_map(|paged| &paged.read) {
        *served.entry(*span).or_default() += 1;
    }
    let own = |span: &&Span| served.get(*span).is_none_or(|n| *n <= MOST_TOOLS);
    for whole in &cx.facts.passthroughs {
        let known = whole.tools.iter().find_map(|tool| {
            let paged = cx.facts.paged_tools.get(tool)?;
            let span = paged.asked.as_ref().or_else(|| paged.read.iter().find(own))?;
            Some((tool, span))
        });
        if !whole.asks_for_page && known.is_none() {
            continue;
        }
        let what = match known.map(|(tool, _)| tool).or(whole.tools.first()) {
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
        if let (false, Some((_, span))) = (whole.asks_for_page, known) {
            finding.labels.push(label(*span, "the tool is known to page from here"));
        }
        acc.push(finding);
    }
}
