//! The rows of a ledger as the table of the page, each with all that is known of it.
//!
//! Knows no script: what sorts and filters finds its values in attributes.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::words::{by_urgency, count_of, escape, left, resume, signs, ACCEPTANCE};
use super::Shown;
use crate::progress::ledger::{Row, Status};

/// Columns: id, heading, whether it is sorted as a number.
type Column = (&'static str, &'static str, bool);

/// The heading of the section.
pub fn heading(shown: &Shown<'_>) -> &'static str {
    if shown.ledger.staged() {
        "Commands"
    } else {
        "Tools"
    }
}

/// Writes the controls and the table.
pub fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let columns = columns(shown);
    write_controls(shown, &columns, out)?;
    write!(out, "<table id=\"rows\"><thead><tr>")?;
    for (id, heading, number) in &columns {
        let kind = if *number { " data-number" } else { "" };
        write!(out, "<th scope=\"col\"><button data-by=\"{id}\"{kind}>{heading}</button></th>")?;
    }
    writeln!(out, "</tr></thead><tbody>")?;
    for row in by_urgency(shown.ledger) {
        write_row(shown, row, &columns, out)?;
    }
    write!(out, "</tbody></table><button id=\"all\" type=\"button\" hidden></button>")?;
    if shown.ledger.rows.is_empty() {
        write!(out, "<p>Nothing here sends pages.</p>")?;
    }
    if shown.ledger.staged() {
        write!(
            out,
            "<details class=\"sub\"><summary>What the nine acceptance items ask</summary><ol>"
        )?;
        for item in ACCEPTANCE {
            write!(out, "<li>{item}</li>")?;
        }
        write!(out, "</ol><p>✓ met, ✗ not met, · not decidable from source</p></details>")?;
    }
    Ok(())
}

fn columns(shown: &Shown<'_>) -> Vec<Column> {
    let mut columns = vec![("status", "status", false), ("name", "name", false)];
    match shown.ledger.staged() {
        true => columns.extend([
            ("stage", "stage", false),
            ("pagination", "pagination", false),
            ("acceptance", "acceptance", true),
        ]),
        false => columns.extend([
            ("family", "family", false),
            ("resume", "resume", false),
            ("built", "built", false),
        ]),
    }
    columns.extend([("left", "left to do", false), ("findings", "findings", true)]);
    if shown.ledger.rows.iter().any(|row| !row.owners.is_empty()) {
        columns.push(("owner", "owner", false));
    }
    columns
}

fn write_controls(shown: &Shown<'_>, columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "<form class=\"tools\" id=\"filter\"><input type=\"search\" id=\"text\" \
         placeholder=\"Filter by any word\" aria-label=\"Filter\">"
    )?;
    let ledger = shown.ledger;
    let set = |values: BTreeSet<&str>| values.into_iter().map(String::from).collect::<Vec<_>>();
    let families = ledger.rows.iter().filter_map(|row| row.family.as_deref());
    let owners = ledger.rows.iter().flat_map(|row| row.owners.iter().map(String::as_str));
    for (name, values) in [
        ("status", Status::ALL.map(|s| s.word().to_string()).to_vec()),
        ("stage", ledger.stages.clone()),
        ("family", if ledger.staged() { Vec::new() } else { set(families.collect()) }),
        ("product", set(ledger.products())),
        ("owner", set(owners.collect())),
    ] {
        if values.len() < 2 {
            continue;
        }
        write!(out, "<select data-key=\"{name}\" aria-label=\"{name}\"><option value=\"\">any {name}</option>")?;
        for value in values {
            write!(out, "<option>{}</option>", escape(&value))?;
        }
        write!(out, "</select>")?;
    }
    write!(out, "<select id=\"order\" aria-label=\"order\"><option value=\"\">order</option>")?;
    for (id, heading, _) in columns {
        write!(out, "<option value=\"{id}\">by {heading}</option>")?;
    }
    writeln!(out, "</select><output id=\"shown\"></output></form>")
}

fn write_row(
    shown: &Shown<'_>,
    row: &Row,
    columns: &[Column],
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(
        out,
        "<tr data-status=\"{}\" data-product=\"{}\"",
        row.status.word(),
        escape(&row.product)
    )?;
    let owners = (!row.owners.is_empty()).then(|| row.owners.join(" "));
    for (key, value) in [("stage", &row.stage), ("family", &row.family), ("owner", &owners)] {
        if let Some(value) = value {
            write!(out, " data-{key}=\"{}\"", escape(value))?;
        }
    }
    write!(out, ">")?;
    for (id, heading, _) in columns {
        let (value, cell) = cell(shown, row, id);
        write!(out, "<td data-{id} data-value=\"{value}\" data-label=\"{heading}\">{cell}</td>")?;
    }
    writeln!(out, "</tr>")
}

