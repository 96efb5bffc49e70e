//! The ledger as Markdown, short enough for a comment on a pull request.
//!
//! Names come from source: nothing in them may act as markup.

use std::io::{self, Write};

use super::words::{
    by_stage, by_urgency, findings, left, resume, signs, telling_totals, total, Total,
};
use super::Shown;
use crate::progress::compare::Change;
use crate::progress::ledger::{Row, Status};

/// Most rows of a table; a comment has a limit of length.
const MOST_ROWS: usize = 200;

/// Most names in a cell.
const MOST_NAMES: usize = 12;

/// Writes it.
pub fn render(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    if let Some((since, changes)) = shown.changes {
        return write_changes(since, changes, out);
    }
    let whole = total(shown.ledger);
    let share = whole.percent().map_or("-".to_string(), |p| format!("{p} %"));
    writeln!(out, "### Migration: {} of {} done ({share})\n", whole.done(), whole.all())?;
    let rest = match shown.ledger.staged() {
        true => write_commands(shown, out)?,
        false => write_tools(shown, out)?,
    };
    if rest > 0 {
        writeln!(out, "\n{rest} more rows are not shown.")?;
    }
    for (title, totals) in telling_totals(shown.ledger) {
        write_totals(title, &totals, out)?;
    }
    if !shown.ledger.expired.is_empty() {
        writeln!(out, "\n**Expired exceptions**\n")?;
    }
    for expired in &shown.ledger.expired {
        writeln!(out, "- {}", text(&expired.message))?;
    }
    if let Some(history) = shown.history {
        writeln!(out, "\n| date | revision | what | rows |\n|---|---|---|---|")?;
        for event in history.events.iter().rev().take(50) {
            let point = &history.points[event.at];
            let mut names: Vec<String> = event
                .changes
                .iter()
                .take(MOST_NAMES)
                .map(|change| format!("{} {}", word(change), text(&change.name)))
                .collect();
            if event.changes.len() > MOST_NAMES {
                names.push(format!("{} more", event.changes.len() - MOST_NAMES));
            }
            let (date, short) = (point.date(), point.short());
            writeln!(
                out,
                "| {date} | {short} | {} | {} |",
                text(&point.subject),
                names.join(", ")
            )?;
        }
    }
    Ok(())
}

fn write_tools(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<usize> {
    writeln!(out, "| tool | status | family | resume | built | findings | left | at |")?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    for row in by_urgency(shown.ledger).into_iter().take(MOST_ROWS) {
        let family = row.family.as_deref().unwrap_or("-");
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            text(&row.name),
            row.status.word(),
            text(family),
            resume(row),
            row.built,
            findings(row),
            text(&left(row)),
            places(shown, row)
        )?;
    }
    Ok(shown.ledger.rows.len().saturating_sub(MOST_ROWS))
}

/// Of commands, only those that have moved or have something to do are worth a line.
fn write_commands(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<usize> {
    let stages: Vec<String> =
        by_stage(shown.ledger).iter().map(|(stage, n)| format!("{stage} {n}")).collect();
    writeln!(out, "{}\n", text(&stages.join(" · ")))?;
    writeln!(out, "| command | stage | pagination | acceptance | findings | left | at |")?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    let lowest = shown.ledger.stages.first();
    let moved = |row: &&Row| row.stage.as_ref() != lowest || !row.findings.is_empty();
    let rows: Vec<&Row> = by_urgency(shown.ledger).into_iter().filter(moved).collect();
    for row in rows.iter().take(MOST_ROWS) {
        writeln!(
            out,
            "| {} | {} | {} | `{}` | {} | {} | {} |",
            text(&row.name),
            text(row.stage.as_deref().unwrap_or("-")),
            text(row.pagination.as_deref().unwrap_or("-")),
            signs(row),
            findings(row),
            text(&left(row)),
            places(shown, row)
        )?;
    }
    writeln!(
        out,
        "\nAcceptance items 1 to 9 of the plan: + met, x not met, . not decidable from source."
    )?;
    Ok(shown.ledger.rows.len() - rows.len().min(MOST_ROWS))
}

fn places(shown: &Shown<'_>, row: &Row) -> String {
    let Some(first) = row.emitters.first() else { return "-".to_string() };
    let name = first.path.rsplit('/').next().unwrap_or(&first.path);
    let link = format!("[{}:{}](<{}>)", text(name), first.line, shown.url(&first.path, first.line));
    match row.emitters.len() {
        1 => link,
        more => format!("{link} +{}", more - 1),
    }
}

fn write_totals(title: &str, totals: &[Total<'_>], out: &mut dyn Write) -> io::Result<()> {
    let excepted = totals.iter().any(|total| total.counts[Status::Excepted as usize] > 0);
    let (head, rule) = if excepted { (" excepted |", "---|") } else { ("", "") };
    writeln!(
        out,
        "\n| {title} | done | partly | open |{head} share |\n|---|---|---|---|{rule}---|"
    )?;
    for total in totals {
        let [open, partly, aside, done] = total.counts;
        let aside = if excepted { format!(" {aside} |") } else { String::new() };
        let share = total.percent().map_or("-".to_string(), |p| format!("{p} %"));
        writeln!(out, "| {} | {done} | {partly} | {open} |{aside} {share} |", text(total.name))?;
    }
    Ok(())
}

fn write_changes(since: &str, changes: &[Change], out: &mut dyn Write) -> io::Result<()> {
    let fell = changes.iter().filter(|change| change.kind.falls()).count();
    writeln!(out, "### Migration: {} rows changed since {}\n", changes.len(), text(since))?;
    if changes.is_empty() {
        return writeln!(out, "Nothing changed.");
    }
    if fell > 0 {
        writeln!(out, "**{fell} fell back.**\n")?;
    }
    writeln!(out, "| name | change | before | after | details |\n|---|---|---|---|---|")?;
    for change in changes.iter().take(MOST_ROWS) {
        let word = word(change);
        let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_string());
        writeln!(
            out,
            "| {} | {word} | {} | {} | {} |",
            text(&change.name),
            text(&or(&change.from)),
            text(&or(&change.to)),
            text(&change.details.join("; "))
        )?;
    }
    Ok(())
}

/// What happened to a row; a fall stands out.
fn word(change: &Change) -> String {
    match change.kind.falls() {
        true => format!("**{}**", change.kind.word()),
        false => change.kind.word().to_string(),
    }
}

/// Text in which nothing acts as markup.
fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '<' | '>' | '#' | '~' | '&' | '@' => {
                out.push('\\');
                out.push(c);
                // A code host would take it for a person.
                if c == '@' {
                    out.push('\u{2060}');
                }
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
