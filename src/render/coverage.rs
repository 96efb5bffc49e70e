//! How much was understood, to text or JSON.
//!
//! Knows no threshold: whether it is enough is not asked here.

use std::io::{self, Write};

use serde_json::{json, Value};

use super::json::write;
use super::{counted, visible, Style};
use crate::report::{Coverage, Problem};

/// Writes what could not be decided, then the numbers.
pub fn coverage_text(
    coverage: &Coverage,
    problems: &[Problem],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !style.quiet {
        let unread = problems.iter().map(|p| (&p.path, p.line.unwrap_or(0), &p.message));
        let undecided = coverage.items.iter().map(|i| (&i.path, i.line, &i.what));
        let mut items: Vec<_> = unread.chain(undecided).collect();
        items.sort();
        // A file that could not be read to its end is both a problem and undecided.
        items.dedup();
        for (path, line, what) in &items {
            let line = if *line > 0 { format!(":{line}") } else { String::new() };
            writeln!(out, "{}{line}: {}", style.path(path), visible(what))?;
        }
        if !items.is_empty() {
            writeln!(out)?;
        }
    }
    let Some(percent) = coverage.percent() else {
        let next = match problems.is_empty() {
            true => {
                "; where a call of the project's own sends responses, name it in a \
                 [[pack.<id>.sinks]] of pagelint.toml"
            }
            // What could not be read may hold them.
            false => "",
        };
        return writeln!(out, "no emitters found{next}");
    };
    writeln!(
        out,
        "{} found, {} understood, {} unresolved: {}",
        counted(coverage.found, "emitter"),
        coverage.understood,
        coverage.unresolved,
        style.paint("1", &percent_text(percent))
    )
}

/// Rounded down, so that 100 % means all of them.
pub fn percent_text(percent: f64) -> String {
    format!("{:.1} %", (percent * 10.0).floor() / 10.0)
}

/// Writes the same as one object.
pub fn coverage_json(
    coverage: &Coverage,
    problems: &[Problem],
    out: &mut dyn Write,
) -> io::Result<()> {
    let items: Vec<Value> = coverage
        .items
        .iter()
        .map(|item| {
            let line = (item.line > 0).then_some(item.line);
            json!({ "path": item.path, "line": line, "what": item.what })
        })
        .collect();
    let problems: Vec<Value> = problems
        .iter()
        .map(|p| {
            json!({
                "path": p.path, "line": p.line, "level": p.level.word(), "message": p.message
            })
        })
        .collect();
    let object = json!({
        "version": 1,
        "found": coverage.found,
        "understood": coverage.understood,
        "unresolved": coverage.unresolved,
        "percent": coverage.percent(),
        "undecided": items,
        "problems": problems,
    });
    write(&object, out)
}
