//! A paging response carries an old field name.

use super::{about, label, Context};
use crate::infer::facts::Response;
use crate::pack::{Pack, Role};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for page in cx.pages() {
        for field in &page.fields {
            let Some((role, true)) = field.role else { continue };
            let Some(site) = field.sites.iter().find(|s| s.own).or(field.sites.first()) else {
                continue;
            };
            let new = new_name(cx.pack, page, role, &field.name);
            let mut finding = about(
                "legacy-field",
                page,
                site.span,
                format!(
                    "`{}` is an old name of {}; the envelope calls it `{new}`",
                    field.name,
                    meaning(role)
                ),
            );
            finding.help = Some(format!("send `{new}`; the shared builder does"));
            finding.field = Some(field.name.clone());
            for other in field.sites.iter().filter(|s| s.span != site.span) {
                finding.labels.push(label(other.span, "also written here"));
            }
            acc.push(finding);
        }
    }
}

fn meaning(role: Role) -> &'static str {
    match role {
        Role::More => "the has-more flag",
        Role::Size => "the page size",
        Role::Total => "the exact total",
        Role::Resume => "the resume field",
        Role::Clamped => "the clamp disclosure",
        Role::Hint => "the hint",
    }
}

fn new_name(pack: &Pack, page: &Response, role: Role, old: &str) -> String {
    let first = |names: &[String]| names.first().cloned().unwrap_or_default();
    match role {
        Role::More => first(&pack.fields.more),
        Role::Size => first(&pack.fields.size),
        Role::Resume => first(&pack.fields.resume),
        Role::Clamped => first(&pack.fields.clamped),
        Role::Hint => first(&pack.fields.hint),
        Role::Total => {
            let prefix = first(&pack.fields.total_prefix);
            let unit =
                pack.unit(old).or_else(|| page.fields.iter().find_map(|f| pack.unit(&f.name)));
            match unit {
                Some(unit) if unit.ends_with('s') => format!("{prefix}{unit}es"),
                Some(unit) => format!("{prefix}{unit}s"),
                None => format!("{prefix}<unit>"),
            }
        }
    }
}
