//! The inside of a JSON string to the text that it means, and back to where each byte of that
//! text was written.
//!
//! Knows no value but strings.

use std::borrow::Cow;
use std::ops::Range;

/// Where the bytes of a decoded text were written: steps of `(decoded, written)`, in order,
/// between which both advance alike. Empty: nothing was decoded.
#[derive(Clone, Debug, Default)]
pub struct Map {
    steps: Vec<(u32, u32)>,
}

impl Map {
    /// The written place of a decoded byte.
    fn at(&self, byte: u32) -> u32 {
        match self.steps.partition_point(|(decoded, _)| *decoded <= byte).checked_sub(1) {
            Some(step) => {
                let (decoded, written) = self.steps[step];
                // Inside an escape there is nothing to advance over.
                let most = self.steps.get(step + 1).map_or(u32::MAX, |next| next.1);
                (written + (byte - decoded)).min(most)
            }
            None => byte,
        }
    }

    /// The written place of decoded bytes.
    pub fn range(&self, bytes: Range<u32>) -> Range<u32> {
        self.at(bytes.start)..self.at(bytes.end)
    }

    /// The map for a text that begins one byte (the quote) after `base`.
    pub fn shifted(mut self, base: u32) -> Map {
        for step in &mut self.steps {
            step.1 += base + 1;
        }
        self
    }

    /// The map through a second text that holds the first one.
    pub fn through(self, outer: &Map) -> Map {
        let mut steps = Vec::with_capacity(self.steps.len() + outer.steps.len());
        for (index, (decoded, written)) in self.steps.iter().copied().enumerate() {
            steps.push((decoded, outer.at(written)));
            // What the outer text escapes between two steps is a step of its own.
            let until = self.steps.get(index + 1).map_or(u32::MAX, |next| next.1);
            let first = outer.steps.partition_point(|step| step.0 <= written);
            let between = outer.steps[first..].iter().take_while(|step| step.0 < until);
            steps.extend(between.map(|step| (decoded + (step.0 - written), step.1)));
        }
        Map { steps }
    }
}

/// Length of the escape at the start of some bytes, if there is one.
pub fn escape(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => bytes.get(2..6)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

/// What the inside of a string means.
pub fn plain(raw: &str) -> Cow<'_, str> {
    if raw.contains('\\') {
        Cow::Owned(decode(raw).0)
    } else {
        Cow::Borrowed(raw)
    }
}

/// What the inside of a string means, and where each byte of that was written.
pub fn decode(raw: &str) -> (String, Map) {
    let mut text = String::with_capacity(raw.len());
    let mut steps = vec![(0, 0)];
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let before = raw.len() - rest.len() + at;
        let (c, length) = one(&rest[at..]);
        steps.push((text.len() as u32, before as u32));
        text.push(c);
        steps.push((text.len() as u32, (before + length) as u32));
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    (text, Map { steps })
}

/// The character of the escape at the start of a text, and its length. Half a surrogate pair
/// means no character and becomes the replacement sign.
fn one(text: &str) -> (char, usize) {
    let simple = match text.as_bytes().get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            let unit =
                |at: usize| text.get(at..at + 4).and_then(|t| u32::from_str_radix(t, 16).ok());
            let high = unit(2).unwrap_or(0xfffd);
            let low = text.get(6..8).filter(|t| *t == "\\u").and_then(|_| unit(8));
            return match (high, low) {
                (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) => {
                    let joined = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    (char::from_u32(joined).unwrap_or('\u{fffd}'), 12)
                }
                _ => (char::from_u32(high).unwrap_or('\u{fffd}'), 6),
            };
        }
        Some(other) => char::from(*other),
        None => '\u{fffd}',
    };
    (simple, text.len().min(2))
}
