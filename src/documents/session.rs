//! Recorded messages to calls and what came back: JSON-RPC traffic, MCP tool results, runs of a
//! command line.
//!
//! Judges nothing; what a call and its answer mean for paging is asked elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::command_line;
use super::facts::{Argument, Place, Request, Worth};
use super::json::{Json, Kind, Value};

/// Most calls that wait for their answer.
const MOST_WAITING: usize = 100_000;

/// What a recorded message shows.
pub enum Event<'j, 'r> {
    /// A body that came back, and the call it answers if that was recorded.
    Body(Value<'j>, Option<&'r Request>),
    /// The list of tools that a server has.
    Tools(Value<'j>),
}

/// Something that was asked for.
#[derive(Clone, Debug)]
enum Waiting {
    Call(Request),
    Tools,
    Other,
}

/// The state of a recording.
#[derive(Clone, Debug, Default)]
pub struct Session {
    waiting: BTreeMap<String, Waiting>,
    /// The parameters that each tool declares.
    parameters: BTreeMap<String, BTreeSet<String>>,
}

type Handler<'h> = &'h mut dyn FnMut(Event<'_, '_>);

impl Session {
    /// Reads one recorded value; whether it was one.
    pub fn record(&mut self, value: Value<'_>, place: &Place, each: Handler<'_>) -> bool {
        if value.kind() == Kind::Array {
            let mut any = false;
            for part in value.parts() {
                any |= self.record(part, place, each);
            }
            return any;
        }
        if is_message(value) {
            self.message(value, place, each);
            return true;
        }
        let recorded =
            |part: Value<'_>| is_message(part) || part.any(&["command", "argv", "tool"]).is_some();
        let list =
            value.any(&["messages", "records", "entries"]).filter(|l| l.kind() == Kind::Array);
        if let Some(list) = list.filter(|l| l.parts().next().is_some_and(recorded)) {
            return self.record(list, place, each);
        }
        for part in value.parts() {
            if is_message(part) {
                self.message(part, place, each);
                return true;
            }
            let quoted = part.kind() == Kind::String && part.source().contains("jsonrpc");
            if let Some(inside) = quoted.then(|| Json::parse_inside(part)).flatten() {
                return self.record(inside.root(), place, each);
            }
        }
        self.run(value, place, each) || tool_result(value, None, each)
    }

    fn message(&mut self, value: Value<'_>, place: &Place, each: Handler<'_>) {
        let id =
            value.get("id").filter(|id| id.kind() != Kind::Null).map(|id| id.source().to_string());
        if let Some(method) = value.text("method") {
            if method == "initialize" {
                self.waiting.clear();
            }
            if let Some(id) = id {
                if self.waiting.len() >= MOST_WAITING {
                    self.waiting.clear();
                }
                let waiting = self.request(&method, value, place);
                self.waiting.insert(id, waiting);
            }
            return;
        }
        let Some(result) = value.get("result") else {
            id.map(|id| self.waiting.remove(&id));
            return;
        };
        match id.and_then(|id| self.waiting.remove(&id)) {
            Some(Waiting::Call(request)) => {
                let request = self.informed(request);
                if !tool_result(result, Some(&request), each) {
                    each(Event::Body(result, Some(&request)));
                }
            }
            Some(Waiting::Other) => {}
            Some(Waiting::Tools) => self.tools(result, each),
            // The recording may begin after the call.
            None if result.get("tools").is_some_and(|t| t.kind() == Kind::Array) => {
                self.tools(result, each)
            }
            None => {
                if !tool_result(result, None, each) {
                    each(Event::Body(result, None));
                }
            }
        }
    }

    fn request(&self, method: &str, value: Value<'_>, place: &Place) -> Waiting {
        let params = value.object("params");
        match method {
            "tools/call" => {
                let tool = params.and_then(|p| p.text("name")).unwrap_or_default().into_owned();
                let arguments = params.and_then(|p| p.object("arguments"));
                Waiting::Call(request(tool, arguments, place, value.bytes()))
            }
            "tools/list" => Waiting::Tools,
            // The other methods of the protocol have pages of their own kind.
            _ if method.contains('/') || matches!(method, "initialize" | "ping") => Waiting::Other,
            _ => Waiting::Call(request(method.to_string(), params, place, value.bytes())),
        }
    }

