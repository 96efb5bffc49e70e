//! The questions that are asked of one captured page of an offset envelope.
//!
//! Sees facts only: no text, no other page.

use super::envelope::rows;
use super::facts::{finding, first, label, Field, Page, Worth};
use crate::pack::{folded, Pack, Role, WindowKind};
use crate::report::{Confidence, Finding};
use crate::text::Span;

/// Words by which a hint speaks of a clamp.
const CLAMP_WORDS: &[&str] =
    &["clamp", "exceed", "max", "capped", "at most", "lowered", "reduced", "upper bound"];

/// Asks all of them.
pub fn check(page: &Page<'_>, pack: &Pack, acc: &mut Vec<Finding>) {
    let Some(anchor) = page.anchor() else { return };
    types(page, pack, acc);
    invariants(page, pack, anchor, acc);
    old_names(page, pack, acc);
    resume(page, pack, anchor, acc);
    hint(page, pack, anchor, acc);
    returned(page, pack, acc);
    windows(page, pack, anchor, acc);
}

fn make(
    rule: &'static str,
    page: &Page<'_>,
    field: &Field,
    primary: Span,
    message: String,
) -> Finding {
    let mut finding = finding(rule, primary, page.tool(), message);
    finding.field = Some(field.name.clone());
    finding
}

fn types(page: &Page<'_>, pack: &Pack, acc: &mut Vec<Finding>) {
    for field in &page.fields {
        let Some((role, old)) = field.role else { continue };
        let current =
            !old || pack.fields.more.iter().chain(&pack.fields.resume).any(|n| *n == field.name);
        let (fits, wanted) = match (role, &field.worth) {
            (Role::More | Role::Clamped, worth) => (matches!(worth, Worth::Bool(_)), "a boolean"),
            (Role::Hint, worth) => (matches!(worth, Worth::Text(_)), "a string"),
            (_, worth) => {
                (matches!(worth, Worth::Int(n) if *n >= 0), "a whole number of at least 0")
            }
        };
        if fits || !current {
            continue;
        }
        let message =
            format!("`{}` is {}; the envelope wants {wanted}", field.name, field.worth.word());
        let mut finding = make("wrong-field-type", page, field, field.value, message);
        if role == Role::Resume && field.worth == Worth::Null {
            finding.help = Some(format!("leave `{}` out where nothing more remains", field.name));
        }
        acc.push(finding);
    }
}

fn invariants(page: &Page<'_>, pack: &Pack, anchor: Span, acc: &mut Vec<Finding>) {
    let names = [
        (Role::More, first(&pack.fields.more).to_string()),
        (Role::Total, format!("{}<unit>", first(&pack.fields.total_prefix))),
        (Role::Size, first(&pack.fields.size).to_string()),
    ];
    let missing: Vec<&String> = names
        .iter()
        .filter(|(role, _)| page.first(*role).is_none())
        .map(|(_, name)| name)
        .collect();
    let Some(field) = missing.first() else { return };
    let listed: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("this page came without {}", listed.join(" and "));
    let mut finding = finding("missing-invariant", anchor, page.tool(), message);
    finding.help = Some(
        "every page has `has_more`, `total_<unit>` and `returned`, also the last and the empty one"
            .to_string(),
    );
    finding.field = Some(field.to_string());
    acc.push(finding);
}

fn old_names(page: &Page<'_>, pack: &Pack, acc: &mut Vec<Finding>) {
    for field in &page.fields {
        let Some((role, true)) = field.role else { continue };
        let new = match role {
            Role::More => first(&pack.fields.more).to_string(),
            Role::Size => first(&pack.fields.size).to_string(),
            Role::Resume => folded(&field.name).into_owned(),
            Role::Clamped => first(&pack.fields.clamped).to_string(),
            Role::Hint => first(&pack.fields.hint).to_string(),
            Role::Total => {
                format!("{}{}", first(&pack.fields.total_prefix), unit(page, pack, field))
            }
        };
        let message = format!("`{}` is an old name; the envelope calls it `{new}`", field.name);
        let mut finding = make("legacy-field", page, field, field.key, message);
        finding.help = Some(format!("send `{new}`; the shared builder does"));
        acc.push(finding);
    }
    for field in &page.fields {
        let name = folded(&field.name);
        let named = name.split('_').any(|part| pack.fields.cursor_words.iter().any(|w| w == part));
        let whole = matches!(field.worth, Worth::Int(_));
        if named && whole && !name.starts_with("total") && !name.ends_with("_count") {
            let message =
                format!("`{}` is an integer, but its name promises an opaque cursor", field.name);
            let mut finding = make("resume-field-named-cursor", page, field, field.key, message);
            finding.help =
                Some("call an integer resume field `next_offset` or `next_start_line`".to_string());
            acc.push(finding);
        }
    }
}

