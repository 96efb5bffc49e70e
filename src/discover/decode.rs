//! Bytes of a file to text, or the reason why they are none, with the next step.
//!
//! Knows no language: the reasons hold for any source text.

/// The largest source file that is read.
pub const MAX_SOURCE_BYTES: usize = 2 * 1024 * 1024;

/// How far into a file the mark of a generator is looked for.
const GENERATED_LINES: usize = 40;

/// Decodes UTF-8, dropping a byte order mark; offsets refer to the text without it.
/// On failure gives the 1-based line, if one can be told, and the reason.
pub fn decode(bytes: Vec<u8>) -> Result<String, (Option<u32>, String)> {
    decode_within(bytes, MAX_SOURCE_BYTES)
}

/// The same with another limit of size.
pub fn decode_within(mut bytes: Vec<u8>, most: usize) -> Result<String, (Option<u32>, String)> {
    if bytes.len() > most {
        let limit = most / (1024 * 1024);
        return Err((None, format!("larger than {limit} MiB; split it or exclude it")));
    }
    if let Some(encoding) = other_encoding(&bytes) {
        return Err((None, format!("the text is {encoding}; save it as UTF-8")));
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let message = "contains a NUL byte; is it text? remove the byte or exclude the file";
        return Err((Some(line_at(&bytes, at)), message.to_string()));
    }
    if bytes.contains(&b'\r') && !bytes.contains(&b'\n') {
        let message = "lines end in a lone CR; save it with LF or CRLF line ends";
        return Err((None, message.to_string()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = line_at(error.as_bytes(), at);
        (Some(line), "not valid UTF-8; save it as UTF-8".to_string())
    })
}

/// Whether a generator marked the text as its own, by the convention
/// `// Code generated … DO NOT EDIT.` on a line of its own near the top.
pub fn is_generated(text: &str) -> bool {
    text.lines().take(GENERATED_LINES).any(|line| {
        let line = line.trim_end();
        line.starts_with("// Code generated ") && line.ends_with(" DO NOT EDIT.")
    })
}

/// UTF-16 or UTF-32, told by the mark or by the zeros that stand between Latin letters.
fn other_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Some("UTF-16"),
        _ => {}
    }
    let head = &bytes[..bytes.len().min(1024) & !3];
    if head.is_empty() {
        return None;
    }
    let zeros = |modulus: usize, rest: usize| {
        let places = head.iter().enumerate().filter(|(i, _)| i % modulus == rest);
        places.filter(|(_, byte)| **byte == 0).count()
    };
    let quarter = head.len() / 4;
    let most = |count: usize, of: usize| count * 10 >= of * 9;
    if most(zeros(4, 1), quarter) && most(zeros(4, 2), quarter) {
        return Some("UTF-32");
    }
    let half = head.len() / 2;
    let (even, odd) = (zeros(2, 0), zeros(2, 1));
    // Text in another script has fewer zeros, but then on one side only.
    let lopsided = |some: usize, other: usize| some >= 4 && some * 3 >= half && other == 0;
    (lopsided(even, odd) || lopsided(odd, even)).then_some("UTF-16")
}

fn line_at(bytes: &[u8], at: usize) -> u32 {
    bytes[..at].iter().filter(|byte| **byte == b'\n').count() as u32 + 1
}
