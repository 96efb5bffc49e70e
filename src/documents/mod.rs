//! Captured responses, recorded sessions and schema files to findings: the rules that are asked
//! of source, asked of JSON, and those that only JSON can answer.
//!
//! Never touches the disk and never reads source code: what source can send is told to it.

mod command_line;
mod drift;
mod envelope;
mod facts;
mod json;
mod json_schema;
mod kind;
mod page_rules;
mod reader;
mod result;
mod schema;
mod session;
mod stream;
mod string;
mod tool_schema;
mod variants;
mod walk;

use std::collections::BTreeMap;

pub use drift::{sendable, Sendable};
pub use facts::Words;
pub use stream::{stream, Line, Stream};

use crate::config::{Config, DocumentKind};
use crate::pack::Pack;
use crate::report::{Confidence, Finding, Level, Problem, Undecided};
use crate::text::{FileId, LineIndex, Sources, Span};
use envelope::pages;
use facts::{finding, Place, Request};
use json::{Json, Kind, Value};
use reader::Fault;
use session::{Event, Session};
use tool_schema::Says;
use walk::Walks;

/// The largest document, or record of a stream, that is read.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Most faults of one file that are named one by one.
const MOST_FAULTS: usize = 10;

impl<'a> Words<'a> {
    /// The packs that have words for captured JSON, the first of each kind.
    pub fn of(packs: &'a [Pack]) -> Words<'a> {
        Words {
            envelope: packs.iter().find(|p| !p.fields.more.is_empty()),
            meta: packs.iter().find(|p| !p.meta.exhausted.is_empty()),
        }
    }
}

/// What one file of captured JSON says.
#[derive(Debug)]
pub struct Captured<'a> {
    words: Words<'a>,
    /// What the file is; nothing as long as its content has to tell.
    kind: Option<DocumentKind>,
    path: String,
    /// Findings so far.
    pub findings: Vec<Finding>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    faults: usize,
    session: Session,
    walks: Walks,
    sightings: drift::Sightings,
    leaves: Vec<variants::Leaf>,
    /// Tools whose output schema says nothing of the pages that they may send, and where.
    silent: BTreeMap<String, (Says, Span)>,
}

impl<'a> Captured<'a> {
    /// Nothing read yet. The kind is nothing where the content has to tell.
    pub fn new(path: &str, kind: Option<DocumentKind>, words: Words<'a>) -> Captured<'a> {
        Captured {
            words,
            kind,
            path: path.to_string(),
            findings: Vec::new(),
            problems: Vec::new(),
            faults: 0,
            session: Session::default(),
            walks: Walks::default(),
            sightings: drift::Sightings::default(),
            leaves: Vec::new(),
            silent: BTreeMap::new(),
        }
    }

    /// Reads a whole file.
    pub fn file(&mut self, file: FileId, text: &str) {
        let fault = match kind::by_lines(&self.path) {
            true => None,
            false => match Json::parse(text) {
                Ok(json) => return self.document(&json, &Place { file, base: 0, passing: false }),
                Err(fault) => Some(fault),
            },
        };
        // Several values in one file are records, a line each.
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        match fault {
            Some(fault) if Json::parse(first).is_err() => {
                let line = LineIndex::new(text).line(fault.at as u32) + 1;
                self.fault(line, &fault);
            }
            _ => self.lines(file, text),
        }
        self.finish();
    }

    fn lines(&mut self, file: FileId, text: &str) {
        let mut base = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            self.record(index as u32 + 1, line, &Place { file, base, passing: false });
            base += line.len() as u32;
        }
    }

    /// Reads one record of a stream or of JSON Lines.
    pub fn record(&mut self, number: u32, line: &str, place: &Place) {
        if line.trim().is_empty() {
            return;
        }
        match Json::parse(line.trim_end_matches(['\n', '\r'])) {
            Ok(json) => self.value(json.root(), place),
            Err(fault) => self.fault(number, &fault),
        }
    }

    fn fault(&mut self, line: u32, fault: &Fault) {
        self.problem(
            Some(line),
            format!("not JSON: {}; record the file again or leave it out", fault.what),
        );
    }

    /// Names what could not be read; of many, the first ones.
    pub fn problem(&mut self, line: Option<u32>, message: String) {
        self.faults += 1;
        if self.faults <= MOST_FAULTS {
            self.problems.push(Problem {
                path: self.path.clone(),
                line,
                level: Level::Warning,
                message,
            });
        }
    }

    fn document(&mut self, json: &Json<'_>, place: &Place) {
        self.value(json.root(), place);
        self.finish();
    }

    /// Ends all walks and says how much was left out.
    pub fn finish(&mut self) {
        self.walks.finish();
        if let Some(more) = self.faults.checked_sub(MOST_FAULTS).filter(|more| *more > 0) {
            self.faults = 0;
            let message = format!("{more} more records are not JSON; the others were checked");
            self.problems.push(Problem {
                path: self.path.clone(),
                line: None,
                level: Level::Warning,
                message,
            });
        }
    }

    fn value(&mut self, value: Value<'_>, place: &Place) {
        let kind = self.kind.or_else(|| kind::sniff(value, self.words));
        if self.kind.is_none() && kind.is_some() {
            self.kind = kind;
        }
        match kind {
            Some(DocumentKind::Schema) => self.schema(value, place),
            Some(DocumentKind::Session) => drop(self.recorded(value, place)),
            Some(DocumentKind::Response) => self.response(value, place),
            None if self.faults == 0 => {
                let message = "it cannot be told what this JSON is; say `--as response`, `--as schema` or `--as session`";
                self.problem(None, message.to_string());
            }
            None => {}
        }
    }