    fn informed(&self, mut request: Request) -> Request {
        request.parameters = self.parameters.get(&request.tool).cloned();
        request
    }

    fn tools(&mut self, result: Value<'_>, each: Handler<'_>) {
        for tool in result.get("tools").into_iter().flat_map(|t| t.parts()) {
            let properties = tool.object("inputSchema").and_then(|s| s.object("properties"));
            if let Some((name, properties)) = tool.text("name").zip(properties) {
                let names = properties.parts().map(|p| p.key().into_owned()).collect();
                self.parameters.insert(name.into_owned(), names);
            }
        }
        each(Event::Tools(result));
    }

    /// A recorded run of a command line, or a recorded call in plain words.
    fn run(&mut self, value: Value<'_>, place: &Place, each: Handler<'_>) -> bool {
        if !value.is_object() {
            return false;
        }
        let output = value.any(&["stdout", "output", "response", "result"]);
        let command = value.any(&["argv", "command", "cmd"]).and_then(command_line::words);
        let request = match (command, value.any(&["tool", "name"]).and_then(|t| t.str())) {
            (Some(words), _) => command_line::request(&words, place.kept(place.of(value))),
            (None, Some(tool))
                if output.is_some() && value.any(&["arguments", "params", "input"]).is_some() =>
            {
                let arguments =
                    value.any(&["arguments", "params", "input"]).filter(Value::is_object);
                request(tool.into_owned(), arguments, place, value.bytes())
            }
            _ => return false,
        };
        let Some(output) = output else { return false };
        let request = self.informed(request);
        body(output, Some(&request), each);
        true
    }
}

/// Whether an object is a JSON-RPC message. Recorders may leave the version out, and write notes
/// of their own beside the message.
pub fn is_message(value: Value<'_>) -> bool {
    let has = |name| value.get(name).is_some();
    let request = || value.text("method").is_some() && has("params");
    let noted = || value.any(&["dir", "direction", "ts", "timestamp", "time"]).is_some();
    has("jsonrpc") || (has("id") && (request() || (has("result") && noted())))
}

fn request(
    tool: String,
    arguments: Option<Value<'_>>,
    place: &Place,
    bytes: Range<u32>,
) -> Request {
    let arguments = arguments
        .into_iter()
        .flat_map(|a| a.parts())
        .filter(|part| part.kind() != Kind::Null)
        .map(|part| Argument { name: part.key().into_owned(), worth: Worth::of(part) })
        .collect();
    Request { tool, arguments, span: place.kept(place.span(bytes)), parameters: None }
}

/// The bodies of an MCP tool result; whether it was one.
fn tool_result(value: Value<'_>, request: Option<&Request>, each: Handler<'_>) -> bool {
    let blocks = value.get("content").filter(|c| c.kind() == Kind::Array);
    let structured = value.object("structuredContent");
    let typed = |list: Value<'_>| list.parts().all(|b| b.text("type").is_some());
    if structured.is_none() && !blocks.is_some_and(typed) {
        return false;
    }
    // What failed is no page; its text is for people.
    let failed = value.get("isError").and_then(|v| v.bool()) == Some(true);
    let structured = structured.filter(|_| !failed);
    if let Some(body) = structured {
        each(Event::Body(body, request));
    }
    for block in blocks.filter(|_| !failed).into_iter().flat_map(|b| b.parts()) {
        if block.text("type").is_none_or(|kind| kind != "text") {
            continue;
        }
        let Some(inside) = block.get("text").and_then(Json::parse_inside) else { continue };
        // The text usually repeats what is structured, for clients that know only text.
        let wrapped = structured.and_then(|s| s.get("result"));
        let repeats = structured.into_iter().chain(wrapped).any(|s| s.same(inside.root()));
        if !repeats && inside.root().is_object() {
            each(Event::Body(inside.root(), request));
        }
    }
    true
}

/// What a program printed: JSON as it is, or as text of one value or one value a line.
fn body(output: Value<'_>, request: Option<&Request>, each: Handler<'_>) {
    if output.kind() != Kind::String {
        if !tool_result(output, request, each) {
            each(Event::Body(output, request));
        }
    } else if let Some(inside) = Json::parse_inside(output) {
        body(inside.root(), request, each);
    }
}
