//! Marked places of one text to the lines around them, with miette's drawing.
//!
//! Knows nothing of findings: a configuration error is drawn with it too.

use std::fmt;
use std::ops::Range;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, SourceCode,
    SourceSpan, SpanContents,
};

use super::visible::acts;
use super::{wrap, Style};
use crate::report::Level;
use crate::text::LineIndex;

/// Lines shown before and after a marked one.
const CONTEXT: u32 = 1;
/// Narrowest part of a long line that is shown.
const LEAST_WIDTH: usize = 60;
/// Columns that stand before the help's text.
const HELP_INDENT: usize = 8;
/// Characters kept before the first mark of a long line.
const LEAD: usize = 16;

/// A place to mark.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Its bytes.
    pub range: Range<usize>,
    /// What is there.
    pub message: String,
    /// Whether it is the place that the whole is about.
    pub primary: bool,
}

/// A message with marked text.
pub struct Notice<'a> {
    /// Weight.
    pub level: Level,
    /// First line; may hold colours.
    pub message: String,
    /// Path shown over the text.
    pub path: String,
    /// The whole text.
    pub text: &'a str,
    /// The places, all in this text.
    pub marks: Vec<Mark>,
    /// What to do, shown under the text.
    pub help: Option<String>,
}

/// Draws a notice.
pub fn draw(notice: &Notice<'_>, index: &LineIndex, style: &Style) -> String {
    let theme = match (style.unicode, style.colour) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::unicode_nocolor(),
        (false, colour) => {
            let mut theme = GraphicalTheme::ascii();
            if !colour {
                theme.styles = GraphicalTheme::none().styles;
            }
            theme
        }
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_context_lines(CONTEXT as usize)
        // It would break paths and addresses at every slash.
        .with_wrap_lines(false)
        .tab_width(4);
    let mut out = String::new();
    let help = notice.help.as_ref().map(|help| {
        let width = style.width.saturating_sub(HELP_INDENT).max(LEAST_WIDTH);
        help.lines().flat_map(|line| wrap(line, width)).collect::<Vec<_>>().join("\n")
    });
    let drawn = Drawn { notice, help, window: Window::new(notice, index, style) };
    if handler.render_report(&mut out, &drawn).is_err() {
        // Only a mark outside its text can do that; the message must be seen all the same.
        out = format!("{}: {}\n", notice.path, notice.message);
    }
    let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_string() + "\n"
}

/// The part of a text that is shown, made harmless, with its marks moved along.
struct Window {
    name: String,
    text: String,
    first_line: usize,
    labels: Vec<LabeledSpan>,
    /// True place of each label: offset in `text`, 0-based line, 0-based column.
    places: Vec<(usize, usize, usize)>,
}

impl Window {
    fn new(notice: &Notice<'_>, index: &LineIndex, style: &Style) -> Window {
        let text = notice.text;
        let marks: Vec<(u32, Range<usize>, &Mark)> = notice
            .marks
            .iter()
            .map(|mark| {
                // What points behind the last line end means the end of that line.
                let last = text.len() - usize::from(text.ends_with('\n'));
                let start = floor(text, mark.range.start.min(last));
                let line = index.line(start as u32);
                let line_end = line_range(text, index, line).end.max(start);
                let end = floor(text, mark.range.end).clamp(start, line_end);
                (line, start..end, mark)
            })
            .collect();
        let shown = |line: u32| marks.iter().any(|(l, ..)| l.abs_diff(line) <= CONTEXT);
        let first = marks.iter().map(|m| m.0).min().unwrap_or(0).saturating_sub(CONTEXT);
        let last = marks.iter().map(|m| m.0).max().unwrap_or(0).saturating_add(CONTEXT);
        let mut window = Window {
            name: notice.path.clone(),
            text: String::new(),
            first_line: first as usize,
            labels: Vec::new(),
            places: Vec::new(),
        };
        // After the last line end there is no line worth showing.
        let end = index.len() - u32::from(text.ends_with('\n')).min(index.len() - 1);
        for line in first..=last.min(end - 1) {
            // Lines between far marks are never drawn, but they count.
            if shown(line) {
                let here: Vec<_> = marks.iter().filter(|m| m.0 == line).collect();
                window.push_line((text, index), line_range(text, index, line), &here, style);
            }
            window.text.push('\n');
        }
        window
    }

