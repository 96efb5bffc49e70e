//! The cursor parameter of a declaration is no parameter of its command.

use super::{of_command, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for command in &cx.facts.commands {
        let Some(pagination) = &command.pagination else { continue };
        for field in pagination
            .fields
            .iter()
            .filter(|f| cx.pack.meta.cursor_parameter_field.contains(&f.name))
        {
            let Some(value) = &field.value else { continue };
            let message = if value.starts_with('-') {
                format!(
                    "`{value}` is written with dashes; a cursor parameter is a flag's bare name"
                )
            } else if command.parameters.as_ref().is_some_and(|known| !known.contains(value)) {
                format!("the command has no parameter `{value}`")
            } else {
                continue;
            };
            let mut finding =
                of_command(cx, "unknown-cursor-parameter", command, field.span, message);
            finding.help = Some("name a flag of this command, without `--`".to_string());
            finding.field = Some(field.name.clone());
            acc.push(finding);
        }
    }
}
