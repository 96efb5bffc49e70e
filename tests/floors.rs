//! Checks the house rules of ARCHITECTURE.md against the text of `src/`; must not know what the
//! program does.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pagelint::rules::RULES;
use support::{pages, read, root, shown, walk};

/// Most lines of a file, its tests not counted.
/// Files that are still longer than that: each may only shrink, and leaves the list when it has
/// been split by responsibility.
const LONG: &[(&str, usize)] = &[
    ("src/infer/builtin.rs", 590),
    ("src/infer/call.rs", 430),
    ("src/infer/envelope.rs", 680),
    ("src/infer/eval.rs", 600),
    ("src/infer/observe.rs", 480),
    ("src/infer/store.rs", 550),
    ("src/infer/value.rs", 450),
    ("src/pack.rs", 500),
];
const MOST_LINES: usize = 400;

/// Whether a file of `src/` holds nothing but tests.
fn only_tests(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Words that only some places of `src/` may hold: the absences of ARCHITECTURE.md.
const ABSENT: &[(&str, &[&str])] = &[
    ("tree_sitter", &["syntax", "lang"]),
    ("miette", &["render/human.rs", "render/excerpt.rs"]),
    ("std::fs", &["discover", "revisions", "cli", "lsp"]),
    ("std::env", &["cli", "main.rs"]),
    ("std::process", &["cli", "main.rs", "lib.rs"]),
    ("println!", &["cli", "main.rs"]),
    ("super::super", &[]),
    ("#[ignore", &[]),
    ("unsafe ", &[]),
];

/// Words that some places must not hold, whatever the others do.
const BANNED: &[(&str, &[&str])] = &[
    ("Serialize", &["report"]),
    ("crate::pack", &["lang"]),
    ("crate::check", &["render"]),
    ("crate::infer", &["render", "lsp"]),
    ("gdscript", &["ir", "infer"]),
    ("GDScript", &["ir", "infer"]),
    ("golang", &["ir", "infer", "rules"]),
];

struct File {
    /// Path below `src/`.
    path: String,
    text: String,
}

impl File {
    /// The name of the floor it belongs to.
    fn floor(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// Its code lines, comments taken away, up to its tests.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
            .map(|(index, line)| (index + 1, line.split("//").next().unwrap_or_default()))
    }
}

fn files() -> Vec<File> {
    let src = root().join("src");
    walk(&src)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs") && !only_tests(&shown(path)))
        .map(|path| File {
            path: path.strip_prefix(&src).unwrap_or(&path).to_string_lossy().replace('\\', "/"),
            text: read(&path),
        })
        .collect()
}

fn in_any(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| {
        path == *place
            || path.strip_suffix(".rs") == Some(place)
            || path.starts_with(&format!("{place}/"))
    })
}

struct Row {
    number: u32,
    may_use: BTreeSet<String>,
}

/// The floor table: rows `| number | `name` | responsibility | uses |`.
fn table() -> BTreeMap<String, Row> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let mut rows = BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [number, name, _, uses] = cells[..] else { continue };
        let Ok(number) = number.parse() else { continue };
        let may_use = uses.split(',').map(|u| u.trim().trim_matches('`').to_string()).collect();
        rows.insert(name.trim_matches('`').to_string(), Row { number, may_use });
    }
    assert!(rows.len() > 5, "ARCHITECTURE.md has no floor table");
    rows
}

