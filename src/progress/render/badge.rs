//! The share that is done as an SVG badge.
//!
//! Uses no font but what the reader has; widths are estimated and then enforced.

use std::io::{self, Write};

use super::words::{escape, total};
use super::Shown;

/// Writes it.
pub fn render(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let total = total(shown.ledger);
    let (left, right) = (
        "pagination",
        match total.percent() {
            Some(percent) => format!("{percent} % ({}/{})", total.done(), total.all()),
            None => "no pages".to_string(),
        },
    );
    let colour = match total.percent() {
        Some(100) => "#1a7f37",
        Some(75..) => "#4d7c0f",
        Some(40..) => "#9a6700",
        Some(_) => "#b3261e",
        None => "#57606a",
    };
    let wide = |text: &str| text.chars().count() * 7 + 12;
    let (a, b) = (wide(left), wide(&right));
    let (width, at, mid) = (a + b, a / 2, a + b / 2);
    let (la, lb) = (a - 12, b - 12);
    let label = escape(&format!("{left}: {right}"));
    let right = escape(&right);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"20\" role=\"img\" \
         aria-label=\"{label}\"><title>{label}</title><clipPath id=\"r\"><rect width=\"{width}\" \
         height=\"20\" rx=\"3\"/></clipPath><g clip-path=\"url(#r)\"><rect width=\"{a}\" \
         height=\"20\" fill=\"#444c56\"/><rect x=\"{a}\" width=\"{b}\" height=\"20\" \
         fill=\"{colour}\"/></g><g fill=\"#fff\" text-anchor=\"middle\" \
         font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\"><text x=\"{at}\" y=\"14\" \
         textLength=\"{la}\">{left}</text><text x=\"{mid}\" y=\"14\" textLength=\"{lb}\">{right}\
         </text></g></svg>"
    )
}
