//! TypeScript and JavaScript tree to IR.
//!
//! Knows the language only: nothing of pagination, packs or other files' contents.

mod bind;
mod builtin;
mod call;
mod chain;
mod class;
mod comment;
mod declare;
mod expr;
mod function;
mod literal;
mod loops;
mod mask;
mod module;
mod path;
mod scope;
mod stmt;
mod switch;
#[cfg(test)]
mod tests;
mod tree;
mod types;

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::{Input, Language, Trouble};
use crate::ir::{Block, Module, Name, Range, Value, ValueKind};
use crate::syntax;
use scope::Frame;

/// The TypeScript front end.
pub const LANGUAGE: Language = Language {
    id: "typescript",
    extensions: &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"],
    comment: "//",
    lower_with: |input, _| lower(input),
};

/// The grammar of a path. Plain JavaScript has no `<T>x` casts but may have JSX, so the
/// grammar with JSX reads all of it.
fn grammar(path: &str) -> tree_sitter::Language {
    match path.rsplit_once('.').map(|(_, e)| e) {
        Some("ts" | "mts" | "cts") => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        _ => tree_sitter_typescript::LANGUAGE_TSX.into(),
    }
}

fn lower(input: &Input<'_>) -> (Module, Vec<Trouble>) {
    let text: Cow<'_, str> = if input.text.ends_with('\n') {
        Cow::Borrowed(input.text)
    } else {
        Cow::Owned(format!("{}\n", input.text))
    };
    let tree = match syntax::parse(&grammar(input.path), &mask::mask(&text)) {
        Ok(tree) => tree,
        Err(stopped) => {
            let module = Module { unit: input.path.into(), ..Module::default() };
            let trouble = Trouble { offset: None, message: stopped.to_string(), fatal: true };
            return (module, vec![trouble]);
        }
    };
    let root = tree.root_node();
    let mut lower = Lower::new(&text, input.path);
    lower.module.comments = comment::comments(root, &text);
    lower.program(root);
    let troubles = if root.has_error() { vec![syntax_error(root)] } else { Vec::new() };
    (lower.module, troubles)
}

/// One trouble for all errors of a file, at the first of them.
fn syntax_error(root: Node<'_>) -> Trouble {
    let mut cursor = root.walk();
    let mut at = root;
    'down: loop {
        if at.is_error() || at.is_missing() {
            break;
        }
        cursor.reset(at);
        let children: Vec<_> = at.children(&mut cursor).collect();
        for child in children {
            if child.has_error() || child.is_missing() {
                at = child;
                continue 'down;
            }
        }
        break;
    }
    Trouble {
        offset: Some(at.start_byte() as u32),
        message: "syntax not understood here; code around it may be misread".into(),
        fatal: false,
    }
}

/// A file being lowered.
struct Lower<'a> {
    text: &'a str,
    path: &'a str,
    module: Module,
    /// Enclosing functions, outermost first; empty at the top of the file.
    frames: Vec<Frame>,
    /// Names declared at the top of the file: they hide the core library's.
    top: FxHashSet<Name>,
    /// Imports by their local name.
    imported: FxHashMap<Name, usize>,
    /// Names of whole imported packages, whose functions are no methods.
    packages: FxHashSet<Name>,
    /// The function of the top-level statements while it is not being lowered.
    init: Option<(Frame, Block)>,
}

impl<'a> Lower<'a> {
    fn new(text: &'a str, path: &'a str) -> Self {
        Lower {
            text,
            path,
            module: Module { unit: path.into(), ..Module::default() },
            frames: Vec::new(),
            top: FxHashSet::default(),
            imported: FxHashMap::default(),
            packages: FxHashSet::default(),
            init: None,
        }
    }

    fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    fn name(&self, node: Node<'_>) -> Name {
        self.text(node).into()
    }
}

/// An expression.
fn value(kind: ValueKind, range: Range) -> Value {
    Value { kind, range }
}

/// A value that is not modelled, without parts.
fn unknown(range: Range) -> Value {
    value(ValueKind::Opaque(Vec::new()), range)
}
