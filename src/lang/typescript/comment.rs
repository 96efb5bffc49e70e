//! Comments of a tree, in source order.
//!
//! Does not know what a comment says.

use tree_sitter::Node;

use super::tree::range;
use crate::ir::Comment;

/// All comments below `root`.
pub(super) fn comments(root: Node<'_>, text: &str) -> Vec<Comment> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.kind() == "comment" {
            found.extend(comment(node, text));
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

fn comment(node: Node<'_>, text: &str) -> Option<Comment> {
    let raw = text.get(node.byte_range())?;
    let body = match raw.strip_prefix("/*") {
        Some(rest) => rest.strip_suffix("*/").unwrap_or(rest),
        None => raw.strip_prefix("//").unwrap_or(raw),
    };
    let before = text.get(..node.start_byte())?;
    // Stops at the first sign: a line may be as long as the file.
    let sign = before.chars().rev().find(|c| *c == '\n' || !c.is_whitespace());
    Some(Comment {
        text: body.trim_end_matches('\r').into(),
        own_line: matches!(sign, None | Some('\n' | '\u{feff}')),
        range: range(node),
    })
}
