//! What an expression is.

use super::{Name, Range, Type};

/// An expression with the bytes it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Where it stands.
    pub range: Range,
}

impl Value {
    /// The type that a composite literal names, if it is one.
    pub fn struct_name(&self) -> Option<&Name> {
        match &self.kind {
            ValueKind::Struct(ty, _) => match &**ty {
                Type::Named(_, name) => Some(name),
                Type::Unknown | Type::List(_) | Type::Map(_) | Type::Func(_) => None,
            },
            _ => None,
        }
    }
}

/// A local variable: `up` frames out (0 is the function's own), then the slot there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalRef {
    /// How many enclosing functions to go out.
    pub up: u8,
    /// The slot in that function's frame.
    pub slot: u16,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    /// `null`, `nil`, `undefined`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text, decoded. When the range is two bytes longer than the text, byte `i` of the text
    /// stands at `range.start + 1 + i`.
    Str(Name),
    /// Text put together from parts (`a ${b}`, a format call's arguments).
    Format(Vec<Value>),
    /// A list literal. A spread element is a [`ValueKind::Spread`].
    List(Vec<Value>),
    /// A dictionary, map or object literal.
    Object(Vec<Entry>),
    /// A composite literal of a named type; entry keys are field names.
    Struct(Box<Type>, Vec<Entry>),
    /// A list or map literal with a declared element type behaves as `List` or `Object`;
    /// this is `...x` inside one, or in a call's arguments.
    Spread(Box<Value>),
    /// A local variable.
    Local(LocalRef),
    /// A name that is no local: a global, a function, a type, an import, a member of the
    /// enclosing class.
    Global(Name),
    /// The current object (`self`, `this`).
    This,
    /// `base.name`.
    Member(Box<Value>, Name, Range),
    /// `base[index]`.
    Index(Box<Value>, Box<Value>),
    /// A call. `builtin` is what the call means when `callee` is nothing that the workspace
    /// defines: then its operands are the callee's receiver (for a method call), then `args`.
    Call {
        /// What is called; a method is a [`ValueKind::Member`].
        callee: Box<Value>,
        /// The arguments.
        args: Vec<Arg>,
        /// The core library's meaning of this name.
        builtin: Option<Builtin>,
    },
    /// Allocation of a named type, with constructor arguments (`new T(a)`, `T.new(a)`).
    New(Box<Type>, Vec<Arg>),
    /// A core operation that is syntax in the language: operands in the builtin's order.
    Builtin(Builtin, Vec<Value>),
    /// `-x`, `not x`.
    Unary(UnaryOp, Box<Value>),
    /// `a op b`.
    Binary(BinaryOp, Box<Value>, Box<Value>),
    /// `condition`, `then`, `otherwise`.
    Ternary(Box<Value>, Box<Value>, Box<Value>),
    /// A function of this module by index, as a value with its surrounding variables.
    Closure(u32),
    /// `await x`.
    Await(Box<Value>),
    /// `x as T`, `x.(T)`: the same value if it is of the type.
    Assert(Box<Value>, Box<Type>),
    /// `v, ok` of a map look-up or an assertion: a pair.
    CommaOk(Box<Value>),
    /// `target = value` as an expression: gives the value.
    Assign(Box<Value>, Box<Value>),
    /// What the front end does not model, with its parts.
    Opaque(Vec<Value>),
}

/// A key and value of an object or struct literal.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: EntryKey,
    /// The value.
    pub value: Value,
    /// The key's bytes (the value's for a spread).
    pub key_range: Range,
}

/// How an entry names its field.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryKey {
    /// A name or text known from the source.
    Known(Name),
    /// A key computed at run time, a constant's name included.
    Computed(Box<Value>),
    /// `...value`: all fields of the value.
    Spread,
    /// A positional field of a struct literal.
    Position(u16),
}

/// A call's argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// The value; a spread argument is a [`ValueKind::Spread`].
    pub value: Value,
    /// Whether the callee is given the variable itself (`&x`), so that it may set it.
    pub place: bool,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `not`.
    Not,
    /// `-`.
    Neg,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    /// `needle in haystack`: operands in that order.
    In,
    /// `a ?? b`.
    Coalesce,
    /// Bit operations and shifts.
    Bits,
}

