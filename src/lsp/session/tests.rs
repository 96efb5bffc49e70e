//! A session whose runs end when the test says so.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver};

use super::*;

struct Bench {
    session: Session,
    wanted: Receiver<Wanted>,
    said: Rc<RefCell<Vec<Value>>>,
}

fn bench(capabilities: Value) -> Bench {
    let said = Rc::new(RefCell::new(Vec::new()));
    let heard = said.clone();
    let (work, wanted) = mpsc::channel();
    let hear = move |message| heard.borrow_mut().push(json!(message));
    let mut session = Session::new(Box::new(hear), work, |_, _| Ok(()));
    let params = json!({ "rootUri": null, "capabilities": capabilities });
    session.handle(request(0, "initialize", params));
    session.handle(notification("initialized", json!({})));
    session.proceed();
    Bench { session, wanted, said }
}

fn request(id: i32, method: &str, params: Value) -> Message {
    Request { id: id.into(), method: method.to_string(), params }.into()
}

fn notification(method: &str, params: Value) -> Message {
    Notification { method: method.to_string(), params }.into()
}

impl Bench {
    fn said(&self) -> Vec<Value> {
        std::mem::take(&mut *self.said.borrow_mut())
    }

    /// Ends the run that was wanted.
    fn end_run(&mut self) -> bool {
        let Ok(wanted) = self.wanted.try_recv() else { return false };
        let versions = wanted.buffers.iter().map(|(path, b)| (path.clone(), b.version)).collect();
        let generation = wanted.generation;
        self.session.finish(Finished { generation, versions, ..Finished::default() });
        self.session.proceed();
        true
    }

    fn edit(&mut self, version: i32) {
        let document = json!({ "uri": "file:///nowhere/a.gd", "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": "x" }] });
        self.session.handle(notification("textDocument/didChange", params));
        self.session.proceed();
    }
}

fn pull(id: i32) -> Message {
    let document = json!({ "uri": "file:///nowhere/a.gd" });
    request(id, "textDocument/diagnostic", json!({ "textDocument": document }))
}

#[test]
fn a_request_waits_for_the_run_unless_it_is_cancelled() {
    let mut bench = bench(json!({}));
    bench.said();
    bench.session.handle(pull(1));
    bench.session.handle(pull(2));
    assert!(bench.said().is_empty());
    bench.session.handle(notification("$/cancelRequest", json!({ "id": 1 })));
    bench.session.handle(notification("$/cancelRequest", json!({ "id": 77 })));
    assert_eq!(bench.said()[0]["error"]["code"], -32800);
    assert!(bench.end_run());
    let said = bench.said();
    assert_eq!((said.len(), &said[0]["id"]), (1, &json!(2)));
    bench.session.handle(pull(3));
    assert_eq!(bench.said().len(), 1, "nothing has changed: the answer is there");
    bench.session.handle(pull(4));
    bench.session.handle(request(5, "shutdown", Value::Null));
    assert_eq!(bench.said().len(), 2);
}

#[test]
fn of_a_storm_only_the_last_state_is_analysed() {
    let mut bench = bench(json!({}));
    let item = json!({ "uri": "file:///nowhere/a.gd", "languageId": "", "version": 1, "text": "" });
    let open = notification("textDocument/didOpen", json!({ "textDocument": item }));
    bench.session.handle(open);
    for version in 2..500 {
        bench.edit(version);
    }
    bench.said();
    assert!(bench.end_run(), "the first scan");
    assert!(bench.said().is_empty(), "it speaks of a text that is gone");
    bench.edit(500);
    assert!(bench.end_run(), "the state when the first run ended");
    assert!(bench.said().is_empty(), "that text is gone too");
    assert!(bench.end_run(), "the last state");
    assert_eq!(bench.said()[0]["params"]["version"], 500);
    assert!(!bench.end_run(), "nothing is left to do");
}

#[test]
fn progress_is_shown_only_where_it_is_taken_and_in_time() {
    let can = json!({ "window": { "workDoneProgress": true } });
    let mut taken = bench(can.clone());
    let asked = taken.said();
    assert_eq!(asked[1]["method"], "window/workDoneProgress/create");
    let yes = Response::new_ok(RequestId::from("pagelint-1".to_string()), Value::Null);
    taken.session.handle(yes.clone().into());
    assert_eq!(taken.said()[0]["params"]["value"]["kind"], "begin");
    taken.end_run();
    assert_eq!(taken.said()[0]["params"]["value"]["kind"], "end");

    let mut late = bench(can.clone());
    late.said();
    late.end_run();
    late.session.handle(yes.into());
    assert!(late.said().is_empty(), "the scan is over");

    let mut refused = bench(can);
    refused.said();
    let no = Response::new_err(RequestId::from("pagelint-1".to_string()), 1, "no".to_string());
    refused.session.handle(no.into());
    refused.end_run();
    assert!(refused.said().is_empty());
}

#[test]
fn a_failed_run_leaves_what_is_known_and_answers_go_on() {
    let mut bench = bench(json!({}));
    bench.said();
    bench.session.handle(pull(1));
    let wanted = bench.wanted.try_recv().expect("the first scan");
    let (generation, failures) = (wanted.generation, vec!["it failed".to_string()]);
    let broken = Finished { generation, failures, broken: true, ..Finished::default() };
    bench.session.finish(broken);
    bench.session.proceed();
    let said = bench.said();
    assert_eq!(said[0]["method"], "window/logMessage");
    assert_eq!(said[1]["id"], 1);
    assert!(!bench.end_run(), "the same state is not tried again");
}