#[test]
fn floors_are_kept() {
    let table = table();
    let mut faults = Vec::new();
    let mut there = BTreeSet::new();
    for file in files() {
        let floor = file.floor();
        if floor == "lib" || floor == "main" {
            continue;
        }
        there.insert(floor.to_string());
        let Some(row) = table.get(floor) else {
            faults.push(format!("src/{}: `{floor}` has no row in ARCHITECTURE.md", file.path));
            continue;
        };
        for (line, used) in used_floors(&file) {
            if used == floor {
                continue;
            }
            match table.get(&used) {
                Some(other) if other.number >= row.number => {
                    faults.push(format!(
                        "src/{}:{line}: floor {} uses `{used}` of floor {}",
                        file.path, row.number, other.number
                    ));
                }
                Some(_) if !row.may_use.contains(&used) => {
                    faults.push(format!(
                        "src/{}:{line}: the table does not let `{floor}` use `{used}`",
                        file.path
                    ));
                }
                _ => {}
            }
        }
    }
    for name in table.keys().filter(|name| !there.contains(*name)) {
        println!("not there yet: {name}");
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// The top-level names that a file reaches through `crate::`, with lines.
fn used_floors(file: &File) -> Vec<(usize, String)> {
    let mut used = Vec::new();
    let mut group: Option<i32> = None;
    let name_of = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    for (number, line) in file.code() {
        let mut rest = line;
        if group.is_none() {
            while let Some(at) = rest.find("crate::") {
                rest = &rest[at + "crate::".len()..];
                if let Some(inside) = rest.strip_prefix('{') {
                    group = Some(1);
                    rest = inside;
                    break;
                }
                used.push((number, name_of(rest)));
            }
        }
        let Some(mut depth) = group else { continue };
        let mut fresh = true;
        for (at, sign) in rest.char_indices() {
            match sign {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' => fresh = true,
                c if c.is_alphabetic() && fresh && depth == 1 => {
                    used.push((number, name_of(&rest[at..])));
                    fresh = false;
                }
                c if !c.is_whitespace() => fresh = false,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        group = (depth > 0).then_some(depth);
    }
    used.retain(|(_, name)| !name.is_empty());
    used
}

#[test]
fn siblings_stay_apart() {
    let mut faults = Vec::new();
    let files = files();
    for (floor, shared) in [
        ("lang", &["build"][..]),
        ("rules", &["doc"]),
        ("render", &["address", "excerpt", "json", "visible"]),
    ] {
        let unit = |path: &str| -> Option<String> {
            let rest = path.strip_prefix(&format!("{floor}/"))?;
            let name = rest.split('/').next()?;
            let name = name.strip_suffix(".rs").unwrap_or(name);
            (name != "mod" && !shared.contains(&name)).then(|| name.to_string())
        };
        let units: BTreeSet<String> = files.iter().filter_map(|f| unit(&f.path)).collect();
        for file in &files {
            let Some(own) = unit(&file.path) else { continue };
            for (line, code) in file.code() {
                for other in units.iter().filter(|other| **other != own) {
                    let reach = [format!("crate::{floor}::{other}::"), format!("super::{other}::")];
                    // Inside a folder, `super::x` is a file of the same unit.
                    let nested = file.path.matches('/').count() > 1;
                    if code.contains(&reach[0]) || (!nested && code.contains(&reach[1])) {
                        faults.push(format!("src/{}:{line}: `{own}` uses `{other}`", file.path));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn what_is_absent_stays_absent() {
    let mut faults = Vec::new();
    for file in files() {
        for (line, code) in file.code() {
            for (word, places) in ABSENT {
                if code.contains(word) && !in_any(&file.path, places) {
                    faults.push(format!(
                        "src/{}:{line}: `{}` does not belong here",
                        file.path,
                        word.trim()
                    ));
                }
            }
            for (word, places) in BANNED {
                if code.contains(word) && in_any(&file.path, places) {
                    faults.push(format!("src/{}:{line}: `{word}` does not belong here", file.path));
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn files_have_their_form() {
    let mut faults = Vec::new();
    let tests = walk(&root().join("tests"))
        .into_iter()
        .filter(|p| p.extension().is_some_and(|e| e == "rs"));
    for path in walk(&root().join("src"))
        .into_iter()
        .filter(|p| p.extension().is_some_and(|e| e == "rs"))
        .chain(tests)
    {
        let text = read(&path);
        let name = shown(&path);
        if !text.starts_with("//! ") {
            faults.push(format!("{name}: does not open with `//!`"));
        }
        let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
        let tests = name.starts_with("src/") && only_tests(&name);
        let most =
            LONG.iter().find(|(file, _)| *file == name).map_or(MOST_LINES, |(_, most)| *most);
        if lines > most && !tests {
            faults.push(format!("{name}: {lines} lines, {most} are allowed"));
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_string();
        if ["utils", "util", "helpers", "common", "misc"].contains(&stem.as_str()) {
            faults.push(format!("{name}: says nothing about what it holds"));
        }
        let ignored = ["#[", "ignore"].concat();
        if text.lines().any(|line| line.trim_start().starts_with(&ignored)) {
            faults.push(format!("{name}: an ignored test"));
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn rules_and_pages_are_the_same() {
    let mut faults = Vec::new();
    let (mut paged, mut planned) = (BTreeSet::new(), BTreeSet::new());
    for (pack, rule, path) in pages() {
        let text = read(&path);
        paged.insert(rule.clone());
        let Some(row) = RULES.iter().find(|row| row.id == rule) else {
            // A rule whose Bad examples are all left out may still be to come.
            let runs = support::fences(&text)
                .iter()
                .any(|f| f.section == "Bad" && !f.words.iter().any(|w| w == "ignore"));
            if runs {
                faults.push(format!("{pack}/{rule}: no row in RULES"));
            } else {
                planned.insert(rule);
            }
            continue;
        };
        let head = |key: &str| text.lines().find_map(|l| l.strip_prefix(key)).unwrap_or_default();
        if row.pack != pack
            || row.level.word() != head("level: ")
            || row.summary != head("summary: ")
            || row.page != text
        {
            faults.push(format!(
                "{pack}/{rule}: pack, level, summary or text differ from its row in RULES"
            ));
        }
    }
    faults.extend(
        RULES
            .iter()
            .filter(|row| !paged.contains(row.id))
            .map(|row| format!("{}: no page", row.id)),
    );
    println!("pages whose rule may be to come: {planned:?}");
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn the_index_lists_every_page() {
    let index = read(&root().join("rules/README.md"));
    let mut faults = Vec::new();
    for (pack, rule, path) in pages() {
        let text = read(&path);
        let of = |key: &str| {
            text.lines().find_map(|l| l.strip_prefix(key)).unwrap_or_default().to_string()
        };
        let row =
            format!("| [{rule}]({pack}/{rule}.md) | {} | {} |", of("level: "), of("summary: "));
        if !index.contains(&row) {
            faults.push(format!("rules/README.md lacks: {row}"));
        }
    }
    let rows = index.lines().filter(|l| l.starts_with("| [")).count();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    assert_eq!(rows, pages().len(), "rules/README.md lists a page that is not there");
    assert!(
        Path::new(&root().join("LICENSE-MIT")).exists() && root().join("LICENSE-APACHE").exists()
    );
}
