//! Turns the marks in a fixture's comments into expectations; must not know what any rule means.
//!
//! Marks are found by plain text, never by a parser, so that a mark inside a broken parse
//! cannot vanish.

/// What a comment asks for, and of which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The 1-based line it speaks of.
    pub line: u32,
    /// The 1-based line it stands on.
    pub written: u32,
    /// What it asks.
    pub kind: MarkKind,
}

/// The kinds of marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// One finding of this rule begins on the line; with a text, its primary span is that text.
    Violation { rule: String, text: Option<String> },
    /// No finding of this rule begins on the line.
    Clean { rule: String, why: String },
    /// The object that leaves through the sink on the line; `None`: nothing leaves there.
    Emits(Option<Shape>),
    /// The stage attached to the findings of the line.
    Stage(String),
    /// Only these rules count in this file.
    Only(Vec<String>),
}

/// An object as the marks write it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Its fields, sorted by name.
    pub fields: Vec<Field>,
    /// Whether unknown fields may be there too.
    pub open: bool,
}

/// One field of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; a known beginning ends with `*`.
    pub name: String,
    /// Whether it may be missing.
    pub optional: bool,
    /// Its own fields, where they are spelled out.
    pub inner: Option<Shape>,
}

const WORDS: &[&str] = &["violation", "clean", "emits", "stage", "only"];

/// Reads all marks of a text. `comment` starts a line comment; `rule` is what a bare
/// `violation` means, if anything.
pub fn parse(text: &str, comment: &str, rule: Option<&str>) -> Result<Vec<Mark>, Vec<String>> {
    let (mut marks, mut faults) = (Vec::new(), Vec::new());
    let mut waiting: Vec<Mark> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index as u32 + 1;
        let found = comment_with_mark(line, comment);
        let own_line = found.is_some_and(|(at, _)| line[..at].trim().is_empty());
        if let Some((_, body)) = found {
            match one(body, rule) {
                Ok((kind, offset)) => {
                    let mark = Mark { line: number + offset.unwrap_or(0), written: number, kind };
                    if own_line && offset.is_none() {
                        waiting.push(mark);
                    } else {
                        marks.push(mark);
                    }
                }
                Err(fault) => faults.push(format!("{number}: {fault}")),
            }
        }
        if !own_line {
            marks.extend(waiting.drain(..).map(|mark| Mark { line: number, ..mark }));
        }
    }
    marks.extend(waiting);
    marks.sort_by_key(|mark| (mark.line, mark.written));
    if faults.is_empty() {
        Ok(marks)
    } else {
        Err(faults)
    }
}

/// Reads marks that stand beside a file, a line each: the number of the line that they speak of,
/// then the mark.
pub fn beside(text: &str) -> Result<Vec<Mark>, Vec<String>> {
    let (mut marks, mut faults) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let written = index as u32 + 1;
        let read =
            line.split_once(' ').and_then(|(number, mark)| Some((number.parse().ok()?, mark)));
        match read.ok_or("a line's number must come first".to_string()).and_then(|(line, mark)| {
            one(mark.trim(), None).map(|(kind, _)| Mark { line, written, kind })
        }) {
            Ok(mark) => marks.push(mark),
            Err(fault) => faults.push(format!("{written}: {fault}")),
        }
    }
    if faults.is_empty() {
        Ok(marks)
    } else {
        Err(faults)
    }
}

/// A text with blanks in place of its marks.
pub fn without(text: &str, comment: &str) -> String {
    let blank = |line: &str| match comment_with_mark(line, comment) {
        Some((at, _)) => format!("{}{}", &line[..at], " ".repeat(line.len() - at)),
        None => line.to_string(),
    };
    text.split('\n').map(blank).collect::<Vec<_>>().join("\n")
}

