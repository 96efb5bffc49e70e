//! A contradiction of the upstream paging fields passes for the last page.

use super::{label, of_page, Context};
use crate::infer::facts::Outcome;
use crate::report::{Confidence, Finding};

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    let masked = |o: &Outcome| *o == Outcome::Masked;
    for found in cx.facts.inconsistencies.iter().filter(|i| masked(&i.outcome)) {
        let what = match found.walks {
            true => {
                "the walk can end here although more pages remain, and its result does not say so"
            }
            false => "a page that contradicts itself passes for the last one here",
        };
        let mut finding = of_page(cx, "masked-inconsistency", found, what, "the same happens here");
        if found.walks {
            finding.confidence = Confidence::Medium;
        }
        if let Some(head) = found.because.filter(|_| found.walks) {
            finding.labels.push(label(head, "this loop walks over the pages"));
        }
        finding.help = Some(format!(
            "end only where the flag says that nothing remains; answer \"more\" without a usable cursor, and a flag that is no truth value, with `{}`",
            cx.pack.meta.inconsistency,
        ));
        acc.push(finding);
    }
}
