//! The ledger for a terminal.
//!
//! Breaks no words: a long cell makes its column wide, and is cut only for a terminal that is not.

use std::io::{self, Write};

use super::words::{by_stage, findings, left, resume, signs, telling_totals, total, Total};
use super::Shown;
use crate::progress::compare::{Change, Kind};
use crate::progress::history::History;
use crate::progress::ledger::{Row, Status};

/// Characters between two columns.
const GAP: usize = 2;

/// Characters that a column keeps where the line is too short for all.
const LEAST_CELL: usize = 8;

/// Writes it.
pub fn render(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    if let Some((since, changes)) = shown.changes {
        return write_changes(shown, since, changes, out);
    }
    write_rows(shown, out)?;
    write_totals(shown, out)?;
    for expired in &shown.ledger.expired {
        writeln!(
            out,
            "{}:{}: {}: {}",
            expired.path,
            expired.line,
            expired.rule,
            clean(&expired.message)
        )?;
    }
    match shown.history {
        Some(history) => write_history(shown, history, out),
        None => Ok(()),
    }
}

fn write_rows(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let staged = shown.ledger.staged();
    let head: Vec<&str> = match staged {
        true => vec!["", "name", "stage", "pagination", "accept.", "findings", "left", "at"],
        false => vec!["", "name", "family", "resume", "built", "findings", "left", "at"],
    };
    let mut lines: Vec<Vec<String>> = vec![head.into_iter().map(String::from).collect()];
    for row in &shown.ledger.rows {
        let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_string());
        let mut cells = vec![row.status.word().to_string(), row.name.clone()];
        if staged {
            cells.extend([or(&row.stage), or(&row.pagination), signs(row)]);
        } else {
            cells.extend([or(&row.family), resume(row).to_string(), row.built.clone()]);
        }
        cells.extend([findings(row), left(row), places(row)]);
        lines.push(cells);
    }
    let columns = lines[0].len();
    let width = |at: usize| lines.iter().map(|l| clean(&l[at]).chars().count()).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns).map(width).collect();
    if let Some(most) = shown.width {
        narrow(&mut widths, most);
    }
    for (index, line) in lines.iter().enumerate() {
        let padded = line.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
            let from_end = at + 1 == columns;
            format!("{:<width$}", cut(&clean(cell), *width, from_end))
        });
        let text = padded.collect::<Vec<String>>().join("  ");
        let text = text.trim_end();
        match index.checked_sub(1).map(|at| shown.ledger.rows[at].status) {
            None => writeln!(out, "{}", paint(shown, "1", text))?,
            Some(status) => {
                let (word, rest) = text.split_at(status.word().len());
                writeln!(out, "{}{rest}", paint(shown, code(status), word))?;
            }
        }
    }
    Ok(())
}

/// Takes from the columns, the last first, what is too much for a line: the status stays whole,
/// of the others enough to tell what they are about.
fn narrow(widths: &mut [usize], most: usize) {
    let all = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    let mut over = all.saturating_sub(most);
    for least in [LEAST_CELL * 2, LEAST_CELL] {
        for width in widths.iter_mut().skip(1).rev() {
            let less = width.saturating_sub(least).min(over);
            *width -= less;
            over -= less;
        }
    }
}

/// A cell that fits: where something is left out, a sign says so. Of a place, the end tells most.
fn cut(cell: &str, width: usize, from_end: bool) -> String {
    let length = cell.chars().count();
    match (length > width, from_end) {
        (false, _) => cell.to_string(),
        (true, false) => cell.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        (true, true) => {
            let end = cell.chars().skip(length - width.saturating_sub(1).min(length));
            ['…'].into_iter().chain(end).collect()
        }
    }
}

fn code(status: Status) -> &'static str {
    match status {
        Status::Open => "31",
        Status::Partly => "33",
        Status::Excepted => "2",
        Status::Done => "32",
    }
}

