//! Pages in the order in which they came to walks, and what does not fit together in them.
//!
//! Knows no contract: both kinds of page are steps here.

use std::collections::BTreeMap;

use super::envelope::rows;
use super::facts::{finding, label, Page, Place, Request, Worth};
use crate::pack::{Pack, Role, WindowKind};
use crate::report::Finding;
use crate::text::Span;

/// Most walks of one tool and the same arguments that are open at a time.
const MOST_OPEN: usize = 16;

/// Where a page begins, or where the next one does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the first row.
    First,
    /// At an index: rows that lie before it.
    Index(i64),
    /// Where a token says.
    Token(String),
    /// It cannot be told.
    Unknown,
}

/// What a walk needs to know of a page.
#[derive(Clone, Debug)]
pub struct Step {
    /// Which pages can belong to one walk.
    pub key: String,
    /// The tool, if that was recorded.
    pub tool: Option<String>,
    /// Where the caller asked to begin; nothing when no call was recorded.
    pub asked: Option<Start>,
    /// Whether the caller said so, rather than leaving it out.
    pub explicit: bool,
    /// Where the page says that it begins.
    pub begins: Option<(i64, Span)>,
    /// Whether more remains.
    pub more: Option<bool>,
    /// Where the page says that the next one begins.
    pub next: Option<(Start, Span)>,
    /// How many rows came.
    pub size: Option<i64>,
    /// How many rows there are.
    pub total: Option<(i64, Span)>,
    /// The rows, all in one number.
    pub rows: Option<(u64, Span)>,
    /// Whether the caller bounded the walk from behind.
    pub bounded: bool,
    /// The place by which the page is known.
    pub anchor: Span,
}

/// The step that an envelope page makes.
pub fn step(page: &Page<'_>, pack: &Pack) -> Option<Step> {
    let anchor = page.anchor()?;
    let lines = resume_kind(page, pack) == WindowKind::Start;
    let kind = if lines { WindowKind::Start } else { WindowKind::Offset };
    // Lines are counted from 1.
    let first = i64::from(lines);
    let index = |worth: &Worth| match worth {
        Worth::Int(n) if *n >= first => Some(*n - first),
        _ => None,
    };
    let echoed = page.fields.iter().find(|f| pack.window(&f.name) == Some(kind));
    let next = page
        .first(Role::Resume)
        .and_then(|f| index(&f.worth).map(|at| (Start::Index(at), f.value)));
    let ends = |name: &str| pack.window(name) == Some(WindowKind::End);
    let bounded = page.fields.iter().any(|f| ends(&f.name))
        || page.request.is_some_and(|r| r.arguments.iter().any(|a| ends(&a.name)));
    Some(Step {
        key: page
            .request
            .map_or_else(String::new, |r| key(r, |name| pack.window(name) == Some(kind))),
        tool: page.tool().map(String::from),
        asked: page.request.map(|r| match r.window(pack, kind) {
            Some(argument) => index(&argument.worth).map_or(Start::Unknown, from),
            None => Start::First,
        }),
        explicit: page.request.is_some_and(|r| r.window(pack, kind).is_some()),
        begins: echoed.and_then(|f| index(&f.worth).map(|at| (at, f.value))),
        more: page.flag(Role::More),
        next,
        // A wrong page size is another rule's business, and would make all sums wrong.
        size: came(page, pack).or_else(|| page.int(Role::Size)),
        total: page.first(Role::Total).and_then(|f| page.int(Role::Total).map(|n| (n, f.value))),
        rows: page.rows,
        bounded,
        anchor,
    })
}

/// How many rows a page holds, where they are in a list.
fn came(page: &Page<'_>, pack: &Pack) -> Option<i64> {
    match rows(page, pack)?.worth {
        Worth::List(length) => Some(length as i64),
        _ => None,
    }
}

fn from(index: i64) -> Start {
    if index == 0 {
        Start::First
    } else {
        Start::Index(index)
    }
}

/// Whether a page goes on by lines or by rows.
fn resume_kind(page: &Page<'_>, pack: &Pack) -> WindowKind {
    if let Some(field) = page.first(Role::Resume) {
        let bare = field.name.strip_prefix("next_").unwrap_or(&field.name);
        return pack.window(bare).unwrap_or(WindowKind::Offset);
    }
    let start = |name: &str| pack.window(name) == Some(WindowKind::Start);
    let lines = page.fields.iter().any(|f| start(&f.name))
        || page.request.is_some_and(|r| r.arguments.iter().any(|a| start(&a.name)));
    if lines {
        WindowKind::Start
    } else {
        WindowKind::Offset
    }
}

