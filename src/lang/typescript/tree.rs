//! Small questions about syntax nodes.
//!
//! Knows node kinds, but not what they mean.

use tree_sitter::Node;

use crate::ir::Range;

/// The bytes of a node.
pub(super) fn range(node: Node<'_>) -> Range {
    Range { start: node.start_byte() as u32, end: node.end_byte() as u32 }
}

/// The named children that are no comments.
pub(super) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|n| !n.is_extra() || n.is_error()).collect()
}

/// The first named child that is no comment.
pub(super) fn first(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let found = node.named_children(&mut cursor).find(|n| !n.is_extra() || n.is_error());
    found
}

/// Whether one of the direct children is this keyword or sign.
pub(super) fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    let found = node.children(&mut cursor).any(|n| !n.is_named() && n.kind() == token);
    found
}

/// The child of a field.
pub(super) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// The expression without parentheses, `!`, `as T` and `satisfies T` around it.
pub(super) fn bare(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let "parenthesized_expression"
    | "non_null_expression"
    | "as_expression"
    | "satisfies_expression" = node.kind()
    {
        match first(node) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// Whether an expression is a function written in place.
pub(super) fn is_function(node: Node<'_>) -> bool {
    matches!(bare(node).kind(), "arrow_function" | "function_expression" | "generator_function")
}

/// Whether a node declares a function by name.
pub(super) fn is_function_declaration(node: Node<'_>) -> bool {
    matches!(node.kind(), "function_declaration" | "generator_function_declaration")
}

/// Whether a node is a statement.
pub(super) fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement") || kind.ends_with("_declaration") || kind == "statement_block"
}

/// Whether a node holds a type and no value.
pub(super) fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "type_arguments"
            | "type_parameters"
            | "type_annotation"
            | "type_identifier"
            | "predefined_type"
            | "generic_type"
            | "union_type"
            | "object_type"
            | "array_type"
            | "literal_type"
            | "function_type"
            | "tuple_type"
            | "intersection_type"
            | "lookup_type"
            | "type_query"
            | "nested_type_identifier"
            | "index_type_query"
            | "conditional_type"
            | "readonly_type"
            | "parenthesized_type"
            | "type_predicate_annotation"
            | "asserts_annotation"
            | "template_literal_type"
            | "accessibility_modifier"
            | "override_modifier"
    )
}
