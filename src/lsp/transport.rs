//! Bytes to messages and back: the base protocol over any pair of streams.
//!
//! Knows no method. A body that is no message is answered and skipped; only a header that
//! cannot be read ends the session, because then nobody knows where the next one begins.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use lsp_server::{Connection, ErrorCode, Message};
use serde_json::{json, Value};

/// The longest body that is read.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// The threads that move messages.
pub struct Threads {
    writer: JoinHandle<()>,
}

impl Threads {
    /// Waits until everything is written. The reader is not waited for: it may be waiting for
    /// a client that keeps the stream open.
    pub fn finish(self) {
        let _ = self.writer.join();
    }
}

/// Connects to a client over two streams.
pub fn connect(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<(Connection, Threads)> {
    let (ours, theirs) = Connection::memory();
    let Connection { sender, receiver } = theirs;
    let output = Arc::new(Mutex::new(output));
    let answers = output.clone();
    let writer = thread::Builder::new().name("writer".to_string()).spawn(move || {
        for message in receiver {
            let Ok(mut output) = output.lock() else { return };
            if message.write(&mut *output).is_err() {
                return;
            }
        }
    })?;
    thread::Builder::new().name("reader".to_string()).spawn(move || {
        let mut input = input;
        while let Ok(Some(body)) = read_body(&mut input) {
            match message(&body) {
                Ok(message) => {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
                Err(answer) => {
                    let Ok(mut output) = answers.lock() else { return };
                    if write_body(&mut *output, &answer).is_err() {
                        return;
                    }
                }
            }
        }
    })?;
    Ok((ours, Threads { writer }))
}

/// The next body; nothing at the end of the stream.
fn read_body(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length: Option<usize> = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(8192).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            match length {
                Some(_) => break,
                // Noise between messages.
                None => continue,
            }
        }
        let header = line.split_once(':');
        if let Some((_, value)) = header.filter(|(n, _)| n.eq_ignore_ascii_case("content-length")) {
            length = value.trim().parse().ok();
        }
    }
    let length = length.unwrap_or(0);
    if length > MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the message is too long"));
    }
    let mut body = Vec::new();
    input.by_ref().take(length as u64).read_to_end(&mut body)?;
    // A stream that ends inside a body is a client that is gone.
    Ok((body.len() == length).then_some(body))
}

/// A message, or the answer to what is none.
fn message(body: &[u8]) -> Result<Message, Value> {
    let error = |id: Value, code: ErrorCode, message: String| {
        let error = json!({ "code": code as i32, "message": message });
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    };
    let value: Value = serde_json::from_slice(body)
        .map_err(|e| error(Value::Null, ErrorCode::ParseError, format!("not JSON: {e}")))?;
    let id = value.get("id").filter(|id| id.is_number() || id.is_string()).cloned();
    let wrong = |id: Option<Value>| {
        let text = "neither a request nor a notification nor a response".to_string();
        error(id.unwrap_or(Value::Null), ErrorCode::InvalidRequest, text)
    };
    // A request whose id is none would pass for a notification.
    let usable = |id: &Value| id.is_null() || id.is_string() || id.is_i64();
    if !value.get("id").is_none_or(usable) {
        return Err(wrong(id));
    }
    serde_json::from_value(value).map_err(|_| wrong(id))
}

fn write_body(output: &mut impl Write, body: &Value) -> io::Result<()> {
    let text = body.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn bodies_are_found_behind_any_header() {
        let text = format!(
            "noise\r\n\r\ncontent-LENGTH: 2\r\nContent-Type: x\r\n\r\n{{}}{}",
            framed("[]")
        );
        let mut input = text.as_bytes();
        assert_eq!(read_body(&mut input).expect("it can be read"), Some(b"{}".to_vec()));
        assert_eq!(read_body(&mut input).expect("it can be read"), Some(b"[]".to_vec()));
        assert_eq!(read_body(&mut input).expect("it can be read"), None);
        let mut cut = &b"Content-Length: 9\r\n\r\n{}"[..];
        assert_eq!(read_body(&mut cut).expect("it can be read"), None);
        let mut long = &b"Content-Length: 99999999999\r\n\r\n"[..];
        assert!(read_body(&mut long).is_err());
    }

    #[test]
    fn what_is_no_message_is_answered() {
        let code = |body: &[u8]| message(body).expect_err("it is none")["error"]["code"].clone();
        assert_eq!(code(b"{"), -32700);
        assert_eq!(code(b"\xff"), -32700);
        assert_eq!(code(b"[]"), -32600);
        assert_eq!(code(b"{\"id\":1}"), -32600);
        assert!(message(br#"{"jsonrpc":"2.0","method":"x"}"#).is_ok());
        let answer = message(br#"{"id":7,"method":3}"#).expect_err("it is none");
        assert_eq!(answer["id"], 7);
    }
}