/// What the calls of one walk have in common: the tool and all arguments that do not resume.
pub fn key(request: &Request, resumes: impl Fn(&str) -> bool) -> String {
    let mut parts: Vec<String> = request
        .arguments
        .iter()
        .filter(|a| !resumes(&a.name))
        .map(|a| format!("{}={:?}", a.name, a.worth))
        .collect();
    parts.sort();
    format!("{}\u{1}{}", request.tool, parts.join("\u{1}"))
}

/// A walk that is not at its end, or the last one that was.
#[derive(Clone, Debug)]
struct Walk {
    tool: Option<String>,
    /// Where its next page begins; nothing once it has ended.
    next: Option<Start>,
    whole: bool,
    /// Whether anything says that the page belongs to a walk at all.
    told: bool,
    sum: Option<i64>,
    total: Option<(i64, Span)>,
    seen: BTreeMap<u64, Span>,
    tokens: BTreeMap<String, Span>,
    last: Span,
}

/// All walks of a file.
#[derive(Clone, Debug, Default)]
pub struct Walks {
    open: BTreeMap<String, Vec<Walk>>,
    /// Walks that were not followed to their end: where, and what is known.
    pub stopped: Vec<(Span, String)>,
}

impl Walks {
    /// Adds the next page; `joined` says that it belongs to the walk of the page before it.
    pub fn add(&mut self, step: &Step, joined: bool, place: &Place, acc: &mut Vec<Finding>) {
        let before = acc.len();
        alone(step, acc);
        let walks = self.open.entry(step.key.clone()).or_default();
        let wanted = match (&step.asked, joined) {
            (Some(asked), _) => walks.iter().rposition(|w| w.next.as_ref() == Some(asked)),
            (None, true) => walks.len().checked_sub(1),
            (None, false) => None,
        };
        let mut walk = match wanted {
            Some(at) => walks.remove(at),
            None => Walk::new(step, place),
        };
        if wanted.is_some() {
            walk.told = true;
            walk.follow(step, acc, acc.len() == before);
        }
        walk.take(step, place, acc, before);
        if walk.next.is_some() || step.asked.is_none() {
            walks.push(walk);
        }
        if walks.len() > MOST_OPEN {
            let walk = walks.remove(0);
            self.stopped.extend(walk.stop());
        }
    }

    /// Ends all walks.
    pub fn finish(&mut self) {
        for walk in std::mem::take(&mut self.open).into_values().flatten() {
            self.stopped.extend(walk.stop());
        }
    }
}

impl Walk {
    fn new(step: &Step, place: &Place) -> Walk {
        let begins = step.begins.map(|(at, _)| at);
        let whole = match &step.asked {
            Some(asked) => *asked == Start::First && begins.unwrap_or(0) == 0,
            None => begins == Some(0),
        };
        Walk {
            tool: step.tool.clone(),
            next: None,
            whole: whole && !step.bounded,
            told: step.asked.is_some(),
            sum: Some(0),
            total: step.total.map(|(n, span)| (n, place.kept(span))),
            seen: BTreeMap::new(),
            tokens: BTreeMap::new(),
            last: place.kept(step.anchor),
        }
    }

    /// What the page must have in common with those before it.
    fn follow(&self, step: &Step, acc: &mut Vec<Finding>, sound: bool) {
        let tool = step.tool.as_deref();
        if let (Some((first, at)), Some((total, span))) = (self.total, step.total) {
            if first != total {
                let message = format!("the total was {first} and is {total} in the same walk");
                let mut finding = finding("broken-walk", span, tool, message);
                finding.labels.push(label(at, format!("{first} here")));
                acc.push(finding);
            }
        }
        match (&self.next, step.begins) {
            (None, _) => {
                let mut finding = finding(
                    "broken-walk",
                    step.anchor,
                    tool,
                    "this page follows the last page of its walk".to_string(),
                );
                finding.labels.push(label(self.last, "this page says that nothing more remains"));
                acc.push(finding);
            }
            (Some(Start::Index(next)), Some((begins, span)))
                if begins != *next && step.asked.is_none() && sound =>
            {
                let message = format!(
                    "this page begins behind {begins} rows; the one before it led to {next}"
                );
                let mut finding = finding("broken-walk", span, tool, message);
                finding.labels.push(label(self.last, "the page before"));
                acc.push(finding);
            }
            _ => {}
        }
    }

