//! A declared data schema lists a raw paging field.

use super::{of_declaration, Context};
use crate::infer::facts::Command;
use crate::report::Finding;
use crate::text::Span;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    let listed = cx.facts.commands.iter().flat_map(|command| {
        command.schema_fields.iter().map(move |field| (Some(&**command), field))
    });
    let used = |field: &(String, Span)| {
        cx.facts.commands.iter().any(|command| command.schema_fields.contains(field))
    };
    let loose = cx.facts.loose_schemas.iter().filter(|f| !used(f)).map(|field| (None, field));
    let listed: Vec<(Option<&Command>, &(String, Span))> = listed.chain(loose).collect();
    for (command, (name, span)) in listed {
        let mut finding = of_declaration(
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
