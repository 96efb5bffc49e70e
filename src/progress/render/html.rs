//! The ledger as one HTML page: no network, light and dark, readable on a phone.
//!
//! Everything is in the page before its script runs; the script only sorts and hides.

use std::io::{self, Write};

use super::chart;
use super::words::{all_totals, by_stage, escape, findings, left, resume, signs, total, Total};
use super::Shown;
use crate::progress::compare::{Change, Kind};
use crate::progress::history::History;
use crate::progress::ledger::{Row, Status};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

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
        writeln!(out, "<section aria-label=\"Over time\"><h2>Over time</h2>")?;
        write!(out, "<div class=\"wide\">{}</div>", chart::svg(history, 960, 360, false))?;
        writeln!(
            out,
            "<div class=\"narrow\">{}</div></section>",
            chart::svg(history, 400, 300, false)
        )?;
    }
    if let Some((since, changes)) = shown.changes {
        writeln!(out, "<section><h2>Changed since {}</h2>", escape(since))?;
        write_changes(changes, out)?;
        writeln!(out, "</section>")?;
    }
    write_rows(shown, out)?;
    for (name, totals) in all_totals(shown.ledger) {
        write_totals(name, &totals, out)?;
    }
    if let Some(history) = shown.history {
        write_history(history, out)?;
    }
    write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n")
}

