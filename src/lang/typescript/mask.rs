//! A text for the parser in which `import("x").T` and `typeof import("x")` as types are
//! spelled in a way that the grammar knows. Offsets stay the same.
//!
//! Knows no tree. As values both spellings would be senseless, so no context is asked for;
//! names and texts are still read from the original.

use std::borrow::Cow;

const IMPORT: &str = "import(";
const TYPEOF: &str = "typeof";
const UNKNOWN: &str = "unknown";

/// The text with imports in types covered by spaces.
pub(super) fn mask(text: &str) -> Cow<'_, str> {
    let mut masked: Option<Vec<u8>> = None;
    for (start, _) in text.match_indices(IMPORT) {
        let Some(end) = import_end(text, start) else { continue };
        let before = text[..start].trim_end_matches([' ', '\t']);
        let after = &text[end..];
        let queried = before.ends_with(TYPEOF) && before.len() < start;
        let named = after.strip_prefix('.').and_then(|t| t.chars().next());
        let (from, to, word) = match named {
            Some(c) if c.is_uppercase() || queried => (start, end + 1, ""),
            None if queried => (before.len() - TYPEOF.len(), end, UNKNOWN),
            _ => continue,
        };
        let bytes = masked.get_or_insert_with(|| text.as_bytes().to_vec());
        if let Some(place) = bytes.get_mut(from..to) {
            place.fill(b' ');
            place[..word.len()].copy_from_slice(word.as_bytes());
        }
    }
    match masked.map(String::from_utf8) {
        Some(Ok(masked)) => Cow::Owned(masked),
        _ => Cow::Borrowed(text),
    }
}

/// The end of `import("...")` with nothing but one literal in it.
fn import_end(text: &str, start: usize) -> Option<usize> {
    let inner = text.get(start + IMPORT.len()..)?;
    let quote = inner.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let length = inner[1..].find([quote, '\n', '\\'])?;
    let rest = inner[1 + length..].strip_prefix(quote)?.strip_prefix(')')?;
    Some(text.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn types_are_covered_and_values_are_not() {
        for (text, masked) in [
            ("let a: import(\"x\").T[];", "let a:             T[];"),
            ("f<typeof import('x')>()", "f<unknown           >()"),
            ("f<typeof import('x').y>()", "f<typeof             y>()"),
            ("await import(\"x\")", "await import(\"x\")"),
            ("import(\"x\").then(f)", "import(\"x\").then(f)"),
            ("import(`x`).T; import(\"é", "import(`x`).T; import(\"é"),
        ] {
            assert_eq!(mask(text), masked);
            assert_eq!(mask(text).len(), text.len());
        }
    }
}
