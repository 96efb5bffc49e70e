//! The neutral program: what every front end lowers to and all later stages read.
//!
//! Nothing in here, nor above `lang/`, can tell which language a function came from.

pub mod ranges;
mod stmt;
mod value;
pub mod walk;

pub use stmt::{Arm, Block, LoopKind, Pattern, Stmt, StmtKind};
pub use value::{Arg, BinaryOp, Builtin, Entry, EntryKey, LocalRef, UnaryOp, Value, ValueKind};

use crate::text::{FileId, Span};

/// A name or decoded string: cheap to clone, small ones are stored inline.
pub type Name = smol_str::SmolStr;

/// A byte range inside the file of the module at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Range {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Range {
    /// The range as a span of `file`.
    pub fn in_file(self, file: FileId) -> Span {
        Span { file, start: self.start, end: self.end }
    }
}

/// One source file, lowered.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Modules with the same unit share one top-level scope: a package's directory where the
    /// language has packages, else the file's own path. Relative to the workspace root.
    pub unit: Name,
    /// Name by which other files reach this one without an import (a global class name),
    /// or the package's own name where the language has packages.
    pub name: Option<Name>,
    /// Whether `name` is visible everywhere without an import.
    pub global_name: bool,
    /// What the module's class extends, as written (a name or a path), if anything.
    pub extends: Option<Name>,
    /// Names bound to other modules.
    pub imports: Vec<Import>,
    /// All functions of the file, closures included; a closure is named by its index.
    pub functions: Vec<Function>,
    /// Struct, class and interface declarations.
    pub types: Vec<TypeDecl>,
    /// Constants and variables of file, package or class scope.
    pub globals: Vec<Global>,
    /// Names re-exported from other modules (`export { a as b } from "./x"`).
    pub reexports: Vec<Reexport>,
    /// Comments in source order.
    pub comments: Vec<Comment>,
    /// Whether an empty list or dictionary counts as false in a test.
    pub empty_is_false: bool,
    /// Whether the file says that a program wrote it.
    pub generated: bool,
}

/// All modules of a workspace.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The modules.
    pub modules: Vec<std::sync::Arc<Module>>,
    /// The file of each module, by the same index.
    pub files: Vec<FileId>,
    /// Whether each module is a test.
    pub tests: Vec<bool>,
    /// Whether each module only passes on what others send; missing ones do not.
    pub forwards: Vec<bool>,
    /// Virtual roots of import targets.
    pub mounts: Vec<crate::text::Mount>,
}

/// A local name for another module, or for one thing inside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The name in this file.
    pub local: Name,
    /// The targets to try, best first: workspace-relative paths with `/`, or texts with a
    /// mount's prefix (`res://a/b.gd`, `example.org/mod/internal/out`).
    pub targets: Vec<Name>,
    /// The thing imported from the target; `None` binds the module itself.
    pub item: Option<Name>,
    /// Where the import stands.
    pub range: Range,
}

/// A name that this module passes on from another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Reexport {
    /// The name seen by importers; `None` passes every name on.
    pub name: Option<Name>,
    /// The name inside the target; `None` is the module itself.
    pub item: Option<Name>,
    /// As in [`Import::targets`].
    pub targets: Vec<Name>,
}

/// How a function is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FunctionKind {
    /// By its name in its module.
    #[default]
    Free,
    /// On a value of its owner type, which is its receiver.
    Method,
    /// On its owner type itself.
    Static,
    /// Only by value.
    Closure,
    /// Run once before anything else (package initialisers, top-level code).
    Init,
}

/// One function, method or closure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Its name; empty for a closure.
    pub name: Name,
    /// Type or inner class that it belongs to.
    pub owner: Option<Name>,
    /// How it is reached.
    pub kind: FunctionKind,
    /// The slot of an explicit receiver variable.
    pub receiver: Option<u16>,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Declared result types; empty when none or unknown.
    pub results: Vec<Type>,
    /// Slots of named results, in order; empty when results are not named.
    pub result_slots: Vec<u16>,
    /// What it does.
    pub body: Block,
    /// How many local slots a call needs, parameters included.
    pub slots: u16,
    /// The slots' names, by slot; for messages and conventions only.
    pub slot_names: Vec<Name>,
    /// The whole declaration.
    pub range: Range,
    /// The name, or the head of a closure.
    pub name_range: Range,
    /// The function that encloses a closure, by index.
    pub parent: Option<u32>,
    /// Whether the parser recovered from an error inside.
    pub has_error: bool,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its slot in the call's frame.
    pub slot: u16,
    /// Its name.
    pub name: Name,
    /// Declared type, if any.
    pub ty: Type,
    /// Value when the argument is missing.
    pub default: Option<Value>,
    /// Whether it takes all further arguments as a list.
    pub variadic: bool,
    /// A destructuring pattern in place of a name: `(key, slot)` pairs read from the argument.
    pub fields: Vec<(Name, u16)>,
    /// Where it stands.
    pub range: Range,
}

/// A type as far as inference needs it. Pointers and optionals are their target.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Type {
    /// Not declared, or not modelled.
    #[default]
    Unknown,
    /// `qualifier.name` or `name`; builtin scalars are names too.
    Named(Option<Name>, Name),
    /// A list of the element type.
    List(Box<Type>),
    /// A map or dictionary with the value type.
    Map(Box<Type>),
    /// A function; the result types.
    Func(Vec<Type>),
}

/// A struct, class or interface.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDecl {
    /// Its name.
    pub name: Name,
    /// For an alias or a defined non-struct type, what it stands for.
    pub alias: Option<Type>,
    /// Classes and interfaces it extends or embeds, by name.
    pub extends: Vec<Type>,
    /// Its fields.
    pub fields: Vec<TypeField>,
    /// Whether it is an interface (no values of its own).
    pub interface: bool,
    /// The whole declaration.
    pub range: Range,
}

/// One field of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeField {
    /// Name in the program.
    pub name: Name,
    /// Name on the wire: the json tag, or the name itself where the language sends that.
    /// `None` when the field is never sent (`json:"-"`, unexported).
    pub wire: Option<Name>,
    /// Whether an empty value is left out (`omitempty`).
    pub omit_empty: bool,
    /// Whether its fields are sent as the outer type's own.
    pub embedded: bool,
    /// Declared type.
    pub ty: Type,
    /// Value of a class field, where the language has them.
    pub init: Option<Value>,
    /// The field.
    pub range: Range,
    /// The wire name inside its tag, or the name.
    pub wire_range: Range,
}

/// A constant or variable of file, package or class scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Its name.
    pub name: Name,
    /// The inner class it belongs to, if any.
    pub owner: Option<Name>,
    /// Initial value.
    pub value: Option<Value>,
    /// Declared type.
    pub ty: Type,
    /// Whether it cannot be assigned again.
    pub constant: bool,
    /// The declaration.
    pub range: Range,
}

/// A comment, as text without its markers.
#[derive(Clone, Debug, PartialEq)]
pub struct Comment {
    /// The text after the comment marker, untrimmed.
    pub text: Name,
    /// Whether nothing but white space stands before it on its line.
    pub own_line: bool,
    /// The comment with its marker.
    pub range: Range,
}
