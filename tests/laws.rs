//! Laws of the pure parts, tried on many inputs.

use pagelint::ir::ranges::each_range;
use pagelint::ir::{Module, Range};
use pagelint::lang::{language_of, Fragments, Input, Recall};
use pagelint::layout::{Layouts, Placed};
use pagelint::text::{FileId, LineIndex, Span};
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

const SHELF: &str = "extends Node\n\nconst MOST := 20\nvar shelves := []\n\n\n# Lists.\n\
func list(params):\n\tvar cut := shelves.slice(0, MOST)\n\treturn {\"rows\": cut, \"count\": cut.size()}\n\n\n\
func each(step):\n\tfor shelf in shelves:\n\t\tstep.call(func(): return shelf)\n\n\n\
class Row:\n\tvar name := \"\"\n\tfunc text():\n\t\treturn name\n\n\n\
func last():\n\treturn {\"has_more\": false}\n";

const SHOP: &str = "package shop\n\nimport \"fmt\"\n\nvar most = 20\n\nfunc list(rows []string) map[string]any {\n\
\tcut := rows[:most]\n\treturn map[string]any{\"rows\": cut, \"count\": len(cut)}\n}\n\n\
type page struct {\n\tRows []string `json:\"rows\"`\n}\n\nfunc (p page) text() string { return fmt.Sprint(p) }\n";

fn ranges(module: &Module) -> Vec<Range> {
    let mut found = Vec::new();
    each_range(&mut module.clone(), |range| found.push(*range));
    found
}

fn placed(path: &str, text: &str, before: Option<&Placed>) -> (Vec<Range>, Placed) {
    let (module, _) = language_of(path).expect("a language").lower(&Input { path, text });
    let ranges = ranges(&module);
    (ranges, Placed::new(&text.into(), module, before))
}

/// A few signs put in or taken out somewhere.
type Change = (usize, String, usize);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let new = prop_oneof![
        "[a-z\\n\\t(){}:\"#]{0,4}",
        Just("\nfunc more():\n\treturn {\"total\": 1}\n".to_string()),
        Just("\nfunc more() int {\n\treturn 1\n}\n".to_string()),
        Just("\n".repeat(400)),
    ];
    prop::collection::vec((0usize..2000, new, 0usize..40), 1..12)
}

fn changed(text: &str, (at, new, gone): &Change) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = at % (chars.len() + 1);
    let rest = &chars[(at + gone).min(chars.len())..];
    chars[..at].iter().copied().chain(new.chars()).chain(rest.iter().copied()).collect()
}

proptest! {
    /// However a file is changed, each place leads back to its bytes, and places keep their order.
    #[test]
    fn places_stand_for_bytes(go in any::<bool>(), changes in changes()) {
        let (path, mut text) = if go { ("a/shop.go", SHOP.to_string()) } else { ("a/shelf.gd", SHELF.to_string()) };
        let file = FileId(0);
        let (_, mut last) = placed(path, &text, None);
        for change in &changes {
            text = changed(&text, change);
            let (real, next) = placed(path, &text, Some(&last));
            let mut layouts = Layouts::default();
            layouts.add(file, &next);
            let places = ranges(&next.module);
            prop_assert_eq!(places.len(), real.len());
            let mut pairs: Vec<(Range, Range)> = real.into_iter().zip(places).collect();
            for (real, place) in &pairs {
                let back = layouts.real(place.in_file(file));
                // The parser is given a line end more.
                let within = |at: u32| at.min(text.len() as u32);
                prop_assert_eq!(back, Span { file, start: within(real.start), end: within(real.end) });
            }
            pairs.sort();
            for pair in pairs.windows(2) {
                let ((a, a_place), (b, b_place)) = (pair[0], pair[1]);
                prop_assert!(a_place.start <= b_place.start);
                prop_assert_eq!(a.start == b.start, a_place.start == b_place.start);
            }
            last = next;
        }
    }

    /// What is recalled of the version before is what would be lowered now.
    #[test]
    fn recalled_parts_are_as_new(changes in changes()) {
        let path = "a/shelf.gd";
        let gdscript = language_of(path).expect("a language");
        let (mut text, mut fragments) = (SHELF.to_string(), Fragments::default());
        for change in &changes {
            text = changed(&text, change);
            let input = Input { path, text: &text };
            let mut recall = Recall::of(&fragments);
            let recalled = (gdscript.lower_with)(&input, &mut recall);
            prop_assert_eq!(format!("{:?}", recalled), format!("{:?}", gdscript.lower(&input)));
            fragments = recall.done();
        }
    }
}

#[test]
fn an_edit_above_moves_nothing_below() {
    let (_, before) = placed("a/shelf.gd", SHELF, None);
    let edited = SHELF
        .replace("MOST := 20", "MOST := 20\nconst LEAST := 1")
        .replace("\"count\"", "\"total\"");
    let (_, after) = placed("a/shelf.gd", &edited, Some(&before));
    let function = |placed: &Placed, name: &str| {
        placed.module.functions.iter().find(|f| f.name == name).expect("it is there").clone()
    };
    for name in ["each", "text", "last"] {
        assert_eq!(function(&before, name), function(&after, name));
    }
    assert_ne!(function(&before, "list"), function(&after, "list"));
    assert_eq!(before.module.types, after.module.types);
}