fn write_head(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let whole = total(shown.ledger);
    let share = whole.percent().map_or("–".to_string(), |p| format!("{p} %"));
    let [open, partly, excepted, done] = whole.counts;
    let revision = match shown.revision {
        "" => String::new(),
        revision => format!(" at {}", escape(revision.get(..10).unwrap_or(revision))),
    };
    write!(
        out,
        "<header><h1>{}</h1><p class=\"sub\">Migration progress{revision}, {}</p>\n\
         <p class=\"big\"><b>{share}</b> done</p><p class=\"counts\">",
        escape(shown.title),
        escape(&shown.today)
    )?;
    for (class, count) in
        [("done", done), ("partly", partly), ("open", open), ("excepted", excepted)]
    {
        write!(out, "<span class=\"chip {class}\">{count} {class}</span> ")?;
    }
    write!(out, "</p>{}", bar(&whole))?;
    if shown.ledger.staged() {
        let stages: Vec<String> = by_stage(shown.ledger)
            .iter()
            .map(|(stage, count)| format!("{} {count}", escape(stage)))
            .collect();
        write!(out, "<p class=\"sub\">{}</p>", stages.join(" · "))?;
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

/// Columns: id, heading, whether it is sorted as a number.
fn columns(staged: bool, owned: bool) -> Vec<(&'static str, &'static str, bool)> {
    let mut columns = vec![("status", "status", false), ("name", "name", false)];
    match staged {
        true => columns.extend([
            ("stage", "stage", false),
            ("pagination", "pagination", false),
            ("acceptance", "acceptance", false),
        ]),
        false => columns.extend([
            ("family", "family", false),
            ("resume", "resume", false),
            ("built", "built", false),
        ]),
    }
    columns.extend([("left", "left to do", false), ("findings", "findings", true)]);
    if owned {
        columns.push(("owner", "owner", false));
    }
    columns
}

fn write_rows(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let staged = shown.ledger.staged();
    let what = if staged { "Commands" } else { "Tools" };
    let owned = shown.ledger.rows.iter().any(|row| !row.owners.is_empty());
    let columns = columns(staged, owned);
    write!(out, "<section><h2>{what}</h2>\n<form class=\"tools\" id=\"filter\">")?;
    write!(
        out,
        "<input type=\"search\" id=\"text\" placeholder=\"Filter\" aria-label=\"Filter\">"
    )?;
    let mut options = vec![("status", Status::ALL.map(|s| s.word().to_string()).to_vec())];
    if staged {
        options.push(("stage", shown.ledger.stages.clone()));
    }
    options.push(("product", shown.ledger.products().into_iter().map(String::from).collect()));
    for (name, values) in options {
        write!(out, "<select data-key=\"{name}\" aria-label=\"{name}\"><option value=\"\">any {name}</option>")?;
        for value in values {
            write!(out, "<option>{}</option>", escape(&value))?;
        }
        write!(out, "</select>")?;
    }
    write!(out, "<select id=\"order\" aria-label=\"order\"><option value=\"\">order</option>")?;
    for (id, heading, _) in &columns {
        write!(out, "<option value=\"{id}\">by {heading}</option>")?;
    }
    write!(out, "</select><output id=\"shown\"></output></form>\n<table id=\"rows\"><thead><tr>")?;
    for (id, heading, number) in &columns {
        let kind = if *number { " data-number" } else { "" };
        write!(out, "<th scope=\"col\"><button data-by=\"{id}\"{kind}>{heading}</button></th>")?;
    }
    writeln!(out, "</tr></thead><tbody>")?;
    for row in &shown.ledger.rows {
        write_row(shown, row, &columns, out)?;
    }
    write!(out, "</tbody></table>")?;
    if staged {
        write!(out, "<p class=\"sub\">Acceptance items 1 to 9 of the plan: + met, x not met, . not decidable here.</p>")?;
    }
    writeln!(out, "</section>")
}

fn write_row(
    shown: &Shown<'_>,
    row: &Row,
    columns: &[(&str, &str, bool)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let (status, product) = (row.status.word(), escape(&row.product));
    let stage = escape(row.stage.as_deref().unwrap_or(""));
    write!(out, "<tr data-status=\"{status}\" data-product=\"{product}\" data-stage=\"{stage}\">")?;
    for (id, heading, _) in columns {
        let or = |text: &Option<String>| escape(text.as_deref().unwrap_or("–"));
        let (value, cell) = match *id {
            "status" => {
                let order = row.status as usize;
                (order.to_string(), format!("<span class=\"chip {status}\">{status}</span>"))
            }
            "name" => (escape(&row.name), name_cell(shown, row)),
            "stage" => {
                let rank = shown.ledger.stages.iter().position(|s| Some(s) == row.stage.as_ref());
                (rank.map_or(0, |r| r + 1).to_string(), or(&row.stage))
            }
            "pagination" => (or(&row.pagination), or(&row.pagination)),
            "acceptance" => {
                let signs = signs(row);
                let met = signs.matches('+').count();
                (met.to_string(), format!("<code>{signs}</code>"))
            }
            "family" => (or(&row.family), or(&row.family)),
            "resume" => (resume(row).to_string(), resume(row).replace('-', "\u{2011}")),
            "built" => (escape(&row.built), escape(&row.built)),
            "left" => (escape(&left(row)), escape(&left(row))),
            "findings" => {
                let weight =
                    row.count("error") * 10_000 + row.count("warning") * 100 + row.count("note");
                (weight.to_string(), findings(row))
            }
            _ => (escape(&row.owners.join(" ")), escape(&row.owners.join(" "))),
        };
        write!(
            out,
            "<td data-{id}=\"{value}\" data-value=\"{value}\" data-label=\"{heading}\">{cell}</td>"
        )?;
    }
    writeln!(out, "</tr>")
}

/// The name, which opens to all places and findings.
fn name_cell(shown: &Shown<'_>, row: &Row) -> String {
    let mut cell = format!("<details><summary>{}</summary><ul>", escape(&row.name));
    let link = |path: &str, line: u32| {
        let url = escape(&shown.url(path, line));
        format!("<a href=\"{url}\">{}:{line}</a>", escape(path))
    };
    for place in &row.emitters {
        let shape = escape(&place.shape);
        let (at, built) = (link(&place.path, place.line), escape(&place.built));
        cell.push_str(&format!("<li>{at} {built} <code>{shape}</code></li>"));
    }
    for finding in &row.findings {
        let (level, rule) = (escape(&finding.level), escape(&finding.rule));
        let message = escape(&finding.message);
        let at = link(&finding.path, finding.line);
        cell.push_str(&format!("<li class=\"{level}\"><b>{level}</b> {rule}: {message} {at}</li>"));
    }
    for exception in &row.exceptions {
        let until = exception.until.as_ref().map(|day| format!(" until {day}")).unwrap_or_default();
        cell.push_str(&format!("<li>excepted{until}: {}</li>", escape(&exception.reason)));
    }
    cell.push_str("</ul></details>");
    cell
}

fn write_totals(name: &str, totals: &[Total<'_>], out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "<section><h2>By {name}</h2><table class=\"totals\"><thead><tr><th scope=\"col\">{name}</th>\
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
    writeln!(out, "</tbody></table></section>")
}

fn write_history(history: &History, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<section><h2>Revisions that changed the ledger</h2>\
         <label class=\"tools\"><input type=\"checkbox\" id=\"falls\"> only those that let something fall back</label>\
         <ol class=\"events\">"
    )?;
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
