//! A product sets one of the fixed meta paths to something else, or a result names paths of its
//! own.

use super::{declarations, label, of_declaration, Context};
use crate::infer::commands::DeclaredField;
use crate::infer::facts::Command;
use crate::report::Finding;
use crate::text::Span;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for (command, fields) in declarations(cx) {
        for field in fields {
            let Some(fixed) =
                cx.pack.meta.fixed_paths.iter().find(|p| p.fields.contains(&field.name))
            else {
                continue;
            };
            if field.value.as_ref().is_none_or(|v| *v == fixed.value) {
                continue;
            }
            let mut finding = of_declaration(
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
    for (literal, declaration) in cx.facts.declarations.iter().filter(|(_, d)| d.in_result) {
        own_paths(cx, *literal, &declaration.fields, acc);
    }
}

/// Paths of its own that a result declares: one finding, at the first of them.
fn own_paths(cx: &Context<'_>, literal: Span, fields: &[DeclaredField], acc: &mut Vec<Finding>) {
    let mut own = fields.iter().filter(|f| cx.pack.meta.own_paths.contains(&f.name));
    let Some(first) = own.next() else { return };
    let is_its = |c: &&Command| c.result_pagination.as_ref().is_some_and(|p| p.literal == literal);
    let message = match &first.value {
        Some(value) => format!("`{}` names a path of its own, `{value}`", first.name),
        None => format!("`{}` names a path of its own", first.name),
    };
    let mut commands: Vec<Option<&Command>> =
        cx.facts.commands.iter().map(|c| &**c).filter(is_its).map(Some).collect();
    if commands.is_empty() {
        commands.push(None);
    }
    let others: Vec<_> = own.map(|f| label(f.span, "so does this one")).collect();
    for command in commands {
        let mut finding =
            of_declaration(cx, "overridden-meta-path", command, first.span, message.clone());
        finding.help = Some(
            "declare `pagination` beside `result`; the paths under `meta.pagination` are fixed"
                .to_string(),
        );
        finding.field = Some(first.name.clone());
        finding.labels.extend(others.iter().cloned());
        acc.push(finding);
    }
}
