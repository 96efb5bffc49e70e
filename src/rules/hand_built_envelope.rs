//! A paging response has a paging field whose origin is not the shared builder.

use super::{about, label, Context};
use crate::infer::facts::{Field, FieldSite};
use crate::pack::Role;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.pages() {
        let mut by_hand: Vec<(&Field, &FieldSite)> = page
            .fields
            .iter()
            .filter(|f| f.role.is_some_and(|(role, _)| role != Role::Hint))
            .flat_map(|f| f.sites.iter().map(move |s| (f, s)))
            .filter(|(_, s)| !s.builder)
            .collect();
        if by_hand.is_empty() {
            continue;
        }
        by_hand.sort_by_key(|(_, s)| s.span);
        let primary = by_hand.iter().find(|(_, s)| s.own).map_or(page.created, |(_, s)| s.span);
        let names: Vec<String> = {
            let mut names: Vec<String> =
                by_hand.iter().map(|(f, _)| format!("`{}`", f.name)).collect();
            names.dedup();
            names
        };
        let mut finding = about(
            "hand-built-envelope",
            page,
            primary,
            format!("paging fields built by hand: {}", list(&names)),
        );
        finding.help = Some(match cx.pack.builders.first() {
            Some(builder) => {
                format!("build the page with `{}`, which stamps every required field", builder.name)
            }
            None => "build the page with the shared builder".to_string(),
        });
        // By role and not by place: the order of keys is no part of what a finding is.
        let first = by_hand.iter().map(|(f, _)| (f.role.map(|(role, _)| role), &f.name)).min();
        finding.field = first.map(|(_, name)| name.clone());
        for (field, site) in by_hand.iter().filter(|(_, s)| s.span != primary) {
            finding.labels.push(label(site.span, format!("`{}` is written here", field.name)));
        }
        acc.push(finding);
    }
}

/// Names as a sentence lists them; many are cut short.
fn list(names: &[String]) -> String {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(name) {
            seen.push(name.clone());
        }
    }
    match seen.len() {
        0..=5 => seen.join(", "),
        n => format!("{} and {} more", seen[..4].join(", "), n - 4),
    }
}
