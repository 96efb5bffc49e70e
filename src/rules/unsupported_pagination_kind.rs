//! A pagination declaration has a kind other than the allowed one.

use super::{declarations, of_declaration, Context};
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for (command, fields) in declarations(cx) {
        for field in fields.iter().filter(|f| cx.pack.meta.kind_field.contains(&f.name)) {
            let Some(value) = field.value.as_ref().filter(|v| !cx.pack.meta.kinds.contains(v))
            else {
                continue;
            };
            let mut finding = of_declaration(
                cx,
                "unsupported-pagination-kind",
                command,
                field.span,
                format!("`{value}` is no kind of pagination that the contract knows"),
            );
            finding.help = Some(format!("the only kind is `{}`", cx.pack.meta.kinds.join("`, `")));
            finding.field = Some(field.name.clone());
            acc.push(finding);
        }
    }
}
