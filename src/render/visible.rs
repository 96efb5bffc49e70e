//! Text of unknown origin to text that a terminal only shows.
//!
//! Knows nothing of what the text is.

use std::borrow::Cow;

/// Whether a character acts on a terminal or hides text, so that it must be spelled out.
pub fn acts(c: char) -> bool {
    let reorders = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}');
    let breaks = matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    (c.is_control() && c != '\t') || reorders || breaks
}

/// Spells out every character that acts on a terminal, line ends included.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if acts(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}
