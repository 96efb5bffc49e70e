//! Names of the standard library to what they mean.
//!
//! Must not know whether a name is shadowed; the caller has looked.

use crate::ir::Builtin;

/// Whether a package reads and writes JSON with the standard functions.
pub(super) fn is_json(path: &str) -> bool {
    matches!(
        path,
        "encoding/json"
            | "encoding/json/v2"
            | "github.com/goccy/go-json"
            | "github.com/bytedance/sonic"
            | "github.com/json-iterator/go"
    )
}

/// Whether a call of this name converts to a type that is text.
pub(super) fn is_text_type(path: &str, name: &str) -> bool {
    is_json(path) && matches!(name, "RawMessage" | "Number")
}

/// What a function of a package means, if the analysis cares.
pub(super) fn meaning(path: &str, name: &str) -> Option<Builtin> {
    match path {
        "fmt" => fmt(name),
        "errors" => matches!(name, "New" | "Join").then_some(Builtin::Error),
        "strings" | "bytes" => text(name),
        "strconv" => match name {
            "Itoa" | "FormatInt" | "FormatUint" | "FormatBool" | "FormatFloat" | "Quote" => {
                Some(Builtin::ToText)
            }
            _ => None,
        },
        "slices" | "golang.org/x/exp/slices" => slices(name),
        "maps" | "golang.org/x/exp/maps" => maps(name),
        "sort" => match name {
            "Strings" | "Ints" | "Float64s" | "Slice" | "SliceStable" | "Sort" | "Stable" => {
                Some(Builtin::Sort)
            }
            _ => None,
        },
        "os" => (name == "Exit").then_some(Builtin::Exit),
        "runtime" => (name == "Goexit").then_some(Builtin::Exit),
        "log" => match name {
            "Fatal" | "Fatalf" | "Fatalln" | "Panic" | "Panicf" | "Panicln" => Some(Builtin::Exit),
            _ => None,
        },
        "math" => match name {
            "Min" => Some(Builtin::Min),
            "Max" => Some(Builtin::Max),
            "Abs" => Some(Builtin::Abs),
            _ => None,
        },
        _ if is_json(path) => json(name),
        _ => None,
    }
}

fn fmt(name: &str) -> Option<Builtin> {
    match name {
        "Sprintf" | "Sprint" | "Sprintln" => Some(Builtin::Format),
        "Errorf" => Some(Builtin::Error),
        _ => None,
    }
}

fn json(name: &str) -> Option<Builtin> {
    match name {
        _ if name.starts_with("Marshal") => Some(Builtin::EncodeChecked),
        "Unmarshal" => Some(Builtin::DecodeInto),
        // A decoder stands for the text that it reads.
        "NewDecoder" | "RawMessage" | "Number" => Some(Builtin::ToText),
        _ => None,
    }
}

fn text(name: &str) -> Option<Builtin> {
    match name {
        "TrimSpace" | "Trim" | "TrimLeft" | "TrimRight" | "TrimPrefix" | "TrimSuffix"
        | "TrimFunc" | "TrimLeftFunc" | "TrimRightFunc" | "ToLower" | "ToUpper" | "ToTitle"
        | "Title" | "Replace" | "ReplaceAll" | "Clone" => Some(Builtin::Trim),
        "Contains" => Some(Builtin::Has),
        "HasPrefix" => Some(Builtin::StartsWith),
        "HasSuffix" => Some(Builtin::EndsWith),
        "EqualFold" => Some(Builtin::SameFold),
        "Join" => Some(Builtin::Join),
        "Split" | "SplitN" | "SplitAfter" | "SplitAfterN" | "Fields" | "FieldsFunc" => {
            Some(Builtin::Split)
        }
        // A reader stands for the text that it reads.
        "NewReader" | "NewBuffer" | "NewBufferString" => Some(Builtin::ToText),
        _ => None,
    }
}

fn slices(name: &str) -> Option<Builtin> {
    match name {
        "Contains" => Some(Builtin::Has),
        "Sort" | "SortFunc" | "SortStableFunc" | "Sorted" | "SortedFunc" | "SortedStableFunc"
        | "Reverse" => Some(Builtin::Sort),
        "Clone" | "Collect" | "All" => Some(Builtin::Copy),
        "Values" => Some(Builtin::Values),
        _ => None,
    }
}

fn maps(name: &str) -> Option<Builtin> {
    match name {
        "Copy" => Some(Builtin::Merge),
        // What the function picks is taken out.
        "DeleteFunc" => Some(Builtin::Remove),
        "Clone" | "All" => Some(Builtin::Copy),
        "Keys" => Some(Builtin::Keys),
        "Values" => Some(Builtin::Values),
        _ => None,
    }
}
