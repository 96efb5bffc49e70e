//! The state of one session: what is known, what is under way, what waits.
//!
//! Never waits: not for the disk, not for a run, not for an answer of the client.

mod notifications;

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{json, Value};

pub(super) use notifications::tolerate;

use super::analysis::{Finished, Wanted};
use super::client::{Client, Settings};
use super::documents::Documents;
use super::place::{Buffer, Buffers};
use super::publish::Published;
use crate::discover::near;

/// A run that takes no longer starts with the keystroke; a longer one waits for a pause.
const INSTANT: Duration = Duration::from_millis(40);
/// The longest wait for a pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(150);

/// How far the session has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// `initialize` has not come.
    Fresh,
    /// Everything works.
    Running,
    /// `shutdown` has come.
    ShutDown,
    /// `exit` has come.
    Ended,
}

/// What an answer of the client is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// May progress be shown?
    Progress,
    /// The settings.
    Settings,
    /// Something whose answer does not matter.
    Nothing,
}

/// Sends a message to the client; one that is gone hears nothing.
pub(super) type Outbox = Box<dyn Fn(Message)>;

/// One client and all that is known of its work.
pub(super) struct Session {
    out: Outbox,
    work: mpsc::Sender<Wanted>,
    pub(super) save: super::Save,
    phase: Phase,
    /// Whether `shutdown` came before the end.
    proper: bool,
    pub(super) client: Client,
    pub(super) settings: Settings,
    pub(super) documents: Documents,
    pub(super) folders: Vec<PathBuf>,
    /// Counts states; a result of an older one does not speak of the present.
    pub(super) generation: u64,
    /// The state that is being analysed.
    running: Option<u64>,
    /// The newest state that was analysed.
    done: u64,
    reread: bool,
    changed_at: Instant,
    pub(super) last: Finished,
    pub(super) published: Published,
    /// Requests that wait for a run over the present state.
    waiting: Vec<Request>,
    asked: BTreeMap<RequestId, Asked>,
    next_id: i32,
    /// Whether the client takes news of the first scan's progress, and whether it has any.
    progress: Option<bool>,
}

impl Session {
    /// A session that nothing is known of yet.
    pub(super) fn new(out: Outbox, work: mpsc::Sender<Wanted>, save: super::Save) -> Session {
        Session {
            out,
            work,
            save,
            phase: Phase::Fresh,
            proper: false,
            client: Client::read(&Value::Null),
            settings: Settings::default(),
            documents: Documents::default(),
            folders: Vec::new(),
            generation: 0,
            running: None,
            done: 0,
            reread: false,
            changed_at: Instant::now(),
            last: Finished::default(),
            published: Published::default(),
            waiting: Vec::new(),
            asked: BTreeMap::new(),
            next_id: 0,
            progress: None,
        }
    }

    // What the loop asks.

    /// How long to wait for a message before going on; for ever where there is nothing to do.
    pub(super) fn patience(&self) -> Option<Duration> {
        let idle = self.running.is_none() && self.done < self.generation;
        idle.then(|| self.pause().saturating_sub(self.changed_at.elapsed()))
    }

    /// Whether the session has ended, and whether properly.
    pub(super) fn ended(&self) -> Option<bool> {
        (self.phase == Phase::Ended).then_some(self.proper)
    }

    /// Whether the client has asked to shut down.
    pub(super) fn said_goodbye(&self) -> bool {
        self.proper
    }

    /// Starts a run where one is due.
    pub(super) fn proceed(&mut self) {
        if self.patience() != Some(Duration::ZERO) || self.phase != Phase::Running {
            return;
        }
        let buffer = |document: &super::documents::Document| {
            let (text, checked) = (document.text.clone(), document.checked.clone());
            Some((document.path.clone()?, Buffer { version: document.version, text, checked }))
        };
        let wanted = Wanted {
            generation: self.generation,
            folders: self.folders.clone(),
            buffers: self.documents.iter().filter_map(buffer).collect::<Buffers>(),
            reread: std::mem::take(&mut self.reread),
            encoding: self.client.encoding,
        };
        if self.work.send(wanted).is_ok() {
            self.running = Some(self.generation);
        }
    }

