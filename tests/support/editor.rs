//! A client in the same process: speaks to the server over channels and keeps what it says.
//!
//! Knows nothing of what a message means.

#![allow(dead_code, clippy::disallowed_methods)]

use std::collections::VecDeque;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{json, Value};

/// Writes a file as the program would.
fn save(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::write(path, bytes)
}

/// Longer than any answer takes, even on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client with its server.
pub struct Editor {
    connection: Option<Connection>,
    server: Option<JoinHandle<bool>>,
    next_id: i32,
    /// What the server said and nobody asked for yet.
    pub seen: VecDeque<Value>,
}

impl Editor {
    /// Starts a server that has heard nothing yet.
    pub fn start() -> Editor {
        let (ours, theirs) = Connection::memory();
        let server =
            thread::spawn(move || pagelint::lsp::serve(theirs, save).expect("threads start"));
        let connection = Some(ours);
        Editor { connection, server: Some(server), next_id: 1000, seen: VecDeque::new() }
    }

    /// Starts a server for one folder.
    pub fn open_folder(root: &Path, capabilities: Value, options: Value) -> Editor {
        let mut editor = Editor::start();
        let root = pagelint::diagnostics::uri::from_path(root);
        let params = json!({
            "processId": null,
            "rootUri": root,
            "capabilities": capabilities,
            "initializationOptions": options,
        });
        editor.request("initialize", params);
        editor.notify("initialized", json!({}));
        editor
    }

    /// Sends any message.
    pub fn send(&self, message: Value) {
        let message: Message = serde_json::from_value(message).expect("it is a message");
        let connection = self.connection.as_ref().expect("it is connected");
        connection.sender.send(message).expect("the server listens");
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: Value) {
        let message = Notification { method: method.to_string(), params };
        let connection = self.connection.as_ref().expect("it is connected");
        connection.sender.send(message.into()).expect("the server listens");
    }

    /// The next message of the server.
    pub fn next(&mut self) -> Value {
        match self.seen.pop_front() {
            Some(message) => message,
            None => self.receive(),
        }
    }

    fn receive(&self) -> Value {
        let connection = self.connection.as_ref().expect("it is connected");
        let message = connection.receiver.recv_timeout(PATIENCE).expect("the server speaks");
        // A request without parameters and a response with a null result keep their form.
        match message {
            Message::Request(Request { id, method, params }) => {
                json!({ "id": id, "method": method, "params": params })
            }
            Message::Notification(Notification { method, params }) => {
                json!({ "method": method, "params": params })
            }
            Message::Response(Response { id, response_result }) => match response_result {
                Ok(result) => json!({ "id": id, "result": result }),
                Err(error) => json!({ "id": id, "error": error }),
            },
        }
    }

    /// Asks and waits for the answer; what comes before it is kept.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        let message = Request { id: RequestId::from(id), method: method.to_string(), params };
        let connection = self.connection.as_ref().expect("it is connected");
        connection.sender.send(message.into()).expect("the server listens");
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.seen.push_back(message);
        }
    }

    /// Opens a buffer.
    pub fn open(&self, uri: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": "x", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }

    /// Says goodbye; gives whether the server ended properly.
    pub fn close(mut self) -> bool {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.server.take().expect("it runs").join().expect("the server does not panic")
    }

    /// Leaves without a word; gives whether the server took it for a proper end.
    pub fn vanish(mut self) -> bool {
        self.connection.take();
        self.server.take().expect("it runs").join().expect("the server does not panic")
    }

    /// Waits for the server to end by itself.
    pub fn ended(mut self) -> bool {
        self.server.take().expect("it runs").join().expect("the server does not panic")
    }
}
