//! Finds the cases (fixture files, projects, fences of rule pages) and makes workspaces of
//! them; must not know what any rule means.

#![allow(dead_code, clippy::disallowed_methods, clippy::disallowed_macros)]

pub mod captured;
pub mod editor;
pub mod marks;
pub mod repo;
pub mod tree;

#[allow(unused_imports)]
pub use tree::{files_in, Tree};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use marks::{Mark, MarkKind};
use pagelint::config::{Config, DocumentKind, Known};
use pagelint::discover::mounts_of;
use pagelint::text::{Source, Sources};

/// Languages by file extension, with what starts a comment.
pub const LANGUAGES: &[(&str, &str)] = &[("gd", "#"), ("go", "//"), ("ts", "//")];

/// One workspace with what is expected of it.
pub struct Case {
    /// Where it comes from, for messages and filters.
    pub name: String,
    /// Its files.
    pub sources: Sources,
    /// The lines that stand before each file in the file it came from.
    pub lines_before: Vec<u32>,
    /// Where each file came from, relative to the repository.
    pub origins: Vec<String>,
    /// The marks of each file.
    pub marks: Vec<Vec<Mark>>,
    /// When set, findings of other rules do not count.
    pub only: Option<Vec<String>>,
    /// The heading of the rule page that it stands under.
    pub section: Option<String>,
    /// The configuration that it is checked with: which files are captured JSON.
    pub config: Config,
}

/// The repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Reads a text of the repository.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files below a folder, in path order; hidden ones excluded.
pub fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return files };
    for entry in entries.flatten() {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if path.is_dir() && !hidden {
            files.extend(walk(&path));
        } else if !hidden {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A path relative to the repository, with `/`.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// What starts a comment in a file of this name, if it is source.
pub fn comment_of(path: &str) -> Option<&'static str> {
    let extension = path.rsplit_once('.')?.1;
    LANGUAGES.iter().find(|(known, _)| *known == extension).map(|(_, comment)| *comment)
}

/// Whether a file holds JSON, by its name.
pub fn is_json(path: &str) -> bool {
    path.ends_with(".json") || path.ends_with(".jsonl")
}

/// Every rule page: `(pack, rule, path)`.
pub fn pages() -> Vec<(String, String, PathBuf)> {
    let mut pages = Vec::new();
    for path in walk(&root().join("rules")) {
        let pack = path
            .parent()
            .and_then(|p| p.file_name())
            .unwrap_or_default()
            .to_string_lossy()
            .to_string();
        let is_page = path.extension().is_some_and(|e| e == "md") && pack != "rules";
        if is_page {
            let rule = path.file_stem().unwrap_or_default().to_string_lossy().to_string();
            pages.push((pack, rule, path));
        }
    }
    pages
}

/// A workspace of texts by path, with the virtual roots that its project files declare.
pub fn workspace(files: &[(String, String)]) -> Sources {
    let mut mounts = Vec::new();
    let mut listed = Vec::new();
    for (path, text) in files {
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir).to_string();
        let name = path.rsplit('/').next().unwrap_or_default();
        let declared = mounts_of(&dir, name, text).expect("project files can be read");
        if !declared.is_empty() {
            mounts.extend(declared);
        } else if comment_of(path).is_some() || is_json(path) {
            let test = name.contains("_test.")
                || path.split('/').any(|part| part == "test" || part == "tests");
            listed.push(Source {
                path: path.clone(),
                text: text.as_str().into(),
                test,
                reported: true,
            });
        }
    }
    listed.sort_by(|a, b| a.path.cmp(&b.path));
    Sources { root: PathBuf::from("/workspace"), files: listed, mounts }
}

