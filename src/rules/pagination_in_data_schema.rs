//! A declared data schema lists a raw paging field.

use super::{of_command, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for command in &cx.facts.commands {
        for (name, span) in &command.schema_fields {
            let mut finding = of_command(
                cx,
                "pagination-in-data-schema",
                command,
                *span,
                format!("the data schema lists `{name}`, a paging field of the service"),
            );
            finding.help = Some(
                "`data_schema` describes business records only; declare `pagination` beside it"
                    .to_string(),
            );
            finding.field = Some(name.clone());
            acc.push(finding);
        }
    }
}