    fn schema(&mut self, value: Value<'_>, place: &Place) {
        // A schema may have been recorded together with the message that asked for it.
        let value = if value.get("jsonrpc").is_some() {
            value.object("result").unwrap_or(value)
        } else {
            value
        };
        let stem = kind::stem(&self.path);
        let leaves = schema::check(value, place, self.words, stem, &mut self.findings);
        self.leaves.extend(leaves);
    }

    fn recorded(&mut self, value: Value<'_>, place: &Place) -> bool {
        let mut session = std::mem::take(&mut self.session);
        let any = session.record(value, place, &mut |event| match event {
            Event::Body(body, request) => self.body(body, place, request, false),
            Event::Tools(result) => self.tools(result, place),
        });
        self.session = session;
        any
    }

    fn response(&mut self, value: Value<'_>, place: &Place) {
        if self.recorded(value, place) {
            return;
        }
        if value.kind() != Kind::Array {
            return self.body(value, place, None, false);
        }
        // A list of nothing but pages is one walk, in order; any other list holds rows.
        let alike =
            value.parts().next().is_some() && value.parts().all(|part| self.is_page(part, place));
        for part in value.parts().filter(|_| alike) {
            self.body(part, place, None, true);
        }
    }

    fn is_page(&self, value: Value<'_>, place: &Place) -> bool {
        let result =
            self.words.meta.is_some_and(|meta| result::is_result(value, meta, self.words.envelope));
        result
            || self.words.envelope.is_some_and(|pack| !pages(value, place, pack, None).is_empty())
    }

    /// Checks what came back from one call.
    fn body(&mut self, value: Value<'_>, place: &Place, request: Option<&Request>, joined: bool) {
        let acc = &mut self.findings;
        let tool = request.map(|r| r.tool.as_str());
        if let Some(meta) =
            self.words.meta.filter(|meta| result::is_result(value, meta, self.words.envelope))
        {
            if let Some(step) = result::check(value, place, meta, request, acc) {
                self.walks.add(&step, joined, place, acc);
            }
            if let Some(data) = value.object("data").filter(|_| !envelope::is_error(value)) {
                self.sightings.note(tool, data, place);
            }
            return;
        }
        let found = self.words.envelope.map(|pack| (pack, pages(value, place, pack, request)));
        let Some((pack, found)) = found else { return };
        for page in &found {
            page_rules::check(page, pack, acc);
            if let Some(step) = walk::step(page, pack) {
                self.walks.add(&step, joined, place, acc);
            }
        }
        if let (Some(tool), false) = (tool, found.is_empty()) {
            self.undeclared(tool);
        }
        if value.is_object() && !envelope::is_error(value) {
            self.sightings.note(tool, value, place);
        }
    }

    /// A tool sent a page: its output schema must have said so.
    fn undeclared(&mut self, tool: &str) {
        let Some((says, at)) = self.silent.remove(tool) else { return };
        let message =
            format!("`{tool}` sends pages, but its output schema declares none of their fields");
        let mut finding = finding("missing-invariant", at, Some(tool), message);
        finding.field = Some("outputSchema".to_string());
        finding.help = Some("declare `has_more`, `total_<unit>` and `returned`".to_string());
        if says == Says::Open {
            (finding.level, finding.confidence) =
                (finding.level.min(Level::Warning), Confidence::Medium);
        }
        self.findings.push(finding);
    }

    fn tools(&mut self, result: Value<'_>, place: &Place) {
        let Some(pack) = self.words.envelope else { return };
        for tool in result
            .get("tools")
            .into_iter()
            .flat_map(|t| t.parts())
            .filter(|t| tool_schema::is_tool(*t))
        {
            let says = tool_schema::check(tool, tool, place, pack, &mut self.findings);
            let (Some(says), Some(schema)) = (says, tool.get("outputSchema")) else { continue };
            if let Some(name) = tool.text("name").filter(|_| says != Says::Pages) {
                self.silent.insert(name.into_owned(), (says, place.kept(place.key(schema))));
            }
        }
    }

    /// Walks that were not followed to their end.
    pub fn undecided(&self) -> impl Iterator<Item = &(Span, String)> {
        self.walks.stopped.iter()
    }
}

/// Reads every document among the first `count` sources.
pub fn read<'a>(
    sources: &Sources,
    count: usize,
    config: &Config,
    words: Words<'a>,
) -> Vec<Captured<'a>> {
    let mut all = Vec::new();
    for (file, source) in sources.iter().take(count) {
        if let Some(kind) = kind::of(source, sources, config) {
            let mut captured = Captured::new(&source.path, kind, words);
            captured.file(file, &source.text);
            all.push(captured);
        }
    }
    all
}

/// Asks what only all documents and the source together can answer.
pub fn compare(all: &mut [Captured<'_>], sendable: &[Sendable]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let leaves: Vec<variants::Leaf> =
        all.iter_mut().flat_map(|c| std::mem::take(&mut c.leaves)).collect();
    variants::compare(&leaves, &mut findings);
    for captured in all.iter() {
        captured.sightings.compare(kind::stem(&captured.path), sendable, &mut findings);
    }
    findings
}

/// Walks that were not followed to their end, as what could not be decided.
pub fn undecided(all: &[Captured<'_>], sources: &Sources) -> Vec<Undecided> {
    let mut lines: BTreeMap<FileId, LineIndex> = BTreeMap::new();
    let mut list = Vec::new();
    for (span, what) in all.iter().flat_map(Captured::undecided) {
        let source = sources.get(span.file);
        let index = lines.entry(span.file).or_insert_with(|| LineIndex::new(&source.text));
        list.push(Undecided {
            path: source.path.clone(),
            line: index.line(span.start) + 1,
            what: what.clone(),
        });
    }
    list
}
