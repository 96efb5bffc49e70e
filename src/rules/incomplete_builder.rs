//! The shared builder misses a required field on some path, or lets a caller overwrite one.

use super::{about, finding, Context};
use crate::pack::Role;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for path in cx.facts.builders.iter().filter(|p| !p.missing.is_empty()) {
        let names: Vec<&str> = path
            .missing
            .iter()
            .map(|role| match role {
                Role::More => "`has_more`",
                Role::Size => "`returned`",
                _ => "`total_<unit>`",
            })
            .collect();
        let mut finding = finding(
            "incomplete-builder",
            path.span,
            format!("`{}` can give a page without {}", path.function, names.join(" and ")),
        );
        finding.help = Some("stamp every required field on every path of the builder".to_string());
        finding.function = Some(path.function.clone());
        acc.push(finding);
    }
    for page in cx.pages() {
        for (name, call) in &page.overwritten {
            let mut finding = about(
                "incomplete-builder",
                page,
                *call,
                format!("the extras given to the builder overwrite `{name}`"),
            );
            finding.help = Some(format!("leave `{name}` to the builder"));
            finding.field = Some(name.clone());
            acc.push(finding);
        }
    }
}
