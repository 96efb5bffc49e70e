//! Code that only forwards a response builds a page, or changes the paging fields of one.

use super::{about, label, Context};
use crate::infer::facts::{Field, FieldSite};
use crate::pack::Role;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.facts.responses.iter().filter(|r| r.paging && r.forwards && r.awaited) {
        let mut written: Vec<(&Field, &FieldSite)> = page
            .fields
            .iter()
            .filter(|f| f.role.is_some_and(|(role, _)| role != Role::Hint))
            .flat_map(|f| f.sites.iter().map(move |s| (f, s)))
            .collect();
        written.sort_by_key(|(_, s)| s.span);
        let Some((field, site)) = written.first() else { continue };
        let mut finding = about(
            "server-response-builder",
            page,
            site.span,
            format!("code that only forwards a response writes `{}` itself", field.name),
        );
        finding.help = Some("pass the response on as it came; the emitter pages".to_string());
        finding.field = Some(field.name.clone());
        for (field, site) in &written[1..] {
            finding.labels.push(label(site.span, format!("`{}` is written here", field.name)));
        }
        acc.push(finding);
    }
}
