//! The grammar's node kinds and fields as enums, and the children of a node.
//!
//! Knows the grammar's words only, not what they mean.

use std::sync::LazyLock;

use tree_sitter::{Language, Node, TreeCursor};

/// The grammar.
pub(super) static GRAMMAR: LazyLock<Language> =
    LazyLock::new(|| tree_sitter_gdscript::LANGUAGE.into());

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $table:ident: $($variant:ident $word:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name { $($variant,)* Other }

        const $table: &[(&str, $name)] = &[$(($word, $name::$variant),)*];
    };
}

words! {
    /// Kinds of named nodes; `Token` stands for words and operators without a name.
    Kind, KINDS:
    Annotation "annotation",
    Annotations "annotations",
    Arguments "arguments",
    Array "array",
    Assignment "assignment",
    Attribute "attribute",
    AttributeCall "attribute_call",
    AttributeSubscript "attribute_subscript",
    AugmentedAssignment "augmented_assignment",
    Await "await_expression",
    BaseCall "base_call",
    Binary "binary_operator",
    Body "body",
    Break "break_statement",
    Breakpoint "breakpoint_statement",
    Call "call",
    Class "class_definition",
    ClassBody "class_body",
    ClassName "class_name_statement",
    Comment "comment",
    Conditional "conditional_expression",
    Const "const_statement",
    Constructor "constructor_definition",
    Continue "continue_statement",
    DefaultParameter "default_parameter",
    Dictionary "dictionary",
    Elif "elif_clause",
    Else "else_clause",
    Enum "enum_definition",
    Enumerator "enumerator",
    EnumeratorList "enumerator_list",
    Error "ERROR",
    ExportVariable "export_variable_statement",
    ExpressionStatement "expression_statement",
    Extends "extends_statement",
    False "false",
    Float "float",
    For "for_statement",
    Function "function_definition",
    GetBody "get_body",
    GetNode "get_node",
    Identifier "identifier",
    If "if_statement",
    InferredType "inferred_type",
    Integer "integer",
    Lambda "lambda",
    LineContinuation "line_continuation",
    Match "match_statement",
    MatchBody "match_body",
    Name "name",
    NodePath "node_path",
    Null "null",
    OnreadyVariable "onready_variable_statement",
    Pair "pair",
    Parameters "parameters",
    Parenthesized "parenthesized_expression",
    Pass "pass_statement",
    PatternBinding "pattern_binding",
    PatternGuard "pattern_guard",
    PatternOpenEnding "pattern_open_ending",
    PatternSection "pattern_section",
    RegionEnd "region_end",
    RegionStart "region_start",
    Remote "remote_keyword",
    Return "return_statement",
    SetBody "set_body",
    Setget "setget",
    Signal "signal_statement",
    Static "static_keyword",
    String "string",
    StringName "string_name",
    Subscript "subscript",
    SubscriptArguments "subscript_arguments",
    True "true",
    Type "type",
    TypedDefaultParameter "typed_default_parameter",
    TypedParameter "typed_parameter",
    Unary "unary_operator",
    VariadicParameter "variadic_parameter",
    Variable "variable_statement",
    While "while_statement",
    // Never a node's own word: see `table`.
    Token "",
}

words! {
    /// Fields that lowering asks for.
    Field, FIELDS:
    Alternative "alternative",
    Body "body",
    Condition "condition",
    Extends "extends",
    Left "left",
    Name "name",
    Op "op",
    Parameters "parameters",
    ReturnType "return_type",
    Right "right",
    Type "type",
    Value "value",
}

/// Kinds by the grammar's number, `None` for punctuation that says nothing.
static KIND_OF: LazyLock<Vec<Option<Kind>>> = LazyLock::new(|| {
    let count = u16::try_from(GRAMMAR.node_kind_count()).unwrap_or(u16::MAX);
    (0..count).map(|id| kind_of(id, GRAMMAR.node_kind_for_id(id).unwrap_or(""))).collect()
});

fn kind_of(id: u16, word: &str) -> Option<Kind> {
    if GRAMMAR.node_kind_is_named(id) {
        let found = KINDS.iter().find(|(w, _)| *w == word);
        return Some(found.map_or(Kind::Other, |(_, kind)| *kind));
    }
    let silent = ["(", ")", "[", "]", "{", "}", ",", ".", ":", ";", "\"", ""];
    (!silent.contains(&word)).then_some(Kind::Token)
}

static FIELD_OF: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let count = u16::try_from(GRAMMAR.field_count()).unwrap_or(u16::MAX);
    let word = |id| GRAMMAR.field_name_for_id(id).unwrap_or("");
    let field = |id| FIELDS.iter().find(|(w, _)| *w == word(id)).map_or(Field::Other, |f| f.1);
    (0..=count).map(field).collect()
});

/// The kind of a node.
pub(super) fn kind(node: Node<'_>) -> Kind {
    if node.is_error() {
        return Kind::Error;
    }
    KIND_OF.get(usize::from(node.kind_id())).copied().flatten().unwrap_or(Kind::Token)
}

/// A child with what it is to its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kid<'t> {
    /// The child.
    pub node: Node<'t>,
    /// Its kind.
    pub kind: Kind,
    /// The field it stands in; `Other` for none.
    pub field: Field,
}

/// The children of a node, without punctuation and comments, in one pass over its width.
pub(super) fn kids<'t>(cursor: &mut TreeCursor<'t>, node: Node<'t>) -> Vec<Kid<'t>> {
    let mut found = Vec::new();
    cursor.reset(node);
    let mut more = cursor.goto_first_child();
    while more {
        let node = cursor.node();
        let kind = if node.is_error() {
            Some(Kind::Error)
        } else {
            KIND_OF.get(usize::from(node.kind_id())).copied().flatten()
        };
        if let Some(kind) = kind.filter(|k| !matches!(k, Kind::Comment | Kind::LineContinuation)) {
            let field = cursor
                .field_id()
                .and_then(|id| FIELD_OF.get(usize::from(id.get())).copied())
                .unwrap_or(Field::Other);
            found.push(Kid { node, kind, field });
        }
        more = cursor.goto_next_sibling();
    }
    found
}

impl Kind {
    /// Whether the node is an expression.
    pub(super) fn is_expression(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Array
                | Attribute
                | Await
                | BaseCall
                | Binary
                | Call
                | Conditional
                | Dictionary
                | False
                | Float
                | GetNode
                | Identifier
                | Integer
                | Lambda
                | NodePath
                | Null
                | Parenthesized
                | String
                | StringName
                | Subscript
                | True
                | Unary
        )
    }

    /// Whether statements or expressions may lie inside a node that is no expression.
    pub(super) fn has_code(self) -> bool {
        use Kind::*;
        !matches!(
            self,
            Annotation
                | Annotations
                | Comment
                | InferredType
                | LineContinuation
                | Name
                | Other
                | Parameters
                | PatternOpenEnding
                | RegionEnd
                | RegionStart
                | Remote
                | Static
                | Token
                | Type
        )
    }
}
