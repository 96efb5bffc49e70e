//! A product sets one of the fixed meta paths to something else.

use super::{of_command, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for command in &cx.facts.commands {
        let Some(pagination) = &command.pagination else { continue };
        for field in &pagination.fields {
            let Some(fixed) =
                cx.pack.meta.fixed_paths.iter().find(|p| p.fields.contains(&field.name))
            else {
                continue;
            };
            if field.value.as_ref().is_none_or(|v| *v == fixed.value) {
                continue;
            }
            let mut finding = of_command(
                cx,
                "overridden-meta-path",
                command,
                field.span,
                format!("`{}` is fixed to `{}`", field.name, fixed.value),
            );
            finding.help = Some("leave the path out: the framework sets it".to_string());
            finding.field = Some(field.name.clone());
            acc.push(finding);
        }
    }
}