/// The byte of the comment sign and the mark behind it.
fn comment_with_mark<'a>(line: &'a str, comment: &str) -> Option<(usize, &'a str)> {
    line.match_indices(comment).find_map(|(at, sign)| {
        let body = line[at + sign.len()..].trim();
        let word = WORDS.iter().find(|word| body.starts_with(**word))?;
        let rest = &body[word.len()..];
        let is_mark = rest.starts_with([':', '+'])
            || (*word == "violation" && (rest.is_empty() || rest.starts_with(" @ ")));
        is_mark.then_some((at, body))
    })
}

fn one(body: &str, rule: Option<&str>) -> Result<(MarkKind, Option<u32>), String> {
    let end = body.find([':', '+', ' ']).unwrap_or(body.len());
    let (word, mut rest) = body.split_at(end);
    let mut offset = None;
    if let Some(after) = rest.strip_prefix('+') {
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        offset =
            Some(after[..digits].parse().map_err(|_| format!("a number must follow `{word}+`"))?);
        rest = &after[digits..];
    }
    let bare = !rest.starts_with(':');
    let rest = rest.trim_start_matches(':').trim();
    let kind = match word {
        "violation" => violation(rest, bare, rule)?,
        "clean" => {
            let (rule, why) = rest.split_once(" - ").ok_or("`clean` needs `<rule> - <why>`")?;
            MarkKind::Clean { rule: rule.trim().into(), why: why.trim().into() }
        }
        "emits" if rest == "nothing" => MarkKind::Emits(None),
        "emits" => MarkKind::Emits(Some(shape(rest)?)),
        "stage" => MarkKind::Stage(rest.into()),
        _ => MarkKind::Only(rest.split(',').map(|rule| rule.trim().to_string()).collect()),
    };
    Ok((kind, offset))
}

fn violation(rest: &str, bare: bool, rule: Option<&str>) -> Result<MarkKind, String> {
    let (named, text) = match rest.split_once("@ ") {
        Some((named, text)) => (named.trim(), Some(text.trim())),
        None => (rest, None),
    };
    let rule =
        if bare { rule.ok_or("a bare `violation` stands only in a rule's page")? } else { named };
    if rule.is_empty() || rule.contains(' ') || (bare && !named.is_empty()) {
        return Err("`violation` needs `<rule> @ <text>`".into());
    }
    Ok(MarkKind::Violation { rule: rule.into(), text: text.map(|text| unquoted(text).into()) })
}

/// A text without the quotes (and the string-name sign) around it.
pub fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('&').unwrap_or(text);
    for quote in ['"', '\'', '`'] {
        if let Some(inner) = inner.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// Reads `{a, b?, c: {d}, ...}`.
pub fn shape(text: &str) -> Result<Shape, String> {
    let mut rest = text.trim();
    let shape = object(&mut rest)?;
    if rest.trim().is_empty() {
        Ok(shape)
    } else {
        Err(format!("`{}` after the shape", rest.trim()))
    }
}

fn object(rest: &mut &str) -> Result<Shape, String> {
    let mut shape = Shape::default();
    *rest = rest.strip_prefix('{').ok_or("a shape starts with `{`")?.trim_start();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            *rest = after.trim_start();
            shape.fields.sort_by(|a, b| a.name.cmp(&b.name));
            return Ok(shape);
        }
        let end = rest.find([',', '}', ':', '{']).ok_or("a shape ends with `}`")?;
        let name = rest[..end].trim();
        *rest = rest[end..].trim_start();
        let mut inner = None;
        if let Some(after) = rest.strip_prefix(':') {
            *rest = after.trim_start();
            inner = Some(object(rest)?);
        }
        match name.strip_suffix('?') {
            _ if name == "..." => shape.open = true,
            _ if name.is_empty() => return Err("a field needs a name".into()),
            Some(name) => shape.fields.push(Field { name: name.into(), optional: true, inner }),
            None => shape.fields.push(Field { name: name.into(), optional: false, inner }),
        }
        *rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
}
