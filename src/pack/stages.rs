//! The part of a vocabulary that speaks of commands on their way to the meta half of a page:
//! stages, declarations and the words of the meta half.
//!
//! Knows no language and no rule.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A call that sets a command's stage.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StageCall {
    /// The call, by the last elements of its name.
    pub call: String,
    /// Which argument is the command, from 0.
    pub command: usize,
    /// Which argument is the stage, from 0.
    pub stage: usize,
}

/// A call that attaches a declaration to a command.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MetadataCall {
    /// The call, by the last elements of its name.
    pub call: String,
    /// Which argument is the command, from 0.
    pub command: usize,
    /// Which argument is the declaration, from 0.
    pub spec: usize,
    /// Fields of the command that hold what it runs.
    pub run: Vec<String>,
}

/// The calls by which a command gets its flags.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Flags {
    /// Methods of a command that give its own flags.
    pub own: Vec<String>,
    /// Methods of a command that give the flags which the commands below have too.
    pub inherited: Vec<String>,
    /// Methods of the flags that register one whose name is the first argument.
    pub first: Vec<String>,
    /// Methods of the flags that register one whose name is the second argument.
    pub second: Vec<String>,
    /// Calls that are given commands and register nothing on them.
    pub harmless: Vec<String>,
}

/// A call that says whether a command's stage is one of some.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StageGuard {
    /// The call, by the last elements of its name.
    pub call: String,
    /// The stages.
    pub stages: Vec<String>,
}

/// A parameter type through which a handler reaches its own declaration.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HandlerContext {
    /// The type's name.
    pub type_name: String,
    /// Its field that holds the declaration.
    pub field: String,
}

/// The meta half of a page.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Meta {
    /// Field of an answer that is its meta half, where the answer is encoded whole.
    pub half: Vec<String>,
    /// Field that is the data beside it.
    pub data: Vec<String>,
    /// Field of the meta half that holds the paging state.
    pub state: Vec<String>,
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
    /// Types that describe the result of a command.
    pub result_types: Vec<String>,
    /// Their field that holds the schema of the data.
    pub schema_field: String,
    /// Types by which a result declares paths of its own.
    pub result_declaration_types: Vec<String>,
    /// Fields of such a declaration that name a path.
    pub own_paths: Vec<String>,
    /// Types that sum up a product or group of commands.
    pub group_types: Vec<String>,
    /// Their field that would hold a declaration of pagination.
    pub group_field: String,
    /// The error type of a contradiction.
    pub inconsistency: String,
    /// Names that must not be added.
    pub alias_flags: Vec<String>,
    /// Field names that must not be added.
    pub alias_fields: Vec<String>,
}

/// Commands that are named by their place in a tree.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CommandTree {
    /// The struct's type, with its package where that tells it apart.
    pub type_name: String,
    /// Field whose first word is the last word of the name.
    pub name: String,
    /// Fields that hold what the command runs.
    pub run: Vec<String>,
    /// Methods of a command that hang their arguments below it.
    pub add: Vec<String>,
    /// Fields that list the commands below one.
    pub below: Vec<String>,
    /// Another type whose `below` lists the first commands.
    pub root: Option<String>,
    /// Methods of a command that run it as the program, whose own word is no part of a name.
    pub program: Vec<String>,
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

/// A stage of the migration.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stage {
    /// Its name in reports.
    pub name: String,
    /// Constants that stand for it in code, by the last element of their names.
    pub constants: Vec<String>,
    /// The highest level that findings keep in this stage.
    pub cap: String,
}
