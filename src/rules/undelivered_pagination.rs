//! A command declares pagination, and no path of it emits the meta half of a page; or it emits
//! that undeclared.

use super::{label, of_command, Context};
use crate::infer::facts::Command;
use crate::infer::pages::Delivery;
use crate::report::Finding;

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for command in &cx.facts.commands {
        let Some(delivery) = command.name.as_ref().and_then(|n| cx.facts.deliveries.get(n)) else {
            continue;
        };
        if command.pagination.is_some() {
            undelivered(cx, command, delivery, acc);
        } else if command.result_pagination.is_none() {
            undeclared(cx, command, delivery, acc);
        }
    }
}

fn undelivered(cx: &Context<'_>, command: &Command, delivery: &Delivery, acc: &mut Vec<Finding>) {
    let Some(pagination) = command.pagination.as_ref() else { return };
    if delivery.emits || delivery.unsure {
        return;
    }
    let mut finding = of_command(
        cx,
        "undelivered-pagination",
        command,
        pagination.span,
        "pagination is declared, but no path emits `meta.pagination`".to_string(),
    );
    finding.help =
        Some("emit the paging state as `meta.pagination`, or do not declare it".to_string());
    if pagination.literal != pagination.span {
        finding.labels.push(label(pagination.literal, "the declaration is made here"));
    }
    acc.push(finding);
}

/// A mapper that serves commands of all kinds sends the meta half for whatever response carries
/// paging fields: there the request has to tell that the command's tool pages.
fn undeclared(cx: &Context<'_>, command: &Command, delivery: &Delivery, acc: &mut Vec<Finding>) {
    // A program with a frame of its own declares in a way of its own, or not at all.
    if !delivery.emits || delivery.own || (delivery.plain && !delivery.asks) {
        return;
    }
    let mut finding = of_command(
        cx,
        "undelivered-pagination",
        command,
        command.named,
        "`meta.pagination` is emitted, but the command declares no pagination".to_string(),
    );
    finding.help = Some("declare `pagination` beside `result`".to_string());
    for site in &delivery.sites {
        finding.labels.push(label(*site, "the paging state is made or sent here"));
    }
    acc.push(finding);
}
