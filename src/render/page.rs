//! Rules to text: the table of all, and the page of one from its Markdown.
//!
//! Knows of Markdown only what rule pages use: headings, lists, fences, tables left as they are.

use std::io::{self, Write};

use super::{wrap, Style};
use crate::rules::RuleInfo;

/// Writes one line a rule, pack by pack.
pub fn rules_table(rules: &[RuleInfo], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut pack = "";
    for rule in rules {
        if rule.pack != pack {
            let gap = if pack.is_empty() { "" } else { "\n" };
            pack = rule.pack;
            writeln!(out, "{gap}{}", style.paint("1", pack))?;
        }
        let level = style.paint_level(rule.level, &format!("{:<7}", rule.level.word()));
        let indent = width + 13;
        let summary = wrap(rule.summary, style.width.min(110).saturating_sub(indent).max(30));
        let summary = summary.join(&format!("\n{}", " ".repeat(indent)));
        writeln!(out, "  {level}  {:<width$}  {summary}", rule.id)?;
    }
    Ok(())
}

/// Writes a rule's page. Plain text keeps the Markdown's own marks, which read well.
pub fn page(rule: &RuleInfo, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let width = style.width.min(90);
    let (mut fenced, mut head) = (false, true);
    let mut paragraph = String::new();
    for line in rule.page.lines() {
        if line.trim_start().starts_with("```") {
            flush(&mut paragraph, width, style, out)?;
            fenced = !fenced;
        } else if fenced {
            writeln!(out, "{}", style.paint("36", &format!("    {line}")).trim_end())?;
        } else if let Some(title) = heading(line) {
            flush(&mut paragraph, width, style, out)?;
            writeln!(out, "{}", style.paint("1;4", title))?;
            head &= !line.starts_with("##");
        } else if starts_block(line) || head && is_keyed(line) {
            flush(&mut paragraph, width, style, out)?;
            if line.trim().is_empty() {
                writeln!(out)?;
            } else {
                paragraph.push_str(line);
            }
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line.trim());
        }
    }
    flush(&mut paragraph, width, style, out)?;
    writeln!(out, "\n{}", rule.url())
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    (title.len() < line.len() && title.starts_with(' ')).then(|| title.trim())
}

/// Whether a line does not go on the paragraph before it.
fn starts_block(line: &str) -> bool {
    let text = line.trim_start();
    text.is_empty() || text.starts_with(['|', '>']) || item_indent(line).is_some()
}

/// Whether a line says something of the rule, as `level: error` does above the first section.
fn is_keyed(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| {
        !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '-')
    })
}

/// For a list item, the column where its text begins.
fn item_indent(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let mark = if text.starts_with("- ") || text.starts_with("* ") {
        2
    } else {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        (digits > 0 && text[digits..].starts_with(". ")).then_some(digits + 2)?
    };
    Some(line.len() - text.len() + mark)
}

fn flush(
    paragraph: &mut String,
    width: usize,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let text = std::mem::take(paragraph);
    if text.is_empty() {
        return Ok(());
    }
    if text.starts_with('|') {
        return writeln!(out, "{text}");
    }
    let indent = item_indent(&text).unwrap_or(0);
    let own = text.len() - text.trim_start().len();
    for (index, line) in wrap(text.trim_start(), width.saturating_sub(indent)).iter().enumerate() {
        let space = " ".repeat(if index == 0 { own } else { indent });
        writeln!(out, "{space}{}", code_spans(line, style))?;
    }
    Ok(())
}

/// Colours what stands in backticks, in place of the backticks.
fn code_spans(line: &str, style: &Style) -> String {
    if !style.colour || line.matches('`').count() % 2 == 1 {
        return line.to_string();
    }
    let parts = line.split('`').enumerate();
    parts.map(|(i, part)| if i % 2 == 1 { style.paint("36", part) } else { part.into() }).collect()
}
