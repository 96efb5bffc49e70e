//! Which files are captured JSON, and what each of them is.
//!
//! Names decide; content is asked only where a file was named without its kind.

use super::envelope::pages;
use super::facts::{Place, Words};
use super::json::{Kind, Value};
use super::result::is_result;
use super::session::is_message;
use crate::config::{Config, DocumentKind};
use crate::text::{FileId, Source, Sources};

/// Whether a file was named as captured JSON, and as what, if that was said.
pub fn of(source: &Source, sources: &Sources, config: &Config) -> Option<Option<DocumentKind>> {
    config.documents.kind(&sources.root.join(&source.path))
}

/// Whether a file holds records, a line each, by its name.
pub fn by_lines(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "jsonl" | "ndjson" | "jsonlines")
}

/// A file's name without folders and the last extension.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What a value is by its content, where that is plain.
pub fn sniff(value: Value<'_>, words: Words<'_>) -> Option<DocumentKind> {
    let first = if value.kind() == Kind::Array { value.parts().next()? } else { value };
    if is_recorded(first)
        || first.get("messages").is_some_and(|m| m.parts().next().is_some_and(is_recorded))
    {
        return Some(DocumentKind::Session);
    }
    if is_schema(value) {
        return Some(DocumentKind::Schema);
    }
    let place = Place { file: FileId(0), base: 0, passing: false };
    let result = words.meta.is_some_and(|meta| is_result(first, meta, words.envelope));
    let page = || words.envelope.is_some_and(|pack| !pages(first, &place, pack, None).is_empty());
    let answer = first.any(&["structuredContent"]).is_some()
        || first.get("content").is_some_and(|c| c.kind() == Kind::Array);
    (result || answer || page()).then_some(DocumentKind::Response)
}

fn is_recorded(value: Value<'_>) -> bool {
    let run = value.any(&["argv", "command", "cmd"]).is_some()
        && value.any(&["stdout", "output", "response"]).is_some();
    let call =
        value.get("tool").is_some() && value.any(&["result", "response", "output"]).is_some();
    is_message(value) || run || call || value.parts().any(is_message)
}

fn is_schema(value: Value<'_>) -> bool {
    let leaf = |v: Value<'_>| {
        v.object("result").is_some_and(|r| r.any(&["data_schema", "outcomes"]).is_some())
            || v.object("pagination")
                .is_some_and(|p| p.any(&["kind", "cursor_parameter", "meta_path"]).is_some())
    };
    let tools = value
        .get("tools")
        .and_then(|t| t.parts().next())
        .is_some_and(|t| t.get("inputSchema").is_some());
    let both = value.any(&["compact", "full"]).is_some_and(|v| v.is_object());
    let own = value.any(&["$schema", "$defs"]).is_some() || value.object("properties").is_some();
    leaf(value) || tools || both || own || value.parts().any(leaf)
}
