//! The grammar's fields, and the children of a node.
//!
//! Knows the grammar's words only, not what they mean.

use std::sync::LazyLock;

use tree_sitter::{Language, Node};

use crate::ir::{Range, Value, ValueKind};

/// The grammar.
pub(super) static GRAMMAR: LazyLock<Language> = LazyLock::new(|| tree_sitter_go::LANGUAGE.into());

macro_rules! fields {
    ($($variant:ident $word:literal,)*) => {
        /// Fields that lowering asks for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Part { $($variant,)* }

        const FIELDS: &[&str] = &[$($word,)*];
    };
}

fields! {
    Alias "alias",
    Alternative "alternative",
    Arguments "arguments",
    Body "body",
    Channel "channel",
    Communication "communication",
    Condition "condition",
    Consequence "consequence",
    Element "element",
    End "end",
    Field "field",
    Function "function",
    Index "index",
    Initializer "initializer",
    Key "key",
    Label "label",
    Left "left",
    Name "name",
    Operand "operand",
    Operator "operator",
    Package "package",
    Parameters "parameters",
    Path "path",
    Receiver "receiver",
    Result "result",
    Right "right",
    Start "start",
    Tag "tag",
    Type "type",
    TypeArguments "type_arguments",
    TypeParameters "type_parameters",
    Update "update",
    Value "value",
}

/// The grammar's number of each field: to ask for a child by name compares it with all of them. 0,
/// which no child has, where the grammar has no such field.
static NUMBERS: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let number = |word: &&str| GRAMMAR.field_id_for_name(word).map_or(0, |number| number.get());
    FIELDS.iter().map(number).collect()
});

/// The words for the kinds of nodes, by the grammar's number.
static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let count = u16::try_from(GRAMMAR.node_kind_count()).unwrap_or(u16::MAX);
    (0..count).map(|number| GRAMMAR.node_kind_for_id(number).unwrap_or("")).collect()
});

/// What lowering asks of a node.
pub(super) trait Ask<'t> {
    /// The word for its kind.
    fn word(self) -> &'static str;
    /// Its child of a field.
    fn part(self, field: Part) -> Option<Node<'t>>;
}

impl<'t> Ask<'t> for Node<'t> {
    fn word(self) -> &'static str {
        // The parser's own kinds, of what is no Go, have numbers past all others.
        WORDS.get(usize::from(self.kind_id())).copied().unwrap_or("ERROR")
    }

    fn part(self, field: Part) -> Option<Node<'t>> {
        self.child_by_field_id(NUMBERS[field as usize])
    }
}

/// The named children, comments left out.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|c| c.word() != "comment").collect()
}

/// The first named child that is no comment.
pub(super) fn first_child<'t>(node: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let found = node.named_children(&mut cursor).find(|c| c.word() != "comment");
    found
}

/// All children of a field.
pub(super) fn field_children<'t>(node: Node<'t>, field: Part) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    let number = std::num::NonZeroU16::new(NUMBERS[field as usize]);
    let found = number.map(|n| node.children_by_field_id(n, &mut cursor).filter(Node::is_named));
    found.into_iter().flatten().collect()
}

/// The bytes of a node.
pub(super) fn range(node: Node<'_>) -> Range {
    Range { start: node.start_byte() as u32, end: node.end_byte() as u32 }
}

/// A value at a node's place.
pub(super) fn at(node: Node<'_>, kind: ValueKind) -> Value {
    Value { kind, range: range(node) }
}
