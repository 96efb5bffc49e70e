//! A report to Checkstyle XML.
//!
//! Knows no rule: its id becomes the source of an error.

use std::io::{self, Write};

use quick_xml::events::{BytesDecl, Event};
use quick_xml::Writer;

use super::address::xml_safe;
use super::{Places, Style};
use crate::report::{Finding, Level, Report};
use crate::text::Sources;

/// Writes the document.
pub fn render(
    report: &Report,
    sources: &Sources,
    _style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut places = Places::new(sources);
    let mut writer = Writer::new_with_indent(&mut *out, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer.create_element("checkstyle").with_attribute(("version", "8.0")).write_inner_content(
        |writer| {
            for findings in report.findings.chunk_by(|a, b| a.primary.file == b.primary.file) {
                let path = xml_safe(&sources.get(findings[0].primary.file).path);
                writer
                    .create_element("file")
                    .with_attribute(("name", path.as_str()))
                    .write_inner_content(|writer| {
                        findings.iter().try_for_each(|f| error(f, &mut places, writer))
                    })?;
            }
            Ok(())
        },
    )?;
    writeln!(out)
}

fn error<W: Write>(
    finding: &Finding,
    places: &mut Places<'_>,
    writer: &mut Writer<W>,
) -> io::Result<()> {
    let at = places.position(finding.primary.file, finding.primary.start);
    let severity = match finding.level {
        Level::Note => "info",
        other => other.word(),
    };
    let source = format!("pagelint.{}", finding.rule);
    // An attribute's line ends are read as spaces, so nothing is lost by writing them so.
    let message = xml_safe(&finding.message).replace(['\n', '\r', '\t'], " ");
    writer
        .create_element("error")
        .with_attribute(("line", at.line.to_string().as_str()))
        .with_attribute(("column", at.column.to_string().as_str()))
        .with_attribute(("severity", severity))
        .with_attribute(("message", message.as_str()))
        .with_attribute(("source", source.as_str()))
        .write_empty()?;
    Ok(())
}
