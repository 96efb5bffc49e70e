//! Text to tree: the one wrapper of the parser, with the budgets that keep a hostile file
//! from hanging the run.
//!
//! Knows no language; the grammar is an argument.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

/// Most steps of the parser for one file, as its progress reports count them. Ordinary source takes
/// less than ten for a thousand bytes; counted, not timed, so that a busy machine finds the same.
pub const PARSE_STEPS: u32 = 200_000;
/// Deepest nesting of syntax nodes that is analysed.
pub const MAX_DEPTH: u32 = 1000;

/// Why a text gave no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The parser ran out of steps.
    #[error("parsing took too many steps; the file was left out (split it or exclude it)")]
    Steps,
    /// The tree is nested too deeply.
    #[error("nested deeper than {MAX_DEPTH} levels; the file was left out")]
    Depth,
    /// The grammar does not fit the parser.
    #[error("the grammar could not be loaded")]
    Grammar,
}

/// Parses a text that should end in a newline, within the budgets.
pub fn parse(grammar: &tree_sitter::Language, text: &str) -> Result<Tree, Stopped> {
    Parsing::new(grammar)?.parse(text)
}

/// A parser for the parts of one file, which share its budget.
pub struct Parsing {
    parser: Parser,
    /// Steps that are left.
    left: u32,
}

impl Parsing {
    /// A parser for a file.
    pub fn new(grammar: &tree_sitter::Language) -> Result<Parsing, Stopped> {
        let mut parser = Parser::new();
        parser.set_language(grammar).map_err(|_| Stopped::Grammar)?;
        Ok(Parsing { parser, left: PARSE_STEPS })
    }

    /// Parses a part that should end in a newline.
    pub fn parse(&mut self, text: &str) -> Result<Tree, Stopped> {
        let left = &mut self.left;
        let mut watch = |_: &tree_sitter::ParseState| match left.checked_sub(1) {
            Some(fewer) => {
                *left = fewer;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        };
        let bytes = text.as_bytes();
        let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or(&[]);
        let options = ParseOptions::new().progress_callback(&mut watch);
        let tree = self.parser.parse_with_options(&mut read, None, Some(options));
        let tree = tree.ok_or(Stopped::Steps)?;
        if deeper_than(&tree, MAX_DEPTH) {
            return Err(Stopped::Depth);
        }
        Ok(tree)
    }
}

fn deeper_than(tree: &Tree, limit: u32) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0u32;
    loop {
        // No deeper than it has nodes: most subtrees need not be entered.
        let room = limit - depth;
        if cursor.node().descendant_count() > room as usize && cursor.goto_first_child() {
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
