//! What was inferred to text or JSON: each tool with the objects that it can send.
//!
//! Knows no rule: a shape is shown, not judged.

use std::io::{self, Write};

use serde_json::{json, Value};

use super::json::{span_json, write};
use super::{visible, Places, Style};
use crate::report::{BuiltBy, Confidence, Emitter, PageReading, ShapeRow};
use crate::text::Sources;

/// Writes a line for each tool and one for each of its emitters; tools that do not page only
/// with `all`.
pub fn shapes_text(
    rows: &[ShapeRow],
    all: bool,
    sources: &Sources,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    let shown: Vec<&ShapeRow> =
        rows.iter().filter(|row| all || row.paging || !row.reads.is_empty()).collect();
    for row in &shown {
        writeln!(out, "{}", head(row, style))?;
        for emitter in &row.emitters {
            write_emitter(emitter, &mut places, style, out)?;
        }
        for reading in &row.reads {
            write_reading(reading, &mut places, style, out)?;
        }
    }
    if style.quiet {
        return Ok(());
    }
    if !shown.is_empty() {
        writeln!(out)?;
    }
    let paging = rows.iter().filter(|row| row.paging).count();
    let rest = if shown.len() < rows.len() { "; --all lists the rest" } else { "" };
    let readers = rows.iter().filter(|row| !row.reads.is_empty()).count();
    let readers = match readers {
        0 => String::new(),
        some => format!(", {some} read fields of pages that they pass on"),
    };
    let count = rows.len();
    writeln!(out, "{paging} of {count} tools, commands and functions send pages{readers}{rest}")
}

/// `scene.query  tool, list, resumable, stage x`.
fn head(row: &ShapeRow, style: &Style) -> String {
    let mut words = vec![row.kind.word().to_string()];
    words.extend(row.family.as_deref().map(|family| visible(family).into_owned()));
    words.extend(row.resumable.map(|yes| if yes { "resumable" } else { "not resumable" }.into()));
    words.extend(row.stage.as_deref().map(|stage| format!("stage {}", visible(stage))));
    format!("{}  {}", style.paint("1", &visible(&row.name)), words.join(", "))
}

fn write_emitter(
    emitter: &Emitter,
    places: &mut Places<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let built = match emitter.built_by {
        BuiltBy::None => "-",
        other => other.word(),
    };
    let colour = match emitter.built_by {
        BuiltBy::Builder => "32",
        BuiltBy::Hand | BuiltBy::Mixed => "31",
        BuiltBy::Upstream => "33",
        BuiltBy::None => "2",
    };
    let built = style.paint(colour, &format!("{built:<8}"));
    write!(out, "  {built} {}", visible(&emitter.shape))?;
    if let Some(meta) = &emitter.meta {
        write!(out, " with meta {}", visible(meta))?;
    }
    if emitter.confidence != Confidence::High {
        write!(out, " ({} confidence)", emitter.confidence.word())?;
    }
    let mut place = places.place(emitter.span.file, emitter.span.start, style);
    if let Some(function) = &emitter.function {
        place.push_str(&format!(" {}", visible(function)));
    }
    writeln!(out, "  {}", style.paint("2", &place))
}

fn write_reading(
    reading: &PageReading,
    places: &mut Places<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut place = places.place(reading.span.file, reading.span.start, style);
    place.push_str(&format!(" {}", visible(&reading.function)));
    let word = style.paint("2", &format!("{:<8}", "reads"));
    let fields = reading.fields.join(", ");
    writeln!(out, "  {word} {}  {}", visible(&fields), style.paint("2", &place))
}

/// Writes all rows as one object.
pub fn shapes_json(rows: &[ShapeRow], sources: &Sources, out: &mut dyn Write) -> io::Result<()> {
    let mut places = Places::new(sources);
    let shapes: Vec<Value> = rows.iter().map(|row| row_json(row, &mut places)).collect();
    write(&json!({ "version": 1, "shapes": shapes }), out)
}

fn row_json(row: &ShapeRow, places: &mut Places<'_>) -> Value {
    let emitters: Vec<Value> =
        row.emitters.iter().map(|emitter| emitter_json(emitter, places)).collect();
    let reads: Vec<Value> = row
        .reads
        .iter()
        .map(|reading| {
            let [path, start, end] = span_json(reading.span, places);
            json!({
                "path": path,
                "start": start,
                "end": end,
                "function": reading.function,
                "fields": reading.fields,
            })
        })
        .collect();
    json!({
        "name": row.name,
        "kind": row.kind.word(),
        "stage": row.stage,
        "family": row.family,
        "resumable": row.resumable,
        "paging": row.paging,
        "reads": reads,
        "emitters": emitters,
    })
}

fn emitter_json(emitter: &Emitter, places: &mut Places<'_>) -> Value {
    let [path, start, end] = span_json(emitter.span, places);
    json!({
        "path": path,
        "start": start,
        "end": end,
        "function": emitter.function,
        "shape": emitter.shape,
        "meta": emitter.meta,
        "built_by": emitter.built_by.word(),
        "confidence": emitter.confidence.word(),
    })
}
