//! A resume field can be sent when nothing more remains.

use std::collections::BTreeMap;

use super::{about, label, Context};
use crate::pack::Role;
use crate::report::Finding;
use crate::text::Span;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    // A write inside the builder is one defect, however many callers it has.
    let mut by_write: BTreeMap<Span, Finding> = BTreeMap::new();
    for page in cx.pages() {
        for (at, field) in page.role(Role::Resume) {
            let mut sure = page.cases.iter().filter(|c| c.sure);
            let loose = sure.any(|c| c.more == Some(false) && c.present.contains(&at));
            let site = field.sites.iter().find(|s| s.idle).or(field.sites.first());
            let Some(site) = site.filter(|_| loose) else { continue };
            let finding = by_write.entry(site.inside).or_insert_with(|| {
                let mut finding = about(
                    "unguarded-resume-field",
                    page,
                    site.inside,
                    format!("`{}` can be sent when nothing more remains", field.name),
                );
                finding.help =
                    Some(format!("write `{}` only where `has_more` is true", field.name));
                finding.field = Some(field.name.clone());
                finding
            });
            finding.commands.extend(page.tools.iter().cloned());
            if site.builder {
                finding.labels.push(label(site.span, "this page is built so"));
            }
        }
    }
    acc.extend(by_write.into_values());
}
