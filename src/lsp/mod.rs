//! A report for an editor: the language server, from its first message to its last.
//!
//! Never reads a source file itself and never decides what a finding is: diagnostics are those
//! of a run over the same texts.

mod actions;
mod analysis;
mod client;
mod commands;
mod documents;
mod hover;
mod known;
mod place;
mod publish;
mod requests;
mod session;
mod transport;

use std::io;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use lsp_server::{Connection, Message};

use analysis::Finished;
use session::Session;

/// How many messages are taken in before the state they lead to is analysed.
const MOST_AT_ONCE: usize = 100_000;

/// What the loop waits for.
enum Event {
    /// The client says something.
    Client(Message),
    /// A run has ended.
    Finished(Finished),
    /// The client is gone.
    Closed,
}

/// Writes a whole file. The server itself never touches the disk to change it.
pub type Save = fn(&Path, &[u8]) -> io::Result<()>;

/// Serves one client over two streams. Gives whether it said goodbye properly.
pub fn serve_streams(
    input: impl io::BufRead + Send + 'static,
    output: impl io::Write + Send + 'static,
    save: Save,
) -> io::Result<bool> {
    let (connection, threads) = transport::connect(input, output)?;
    let proper = serve(connection, save)?;
    threads.finish();
    Ok(proper)
}

/// Serves one client over a connection. Gives whether it said goodbye properly.
pub fn serve(connection: Connection, save: Save) -> io::Result<bool> {
    let Connection { sender, receiver } = connection;
    let (events, next) = mpsc::channel();
    let client = events.clone();
    thread::Builder::new().name("client".to_string()).spawn(move || {
        for message in receiver {
            if client.send(Event::Client(message)).is_err() {
                return;
            }
        }
        let _ = client.send(Event::Closed);
    })?;
    let work = analysis::start(move |finished| drop(events.send(Event::Finished(finished))))?;
    let mut session = Session::new(Box::new(move |message| drop(sender.send(message))), work, save);
    loop {
        let event = match session.patience() {
            Some(patience) => next.recv_timeout(patience),
            None => next.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let first = match event {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(false),
        };
        // All that has arrived is taken in first: of a storm of edits only the last state counts.
        for event in first.into_iter().chain(next.try_iter().take(MOST_AT_ONCE)) {
            match event {
                Event::Client(message) => session.handle(message),
                Event::Finished(finished) => session.finish(finished),
                Event::Closed => return Ok(session.said_goodbye()),
            }
            if let Some(proper) = session.ended() {
                return Ok(proper);
            }
        }
        session.proceed();
    }
}
