//! Paths of a workspace to URIs, and texts to what a wire can carry.
//!
//! Knows no format.

/// A path as a relative URI: what a URI gives a meaning of its own is spelled out.
pub fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(byte as char),
            b'-' | b'_' | b'.' | b'~' | b'/' => out.push(byte as char),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Text that XML can hold: it has no way to write most control characters, not even as
/// references, so they are spelled out as in source code.
pub fn xml_safe(text: &str) -> String {
    let allowed = |c: char| match c {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' | '\u{7f}'..='\u{9f}' => false,
        c => c >= ' ',
    };
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if allowed(c) {
            out.push(c);
        } else {
            out.extend(c.escape_default());
        }
        out
    })
}

/// Text as part of a Markdown table or list: nothing in it is markup, a link or a mention.
pub fn markdown(text: &str) -> String {
    let visible = super::visible(text);
    let mut out = String::with_capacity(visible.len());
    for c in visible.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A zero-width joint would change what a reader copies; an entity does not.
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            ':' => out.push_str("&#58;"),
            c if c.is_ascii_punctuation()
                && !matches!(c, '.' | ',' | '-' | '/' | '\'' | '"' | '(' | ')' | '=' | '+') =>
            {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_texts_are_inert() {
        assert_eq!(uri("a b/ü%#?.gd"), "a%20b/%C3%BC%25%23%3F.gd");
        assert_eq!(xml_safe("a\u{0}b\u{1b}\n\u{ffff}"), "a\\u{0}b\\u{1b}\n\\u{ffff}");
        assert_eq!(
            markdown("<b>|`x` @me [a](http://b)"),
            "&lt;b&gt;\\|\\`x\\` &#64;me \\[a\\](http&#58;//b)"
        );
    }
}