    fn push_line(
        &mut self,
        (text, index): (&str, &LineIndex),
        range: Range<usize>,
        marks: &[&(u32, Range<usize>, &Mark)],
        style: &Style,
    ) {
        let line = &text[range.clone()];
        let kept = kept_part(line, range.start, marks, style);
        let base = self.text.len();
        let ellipsis = if style.unicode { "…" } else { "..." };
        let mut offsets = Vec::with_capacity(kept.len() + 2);
        if kept.start > 0 {
            self.text.push_str(ellipsis);
        }
        for (at, c) in line[kept.clone()].char_indices() {
            offsets.push((kept.start + at, self.text.len()));
            if acts(c) {
                self.text.extend(c.escape_default());
            } else {
                self.text.push(c);
            }
        }
        offsets.push((kept.end, self.text.len()));
        if kept.end < line.len() {
            self.text.push_str(ellipsis);
        }
        let moved = |byte: usize| {
            let at = offsets.partition_point(|(from, _)| *from < byte);
            offsets.get(at).or(offsets.last()).map_or(base, |(_, to)| *to)
        };
        let drawn = apart(marks.iter().map(|(_, span, _)| span.clone()).collect());
        for ((number, span, mark), drawn) in marks.iter().zip(drawn) {
            let start = moved(drawn.start - range.start);
            let end = moved(drawn.end - range.start).max(start);
            let message = (!mark.message.is_empty()).then(|| mark.message.clone());
            let place: SourceSpan = (start, end - start).into();
            self.labels.push(if mark.primary {
                LabeledSpan::new_primary_with_span(message, place)
            } else {
                LabeledSpan::new_with_span(message, place)
            });
            let column = index.position(text, span.start as u32).column as usize - 1;
            self.places.push((start, *number as usize, column));
        }
    }
}

/// Marks of one line without what other marks lie on: lines under both would run together.
fn apart(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    for outer in 0..spans.len() {
        for inner in 0..spans.len() {
            let (mark, within) = (spans[outer].clone(), spans[inner].clone());
            let overlap = within.start < mark.end && mark.start < within.end;
            if !overlap || within.len() >= mark.len() {
                continue;
            }
            match within.start > mark.start {
                true => spans[outer].end = within.start,
                false => spans[outer].start = within.end,
            }
        }
    }
    spans
}

/// The nearest place at or before a byte that lies between two characters.
fn floor(text: &str, byte: usize) -> usize {
    let mut at = byte.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The bytes of a line without its end.
fn line_range(text: &str, index: &LineIndex, line: u32) -> Range<usize> {
    let start = index.start(line).unwrap_or(0) as usize;
    let end = index.start(line + 1).map_or(text.len(), |next| next as usize - 1);
    let end = if text[start..end].ends_with('\r') { end - 1 } else { end };
    start..end
}

/// The part of a line that is shown: all of it, or as much as fits from a little before the
/// first mark.
fn kept_part(
    line: &str,
    offset: usize,
    marks: &[&(u32, Range<usize>, &Mark)],
    style: &Style,
) -> Range<usize> {
    let width = style.width.saturating_sub(12).max(LEAST_WIDTH);
    // Never counted from the beginning: a line may be a whole file.
    if line.len() <= width || line.chars().nth(width).is_none() {
        return 0..line.len();
    }
    let primary = marks.iter().find(|m| m.2.primary).or(marks.first());
    let before = &line[..primary.map_or(0, |m| (m.1.start - offset).min(line.len()))];
    let back = |text: &str, count: usize| {
        text.char_indices().rev().nth(count.saturating_sub(1)).map_or(0, |(at, _)| at)
    };
    // Code that nearly begins at the margin is easier to read with its beginning.
    let near = before.chars().rev().take(width / 2).count() < width / 2;
    let first = if near { 0 } else { back(before, LEAD).min(back(line, width)) };
    let end = line[first..].char_indices().nth(width).map_or(line.len(), |(at, _)| first + at);
    first..end
}

impl SourceCode for Window {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.as_str().read_span(span, before, after)?;
        // Asked without context, the place of one label is wanted, as it is in the file.
        let exact = self.places.iter().find(|place| before == 0 && place.0 == span.offset());
        let (line, column) = match exact {
            Some((_, line, column)) => (*line, *column),
            None => (contents.line() + self.first_line, contents.column()),
        };
        Ok(Box::new(miette::MietteSpanContents::new_named(
            self.name.clone(),
            contents.data(),
            *contents.span(),
            line,
            column,
            contents.line_count(),
        )))
    }
}

struct Drawn<'a> {
    notice: &'a Notice<'a>,
    help: Option<String>,
    window: Window,
}

impl fmt::Debug for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.notice.message)
    }
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.notice.message)
    }
}

impl std::error::Error for Drawn<'_> {}

impl Diagnostic for Drawn<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.notice.level {
            Level::Error => miette::Severity::Error,
            Level::Warning => miette::Severity::Warning,
            Level::Note | Level::Off => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.help.as_ref();
        help.map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.window)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.window.labels.iter().cloned()))
    }
}
