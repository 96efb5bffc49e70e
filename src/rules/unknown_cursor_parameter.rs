//! The cursor parameter of a declaration is no parameter of its command.

use super::{declarations, of_declaration, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for (command, fields) in declarations(cx) {
        let parameters = command.and_then(|c| c.parameters.as_ref());
        let inherits = |name: &str| cx.facts.flags.iter().any(|(n, _, i)| *i && n == name);
        for field in fields.iter().filter(|f| cx.pack.meta.cursor_parameter_field.contains(&f.name))
        {
            let Some(value) = &field.value else { continue };
            let message = if value.starts_with('-') {
                format!(
                    "`{value}` is written with dashes; a cursor parameter is a flag's bare name"
                )
            } else if parameters.is_some_and(|known| !known.contains(value) && !inherits(value)) {
                format!("the command has no parameter `{value}`")
            } else {
                continue;
            };
            let mut finding =
                of_declaration(cx, "unknown-cursor-parameter", command, field.span, message);
            finding.help = Some("name a flag of this command, without `--`".to_string());
            finding.field = Some(field.name.clone());
            acc.push(finding);
        }
    }
}
