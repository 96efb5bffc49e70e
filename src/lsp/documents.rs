//! Open buffers: what the client's edits make of their texts.
//!
//! Never trusts a position: what lies outside a text is moved to its nearest end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use crate::discover::{near, Text};
use crate::positions::{Encoding, Lines};

/// One open buffer.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its name, as the client spells it.
    pub uri: Uri,
    /// Its path without links; nothing for what is no file.
    pub path: Option<PathBuf>,
    /// The client's number for this text.
    pub version: i32,
    /// The text.
    pub text: Arc<str>,
    /// The text after the checks that a file's bytes go through.
    pub checked: Text,
}

/// All open buffers, by the client's spelling of their names.
#[derive(Debug, Default)]
pub struct Documents {
    open: BTreeMap<String, Document>,
}

impl Documents {
    /// Opens a buffer, or replaces one that was open already.
    pub fn open(&mut self, uri: Uri, version: i32, text: String) {
        let path =
            crate::diagnostics::uri::to_path(uri.as_str()).map(|path| near::canonical(&path));
        let text: Arc<str> = text.into();
        let checked = Text::of_buffer(&text);
        let key = uri.as_str().to_string();
        self.open.insert(key, Document { uri, path, version, text, checked });
    }

    /// Applies edits in order. Gives whether there is such a buffer.
    pub fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> bool {
        let Some(document) = self.open.get_mut(uri.as_str()) else { return false };
        let mut text = document.text.to_string();
        for change in changes {
            apply(&mut text, change, encoding);
        }
        document.version = version;
        document.text = text.into();
        document.checked = Text::of_buffer(&document.text);
        true
    }

    /// Closes a buffer.
    pub fn close(&mut self, uri: &Uri) -> Option<Document> {
        self.open.remove(uri.as_str())
    }

    /// The buffer of a name.
    pub fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.as_str())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Document> {
        self.open.values()
    }
}

/// One edit; without a range it replaces the whole text.
fn apply(text: &mut String, change: &TextDocumentContentChangeEvent, encoding: Encoding) {
    let Some(range) = change.range else {
        change.text.clone_into(text);
        return;
    };
    let lines = Lines::new(text);
    let start = lines.offset(text, range.start.line, range.start.character, encoding);
    let end = lines.offset(text, range.end.line, range.end.character, encoding);
    text.replace_range(start.min(end)..start.max(end), &change.text);
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};

    use super::*;

    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        let place = |(line, character)| Position { line, character };
        let range = Some(Range { start: place(from), end: place(to) });
        TextDocumentContentChangeEvent { range, range_length: None, text: text.to_string() }
    }

    #[test]
    fn edits_are_applied_in_order_and_kept_inside() {
        let uri: Uri = "file:///nowhere/a.gd".parse().expect("a URI");
        let mut documents = Documents::default();
        documents.open(uri.clone(), 1, "a\u{1f389}b\nc\n".to_string());
        let changes =
            [edit((0, 3), (0, 4), "B"), edit((9, 0), (99, 99), "d"), edit((1, 7), (1, 0), "C")];
        assert!(documents.change(&uri, 2, &changes, Encoding::Utf16));
        assert_eq!(&*documents.get(&uri).expect("it is open").text, "a\u{1f389}B\nC\nd");
        let other: Uri = "file:///b.gd".parse().expect("a URI");
        assert!(!documents.change(&other, 2, &changes, Encoding::Utf16));
    }
}
