//! The core library: which names mean which shared operation.
//!
//! Knows names only; whether a name still means the core library is the caller's question.

use crate::ir::Builtin;

/// A method of a value, by name and number of arguments. Operands: receiver, arguments.
pub(super) fn method(name: &str, args: usize) -> Option<Builtin> {
    Some(match (name, args) {
        ("push" | "unshift", 1..) | ("add", 1) => Builtin::Append,
        ("pop" | "shift", 0) => Builtin::Pop,
        ("slice", _) | ("substring" | "substr" | "splice", 1..) => Builtin::Slice,
        ("map" | "flatMap", 1..=2) => Builtin::Map,
        ("filter", 1..=2) => Builtin::Filter,
        ("forEach", 1..=2) => Builtin::ForEach,
        ("sort", 0..=1) | ("reverse", 0) => Builtin::Sort,
        ("includes", 1..=2) | ("has" | "hasOwnProperty", 1) => Builtin::Has,
        ("get", 1) => Builtin::Get,
        ("at", 1) => Builtin::Get,
        ("set", 2) => Builtin::Set,
        ("delete", 1) => Builtin::Remove,
        ("clear", 0) => Builtin::Clear,
        ("keys", 0) => Builtin::Keys,
        ("values", 0) => Builtin::Values,
        ("entries", 0) => Builtin::Entries,
        ("join", 0..=1) => Builtin::Join,
        ("startsWith", 1) => Builtin::StartsWith,
        ("endsWith", 1) => Builtin::EndsWith,
        ("split", 1..=2) => Builtin::Split,
        ("trim" | "trimStart" | "trimEnd" | "toLowerCase" | "toUpperCase", 0)
        | ("toLocaleLowerCase" | "toLocaleUpperCase" | "normalize", _)
        | ("padStart" | "padEnd", 1..=2) => Builtin::Trim,
        ("toString", 0..=1) | ("toFixed" | "toPrecision", _) => Builtin::ToText,
        _ => return None,
    })
}

/// A global function. Operands: arguments.
pub(super) fn function(name: &str) -> Option<Builtin> {
    Some(match name {
        "String" => Builtin::ToText,
        "Number" | "parseFloat" => Builtin::ToFloat,
        "parseInt" | "BigInt" => Builtin::ToInt,
        "Boolean" => Builtin::ToBool,
        "structuredClone" => Builtin::Copy,
        "setTimeout" | "setInterval" | "setImmediate" | "queueMicrotask" => Builtin::Invoke,
        "Array" => Builtin::MakeList,
        name if is_error(name) => Builtin::Error,
        _ => return None,
    })
}

/// What a function of a core namespace object means.
pub(super) enum Core {
    /// An operation on the arguments.
    Op(Builtin),
    /// Its first argument.
    Same,
    /// One element of its first argument.
    One,
    /// A test of the first argument for a type.
    Is(&'static str),
    /// `Array.from`: a copy, with a function a map.
    From,
    /// A list of the arguments.
    List,
}

/// `Object.keys` and the like.
pub(super) fn namespaced(object: &str, name: &str) -> Option<Core> {
    Some(match (object, name) {
        ("Object", "freeze" | "seal" | "preventExtensions") => Core::Same,
        ("Promise", "resolve" | "all" | "allSettled") => Core::Same,
        ("Promise", "race" | "any") => Core::One,
        ("Array", "isArray") => Core::Is("Array"),
        ("Number", "isInteger" | "isFinite" | "isSafeInteger") => Core::Is("number"),
        ("Array", "from") => Core::From,
        ("Array", "of") => Core::List,
        ("Object", "keys" | "getOwnPropertyNames") | ("Reflect", "ownKeys") => {
            Core::Op(Builtin::Keys)
        }
        ("Object", "values") => Core::Op(Builtin::Values),
        ("Object", "entries") => Core::Op(Builtin::Entries),
        ("Object", "fromEntries") => Core::Op(Builtin::FromEntries),
        ("Object", "assign") => Core::Op(Builtin::Assign),
        ("Object", "create") => Core::Op(Builtin::MakeObject),
        ("Object", "hasOwn") | ("Reflect", "has") => Core::Op(Builtin::Has),
        ("Reflect", "get") => Core::Op(Builtin::Get),
        ("Reflect", "set") => Core::Op(Builtin::Set),
        ("Reflect", "deleteProperty") => Core::Op(Builtin::Remove),
        ("JSON", "stringify") => Core::Op(Builtin::Encode),
        ("JSON", "parse") => Core::Op(Builtin::Decode),
        ("Math", "min") => Core::Op(Builtin::Min),
        ("Math", "max") => Core::Op(Builtin::Max),
        ("Math", "abs") => Core::Op(Builtin::Abs),
        ("Math", "floor" | "ceil" | "round" | "trunc") => Core::Op(Builtin::ToInt),
        ("Number", "parseInt") => Core::Op(Builtin::ToInt),
        ("Number", "parseFloat") => Core::Op(Builtin::ToFloat),
        ("Promise", "reject") => Core::Op(Builtin::Error),
        ("Buffer", "byteLength") => Core::Op(Builtin::Size),
        ("process", "exit" | "abort") => Core::Op(Builtin::Exit),
        ("process", "nextTick") => Core::Op(Builtin::Invoke),
        _ => return None,
    })
}

/// The core library's error classes.
pub(super) fn is_error(name: &str) -> bool {
    matches!(
        name,
        "Error"
            | "TypeError"
            | "RangeError"
            | "SyntaxError"
            | "ReferenceError"
            | "URIError"
            | "EvalError"
            | "AggregateError"
            | "DOMException"
    )
}
