//! Text to tree: the one wrapper of the parser, with the budgets that keep a hostile file
//! from hanging the run.
//!
//! Knows no language; the grammar is an argument.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Tree};

/// Longest time that one file may take to parse; a program that is not optimised, on a machine
/// that is busy, gets more.
pub const PARSE_TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 2 });
/// Deepest nesting of syntax nodes that is analysed.
pub const MAX_DEPTH: u32 = 1000;

/// Why a text gave no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The parser ran out of time.
    #[error("parsing took longer than {} s; the file was left out (split it or exclude it)", PARSE_TIME.as_secs())]
    Time,
    /// The tree is nested too deeply.
    #[error("nested deeper than {MAX_DEPTH} levels; the file was left out")]
    Depth,
    /// The grammar does not fit the parser.
    #[error("the grammar could not be loaded")]
    Grammar,
}

/// Parses `text`, which should end in a newline, within the budgets.
///
/// `old` is the edited tree of an earlier text, for incremental parsing.
pub fn parse(
    grammar: &tree_sitter::Language,
    text: &str,
    old: Option<&Tree>,
) -> Result<Tree, Stopped> {
    let mut parser = Parser::new();
    parser.set_language(grammar).map_err(|_| Stopped::Grammar)?;
    let begun = Instant::now();
    let mut watch = |_: &tree_sitter::ParseState| {
        if begun.elapsed() > PARSE_TIME {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let bytes = text.as_bytes();
    let tree = parser
        .parse_with_options(
            &mut |offset, _| bytes.get(offset..).unwrap_or(&[]),
            old,
            Some(ParseOptions::new().progress_callback(&mut watch)),
        )
        .ok_or(Stopped::Time)?;
    if deeper_than(&tree, MAX_DEPTH) {
        return Err(Stopped::Depth);
    }
    Ok(tree)
}

fn deeper_than(tree: &Tree, limit: u32) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0u32;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            if depth > limit {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}