fn unit(page: &Page<'_>, pack: &Pack, field: &Field) -> String {
    if let Some(rows) = rows(page, pack) {
        return folded(&rows.name).into_owned();
    }
    match pack.unit(&field.name) {
        Some(unit) if unit.ends_with('s') => format!("{unit}es"),
        Some(unit) => format!("{unit}s"),
        None => "<unit>".to_string(),
    }
}

fn resume(page: &Page<'_>, pack: &Pack, anchor: Span, acc: &mut Vec<Finding>) {
    let more = page.flag(Role::More);
    if more == Some(false) {
        for field in page.role(Role::Resume).filter(|f| f.worth != Worth::Null) {
            let message = format!("`{}` came although nothing more remains", field.name);
            let mut finding = make("unguarded-resume-field", page, field, field.key, message);
            finding.help = Some(format!("write `{}` only where `has_more` is true", field.name));
            acc.push(finding);
        }
    }
    if more == Some(true) && page.first(Role::Resume).is_none() && linear(page, pack) {
        let name = first(&pack.fields.resume);
        let message = "more remains, but no field says where to go on".to_string();
        let mut finding = finding("missing-resume-field", anchor, page.tool(), message);
        finding.help =
            Some(format!("send `{name}` (or its like for lines) wherever `has_more` is true"));
        finding.field = Some(name.to_string());
        acc.push(finding);
    }
}

/// Whether the tool can go on by an offset or a start line, as far as page and call tell.
pub fn linear(page: &Page<'_>, pack: &Pack) -> bool {
    let window =
        |name: &str| matches!(pack.window(name), Some(WindowKind::Offset | WindowKind::Start));
    let echoed = page.fields.iter().any(|f| window(&f.name) && matches!(f.worth, Worth::Int(_)));
    let named = page.hint().is_some_and(|(_, text)| words(text).any(window));
    echoed || named || page.request.is_some_and(|r| r.linear(pack))
}

/// The words of a text that could be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

fn hint(page: &Page<'_>, pack: &Pack, anchor: Span, acc: &mut Vec<Finding>) {
    let more = page.flag(Role::More);
    let clamped = page.flag(Role::Clamped) == Some(true);
    let name = first(&pack.fields.hint).to_string();
    let mut report = |rule, span, message: &str, help: &str| {
        let mut finding = finding(rule, span, page.tool(), message.to_string());
        (finding.help, finding.field) = (Some(help.to_string()), Some(name.clone()));
        acc.push(finding);
    };
    let gate = "send `hint` only with `has_more` or `limit_clamped`, and say there what happened";
    let say_clamp = "say in `hint` that the limit was lowered, and to what";
    match page.hint() {
        Some((field, _)) if more == Some(false) && !clamped => {
            report(
                "ungated-hint",
                field.key,
                "a hint came although nothing remains and nothing was clamped",
                gate,
            );
        }
        Some((_, text)) if clamped && !speaks_of_clamp(text) => {
            if let Some(field) = page.first(Role::Clamped) {
                report(
                    "ungated-hint",
                    field.key,
                    "a clamp is disclosed, but the hint has no clause about it",
                    say_clamp,
                );
            }
        }
        None if clamped => {
            if let Some(field) = page.first(Role::Clamped) {
                report(
                    "ungated-hint",
                    field.key,
                    "a clamp is disclosed, but no hint has a clause about it",
                    say_clamp,
                );
            }
        }
        None if more == Some(true) && page.first(Role::Resume).is_some() => {
            let help = "send `hint` wherever `has_more` is true, and say there how to go on";
            report("ungated-hint", anchor, "more remains, but no hint says how to go on", help);
        }
        _ => {}
    }
    if more != Some(true) || page.first(Role::Resume).is_some() || linear(page, pack) {
        return;
    }
    let help = "name a parameter that narrows the rows in the hint";
    let Some((_, text)) = page.hint() else {
        report(
            "missing-navigation-hint",
            anchor,
            "more remains, but neither a resume field nor a hint says how to get it",
            help,
        );
        return;
    };
    let known = page.request.and_then(|r| r.parameters.as_ref());
    let navigates = known.is_none_or(|known| {
        let scope = |word: &str| pack.window(word).is_none() && known.contains(word);
        words(text).any(scope)
    });
    if !navigates {
        report(
            "missing-navigation-hint",
            anchor,
            "more remains, but the hint names no parameter that narrows the rows",
            help,
        );
    }
}

