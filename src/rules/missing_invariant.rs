//! A paging response lacks one of the three required fields on some path.

use super::{about, Context};
use crate::infer::facts::Response;
use crate::pack::{Pack, Role};
use crate::report::{Confidence, Finding};

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.pages() {
        let mut missing = Vec::new();
        for role in [Role::More, Role::Total, Role::Size] {
            let lacking = page.cases.iter().filter(|case| !page.has(case, role)).count();
            if lacking > 0 {
                missing.push((role, lacking == page.cases.len()));
            }
        }
        // Unknown fields may be the ones that seem to be missing.
        if missing.is_empty() || page.open && page.confidence == Confidence::Low {
            continue;
        }
        let names: Vec<String> =
            missing.iter().map(|(role, _)| format!("`{}`", name(cx.pack, page, *role))).collect();
        let everywhere = missing.iter().all(|(_, all)| *all);
        let path = if everywhere { "" } else { " on some path" };
        let mut finding = about(
            "missing-invariant",
            page,
            page.anchor(),
            format!("this page is sent without {}{path}", names.join(" and ")),
        );
        finding.help = Some("every page has `has_more`, `total_<unit>` and `returned`, also the last and the empty one".to_string());
        finding.field = missing.first().map(|(role, _)| name(cx.pack, page, *role));
        if page.open {
            finding.confidence = finding.confidence.min(Confidence::Medium);
        }
        acc.push(finding);
    }
}

fn name(pack: &Pack, page: &Response, role: Role) -> String {
    let first = |names: &[String]| names.first().cloned().unwrap_or_default();
    match role {
        Role::More => first(&pack.fields.more),
        Role::Size => first(&pack.fields.size),
        _ => {
            let known = page.role(Role::Total).map(|(_, f)| f.name.clone()).next();
            known.unwrap_or_else(|| format!("{}<unit>", first(&pack.fields.total_prefix)))
        }
    }
}
