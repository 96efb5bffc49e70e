//! Plays the sessions in `fixtures/lsp` and compares what the server says.
//!
//! A session is a file of JSON lines; lines that start with `//` are comments.
//!
//! | Line | Does |
//! |---|---|
//! | `{"project": "name"}` | copies a project of `fixtures/projects` |
//! | `{"files": "name"}` | writes the files of `fixtures/lsp/<name>.json` |
//! | `{"write": {"path": "text"}}` | writes files |
//! | `{"remove": "path"}` | removes one |
//! | `{"open": "path"}` | opens a buffer with the file's text, version 1 |
//! | `{"->": message}` | sends a message |
//! | `{"<-": pattern}` | the next message must match |
//! | `{"quiet": true}` | nothing may be said until all that was sent is analysed |
//! | `{"vanish": true}` | closes the connection without a word |
//! | `{"ended": properly}` | the server must end by itself |
//!
//! A pattern matches an object that has its keys, a list of the same length, and anything
//! where it says `"*"`. `[ROOT]` stands for the URI of the directory.

#![allow(clippy::disallowed_methods)]

mod support;

use std::fs;
use std::path::Path;

use serde_json::{json, Value};
use support::editor::Editor;
use support::{root, walk, Tree};

#[test]
fn sessions() {
    let only = std::env::var("PAGELINT_ONLY").unwrap_or_default();
    let sessions = support::tree::files_in("fixtures/lsp", ".jsonl");
    assert!(!sessions.is_empty(), "there are no sessions");
    let mut wrong = Vec::new();
    for path in sessions.iter().filter(|path| path.to_string_lossy().contains(&only)) {
        let text = fs::read_to_string(path).expect("sessions are text");
        if let Err((line, message)) = play(&text) {
            wrong.push(format!("{}:{line}: {message}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Plays a session; on failure gives the line and what is wrong there.
fn play(session: &str) -> Result<(), (usize, String)> {
    let tree = Tree::new();
    let uri = pagelint::diagnostics::uri::from_path(&tree.root);
    let mut editor = Some(Editor::start());
    for (index, line) in session.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with("//") {
            continue;
        }
        let wrong = |message: String| (index + 1, message);
        let line = line.replace("[ROOT]", uri.as_str());
        let step: Value = serde_json::from_str(&line).map_err(|e| wrong(e.to_string()))?;
        let (word, value) = step
            .as_object()
            .and_then(|step| step.iter().next())
            .ok_or_else(|| wrong("a step is an object with one key".to_string()))?;
        let text = || value.as_str().unwrap_or_default();
        let there = "the session goes on";
        match word.as_str() {
            "project" => copy(&root().join("fixtures/projects").join(text()), &tree),
            "files" => {
                let list = root().join("fixtures/lsp").join(format!("{}.json", text()));
                let list = fs::read_to_string(list).map_err(|e| wrong(e.to_string()))?;
                let list: Value = serde_json::from_str(&list).map_err(|e| wrong(e.to_string()))?;
                write(&list, &tree);
            }
            "write" => write(value, &tree),
            "remove" => fs::remove_file(tree.at(text())).map_err(|e| wrong(e.to_string()))?,
            "open" => {
                let content = fs::read_to_string(tree.at(text()));
                let content = content.map_err(|e| wrong(e.to_string()))?;
                let name = pagelint::diagnostics::uri::from_path(&tree.at(text()));
                editor.as_ref().expect(there).open(name.as_str(), &content);
            }
            "->" => editor.as_ref().expect(there).send(value.clone()),
            "<-" => {
                let said = editor.as_mut().expect(there).next();
                matches(value, &said, "").map_err(|place| {
                    wrong(format!("{place}\n  expected: {value}\n  said: {said:#}"))
                })?;
            }
            "quiet" => {
                let editor = editor.as_mut().expect(there);
                let params = json!({ "textDocument": { "uri": "untitled:quiet" } });
                editor.request("textDocument/diagnostic", params);
                if let Some(said) = editor.seen.front() {
                    return Err(wrong(format!("it said {said:#}")));
                }
            }
            "vanish" => drop(editor.take().expect(there).vanish()),
            "ended" => {
                let proper = editor.take().expect(there).ended();
                if Some(proper) != value.as_bool() {
                    return Err(wrong(format!("properly: {proper}")));
                }
            }
            other => return Err(wrong(format!("there is no step `{other}`"))),
        }
    }
    if let Some(editor) = editor {
        editor.vanish();
    }
    Ok(())
}

/// Where a value does not match a pattern.
fn matches(pattern: &Value, value: &Value, place: &str) -> Result<(), String> {
    match (pattern, value) {
        (Value::String(any), _) if any == "*" => Ok(()),
        (Value::Object(pattern), Value::Object(value)) => {
            for (key, pattern) in pattern {
                let place = format!("{place}/{key}");
                let value = value.get(key).ok_or_else(|| format!("{place} is not there"))?;
                matches(pattern, value, &place)?;
            }
            Ok(())
        }
        (Value::Array(pattern), Value::Array(value)) if pattern.len() == value.len() => {
            for (index, (pattern, value)) in pattern.iter().zip(value).enumerate() {
                matches(pattern, value, &format!("{place}/{index}"))?;
            }
            Ok(())
        }
        _ if pattern == value => Ok(()),
        _ => Err(format!("{place} differs")),
    }
}

fn write(files: &Value, tree: &Tree) {
    for (path, text) in files.as_object().into_iter().flatten() {
        tree.write(path, text.as_str().unwrap_or_default().as_bytes());
    }
}

fn copy(folder: &Path, tree: &Tree) {
    for path in walk(folder) {
        let inside = path.strip_prefix(folder).expect("it lies in the folder");
        let inside = inside.to_string_lossy().replace('\\', "/");
        tree.write(&inside, &fs::read(&path).expect("it can be read"));
    }
}

/// What a run of the program prints, what a client that is sent diagnostics holds and what one
/// that asks for them is answered are the same, on every fixture.
#[test]
fn the_server_agrees_with_check() {
    let projects = fs::read_dir(root().join("fixtures/projects")).expect("it is there");
    let mut folders: Vec<_> = projects.map(|entry| entry.expect("it is listed").path()).collect();
    for name in ["offset-envelope", "meta-pagination", "run", "shapes"] {
        folders.push(root().join("fixtures").join(name));
    }
    let mut compared = 0;
    for folder in folders {
        let tree = Tree::new();
        copy(&folder, &tree);
        // Names that a URI must spell out, and columns that depend on the encoding.
        tree.write("a b [1]/\u{fc}.gd", "# \u{1f389}\nfunc f(:\n".as_bytes());
        let printed = printed(&tree);
        let mut editor =
            Editor::open_folder(&tree.root, json!({}), json!({ "scope": "workspace" }));
        let pulled = editor.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
        let pulled = pulled["result"]["items"].as_array().cloned().unwrap_or_default();
        let pulled = pulled.into_iter().map(|item| (item["uri"].clone(), item["items"].clone()));
        let published = editor.seen.iter().filter(|m| m["method"] == PUBLISH);
        let published = published.map(|message| {
            (message["params"]["uri"].clone(), message["params"]["diagnostics"].clone())
        });
        assert_eq!(sorted(published), printed, "published, {}", folder.display());
        assert_eq!(sorted(pulled), printed, "pulled, {}", folder.display());
        compared += printed.len();
        assert!(editor.close());
    }
    assert!(compared > 10, "there is nothing to compare");
}

const PUBLISH: &str = "textDocument/publishDiagnostics";

/// Files with diagnostics, by name. This client takes no further places.
fn sorted(found: impl Iterator<Item = (Value, Value)>) -> Vec<(String, Value)> {
    let some = found.filter(|(_, list)| list.as_array().is_some_and(|list| !list.is_empty()));
    let mut all: Vec<(String, Value)> = some
        .map(|(uri, mut list)| {
            for diagnostic in list.as_array_mut().into_iter().flatten() {
                let _ = diagnostic.as_object_mut().map(|d| d.remove("relatedInformation"));
            }
            (uri.as_str().unwrap_or_default().to_string(), list)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn printed(tree: &Tree) -> Vec<(String, Value)> {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_pagelint"))
        .args(["check", ".", "--format", "lsp"])
        .current_dir(&tree.root)
        .output()
        .expect("the program starts");
    let all: Vec<Value> = serde_json::from_slice(&output.stdout).expect("it prints a list");
    sorted(all.into_iter().map(|m| (m["uri"].clone(), m["diagnostics"].clone())))
}

/// The program itself, over its own streams: noise and wrong messages are answered or skipped,
/// and what follows them is understood.
#[test]
fn noise_on_the_wire_is_survived() {
    use std::io::{BufRead, BufReader, Read, Write};

    let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_pagelint"))
        .arg("lsp")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = server.stdin.take().expect("it is piped");
    let bodies: [&[u8]; 9] = [
        b"{",
        b"\xff\xfe",
        b"[]",
        b"[{\"jsonrpc\":\"2.0\"}]",
        b"null",
        b"{\"id\":{},\"method\":\"x\"}",
        b"{\"id\":1.5,\"method\":\"initialize\"}",
        b"",
        br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}"#,
    ];
    for body in bodies {
        write!(input, "X: y\r\nContent-Length: {}\r\n\r\n", body.len()).expect("it reads");
        input.write_all(body).expect("it reads");
        input.write_all(b"\r\n").expect("it reads");
    }
    drop(input);
    let mut output = BufReader::new(server.stdout.take().expect("it is piped"));
    let mut codes = Vec::new();
    loop {
        let mut header = String::new();
        if output.read_line(&mut header).expect("it is text") == 0 {
            break;
        }
        let length = header.trim().strip_prefix("Content-Length: ").expect("a header");
        let mut body = vec![0; length.parse::<usize>().expect("a number") + 2];
        output.read_exact(&mut body).expect("the body is whole");
        let said: Value = serde_json::from_slice(&body).expect("it is JSON");
        codes.push(said["error"]["code"].as_i64().unwrap_or(0));
    }
    codes.sort_unstable();
    assert_eq!(codes, [-32700, -32700, -32700, -32600, -32600, -32600, -32600, -32600, 0]);
    let status = server.wait().expect("it ends by itself");
    assert_eq!(status.code(), Some(1), "nobody said goodbye");
}

/// A directory that is no repository, with two thousand open buffers and a storm of edits.
#[test]
fn two_thousand_buffers() {
    let tree = Tree::new();
    let mut editor = Editor::open_folder(&tree.root, json!({}), json!({}));
    let name = |n: usize| format!("d{}/f{n}.gd", n % 40);
    let text = |n: usize| {
        format!(
            "func f{n}(n):\n\treturn MCPToolkitSuccess.ok({{\"rows\": [], \"truncated\": true}})\n"
        )
    };
    let uris: Vec<String> = (0..2000)
        .map(|n| pagelint::diagnostics::uri::from_path(&tree.at(&name(n))).as_str().to_string())
        .collect();
    for (n, uri) in uris.iter().enumerate() {
        // Some are saved, most are not yet.
        if n % 7 == 0 {
            tree.write(&name(n), text(n).as_bytes());
        }
        editor.open(uri, &text(n));
    }
    for version in 2..1002 {
        let document = json!({ "uri": uris[3], "version": version });
        let change = json!({ "text": format!("{}# {version}\n", text(3)) });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        editor.notify("textDocument/didChange", params);
    }
    let params = json!({ "textDocument": { "uri": uris[3] } });
    let answer = editor.request("textDocument/diagnostic", params);
    let codes = |list: &Value| -> Vec<Value> {
        list.as_array().into_iter().flatten().map(|d| d["code"].clone()).collect()
    };
    let expected = codes(&answer["result"]["items"]);
    assert!(expected.contains(&json!("legacy-field")), "{answer}");
    let mut shown = std::collections::BTreeMap::new();
    for message in editor.seen.iter().filter(|m| m["method"] == PUBLISH) {
        shown
            .insert(message["params"]["uri"].to_string(), codes(&message["params"]["diagnostics"]));
    }
    assert_eq!(shown.len(), uris.len());
    for (uri, codes) in shown {
        assert_eq!(codes, expected, "{uri}");
    }
    assert!(editor.close());
}