fn speaks_of_clamp(text: &str) -> bool {
    let text = text.to_lowercase();
    CLAMP_WORDS.iter().any(|word| text.contains(word))
}

fn returned(page: &Page<'_>, pack: &Pack, acc: &mut Vec<Finding>) {
    let (Some(size), Some(list)) = (page.first(Role::Size), rows(page, pack)) else { return };
    let (Worth::Int(count), Worth::List(length)) = (&size.worth, &list.worth) else { return };
    if *count < 0 || *count == *length as i64 {
        return;
    }
    let message = format!("`{}` is {count}, but `{}` holds {length}", size.name, list.name);
    let mut finding = make("returned-mismatch", page, size, size.value, message);
    finding.labels.push(label(list.key, format!("{length} came here")));
    acc.push(finding);
}

/// What the call asked for against what came.
fn windows(page: &Page<'_>, pack: &Pack, anchor: Span, acc: &mut Vec<Finding>) {
    let Some(request) = page.request else { return };
    for (kind, least) in [(WindowKind::Limit, 1), (WindowKind::Offset, 0), (WindowKind::Start, 1)] {
        let Some(argument) = request.window(pack, kind) else { continue };
        let wrong = match argument.worth {
            Worth::Int(n) => n < least,
            Worth::Number | Worth::Text(_) => true,
            _ => false,
        };
        if wrong {
            let message = format!(
                "`{}` was {}, and a page came all the same",
                argument.name,
                shown(&argument.worth)
            );
            let mut finding = finding("unvalidated-window", anchor, page.tool(), message);
            finding.help = Some("reject a window that makes no sense with an error".to_string());
            finding.field = Some(argument.name.clone());
            finding.labels.push(label(request.span, "asked for here"));
            acc.push(finding);
        }
    }
    let asked = request.window(pack, WindowKind::Limit);
    let (Some(argument), Some(came)) = (asked, page.int(Role::Size)) else { return };
    let Worth::Int(limit) = argument.worth else { return };
    let disclosed = page.flag(Role::Clamped) == Some(true);
    // `max_depth`-like words of another unit may bound something else than these rows.
    let of_rows = pack.windows.limit.contains(&argument.name);
    if of_rows && came > 0 && came < limit && page.flag(Role::More) == Some(true) && !disclosed {
        let message = format!(
            "`{}` was {limit}, {came} came and more remains, but no `{}` says so",
            argument.name,
            first(&pack.fields.clamped)
        );
        let mut finding = finding("undisclosed-clamp", anchor, page.tool(), message);
        finding.confidence = Confidence::Medium;
        finding.help = Some(
            "send `limit_clamped: true` and a clause in the hint wherever the limit is lowered"
                .to_string(),
        );
        finding.field = Some(argument.name.clone());
        finding.labels.push(label(request.span, "asked for here"));
        acc.push(finding);
    }
}

fn shown(worth: &Worth) -> String {
    match worth {
        Worth::Int(n) => n.to_string(),
        other => other.word(),
    }
}
