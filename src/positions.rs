//! Byte offsets to the lines and columns that editors count, and back.
//!
//! Knows no protocol type: an encoding is only a way to count columns.

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// How many columns a character takes.
    fn width(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// Where the lines of one text begin and end. Unlike a compiler, an editor ends a line at a
/// lone carriage return too.
#[derive(Clone, Debug)]
pub struct Lines {
    /// First byte, and one past the last byte before the line end.
    bounds: Vec<(u32, u32)>,
}

impl Lines {
    /// Indexes a text.
    pub fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let mut bounds = Vec::new();
        let (mut start, mut at) = (0, 0);
        while at < bytes.len() {
            let next = match bytes[at] {
                b'\n' => at + 1,
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => at + 2,
                b'\r' => at + 1,
                _ => {
                    at += 1;
                    continue;
                }
            };
            bounds.push((start as u32, at as u32));
            (start, at) = (next, next);
        }
        bounds.push((start as u32, bytes.len() as u32));
        Lines { bounds }
    }

    /// The 0-based line and column of a byte of `text`, which must be the indexed text.
    pub fn place(&self, text: &str, offset: u32, encoding: Encoding) -> (u32, u32) {
        let line = self.bounds.partition_point(|(start, _)| *start <= offset).saturating_sub(1);
        let (start, end) = self.bounds[line];
        let before = text.get(start as usize..offset.min(end) as usize).unwrap_or_else(|| {
            // Inside a character: that character's start.
            let mut at = offset.min(end) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            &text[start as usize..at]
        });
        let column = match encoding {
            Encoding::Utf8 => before.len(),
            Encoding::Utf16 | Encoding::Utf32 => before.chars().map(|c| encoding.width(c)).sum(),
        };
        (line as u32, column as u32)
    }

    /// The byte of a 0-based line and column. What lies outside the text is moved to the
    /// nearest place inside: a column past a line's end to that end, a line past the last
    /// one to the end of the text.
    pub fn offset(&self, text: &str, line: u32, column: u32, encoding: Encoding) -> usize {
        let Some((start, end)) = self.bounds.get(line as usize) else { return text.len() };
        let (start, end) = (*start as usize, *end as usize);
        let mut used = 0;
        for (at, c) in text[start..end].char_indices() {
            used += encoding.width(c);
            if used > column as usize {
                return start + at;
            }
        }
        end
    }

    /// The bytes of a line, its end left out; nothing for a line past the last.
    pub fn line(&self, line: u32) -> Option<std::ops::Range<usize>> {
        self.bounds.get(line as usize).map(|(start, end)| *start as usize..*end as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    #[test]
    fn columns_are_counted_as_asked() {
        let text = "a\u{e9}\u{1f389}b\r\nc\rd";
        let lines = Lines::new(text);
        let b = text.find('b').expect("it is there") as u32;
        assert_eq!(ALL.map(|e| lines.place(text, b, e)), [(0, 7), (0, 4), (0, 3)]);
        assert_eq!(lines.place(text, text.len() as u32, Encoding::Utf8), (2, 1));
        // Inside a surrogate pair: the character's start.
        assert_eq!(lines.offset(text, 0, 3, Encoding::Utf16), 3);
        assert_eq!(lines.offset(text, 0, 99, Encoding::Utf16), 8);
        assert_eq!(lines.offset(text, 9, 0, Encoding::Utf16), text.len());
    }

    proptest! {
        #[test]
        fn places_lead_back(text in "[a\u{e9}\u{1f389}\t \r\n]{0,60}") {
            let lines = Lines::new(&text);
            for (at, c) in text.char_indices() {
                // Between the two parts of a line end there is no place.
                if c == '\n' && text[..at].ends_with('\r') {
                    continue;
                }
                for encoding in ALL {
                    let (line, column) = lines.place(&text, at as u32, encoding);
                    prop_assert_eq!(lines.offset(&text, line, column, encoding), at);
                }
            }
        }
    }
}