/// Operations that the core libraries of all languages share. Operands come in the order
/// given here; extra operands are ignored, missing ones unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Number of elements, characters or bytes: `x`.
    Size,
    /// Whether it has none: `x`.
    IsEmpty,
    /// Whether a dictionary has a key: `x, key`. For a list or text: whether it contains it.
    Has,
    /// The value of a key, or a default: `x, key, default?`.
    Get,
    /// Sets a key: `x, key, value`.
    Set,
    /// Removes a key: `x, key`.
    Remove,
    /// Removes everything: `x`.
    Clear,
    /// Copies all fields of others into the first, which is also the result:
    /// `x, other, overwrite?` (a third operand that is `false` keeps existing fields).
    Merge,
    /// As `Merge` with any number of others, each overwriting (`Object.assign(x, a, b)`).
    Assign,
    /// A copy of a list or dictionary: `x`.
    Copy,
    /// List of keys: `x`.
    Keys,
    /// List of values: `x`.
    Values,
    /// List of `[key, value]` pairs: `x`.
    Entries,
    /// What a loop takes apart into two: the pairs of a dictionary, the elements of a list: `x`.
    Pairs,
    /// An object from a list of pairs: `pairs`.
    FromEntries,
    /// Adds elements at the end, in place, and gives the list: `x, element...`.
    Append,
    /// Adds all elements of a list at the end, in place, and gives the list: `x, other`.
    AppendAll,
    /// Takes one element out of a list and gives it: `x`.
    Pop,
    /// A part of a list or text, as a new one: `x, from?, to?`.
    Slice,
    /// Orders a list in place and gives it: `x`.
    Sort,
    /// A list of the results of a function for each element: `x, function`.
    Map,
    /// A list of the elements for which a function holds: `x, function`.
    Filter,
    /// Runs a function for each element: `x, function`.
    ForEach,
    /// Least of the operands.
    Min,
    /// Greatest of the operands.
    Max,
    /// `x, low, high`: `x` held inside the bounds.
    Clamp,
    /// The number without its sign: `x`.
    Abs,
    /// Conversion to text: `x`.
    ToText,
    /// Conversion to a whole number: `x`.
    ToInt,
    /// Conversion to a number with fraction: `x`.
    ToFloat,
    /// Conversion to true or false: `x`.
    ToBool,
    /// Text with white space trimmed, in lower case and the like: still about `x`.
    Trim,
    /// Whether a text begins with another: `x, beginning`.
    StartsWith,
    /// Whether a text ends with another: `x, end`.
    EndsWith,
    /// Whether texts are equal but for the case of letters: `x, other`.
    SameFold,
    /// Whether a value is of a type: `x, type name as text`.
    IsType,
    /// The type of a value as a comparable constant: `x`.
    TypeOf,
    /// JSON text of a value: `x`. Where the language gives an error too, a pair.
    Encode,
    /// As `Encode`, giving a `(text, error)` pair.
    EncodeChecked,
    /// Value of a JSON text: `text`.
    Decode,
    /// Fills the second operand from a JSON text and gives an error or null: `text, target`.
    DecodeInto,
    /// A text built from a template and values: `template, value...`.
    Format,
    /// A list joined to a text: `list, separator`.
    Join,
    /// A text split to a list: `text, separator`.
    Split,
    /// A new error value, never null: `text...`.
    Error,
    /// Stops the program or the thread; never returns.
    Exit,
    /// Calls a function value: `function, arg...`.
    Invoke,
    /// Cuts a list, in place, to a number of elements: `list, number`.
    Truncate,
    /// A function value with leading arguments bound: `function, arg...`.
    Bind,
    /// A function value with trailing arguments bound: `function, arg...`.
    BindLast,
    /// Numbers from a range as a list: `from?, to, step?`.
    Range,
    /// A new empty list or dictionary of a type: none.
    MakeList,
    /// A new empty dictionary: none.
    MakeObject,
    /// Loads a module by path text: `path`.
    Load,
    /// Nothing that inference cares about (logging, locking): result unknown.
    Ignore,
}
