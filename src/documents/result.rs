//! Captured results of commands: records in `data`, the state of paging in `meta.pagination`.
//!
//! Knows nothing of offset envelopes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::facts::{finding, first, label, Place, Request, Worth};
use super::json::{Kind, Value};
use super::walk::{key, Start, Step};
use crate::pack::{folded, Pack};
use crate::report::{Confidence, Finding, Level};
use crate::text::Span;

/// Members under which failed parts are kept, with whatever cursor they failed at.
pub const LEDGERS: &[&str] =
    &["failure", "failures", "failed", "error", "errors", "retries", "skipped"];

/// Whether an object is the result of a command.
pub fn is_result(value: Value<'_>, meta: &Pack, envelope: Option<&Pack>) -> bool {
    let paged = value.object("meta").is_some_and(|m| m.get("pagination").is_some());
    let stated = value.get("ok").is_some_and(|v| v.kind() == Kind::Bool)
        || value.get("outcome").is_some_and(|v| v.kind() == Kind::String);
    let parted = ["data", "error", "meta"].iter().any(|name| value.get(name).is_some());
    if paged {
        return true;
    }
    // `ok` and `data` around an envelope do not make it a result of this kind.
    let inner = value
        .object("data")
        .filter(|_| value.get("meta").is_none() && value.get("outcome").is_none());
    let enveloped = inner.zip(envelope).is_some_and(|(data, pack)| {
        let names: Vec<Cow<'_, str>> = data.parts().map(|p| p.key()).collect();
        pack.fields.size.iter().any(|size| names.iter().any(|n| n == size))
    });
    !meta.meta.exhausted.is_empty() && stated && parted && !enveloped
}

/// What `meta.pagination` says.
struct State<'j> {
    object: Value<'j>,
    exhausted: Option<bool>,
    token: Option<Value<'j>>,
}

/// Asks all questions of a result and gives the step that it makes in a walk.
pub fn check(
    value: Value<'_>,
    place: &Place,
    pack: &Pack,
    request: Option<&Request>,
    acc: &mut Vec<Finding>,
) -> Option<Step> {
    let mut cx = Context { place, pack, tool: request.map(|r| r.tool.as_str()), acc };
    let meta = value.object("meta");
    let pagination = meta.and_then(|m| m.get("pagination"));
    let state = pagination.and_then(|object| cx.state(object));
    let data = value.get("data");
    let raw = data.map(|data| cx.data(data, state.as_ref())).unwrap_or_default();
    cx.contradiction(&raw, state.as_ref());
    cx.failure(value, pagination);
    for object in [Some(value), meta, data].into_iter().flatten() {
        cx.aliases(object);
    }
    let state = state?;
    Some(step(&state, data, place, pack, request))
}

fn step(
    state: &State<'_>,
    data: Option<Value<'_>>,
    place: &Place,
    pack: &Pack,
    request: Option<&Request>,
) -> Step {
    let cursor = |name: &str| is_cursor(name, pack);
    let asked =
        request.map(|r| match r.arguments.iter().find(|a| cursor(&a.name)).map(|a| &a.worth) {
            Some(Worth::Text(token)) if !token.is_empty() => Start::Token(token.clone()),
            Some(Worth::Int(number)) => Start::Token(number.to_string()),
            _ => Start::First,
        });
    let list = data.and_then(|d| {
        if d.kind() == Kind::Array {
            Some(d)
        } else {
            d.parts().find(|p| p.kind() == Kind::Array)
        }
    });
    let next = state.token.and_then(|token| {
        let text = token.str().filter(|t| !t.is_empty())?;
        Some((Start::Token(text.into_owned()), place.of(token)))
    });
    Step {
        key: request.map_or_else(String::new, |r| key(r, cursor)),
        tool: request.map(|r| r.tool.clone()),
        explicit: false,
        asked,
        begins: None,
        more: state.exhausted.map(|exhausted| !exhausted),
        next,
        size: None,
        total: None,
        rows: list.filter(|l| l.parts().next().is_some()).map(|l| (l.digest(), place.key(l))),
        bounded: false,
        anchor: place.key(state.object),
    }
}