/// What a cell is sorted by, and what it shows.
fn cell(shown: &Shown<'_>, row: &Row, column: &str) -> (String, String) {
    let same = |text: &str| match escape(text) {
        text if text.is_empty() || text == "-" => (String::new(), "–".to_string()),
        text => (text.clone(), text),
    };
    let or = |text: &Option<String>| same(text.as_deref().unwrap_or(""));
    match column {
        "status" => {
            let status = row.status.word();
            let order = (row.status as usize).to_string();
            (order, format!("<span class=\"chip {status}\">{status}</span>"))
        }
        "name" => (escape(&row.name), name_cell(shown, row)),
        "stage" => {
            let rank = shown.ledger.stages.iter().position(|s| Some(s) == row.stage.as_ref());
            (rank.map_or(0, |rank| rank + 1).to_string(), or(&row.stage).1)
        }
        "pagination" => or(&row.pagination),
        "acceptance" => acceptance(row),
        "family" => or(&row.family),
        "resume" => {
            let (value, text) = same(resume(row));
            (value, text.replace('-', "\u{2011}"))
        }
        "built" => same(&row.built),
        "left" => same(&left(row)),
        "findings" => findings(row),
        _ => same(&row.owners.join(" ")),
    }
}

/// Nine signs; those that say something say in words what.
fn acceptance(row: &Row) -> (String, String) {
    let signs = signs(row);
    let met = signs.matches('+').count();
    let value = if signs.contains(['+', 'x']) { met.to_string() } else { String::new() };
    let mut cell = String::new();
    for ((at, sign), item) in signs.chars().enumerate().zip(ACCEPTANCE) {
        let (class, sign, verdict) = match sign {
            '+' => ("rises", '✓', "met"),
            'x' => ("falls", '✗', "not met"),
            _ => {
                cell.push('·');
                continue;
            }
        };
        let number = at + 1;
        cell.push_str(&format!(
            "<i class=\"{class}\" title=\"{number}: {item}: {verdict}\">{sign}</i>"
        ));
    }
    (value, format!("<code class=\"signs\">{cell}</code>"))
}

fn findings(row: &Row) -> (String, String) {
    let levels = ["error", "warning", "note"];
    let weights = [10_000, 100, 1];
    let weight: usize = levels.iter().zip(weights).map(|(l, w)| row.count(l) * w).sum();
    if weight == 0 {
        return (String::new(), "–".to_string());
    }
    let parts = levels.iter().filter(|level| row.count(level) > 0);
    let parts: Vec<String> = parts
        .map(|level| {
            format!("<span class=\"{level}\">{}</span>", count_of(row.count(level), level))
        })
        .collect();
    (weight.to_string(), format!("<span>{}</span>", parts.join(", ")))
}

/// The name, which opens to all places and findings.
fn name_cell(shown: &Shown<'_>, row: &Row) -> String {
    let mut cell = format!("<details><summary>{}</summary><ul>", escape(&row.name));
    let link = |path: &str, line: u32| {
        let url = escape(&shown.url(path, line));
        format!("<a href=\"{url}\">{}:{line}</a>", escape(path))
    };
    for finding in &row.findings {
        let (level, rule) = (escape(&finding.level), escape(&finding.rule));
        let message = escape(&finding.message);
        let at = link(&finding.path, finding.line);
        cell.push_str(&format!(
            "<li><b class=\"{level}\">{level}</b> {message} ({rule}) {at}</li>"
        ));
    }
    for exception in &row.exceptions {
        let until = exception.until.as_ref().map(|day| format!(" until {day}")).unwrap_or_default();
        let word = if exception.expired { "exception ended, held" } else { "excepted" };
        let about = exception.rule.as_ref().map(|rule| format!(" from {}", escape(rule)));
        let about = about.unwrap_or_default();
        cell.push_str(&format!("<li>{word}{about}{until}: {}</li>", escape(&exception.reason)));
    }
    for place in &row.emitters {
        let at = link(&place.path, place.line);
        let built = match place.built.as_str() {
            "none" => String::new(),
            built => format!(", built by {}", escape(built)),
        };
        let shape = match place.shape.as_str() {
            "" => String::new(),
            shape => format!(": <code>{}</code>", escape(shape)),
        };
        cell.push_str(&format!("<li>{at}{built}{shape}</li>"));
    }
    cell.push_str("</ul></details>");
    cell
}
