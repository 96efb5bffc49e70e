//! A report to an array of `PublishDiagnosticsParams`, for editors that run a command in place
//! of a server.
//!
//! Columns count UTF-16 code units, as the protocol has it where nobody negotiates.

use std::io::{self, Write};

use super::Style;
use crate::diagnostics;
use crate::positions::Encoding;
use crate::report::Report;
use crate::text::Sources;

/// Writes the array and a line end.
pub fn render(
    report: &Report,
    sources: &Sources,
    _style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let messages = diagnostics::messages(report, sources, Encoding::Utf16);
    serde_json::to_writer_pretty(&mut *out, &messages)?;
    writeln!(out)
}
