//! Code that only forwards a response builds a page, or changes the paging fields of one.
//!
//! Does not know what makes code a forwarder: facts say so.

use super::{about, label, Context};
use crate::infer::facts::Response;
use crate::pack::Role;
use crate::report::{Confidence, Finding};
use crate::text::Span;

/// Most emitters that a finding names.
const MOST_EMITTERS: usize = 3;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.facts.responses.iter().filter(|r| r.forwards && r.awaited) {
        let mut changes = changes(page);
        changes.sort_by_key(|change| change.span);
        let Some(first) = changes.first() else { continue };
        let mut message = format!("code that only forwards a response {}", first.what);
        let emitters = emitters(cx, page);
        if let Some(named) = named(&emitters) {
            message.push_str(&format!("; {named} should page instead"));
        }
        let mut finding = about("server-response-builder", page, first.span, message);
        finding.help = Some("pass the response on as it came; the emitter pages".to_string());
        finding.field = Some(first.field.clone());
        for change in &changes[1..] {
            finding.labels.push(label(change.span, format!("it {} here", change.what)));
        }
        for (emitter, tool) in emitters {
            finding.labels.push(label(emitter.sink, format!("`{tool}` is answered here")));
        }
        acc.push(finding);
    }
}

/// Something that is done to a page.
struct Change {
    span: Span,
    field: String,
    what: String,
}

fn changes(page: &Response) -> Vec<Change> {
    let mut changes = Vec::new();
    let kept = &page.forwarded.kept;
    let written = page.fields.iter().filter(|f| !kept.contains(&f.name)).filter(|f| match f.role {
        Some((Role::Hint, _)) | None => false,
        // On top of a whole response, a page size is its own again, whatever else it holds.
        Some((Role::Size, false)) => page.paging || page.forwarded.whole,
        Some(_) => page.paging,
    });
    for field in written {
        changes.extend(field.sites.iter().map(|site| Change {
            span: site.span,
            field: field.name.clone(),
            what: format!("writes `{}` itself", field.name),
        }));
    }
    changes.extend(page.forwarded.dropped.iter().map(|(name, span)| Change {
        span: *span,
        field: name.clone(),
        what: format!("takes `{name}` out"),
    }));
    changes.extend(page.forwarded.renamed.iter().map(|(name, new, span)| Change {
        span: *span,
        field: name.clone(),
        what: format!("sends `{name}` as `{new}`"),
    }));
    changes
}

/// Who answers the tools that were asked, each with the tool; what is only guessed to leave
/// names nobody.
fn emitters<'a>(cx: &Context<'a>, page: &Response) -> Vec<(&'a Response, String)> {
    let mut found: Vec<(&Response, String)> = Vec::new();
    for response in &cx.facts.responses {
        let tool = response.tools.intersection(&page.forwarded.asked).next();
        let Some(tool) = tool.filter(|_| !response.forwards) else { continue };
        let known = found.iter().any(|(r, t)| r.function == response.function && t == tool);
        if response.confidence > Confidence::Low && !known {
            found.push((response, tool.clone()));
        }
    }
    found.sort_by_key(|(response, _)| response.sink);
    found.truncate(MOST_EMITTERS);
    found
}

/// The emitters' names as one phrase.
fn named(emitters: &[(&Response, String)]) -> Option<String> {
    let names: Vec<String> =
        emitters.iter().map(|(r, tool)| format!("`{}` (`{tool}`)", r.function)).collect();
    let (last, rest) = names.split_last()?;
    Some(match rest.is_empty() {
        true => last.clone(),
        false => format!("{} or {last}", rest.join(", ")),
    })
}
