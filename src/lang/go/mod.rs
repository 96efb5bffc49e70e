//! Go text to IR: parses one file and lowers every declaration of it.
//!
//! Must not know which names matter to a contract; it lowers every call alike.

mod call;
mod comment;
mod composite;
mod decl;
mod expr;
mod flow;
mod function;
mod library;
mod literal;
mod scope;
mod stmt;
mod tree;
mod types;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::{Input, Language, Trouble};
use crate::ir::{Module, Name};
use crate::syntax;
use scope::{Frame, Scopes};
use tree::children;

/// The Go front end.
pub const LANGUAGE: Language =
    Language { id: "go", extensions: &["go"], comment: "//", lower_with: |input, _| lower(input) };

fn lower(input: &Input<'_>) -> (Module, Vec<Trouble>) {
    let (directory, file) = input.path.rsplit_once('/').unwrap_or(("", input.path));
    let mut module = Module { unit: directory.into(), ..Module::default() };
    // The grammar reports an error in a file that lacks its last line end.
    let text = match input.text.ends_with('\n') {
        true => Cow::Borrowed(input.text),
        false => Cow::Owned(format!("{}\n", input.text)),
    };
    let tree = match syntax::parse(&tree::GRAMMAR, &text) {
        Ok(tree) => tree,
        Err(stopped) => {
            let trouble = Trouble { offset: None, message: stopped.to_string(), fatal: true };
            return (module, vec![trouble]);
        }
    };
    let root = tree.root_node();
    let mut troubles = Vec::new();
    if root.has_error() {
        troubles.push(Trouble {
            offset: Some(first_error(root).min(input.text.len() as u32)),
            message: "a syntax error; what could be read around it was analysed".into(),
            fatal: false,
        });
    }
    module.comments = comment::comments(&text);
    module.generated = comment::generated(&module.comments, root_start(root));
    let mut lower = Lower::new(&text, file, module);
    lower.source_file(root);
    (lower.module, troubles)
}

/// First byte of the first construct that is no comment.
fn root_start(root: Node<'_>) -> u32 {
    children(root).first().map_or(u32::MAX, |n| n.start_byte() as u32)
}

/// The innermost first place that the parser had to repair.
fn first_error(root: Node<'_>) -> u32 {
    let mut node = root;
    let mut cursor = root.walk();
    while !node.is_error() && !node.is_missing() {
        let Some(inner) = node.children(&mut cursor).find(|c| c.has_error() || c.is_missing())
        else {
            break;
        };
        node = inner;
    }
    node.start_byte() as u32
}

/// One file on its way to IR.
struct Lower<'t> {
    text: &'t str,
    /// The file's name without its directory; keeps made-up type names apart in a package.
    file: &'t str,
    module: Module,
    scopes: Scopes<'t>,
    /// The functions around the place at hand, innermost last.
    frames: Vec<Frame<'t>>,
    /// Import paths by their name in this file.
    packages: FxHashMap<Name, Name>,
    /// What the file's own package-level types stand for.
    file_types: FxHashMap<&'t str, Node<'t>>,
    /// The same for types declared inside functions, by their longer names.
    inner_types: FxHashMap<Name, Node<'t>>,
    /// Names made up for struct types without one, by their first byte.
    anonymous: FxHashMap<usize, Name>,
    /// The value of `iota`, inside a constant group.
    iota: Option<i64>,
}

impl<'t> Lower<'t> {
    fn new(text: &'t str, file: &'t str, module: Module) -> Self {
        Lower {
            text,
            file,
            module,
            scopes: Scopes::default(),
            frames: Vec::new(),
            packages: FxHashMap::default(),
            file_types: FxHashMap::default(),
            inner_types: FxHashMap::default(),
            anonymous: FxHashMap::default(),
            iota: None,
        }
    }

    /// The text of a node.
    fn source(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The text of a node as a name.
    fn name(&self, node: Node<'_>) -> Name {
        self.source(node).into()
    }
}
