//! The ledger, or a comparison, as comma separated values (RFC 4180).
//!
//! Cells that a spreadsheet would run as a formula are defused.

use std::io::{self, Write};

use super::words::resume;
use super::Shown;

const HEAD: [&str; 22] = [
    "name",
    "kind",
    "product",
    "owners",
    "status",
    "stage",
    "expected_stage",
    "family",
    "resume",
    "built",
    "missing",
    "old_names",
    "clamps",
    "pagination",
    "leaks",
    "masked",
    "acceptance",
    "errors",
    "warnings",
    "notes",
    "emitters",
    "exceptions",
];

/// Writes it.
pub fn render(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    if let Some((_, changes)) = shown.changes {
        line(&["name", "kind", "change", "before", "after", "details"].map(String::from), out)?;
        for change in changes {
            let or = |text: &Option<String>| text.clone().unwrap_or_default();
            line(
                &[
                    change.name.clone(),
                    change.what.clone(),
                    change.kind.word().to_string(),
                    or(&change.from),
                    or(&change.to),
                    change.details.join("; "),
                ],
                out,
            )?;
        }
        return Ok(());
    }
    line(&HEAD.map(String::from), out)?;
    for row in &shown.ledger.rows {
        let or = |text: &Option<String>| text.clone().unwrap_or_default();
        let acceptance: Vec<String> =
            row.acceptance.iter().map(|c| format!("{} {}", c.item, c.verdict)).collect();
        let emitters: Vec<String> =
            row.emitters.iter().map(|p| format!("{}:{}", p.path, p.line)).collect();
        let exceptions: Vec<String> = row.exceptions.iter().map(|e| e.reason.clone()).collect();
        let cells = [
            row.name.clone(),
            row.kind.clone(),
            row.product.clone(),
            row.owners.join(" "),
            row.status.word().to_string(),
            or(&row.stage),
            or(&row.expected_stage),
            or(&row.family),
            resume(row).trim_matches('-').to_string(),
            row.built.clone(),
            row.missing.join(" "),
            row.old_names.join(" "),
            row.clamps.join("; "),
            or(&row.pagination),
            row.leaks.join(" "),
            row.masked.to_string(),
            acceptance.join("; "),
            row.count("error").to_string(),
            row.count("warning").to_string(),
            row.count("note").to_string(),
            emitters.join(" "),
            exceptions.join("; "),
        ];
        line(&cells, out)?;
    }
    Ok(())
}

fn line(cells: &[String], out: &mut dyn Write) -> io::Result<()> {
    let quoted: Vec<String> = cells.iter().map(|cell| quote(cell)).collect();
    write!(out, "{}\r\n", quoted.join(","))
}

fn quote(cell: &str) -> String {
    let acts = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.len() > 1;
    let cell = if acts { format!("'{cell}") } else { cell.to_string() };
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}