    /// Takes a result in.
    pub(super) fn finish(&mut self, finished: Finished) {
        self.running = None;
        self.done = finished.generation;
        for failure in &finished.failures {
            self.log(failure);
        }
        if !finished.broken {
            let before = std::mem::replace(&mut self.last, finished);
            self.end_progress();
            self.show(&before);
        }
        if self.done == self.generation {
            for request in std::mem::take(&mut self.waiting) {
                self.answer(request);
            }
        }
    }

    /// A run that is longer than a moment should not start with every keystroke.
    fn pause(&self) -> Duration {
        if self.last.took <= INSTANT {
            Duration::ZERO
        } else {
            (self.last.took / 4).min(LONGEST_PAUSE)
        }
    }

    // What comes in.

    /// Takes one message in. Whatever is wrong with it costs only its own answer.
    pub(super) fn handle(&mut self, message: Message) {
        match message {
            Message::Request(request) => self.request(request),
            Message::Response(response) => self.response(response),
            Message::Notification(notification) => {
                let method = notification.method.clone();
                let run = AssertUnwindSafe(|| self.notification(notification));
                if panic::catch_unwind(run).is_err() {
                    self.log(&format!("`{method}` failed; this is a bug in pagelint"));
                }
            }
        }
    }

    fn request(&mut self, request: Request) {
        let error = |code: ErrorCode, text: &str| {
            Response::new_err(request.id.clone(), code as i32, text.to_string())
        };
        let refused = match (self.phase, request.method.as_str()) {
            (Phase::Fresh, "initialize") => {
                let answer = self.initialize(&request.params);
                Response::new_ok(request.id, answer)
            }
            (Phase::Fresh, _) => error(ErrorCode::ServerNotInitialized, "initialize comes first"),
            (Phase::Running, "initialize") => {
                error(ErrorCode::InvalidRequest, "initialize comes only once")
            }
            (Phase::Running, "shutdown") => {
                (self.phase, self.proper) = (Phase::ShutDown, true);
                for waiting in std::mem::take(&mut self.waiting) {
                    self.refuse(waiting.id, ErrorCode::RequestCanceled, "shutting down");
                }
                Response::new_ok(request.id, Value::Null)
            }
            (Phase::Running, _) => {
                let wait = super::requests::needs_run(&request.method);
                if wait && (self.done < self.generation || self.running.is_some()) {
                    self.waiting.push(request);
                } else {
                    self.answer(request);
                }
                return;
            }
            (Phase::ShutDown | Phase::Ended, _) => {
                error(ErrorCode::InvalidRequest, "the server is shutting down")
            }
        };
        self.send(refused.into());
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.client = Client::read(params);
        if let Some(options) = params.get("initializationOptions") {
            self.settings.read(options);
        }
        let folders = self.client.folders.iter();
        self.folders = folders.map(|folder| near::canonical(folder)).collect();
        self.phase = Phase::Running;
        self.touch(true);
        self.client.answer()
    }

    fn response(&mut self, response: Response) {
        let asked = self.asked.remove(&response.id).unwrap_or(Asked::Nothing);
        let Ok(result) = response.response_result else { return };
        match asked {
            Asked::Progress => self.begin_progress(),
            Asked::Settings => {
                let settings = result.get(0).cloned().unwrap_or(result);
                self.configure(&settings);
            }
            Asked::Nothing => {}
        }
    }

    /// Notes that something has changed, on the disk too if `reread`.
    pub(super) fn touch(&mut self, reread: bool) {
        self.generation += 1;
        self.reread |= reread;
        self.changed_at = Instant::now();
    }

    // What goes out.

    /// Sends a message.
    pub(super) fn send(&self, message: Message) {
        (self.out)(message);
    }

    /// Tells the client something.
    pub(super) fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_string(), params }.into());
    }

    /// Asks the client something; nothing waits for the answer.
    pub(super) fn ask(&mut self, method: &str, params: Value, asked: Asked) {
        self.next_id += 1;
        let id = RequestId::from(format!("pagelint-{}", self.next_id));
        self.asked.insert(id.clone(), asked);
        self.send(Request { id, method: method.to_string(), params }.into());
    }

    /// Answers a request with an error.
    pub(super) fn refuse(&self, id: RequestId, code: ErrorCode, text: &str) {
        self.send(Response::new_err(id, code as i32, text.to_string()).into());
    }

    /// Writes to the client's log.
    pub(super) fn log(&self, text: &str) {
        self.notify("window/logMessage", json!({ "type": 2, "message": text }));
    }
}

#[cfg(test)]
mod tests;