fn paint(shown: &Shown<'_>, code: &str, text: &str) -> String {
    match shown.colour {
        true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        false => text.to_string(),
    }
}

/// Text that a terminal only shows.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn places(row: &Row) -> String {
    let first = row.emitters.first().map(|p| format!("{}:{}", p.path, p.line));
    match (first, row.emitters.len()) {
        (None, _) => "-".to_string(),
        (Some(first), 1) => first,
        (Some(first), more) => format!("{first} and {} more", more - 1),
    }
}

fn write_totals(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let line = |total: &Total<'_>| {
        let [open, partly, excepted, done] = total.counts;
        let share = total.percent().map_or("-".to_string(), |p| format!("{p} %"));
        let except = if excepted > 0 { format!(", {excepted} excepted") } else { String::new() };
        format!("{done} of {} done ({share}), {partly} partly, {open} open{except}", total.all())
    };
    writeln!(out, "\n{}", paint(shown, "1", &line(&total(shown.ledger))))?;
    if shown.ledger.staged() {
        let stages: Vec<String> =
            by_stage(shown.ledger).iter().map(|(stage, n)| format!("{stage} {n}")).collect();
        writeln!(out, "  stages: {}", stages.join(", "))?;
    }
    for (title, totals) in telling_totals(shown.ledger) {
        let width = totals.iter().map(|t| t.name.chars().count()).max().unwrap_or(0);
        for total in &totals {
            writeln!(out, "  {title:<7}  {:<width$}  {}", clean(total.name), line(total))?;
        }
    }
    Ok(())
}

fn write_changes(
    shown: &Shown<'_>,
    since: &str,
    changes: &[Change],
    out: &mut dyn Write,
) -> io::Result<()> {
    if changes.is_empty() {
        return writeln!(out, "nothing changed since {}", clean(since));
    }
    for change in changes {
        writeln!(out, "{}", line_of(shown, change))?;
    }
    let fell = changes.iter().filter(|change| change.kind.falls()).count();
    writeln!(out, "\n{} changed since {}, {fell} fell back", changes.len(), clean(since))
}

fn line_of(shown: &Shown<'_>, change: &Change) -> String {
    let standing = match (&change.from, &change.to) {
        (Some(from), Some(to)) if from == to => from.clone(),
        (Some(from), Some(to)) => format!("{from} → {to}"),
        (from, to) => from.as_ref().or(to.as_ref()).cloned().unwrap_or_default(),
    };
    let code = match change.kind {
        kind if kind.falls() => "31",
        Kind::Added | Kind::Removed | Kind::Changed => "36",
        _ => "32",
    };
    let kind = paint(shown, code, &format!("{:<9}", change.kind.word()));
    let details = change.details.join("; ");
    clean_keeping(&format!("{kind}  {}  {standing}  {details}", clean(&change.name)))
}

/// Removes what acts on a terminal but for the colours that were just put in.
fn clean_keeping(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\u{1b}' { '\u{fffd}' } else { c }).collect()
}

fn write_history(shown: &Shown<'_>, history: &History, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    let series = history.series();
    for event in &history.events {
        let point = &history.points[event.at];
        let counts = history.counts(&point.ledger, &series);
        let shares: Vec<String> = counts
            .iter()
            .zip(&series)
            .filter(|(count, _)| **count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        let head = format!("{} {}  {}", point.date(), point.short(), clean(&point.subject));
        writeln!(out, "{}  [{}]", paint(shown, "1", &head), shares.join(", "))?;
        for change in &event.changes {
            writeln!(out, "    {}", line_of(shown, change))?;
        }
    }
    let fell = history.events.iter().filter(|e| e.changes.iter().any(|c| c.kind.falls())).count();
    let (revisions, changed) = (history.points.len(), history.events.len());
    let plural = if revisions == 1 { "" } else { "s" };
    writeln!(
        out,
        "\n{revisions} revision{plural}, {changed} changed the ledger, {fell} let something fall back"
    )
}
