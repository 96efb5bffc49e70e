//! A flag or field offers another version of the output protocol.

use super::{emitted, finding, of_command, Context};
use crate::infer::facts::Emitter;
use crate::pack::versions_payload;
use crate::report::Finding;

const HELP: &str =
    "there is one protocol, and each command moves to it by its stage: leave this out";

pub fn check(cx: &Context<'_>, acc: &mut Vec<Finding>) {
    for command in &cx.facts.commands {
        let flags = command.told.iter().filter(|(name, _)| cx.pack.meta.alias_flags.contains(name));
        let flags = flags.map(|(name, span)| {
            (
                name,
                span,
                format!("the flag `{name}` chooses between versions of the output protocol"),
            )
        });
        let fields = command.schema_aliases.iter().map(|(name, span)| {
            (
                name,
                span,
                format!("the data schema lists `{name}`, a version of the output protocol"),
            )
        });
        for (name, span, message) in flags.chain(fields) {
            let mut finding = of_command(cx, "protocol-alias", command, *span, message);
            finding.help = Some(HELP.to_string());
            finding.field = Some(name.clone());
            acc.push(finding);
        }
    }
    let told = |span| cx.facts.commands.iter().any(|c| c.told.iter().any(|(_, s)| *s == span));
    for (name, span, _) in &cx.facts.flags {
        if !cx.pack.meta.alias_flags.contains(name) || told(*span) {
            continue;
        }
        let message = format!("the flag `{name}` chooses between versions of the output protocol");
        let mut finding = finding("protocol-alias", *span, message);
        finding.help = Some(HELP.to_string());
        finding.field = Some(name.clone());
        acc.push(finding);
    }
    for alias in &cx.facts.aliases {
        if !is_unified(cx, &alias.emitter) || alias.value.as_deref().is_some_and(versions_payload) {
            continue;
        }
        let message = format!("`{}` in the data is a version of the output protocol", alias.name);
        let mut finding = emitted(cx, "protocol-alias", &alias.emitter, alias.span, message);
        finding.help = Some(HELP.to_string());
        finding.field = Some(alias.name.clone());
        acc.push(finding);
    }
}

/// Whether what a command emits is unified output: its stage keeps errors as they are, or the
/// workspace declares no stages.
fn is_unified(cx: &Context<'_>, emitter: &Emitter) -> bool {
    if cx.facts.commands.iter().all(|c| c.stage.is_none()) {
        return true;
    }
    let stage = cx.pack.stages.iter().find(|s| Some(&s.name) == emitter.stage.as_ref());
    stage.is_some_and(|s| s.cap == crate::report::Level::Error.word())
}
