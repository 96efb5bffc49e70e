//! Laws of the pure parts, tried on many inputs.

use pagelint::text::LineIndex;
use proptest::prelude::*;

/// Text with all the line ends and widths that matter.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_string()),
        Just("\r\n".to_string()),
        Just("\t".to_string()),
        Just("é".to_string()),
        Just("𝄞".to_string()),
        "[ -~]{0,6}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// A place leads back to its byte.
    #[test]
    fn positions_round_trip(text in text()) {
        let index = LineIndex::new(&text);
        let offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for offset in offsets {
            let place = index.position(&text, offset as u32);
            prop_assert_eq!(place.offset as usize, offset);
            let start = index.start(place.line - 1).expect("the line exists") as usize;
            let line: Vec<(usize, char)> = text[start..].char_indices().collect();
            let back = line.get(place.column as usize - 1).map_or(text.len(), |(at, _)| start + at);
            prop_assert_eq!(back, offset);
            prop_assert!(!text[start..offset].contains('\n'));
        }
    }

    /// Places come in the order of their bytes, and there are as many lines as line ends and one.
    #[test]
    fn positions_are_ordered(text in text()) {
        let index = LineIndex::new(&text);
        prop_assert_eq!(index.len() as usize, text.matches('\n').count() + 1);
        let mut last = index.position(&text, 0);
        prop_assert_eq!((last.line, last.column), (1, 1));
        for offset in 1..=text.len() {
            let next = index.position(&text, offset as u32);
            prop_assert!((last.line, last.column) <= (next.line, next.column));
            last = next;
        }
    }

    /// An offset beyond the text is its end.
    #[test]
    fn positions_end_with_the_text(text in text(), beyond in 0u32..1000) {
        let index = LineIndex::new(&text);
        let end = text.len() as u32;
        prop_assert_eq!(index.position(&text, end + beyond), index.position(&text, end));
    }
}
