//! GDScript tree to IR.
//!
//! Knows the language and the engine's core library; must not know what inference makes of it.

mod call;
mod core_api;
mod decl;
#[cfg(test)]
mod dump;
mod expr;
mod function;
mod literal;
mod operators;
mod pattern;
mod pieces;
mod repair;
mod stmt;
mod template;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tree_sitter::{Node, TreeCursor};

use super::build::Scopes;
use super::{Fragment, Input, Language, Recall, Trouble};
use crate::ir::{Module, Name, Range, TypeField, Value, ValueKind};
use crate::syntax;

/// The GDScript front end.
pub const LANGUAGE: Language =
    Language { id: "gdscript", extensions: &["gd"], comment: "#", lower_with: lower };

fn lower(input: &Input<'_>, recall: &mut Recall<'_>) -> (Module, Vec<Trouble>) {
    let prepared = repair::prepare(input.text);
    let begun = Module { unit: input.path.into(), empty_is_false: true, ..Module::default() };
    let lowered = match (!recall.recalls()).then(|| whole(input, &prepared)).flatten() {
        Some(part) => {
            let mut module = begun;
            module.append(part, 0);
            Ok((module, None))
        }
        None => by_pieces(input, &prepared, recall, begun),
    };
    match lowered {
        Ok((mut module, error)) => {
            module.comments = prepared.comments;
            let trouble = error.map(|at| Trouble {
                offset: Some(at),
                message: "syntax error; the file is checked where it can be understood".to_owned(),
                fatal: false,
            });
            (module, trouble.into_iter().collect())
        }
        Err(stopped) => {
            let trouble = Trouble { offset: None, message: stopped.to_string(), fatal: true };
            (Module { unit: input.path.into(), ..Module::default() }, vec![trouble])
        }
    }
}

/// A file without mistakes, which says as a whole what its pieces say, in less time.
fn whole(input: &Input<'_>, prepared: &repair::Prepared) -> Option<Module> {
    let tree = syntax::parse(&tree::GRAMMAR, &prepared.text).ok()?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    // What goes on where a piece ends means something else than the piece alone.
    let mut cursor = root.walk();
    let mut cuts = pieces::cut(prepared).into_iter().map(|piece| piece.end).peekable();
    for child in root.children(&mut cursor) {
        while cuts.next_if(|cut| *cut <= child.start_byte()).is_some() {}
        if cuts.peek().is_some_and(|cut| *cut < child.end_byte()) {
            return None;
        }
    }
    let (module, stray) = lower_tree((input.path, input.text), root, None);
    stray.functions.is_empty().then_some(module)
}

/// A file piece by piece, and its first byte that could not be understood.
fn by_pieces(
    input: &Input<'_>,
    prepared: &repair::Prepared,
    recall: &mut Recall<'_>,
    mut module: Module,
) -> Result<(Module, Option<u32>), syntax::Stopped> {
    let (mut error, mut strays) = (None, Vec::new());
    let mut parsing = syntax::Parsing::new(&tree::GRAMMAR);
    for piece in pieces::cut(prepared) {
        let text = input.text.get(piece.start..piece.end.min(input.text.len())).unwrap_or("");
        let name = module.name.clone().unwrap_or_default();
        let part = &prepared.text[piece.clone()];
        let lower = || lower_piece((input.path, text), part, &name, &mut parsing);
        let fragment = recall.fragment(text, (part, &name), lower)?;
        let at = piece.start as u32;
        error = error.or(fragment.error.map(|error| error + at));
        let (part, stray) = match Arc::try_unwrap(fragment) {
            Ok(fragment) => (fragment.module, fragment.stray),
            Err(kept) => (kept.module.clone(), kept.stray.clone()),
        };
        module.append(part, at);
        strays.push((stray, at));
    }
    // Behind all functions, whose numbers then are the same with it and without it.
    strays.into_iter().for_each(|(stray, at)| module.append(stray, at));
    Ok((module, error))
}

/// Lowers one piece of a file; `name` is what the file's class is called as far as is known.
fn lower_piece(
    (path, text): (&str, &str),
    prepared: &str,
    name: &Name,
    parsing: &mut Result<syntax::Parsing, syntax::Stopped>,
) -> Result<Fragment, syntax::Stopped> {
    let tree = parsing.as_mut().map_err(|stopped| *stopped)?.parse(prepared)?;
    let root = tree.root_node();
    let (module, stray) = lower_tree((path, text), root, (!name.is_empty()).then(|| name.clone()));
    let error = first_error(root).map(|at| at.min(text.len()) as u32);
    let (prepared, context) = (prepared.to_owned(), name.to_string());
    Ok(Fragment { prepared, context, module, stray, error })
}

/// What a tree of a text says, and apart from it what its code outside of any function says;
/// `class_name` is what the file's class is called, if that is known.
fn lower_tree<'t>(
    (path, text): (&'t str, &'t str),
    root: Node<'t>,
    class_name: Option<Name>,
) -> (Module, Module) {
    let lower = Lower {
        text,
        path,
        cursor: root.walk(),
        module: Module::default(),
        class_name,
        scopes: Scopes::default(),
        open: Vec::new(),
        owner: None,
        fields: Vec::new(),
        loaded: FxHashSet::default(),
        chained: 0,
    };
    lower.file(root)
}

/// The first byte that the parser could not place. A token that it made up leaves no node
/// behind, then the innermost node that lacks it counts.
fn first_error(root: Node<'_>) -> Option<usize> {
    if !root.has_error() {
        return None;
    }
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() || !cursor.goto_first_child() {
            return Some(node.start_byte());
        }
        while !cursor.node().has_error() {
            if !cursor.goto_next_sibling() {
                return Some(node.start_byte());
            }
        }
    }
}

/// One piece of a file on its way to a [`Module`].
struct Lower<'t> {
    /// The original text of the piece.
    text: &'t str,
    path: &'t str,
    cursor: TreeCursor<'t>,
    module: Module,
    /// The name of the file's class.
    class_name: Option<Name>,
    scopes: Scopes,
    /// The functions that enclose the place at hand.
    open: Vec<Open>,
    /// The inner class at hand.
    owner: Option<Name>,
    /// Fields of the inner class at hand.
    fields: Vec<TypeField>,
    /// Local names of scripts that function bodies load.
    loaded: FxHashSet<Name>,
    /// How many links of call chains enclose the place at hand; the tree's depth does not
    /// count them, the IR's does.
    chained: usize,
}

/// A function whose body is being lowered.
struct Open {
    index: u32,
    name: Name,
    /// Enclosing constructs that a jump counts, innermost last: true for loops.
    jumps: Vec<bool>,
}

impl<'t> Lower<'t> {
    fn kids(&mut self, node: Node<'t>) -> Vec<tree::Kid<'t>> {
        tree::kids(&mut self.cursor, node)
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The node's range; the newline that was appended for the parser is left out.
    fn range(&self, node: Node<'_>) -> Range {
        let last = self.text.len();
        Range { start: node.start_byte().min(last) as u32, end: node.end_byte().min(last) as u32 }
    }

    /// The node's range without white space at its end.
    fn trimmed(&self, node: Node<'_>) -> Range {
        let range = self.range(node);
        let text = self.text.get(range.start as usize..range.end as usize).unwrap_or("");
        Range { start: range.start, end: range.start + text.trim_end().len() as u32 }
    }
}

fn value(kind: ValueKind, range: Range) -> Value {
    Value { kind, range }
}

fn opaque(parts: Vec<Value>, range: Range) -> Value {
    Value { kind: ValueKind::Opaque(parts), range }
}
