//! A pair of exhausted and token that can contradict itself.

use super::{emitted, Context};
use crate::infer::pages::Contradiction;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for pair in &cx.facts.unpaired {
        let (message, help) = match pair.what {
            Contradiction::EndWithToken => (
                "the page can be exhausted and still carry a token",
                "leave the token out where `endpoint_exhausted` is true",
            ),
            Contradiction::MoreWithout => (
                "the page can be resumable and carry no token",
                "answer more pages without a token with a `pagination_inconsistent` error",
            ),
        };
        let mut finding =
            emitted(cx, "unpaired-page-state", &pair.emitter, pair.span, message.to_string());
        finding.help = Some(help.to_string());
        acc.push(finding);
    }
}
