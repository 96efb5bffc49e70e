//! Names of the engine's core library to the operations that inference knows.
//!
//! Says what a name would mean if nobody redefines it; must not know who does.

use crate::ir::Builtin;

/// A method by name and number of arguments, where its operands are the receiver and the
/// arguments in order.
pub(super) fn method(name: &str, arguments: usize) -> Option<Builtin> {
    use Builtin::*;
    Some(match (name, arguments) {
        ("size" | "length", 0) => Size,
        ("is_empty", 0) => IsEmpty,
        ("has" | "has_key" | "contains", 1) => Has,
        ("get", 1 | 2) | ("get_or_add", 1 | 2) => Get,
        ("set", 2) => Set,
        ("erase", 1) => Remove,
        ("clear", 0) => Clear,
        ("merge", 1 | 2) => Merge,
        ("duplicate", 0 | 1) | ("duplicate_deep", 0 | 1) => Copy,
        ("keys", 0) => Keys,
        ("values", 0) => Values,
        ("append" | "push_back" | "push_front", 1) => Append,
        ("append_array", 1) => AppendAll,
        ("pop_front" | "pop_back", 0) | ("pop_at" | "remove_at", 1) => Pop,
        ("slice", 1..=4) => Slice,
        ("resize", 1) => Truncate,
        ("sort" | "reverse" | "shuffle", 0) | ("sort_custom", 1) => Sort,
        ("map", 1) => Map,
        ("filter", 1) => Filter,
        ("split", 0..=3) => Split,
        ("to_int" | "hex_to_int" | "bin_to_int", 0) => ToInt,
        ("to_float", 0) => ToFloat,
        ("call", _) => Invoke,
        ("call_deferred", _) => Invoke,
        ("bind", _) => BindLast,
        ("format", 1 | 2) => Format,
        ("strip_edges", 0..=2) => Trim,
        ("to_lower" | "to_upper" | "capitalize" | "dedent" | "strip_escapes", 0) => Trim,
        ("to_snake_case" | "to_camel_case" | "to_pascal_case" | "to_kebab_case", 0) => Trim,
        ("c_escape" | "c_unescape" | "json_escape" | "uri_encode" | "uri_decode", 0) => Trim,
        ("lstrip" | "rstrip" | "trim_prefix" | "trim_suffix", 1) => Trim,
        _ => return None,
    })
}

/// A global function or conversion by name, where its operands are the arguments in order.
pub(super) fn function(name: &str, arguments: usize) -> Option<Builtin> {
    use Builtin::*;
    Some(match (name, arguments) {
        ("len", 1) => Size,
        ("min" | "mini" | "minf", 2..) => Min,
        ("max" | "maxi" | "maxf", 2..) => Max,
        ("clamp" | "clampi" | "clampf", 3) => Clamp,
        ("abs" | "absi" | "absf", 1) => Abs,
        ("str" | "String" | "StringName" | "NodePath", 1) => ToText,
        ("int", 1) => ToInt,
        ("float", 1) => ToFloat,
        ("bool", 1) => ToBool,
        ("typeof", 1) => TypeOf,
        ("range", 1..=3) => Range,
        ("var_to_str" | "var_to_bytes" | "to_json", 1..) => Encode,
        ("str_to_var" | "bytes_to_var" | "parse_json", 1) => Decode,
        ("Array" | "Dictionary", 1..) => Copy,
        ("Array", 0) => MakeList,
        ("Dictionary", 0) => MakeObject,
        ("push_error" | "push_warning" | "printerr" | "prints" | "printt" | "printraw", _) => {
            Ignore
        }
        ("print" | "print_rich" | "print_verbose" | "print_debug" | "print_stack", _) => Ignore,
        _ if super::literal::packed_element(name).is_some() => match arguments {
            0 => MakeList,
            _ => Copy,
        },
        _ => return None,
    })
}

/// A static method of an engine class, whose receiver is no operand.
pub(super) fn class_method(class: &str, name: &str, arguments: usize) -> Option<Builtin> {
    Some(match (class, name, arguments) {
        ("JSON", "stringify" | "print", 1..) => Builtin::Encode,
        ("JSON", "parse_string", 1) => Builtin::Decode,
        ("ResourceLoader", "load", 1..) => Builtin::Load,
        _ => return None,
    })
}