/// All cases whose name holds `PAGELINT_ONLY`, with the number of fences left out.
pub fn cases() -> (Vec<Case>, usize) {
    let mut cases = Vec::new();
    let mut faults = Vec::new();
    let mut skipped = 0;
    for folder in ["offset-envelope", "meta-pagination", "run", "shapes"] {
        for path in walk(&root().join("fixtures").join(folder)) {
            file_case(&path, &mut cases, &mut faults);
        }
    }
    for (folder, (kind, _)) in ["responses", "schemas", "sessions"].iter().zip(DocumentKind::ALL) {
        for path in walk(&root().join("fixtures/documents").join(folder)) {
            document_case(&path, kind, &mut cases, &mut faults);
        }
    }
    let projects = root().join("fixtures/projects");
    let mut folders: Vec<_> = std::fs::read_dir(&projects)
        .map(|d| d.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    folders.sort();
    for folder in folders.iter().filter(|f| f.is_dir()) {
        project_case(folder, &mut cases, &mut faults);
    }
    for (_, rule, path) in pages() {
        skipped += page_cases(&rule, &path, &mut cases, &mut faults);
    }
    assert!(faults.is_empty(), "marks that cannot be read:\n{}", faults.join("\n"));
    if let Ok(wanted) = std::env::var("PAGELINT_ONLY") {
        cases.retain(|case| case.name.contains(&wanted));
    }
    (cases, skipped)
}

fn file_case(path: &Path, cases: &mut Vec<Case>, faults: &mut Vec<String>) {
    let name = shown(path);
    if comment_of(&name).is_none() {
        return;
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().to_string();
    push(cases, faults, name.clone(), vec![(file, read(path), name, 0)], None, None);
}

/// A file of captured JSON, with its marks in a file of the same name that ends in `.expect`.
fn document_case(path: &Path, kind: DocumentKind, cases: &mut Vec<Case>, faults: &mut Vec<String>) {
    let name = shown(path);
    if !is_json(&name) {
        return;
    }
    let expected = path.with_extension("expect");
    let mut marks = Vec::new();
    if expected.exists() {
        match marks::beside(&read(&expected)) {
            Ok(read) => marks = read,
            Err(errors) => {
                faults.extend(errors.iter().map(|e| format!("{}: {e}", shown(&expected))))
            }
        }
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().to_string();
    let files = vec![(file.clone(), read(path), name.clone(), 0)];
    push(cases, faults, name, files, None, None);
    if let Some(case) = cases.last_mut() {
        case.marks = vec![marks];
        name_document(case, &file, Some(kind));
    }
}

/// Makes a file of a case one of captured JSON.
fn name_document(case: &mut Case, file: &str, kind: Option<DocumentKind>) {
    case.config.documents.named.insert(case.sources.root.join(file), kind);
}

fn project_case(folder: &Path, cases: &mut Vec<Case>, faults: &mut Vec<String>) {
    let files = walk(folder)
        .into_iter()
        .map(|path| {
            let inside =
                path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            (inside, read(&path), shown(&path), 0)
        })
        .collect();
    push(cases, faults, shown(folder), files, None, None);
    let file = folder.join(pagelint::config::FILE_NAME);
    if file.exists() {
        let rules: Vec<&str> = pagelint::rules::RULES.iter().map(|rule| rule.id).collect();
        let packs: Vec<&str> = pagelint::pack::shipped().collect();
        let languages: Vec<&str> = pagelint::lang::LANGUAGES.iter().map(|l| l.id).collect();
        let known = Known { rules: &rules, packs: &packs, languages: &languages };
        let case = cases.last_mut().expect("a case was pushed");
        case.config = Config::parse(&read(&file), &case.sources.root, known)
            .unwrap_or_else(|error| panic!("{}: {}", shown(&file), error.message));
    }
}

/// Makes a case of every fence of a page; returns how many are tagged `ignore`. A fence tagged
/// `beside` belongs to the case of the fence before it.
fn page_cases(rule: &str, path: &Path, cases: &mut Vec<Case>, faults: &mut Vec<String>) -> usize {
    let origin = shown(path);
    let mut skipped = 0;
    let fences = fences(&read(path));
    let mut rest = &fences[..];
    while let Some((fence, after)) = rest.split_first() {
        let more =
            after.iter().take_while(|fence| fence.words.iter().any(|w| w == "beside")).count();
        let group = &rest[..=more];
        rest = &after[more..];
        if fence.words.iter().any(|word| word == "ignore") {
            skipped += 1;
            continue;
        }
        let files: Vec<(CaseFile, &Fence)> =
            group.iter().filter_map(|fence| Some((file_of(fence, &origin)?, fence))).collect();
        if files.len() < group.len() {
            if ["Bad", "Good", "Not this"].contains(&fence.section.as_str()) {
                faults.push(format!(
                    "{origin}:{}: an example in no language that is run",
                    fence.line
                ));
            }
            continue;
        }
        let name = format!("{origin}:{} ({})", fence.line, fence.section);
        let documents: Vec<(String, Option<DocumentKind>)> = files
            .iter()
            .filter(|(file, _)| is_json(&file.0))
            .map(|(file, fence)| (file.0.clone(), kind_of(fence)))
            .collect();
        let files = files.into_iter().map(|(file, _)| file).collect();
        push(cases, faults, name, files, Some(rule), Some(fence.section.clone()));
        for (file, kind) in documents {
            name_document(cases.last_mut().expect("a case was pushed"), &file, kind);
        }
    }
    skipped
}

/// The file that a fence stands for, if it is in a language that is run.
fn file_of(fence: &Fence, origin: &str) -> Option<CaseFile> {
    let extension = match fence.words.first().map(String::as_str)? {
        "gdscript" => "gd",
        "go" => "go",
        "typescript" => "ts",
        // With comments, so that marks can stand in it; they are taken out before it is read.
        "json" | "jsonc" => "json",
        _ => return None,
    };
    let file = fence.words.iter().find_map(|word| word.strip_prefix("path="));
    let file = file.map_or_else(|| format!("case.{extension}"), str::to_string);
    Some((file, fence.text.clone(), origin.to_string(), fence.line))
}

/// What the JSON of a fence is.
fn kind_of(fence: &Fence) -> Option<DocumentKind> {
    let word = fence.words.iter().find_map(|word| word.strip_prefix("as="))?;
    let (kind, _) = DocumentKind::ALL.into_iter().find(|(_, known)| *known == word)?;
    Some(kind)
}

/// A code block of a page.
pub struct Fence {
    /// The heading above it.
    pub section: String,
    /// Words behind the backquotes.
    pub words: Vec<String>,
    /// The 1-based line of the opening backquotes.
    pub line: u32,
    /// Its text.
    pub text: String,
}

/// All code blocks of a Markdown text.
pub fn fences(text: &str) -> Vec<Fence> {
    let mut found: Vec<Fence> = Vec::new();
    let (mut section, mut open) = (String::new(), false);
    for (index, line) in text.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            open = !open;
            if open {
                let words = info.split_whitespace().map(str::to_string).collect();
                found.push(Fence {
                    section: section.clone(),
                    words,
                    line: index as u32 + 1,
                    text: String::new(),
                });
            }
        } else if open {
            let fence = found.last_mut().expect("an open fence was pushed");
            fence.text.push_str(line);
            fence.text.push('\n');
        } else if let Some(title) = line.strip_prefix("## ") {
            section = title.trim().to_string();
        }
    }
    found
}

/// A case of one text.
pub fn single(path: &str, text: &str) -> Case {
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    push(
        &mut cases,
        &mut faults,
        path.into(),
        vec![(path.into(), text.into(), path.into(), 0)],
        None,
        None,
    );
    assert!(faults.is_empty(), "{faults:?}");
    cases.remove(0)
}

type CaseFile = (String, String, String, u32);

fn push(
    cases: &mut Vec<Case>,
    faults: &mut Vec<String>,
    name: String,
    mut files: Vec<CaseFile>,
    rule: Option<&str>,
    section: Option<String>,
) {
    files.sort();
    let plain = |path: &str, text: &str| match is_json(path) {
        true => marks::without(text, "//"),
        false => text.to_string(),
    };
    let texts: Vec<_> =
        files.iter().map(|(path, text, ..)| (path.clone(), plain(path, text))).collect();
    let sources = workspace(&texts);
    let by_path: BTreeMap<_, _> = files.iter().map(|file| (file.0.as_str(), file)).collect();
    let (mut lines_before, mut origins, mut all) = (Vec::new(), Vec::new(), Vec::new());
    let mut only = match section.as_deref() {
        Some("Bad") => rule.map(|rule| vec![rule.to_string()]),
        _ => None,
    };
    for source in &sources.files {
        let (_, text, origin, before) = by_path[source.path.as_str()];
        let json = is_json(&source.path).then_some("//");
        let comment = comment_of(&source.path).or(json).unwrap_or("\u{0}");
        let marks = marks::parse(text, comment, rule).unwrap_or_else(|errors| {
            faults.extend(errors.iter().map(|e| format!("{origin} (line {before} +) {e}")));
            Vec::new()
        });
        for mark in &marks {
            if let MarkKind::Only(rules) = &mark.kind {
                only = Some(rules.clone());
            }
        }
        lines_before.push(*before);
        origins.push(origin.clone());
        all.push(marks);
    }
    let config = Config::default();
    cases.push(Case { name, sources, lines_before, origins, marks: all, only, section, config });
}

/// Takes the expectations that are known not to hold yet out of a list of faults, and gives
/// those that hold by now: they must leave `fixtures/pending-<name>.txt`.
pub fn pending(name: &str, faults: &mut Vec<String>) -> Vec<String> {
    let path = root().join(format!("fixtures/pending-{name}.txt"));
    let key = |fault: &str| fault.trim().split(" | ").next().unwrap_or("").to_string();
    let listed: Vec<String> =
        read(&path).lines().filter(|l| !l.starts_with('#')).map(String::from).collect();
    let open: Vec<String> = faults.iter().map(|f| key(f)).collect();
    faults.retain(|fault| !listed.contains(&key(fault)));
    listed.into_iter().filter(|line| !line.is_empty() && !open.contains(line)).collect()
}
