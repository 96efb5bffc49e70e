//! The ledger as one HTML page: no network, light and dark, readable on a phone.
//!
//! Everything is in the page before its script runs; the script only sorts and hides.

use std::io::{self, Write};

use super::words::{by_stage, count_of, escape, telling_totals, total, Total};
use super::{chart, list, Shown};
use crate::progress::compare::{Change, Kind};
use crate::progress::history::History;
use crate::progress::ledger::Status;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Totals and changes beyond so many are folded away.
const MOST_OPEN: usize = 12;

/// Writes it.
pub fn render(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let title = escape(shown.title);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}: migration progress</title>\n\
         <style>\n{STYLE}{}\n</style>\n</head>\n<body>\n<main>\n",
        chart::STYLE
    )?;
    write_head(shown, out)?;
    if let Some(history) = shown.history {
        write_chart(history, out)?;
    }
    if let Some((since, changes)) = shown.changes {
        writeln!(out, "<section id=\"changes\"><h2>Changed since {}</h2>", escape(since))?;
        write_changes(changes, out)?;
        writeln!(out, "</section>")?;
    }
    writeln!(out, "<section id=\"list\"><h2>{}</h2>", list::heading(shown))?;
    list::write(shown, out)?;
    writeln!(out, "</section>")?;
    for (name, totals) in telling_totals(shown.ledger) {
        write_totals(name, &totals, out)?;
    }
    if let Some(history) = shown.history {
        write_history(history, out)?;
    }
    write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n")
}

/// The parts of the page, by the names they are jumped to.
fn write_parts(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut parts: Vec<(String, String)> = Vec::new();
    if shown.history.is_some() {
        parts.push(("time".into(), "Over time".into()));
    }
    if shown.changes.is_some() {
        parts.push(("changes".into(), "Changes".into()));
    }
    parts.push(("list".into(), list::heading(shown).into()));
    for (name, _) in telling_totals(shown.ledger) {
        parts.push((format!("by-{name}"), format!("By {name}")));
    }
    if shown.history.is_some() {
        parts.push(("revisions".into(), "Revisions".into()));
    }
    write!(out, "<nav>")?;
    for (id, name) in parts {
        write!(out, "<a href=\"#{id}\">{name}</a> ")?;
    }
    write!(out, "</nav>")
}

fn write_chart(history: &History, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section id=\"time\" aria-label=\"Over time\"><h2>Over time</h2>")?;
    for (class, width, height) in [("wide", 960, 340), ("narrow", 400, 300)] {
        write!(out, "<div class=\"{class}\">{}</div>", chart::svg(history, width, height, false))?;
    }
    let falls = history.events.iter().filter(|e| e.changes.iter().any(|c| c.kind.falls()));
    let revisions = count_of(history.points.len(), "revision");
    match falls.clone().next_back() {
        Some(last) => {
            let point = &history.points[last.at];
            let (short, date, falls) = (point.short(), point.date(), falls.count());
            write!(
                out,
                "<p class=\"sub\">{falls} of {revisions} let something fall back, last \
                 <a href=\"#r{short}\">{short}</a> on {date}.</p>"
            )?;
        }
        None => write!(out, "<p class=\"sub\">{revisions}; nothing ever fell back.</p>")?,
    }
    writeln!(out, "</section>")
}

fn write_head(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let whole = total(shown.ledger);
    let share = whole.percent().map_or("–".to_string(), |p| format!("{p} %"));
    let [open, partly, excepted, done] = whole.counts;
    let revision = match shown.revision {
        "" => String::new(),
        revision => format!(" at {}", escape(revision.get(..10).unwrap_or(revision))),
    };
    let all = whole.all();
    let what = list::heading(shown).to_lowercase();
    write!(
        out,
        "<header><h1>{}</h1><p class=\"sub\">Migration progress{revision}, {}</p>",
        escape(shown.title),
        escape(&shown.today)
    )?;
    write_parts(shown, out)?;
    write!(
        out,
        "<p class=\"big\"><b>{share}</b> done <span class=\"sub\">{done} of {all} {what}</span></p>\
         <p class=\"counts\">"
    )?;
    for (class, count) in
        [("done", done), ("partly", partly), ("open", open), ("excepted", excepted)]
    {
        if count > 0 {
            write!(out, "<span class=\"chip {class}\">{count} {class}</span> ")?;
        }
    }
    write!(out, "</p>{}", bar(&whole))?;
    if shown.ledger.staged() {
        write!(out, "<p class=\"stages\">")?;
        for (at, (stage, count)) in by_stage(shown.ledger).into_iter().enumerate() {
            let dot = format!("<svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"stage{}\" width=\"10\" height=\"10\" rx=\"2\"/></svg>", at.min(4));
            write!(out, "<span>{dot} {} <b>{count}</b></span> ", escape(stage))?;
        }
        write!(out, "</p>")?;
    }
    for expired in &shown.ledger.expired {
        write!(out, "<p class=\"warn\">{}</p>", escape(&expired.message))?;
    }
    writeln!(out, "</header>")
}

