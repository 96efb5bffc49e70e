//! Where the meta half of a page is declared and built.
//!
//! Knows no language and no rule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The meta half of a page.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Meta {
    /// Field that says whether the pages are exhausted.
    pub exhausted: Vec<String>,
    /// Field that carries the token of the next page.
    pub token: Vec<String>,
    /// Calls that hand the meta half to a sink beside it.
    pub option: Vec<String>,
    /// Type of a declaration of the pagination ability.
    pub declaration_types: Vec<String>,
    /// The only allowed kind.
    pub kinds: Vec<String>,
    /// Declaration field that holds the kind.
    pub kind_field: Vec<String>,
    /// Declaration field that names the cursor parameter.
    pub cursor_parameter_field: Vec<String>,
    /// Fixed paths: declaration field and its only value.
    pub fixed_paths: Vec<FixedPath>,
    /// The error type of a contradiction.
    pub inconsistency: String,
    /// Names that must not be added.
    pub alias_flags: Vec<String>,
    /// Field names that must not be added.
    pub alias_fields: Vec<String>,
}

/// A path that a product may not override.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FixedPath {
    /// Declaration fields, in every spelling.
    pub fields: Vec<String>,
    /// The only value.
    pub value: String,
}