/// Whether a parameter of this name says where to go on.
fn is_cursor(name: &str, pack: &Pack) -> bool {
    let folded = folded(name);
    let last = folded.rsplit('_').next().unwrap_or_default();
    pack.is_raw(name) || pack.is_weak_cursor(name) || matches!(last, "cursor" | "token")
}

struct Context<'c> {
    place: &'c Place,
    pack: &'c Pack,
    tool: Option<&'c str>,
    acc: &'c mut Vec<Finding>,
}

impl Context<'_> {
    fn report(
        &mut self,
        rule: &'static str,
        primary: Span,
        field: &str,
        message: String,
    ) -> &mut Finding {
        let mut finding = finding(rule, primary, self.tool, message);
        finding.field = Some(field.to_string());
        self.acc.push(finding);
        let last = self.acc.len() - 1;
        &mut self.acc[last]
    }

    fn wrong_type(&mut self, value: Value<'_>, name: &str, wanted: &str) {
        let message = format!("`{name}` is {}; the contract wants {wanted}", value.kind().word());
        self.report("wrong-field-type", self.place.of(value), name, message);
    }

    /// Reads `meta.pagination` and asks whether it is one of the two states.
    fn state<'j>(&mut self, object: Value<'j>) -> Option<State<'j>> {
        if !object.is_object() {
            self.wrong_type(object, "pagination", "an object");
            return None;
        }
        let words = &self.pack.meta;
        let (flag, token) = (first(&words.exhausted), first(&words.token));
        let help = format!("send `{flag}: false` with a `{token}`, or `{flag}: true` without one");
        let state = State {
            object,
            exhausted: object.get(flag).and_then(|v| v.bool()),
            token: object.get(token),
        };
        match object.get(flag) {
            Some(value) if value.kind() != Kind::Bool => self.wrong_type(value, flag, "a boolean"),
            None => {
                let message = format!("the state of paging is not told: there is no `{flag}`");
                self.report("unpaired-page-state", self.place.key(object), flag, message).help =
                    Some(help);
                return Some(state);
            }
            _ => {}
        }
        match state.token {
            Some(value) if !matches!(value.kind(), Kind::String | Kind::Null) => {
                self.wrong_type(value, token, "a string")
            }
            Some(value) if state.exhausted == Some(true) => {
                let message = format!("the pages are exhausted, and yet there is a `{token}`");
                self.report("unpaired-page-state", self.place.key(value), token, message).help =
                    Some(help);
            }
            Some(value)
                if state.exhausted == Some(false) && value.str().is_none_or(|t| t.is_empty()) =>
            {
                let message = format!("more pages remain, but `{token}` leads nowhere");
                self.report("unpaired-page-state", self.place.key(value), token, message).help =
                    Some(help);
            }
            None if state.exhausted == Some(false) => {
                let at = object.get(flag).map_or(self.place.key(object), |v| self.place.key(v));
                let message = format!("more pages remain, but there is no `{token}`");
                self.report("unpaired-page-state", at, token, message).help = Some(help);
            }
            _ => {}
        }
        Some(state)
    }

    /// Raw paging fields anywhere in `data`; gives the first of each name.
    fn data<'j>(&mut self, data: Value<'j>, state: Option<&State<'_>>) -> Vec<Value<'j>> {
        let token = state.and_then(|s| s.token).and_then(|t| t.str());
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        // What all rows carry is said once.
        let mut waiting = vec![(data, String::new())];
        while let Some((object, path)) = waiting.pop() {
            let mut inner = Vec::new();
            let more = object.parts().any(|p| self.pack.is_raw_more(&p.key()));
            for part in object.parts() {
                let name = part.key();
                if LEDGERS.contains(&&*folded(&name)) {
                    continue;
                }
                let continues = || more || (token.is_some() && part.str() == token);
                let raw =
                    self.pack.is_raw(&name) || (self.pack.is_weak_cursor(&name) && continues());
                let path = if part.has_key() { format!("{path}.{name}") } else { path.clone() };
                if raw && part.has_key() && seen.insert(path.clone()) {
                    found.push(part);
                }
                if matches!(part.kind(), Kind::Object | Kind::Array) {
                    inner.push((part, path));
                }
            }
            waiting.extend(inner.into_iter().rev());
        }
        for part in &found {
            let name = part.key();
            let message =
                format!("`{name}` is a paging field of the service and does not belong in `data`");
            let moved = state.is_some();
            let at = self.place.key(*part);
            let finding = self.report("raw-pagination-in-data", at, &name, message);
            finding.help = Some(
                "leave it out of `data`; `meta.pagination` says where the pages stand".to_string(),
            );
            // Without `meta.pagination` the command may be one that has not moved yet.
            if !moved {
                (finding.level, finding.confidence) =
                    (finding.level.min(Level::Warning), Confidence::Medium);
            }
        }
        found
    }

    /// A raw "more" beside a page that says it is the last.
    fn contradiction(&mut self, raw: &[Value<'_>], state: Option<&State<'_>>) {
        let more = raw.iter().find(|v| self.pack.is_raw_more(&v.key()) && v.bool() == Some(true));
        let Some((more, state)) = more.zip(state.filter(|s| s.exhausted == Some(true))) else {
            return;
        };
        let flag = first(&self.pack.meta.exhausted).to_string();
        let primary =
            state.object.get(&flag).map_or(self.place.key(state.object), |v| self.place.key(v));
        let label = label(self.place.key(*more), "the service says that more remains");
        let message =
            "the service said that more remains, but this passes for the last page".to_string();
        let kind = self.pack.meta.inconsistency.clone();
        let finding = self.report("masked-inconsistency", primary, &flag, message);
        finding.labels.push(label);
        finding.help = Some(format!("answer with an error of the type `{kind}`"));
    }

    /// The shape of an answer to a contradiction.
    fn failure(&mut self, value: Value<'_>, pagination: Option<Value<'_>>) {
        let Some(error) = value.object("error") else { return };
        let wanted = self.pack.meta.inconsistency.clone();
        let typed = ["type", "subtype", "code", "kind"]
            .iter()
            .find_map(|name| error.get(name).filter(|v| v.str().is_some_and(|t| t == wanted)));
        if let Some(typed) = typed {
            let success = value.get("ok").filter(|v| v.bool() == Some(true)).or_else(|| {
                value.get("outcome").filter(|v| v.str().is_some_and(|t| t != "failure"))
            });
            if let Some(part) = pagination.or(success) {
                let message = "a contradiction of the paging fields is told as an error and as a page at once".to_string();
                let (at, label) = (self.place.key(part), label(self.place.of(typed), "the error"));
                let name = part.key().into_owned();
                let finding = self.report("masked-inconsistency", at, &name, message);
                finding.labels.push(label);
                finding.help = Some(
                    "send `ok: false`, `outcome: \"failure\"` and no `meta.pagination`".to_string(),
                );
            }
            return;
        }
        let message = error.get("message").or_else(|| error.get("details"));
        let told = message.and_then(|m| m.str()).is_some_and(|text| speaks_of_contradiction(&text));
        if let Some(part) = message.filter(|_| told && !wanted.is_empty()) {
            let text =
                "a contradiction of the paging fields is an error, but not a typed one".to_string();
            let at = self.place.of(part);
            self.report("untyped-inconsistency", at, "error", text).help =
                Some(format!("give the error the type `{wanted}`"));
        }
    }

    fn aliases(&mut self, object: Value<'_>) {
        for part in object.parts() {
            let name = part.key();
            if !self.pack.meta.alias_fields.iter().any(|alias| *alias == name)
                || versions_payload(part)
            {
                continue;
            }
            let message = format!("`{name}` offers another version of the output protocol");
            let at = self.place.key(part);
            self.report("protocol-alias", at, &name, message).help = Some(
                "leave it out: there is one protocol, and a command moves to it by its stage"
                    .to_string(),
            );
        }
    }
}

/// Whether a version is that of the payload.
pub fn versions_payload(value: Value<'_>) -> bool {
    value.str().is_some_and(|text| crate::pack::versions_payload(&text))
}

fn speaks_of_contradiction(text: &str) -> bool {
    let text = text.to_lowercase();
    let about = ["pagination", "hasmore", "has_more", "has more"];
    let contradicts = ["inconsisten", "contradict", "missing", "without", "but no", "empty"];
    about.iter().any(|w| text.contains(w)) && contradicts.iter().any(|w| text.contains(w))
}