/// A bar of the shares of a total.
fn bar(total: &Total<'_>) -> String {
    let all = total.all().max(1) as f64;
    let order = [Status::Done, Status::Partly, Status::Open, Status::Excepted];
    let mut x = 0.0;
    let mut parts = String::new();
    for status in order {
        let wide = total.counts[status as usize] as f64 * 100.0 / all;
        if wide > 0.0 {
            let class = status.word();
            parts.push_str(&format!(
                "<rect class=\"{class}\" x=\"{x:.2}\" width=\"{wide:.2}\" height=\"6\"/>"
            ));
        }
        x += wide;
    }
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" \
         aria-hidden=\"true\">{parts}</svg>"
    )
}

fn write_totals(name: &str, totals: &[Total<'_>], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<section id=\"by-{name}\"><h2>By {name}</h2>")?;
    let folded = totals.len() > MOST_OPEN;
    if folded {
        write!(out, "<details><summary>show all {}</summary>", totals.len())?;
    }
    write!(
        out,
        "<table class=\"totals\"><thead><tr><th scope=\"col\">{name}</th>\
         <th scope=\"col\">done</th><th scope=\"col\"></th></tr></thead><tbody>"
    )?;
    for total in totals {
        let share = total.percent().map_or("–".to_string(), |p| format!("{p} %"));
        let (done, all) = (total.done(), total.all());
        write!(
            out,
            "<tr><td>{}</td><td>{done} of {all} ({share})</td><td>{}</td></tr>",
            escape(total.name),
            bar(total)
        )?;
    }
    write!(out, "</tbody></table>")?;
    writeln!(out, "{}</section>", if folded { "</details>" } else { "" })
}

fn write_history(history: &History, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section id=\"revisions\"><h2>Revisions that changed the ledger</h2>")?;
    if history.events.is_empty() {
        writeln!(out, "<p>None did.</p>")?;
    }
    if history.events.iter().any(|e| e.changes.iter().any(|c| c.kind.falls())) {
        writeln!(
            out,
            "<label class=\"tools\"><input type=\"checkbox\" id=\"falls\"> only those that let \
             something fall back</label>"
        )?;
    }
    writeln!(out, "<ol class=\"events\">")?;
    for event in history.events.iter().rev() {
        let point = &history.points[event.at];
        let fell = event.changes.iter().any(|change| change.kind.falls());
        write!(
            out,
            "<li id=\"r{}\"{}><h3>{} <code>{}</code> {}</h3>",
            point.short(),
            if fell { " class=\"fell\"" } else { "" },
            point.date(),
            point.short(),
            escape(&point.subject)
        )?;
        write_changes(&event.changes, out)?;
        writeln!(out, "</li>")?;
    }
    writeln!(out, "</ol></section>")
}

fn write_changes(changes: &[Change], out: &mut dyn Write) -> io::Result<()> {
    if changes.is_empty() {
        return write!(out, "<p>Nothing changed.</p>");
    }
    let (shown, folded) = changes.split_at(changes.len().min(MOST_OPEN));
    write_list(shown, out)?;
    if !folded.is_empty() {
        write!(out, "<details class=\"more\"><summary>{} more</summary>", folded.len())?;
        write_list(folded, out)?;
        write!(out, "</details>")?;
    }
    Ok(())
}

fn write_list(changes: &[Change], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<ul class=\"changes\">")?;
    for change in changes {
        let standing = match (&change.from, &change.to) {
            (Some(from), Some(to)) if from != to => format!("{from} → {to}"),
            (from, to) => to.as_ref().or(from.as_ref()).cloned().unwrap_or_default(),
        };
        let class = match change.kind {
            kind if kind.falls() => "falls",
            Kind::Added | Kind::Removed | Kind::Changed => "moves",
            _ => "rises",
        };
        write!(
            out,
            "<li><b class=\"{class}\">{}</b> <b>{}</b> {} <span class=\"sub\">{}</span></li>",
            change.kind.word(),
            escape(&change.name),
            escape(&standing),
            escape(&change.details.join("; "))
        )?;
    }
    write!(out, "</ul>")
}