    /// Makes the page the last one of the walk.
    fn take(&mut self, step: &Step, place: &Place, acc: &mut Vec<Finding>, before: usize) {
        let tool = step.tool.as_deref();
        self.sum = self.sum.zip(step.size).map(|(sum, size)| sum.saturating_add(size));
        let token = match &step.next {
            Some((Start::Token(token), span)) => Some((token.clone(), *span)),
            _ => None,
        };
        let mut repeated = None;
        if let Some((token, span)) = &token {
            let own = matches!(&step.asked, Some(Start::Token(asked)) if asked == token);
            let former = self.tokens.get(token).copied();
            if former.is_some() || own {
                let message =
                    "this token was given before in the same walk: it leads back".to_string();
                repeated = Some((*span, message, former));
            }
        }
        if let (None, Some((digest, span))) = (&repeated, step.rows) {
            if let Some(former) = self.seen.get(&digest) {
                let message =
                    "this page holds the same rows as an earlier one of its walk".to_string();
                repeated = Some((span, message, Some(*former)));
            }
        }
        if let Some((span, message, former)) = repeated {
            let mut finding = finding("repeated-page", span, tool, message);
            finding.labels.extend(former.map(|former| label(former, "it came first here")));
            acc.push(finding);
        }
        self.tokens.extend(token.map(|(token, span)| (token, place.kept(span))));
        self.seen.extend(step.rows.map(|(digest, span)| (digest, place.kept(span))));
        self.last = place.kept(step.anchor);
        self.next = match step.more {
            Some(false) => None,
            Some(true) => Some(step.next.clone().map_or(Start::Unknown, |(next, _)| next)),
            None => Some(Start::Unknown),
        };
        // What is wrong with one page also makes the sum wrong, and would be said twice.
        if acc.len() > before {
            self.sum = None;
        }
        let ended = step.more == Some(false) && self.whole;
        if let (true, Some(sum), Some((total, span))) = (ended, self.sum, step.total) {
            if sum != total {
                let message = format!("the walk ends after {sum} rows, but the total is {total}");
                acc.push(finding("broken-walk", span, tool, message));
            }
        }
    }

    /// What to say of a walk that has not ended.
    fn stop(&self) -> Option<(Span, String)> {
        self.next.as_ref().filter(|_| self.told)?;
        let name = self.tool.as_deref().map_or(String::new(), |tool| format!(" of `{tool}`"));
        let so_far = match (self.sum, self.total) {
            (Some(sum), Some((total, _))) => format!(" at {sum} of {total} rows"),
            _ => String::new(),
        };
        Some((
            self.last,
            format!(
                "the walk{name} stops{so_far}: not followed to its end, so its sum is not known"
            ),
        ))
    }
}

/// What does not fit together within one page.
fn alone(step: &Step, acc: &mut Vec<Finding>) {
    let tool = step.tool.as_deref();
    let mut broken = |span, message: String| acc.push(finding("broken-walk", span, tool, message));
    let asked = match &step.asked {
        Some(Start::First) => Some(0),
        Some(Start::Index(at)) => Some(*at),
        _ => None,
    };
    if let (Some(asked), Some((begins, span))) = (asked, step.begins) {
        if step.explicit && asked != begins {
            broken(span, format!("the caller asked to begin behind {asked} rows, the page begins behind {begins}"));
            return;
        }
    }
    let begins = step.begins.map(|(at, _)| at).or(asked);
    let Some(size) = step.size else { return };
    if let (Some(begins), Some((Start::Index(next), span))) = (begins, &step.next) {
        if *next == begins && step.more == Some(true) {
            let message = "this page leads back to itself".to_string();
            acc.push(finding("repeated-page", *span, tool, message));
            return;
        }
        if *next != begins.saturating_add(size) {
            broken(
                *span,
                format!(
                    "the next page begins behind {next} rows, but this one covers {begins} to {}",
                    begins.saturating_add(size)
                ),
            );
            return;
        }
    }
    let Some((total, span)) = step.total else { return };
    let covered = begins.unwrap_or(0).saturating_add(size);
    // Past the end an empty page is a fair answer.
    if covered > total && size > 0 {
        broken(span, format!("the total is {total}, but the rows up to {covered} have come"));
    } else if step.more == Some(true) && covered >= total && !step.bounded {
        broken(step.anchor, format!("more is said to remain, but all {total} rows have come"));
    } else if step.more == Some(false)
        && begins.is_some_and(|b| b > 0)
        && covered < total
        && !step.bounded
    {
        broken(step.anchor, format!("nothing more is said to remain, but only {covered} of {total} rows have been covered"));
    }
}
