//! A contradiction of the paging fields is an error, but not one of the type that callers know.

use super::{label, of_page, Context};
use crate::infer::facts::Outcome;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    let untyped = |o: &Outcome| *o == Outcome::Untyped;
    for found in cx.facts.inconsistencies.iter().filter(|i| untyped(&i.outcome)) {
        let name = &cx.pack.meta.inconsistency;
        let what =
            format!("a page that contradicts itself is an error, but not of the type `{name}`");
        let others = "this error answers a contradiction too";
        let mut finding = of_page(cx, "untyped-inconsistency", found, &what, others);
        if let Some(condition) = found.because {
            finding.labels.push(label(condition, "the page contradicts itself here"));
        }
        finding.help = Some(format!("give the failure the type `{name}`"));
        acc.push(finding);
    }
}
