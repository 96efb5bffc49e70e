//! Feeds damaged fixtures to the whole pipeline; must not know what comes out, only that
//! something does.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod support;

use std::panic::{catch_unwind, AssertUnwindSafe};

use pagelint::check::check;
use pagelint::config::Config;
use pagelint::text::Sources;
use support::{cases, workspace};

/// Most damaged versions of one file in each test.
const VERSIONS: usize = 60;

fn survives(sources: &Sources) -> bool {
    catch_unwind(AssertUnwindSafe(|| check(sources, &Config::default()))).is_ok()
}

/// Every file of every case alone: `(name, path, text)`.
fn files() -> Vec<(String, String, String)> {
    let mut files: Vec<_> = cases()
        .0
        .into_iter()
        .flat_map(|case| {
            let name = case.name;
            case.sources.files.into_iter().map(move |s| (name.clone(), s.path, s.text.to_string()))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn cut_at_every_line() {
    let mut broken = Vec::new();
    for (name, path, text) in files() {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let step = lines.len().div_ceil(VERSIONS).max(1);
        for kept in (0..=lines.len()).step_by(step) {
            for (part, cut) in [("first", &lines[..kept]), ("last", &lines[kept..])] {
                if !survives(&workspace(&[(path.clone(), cut.concat())])) {
                    broken.push(format!("{name} {path}: {part} part, cut at line {kept}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "panics:\n{}", broken.join("\n"));
}

#[test]
fn changed_bytes() {
    const SIGNS: &[u8] = b"{}[]()\"'`#:,.=\n\t \\0&@\xc3\xa9\xff\0";
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let mut broken = Vec::new();
    for (name, path, text) in files() {
        for version in 0..VERSIONS / 4 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=next(6) {
                let (at, to) = (next(bytes.len()), next(bytes.len()));
                match next(4) {
                    0 if at < bytes.len() => bytes[at] = SIGNS[next(SIGNS.len())],
                    1 => bytes.insert(at.min(bytes.len()), SIGNS[next(SIGNS.len())]),
                    2 => drop(bytes.drain(at.min(to)..at.max(to).min(at.min(to) + 80))),
                    _ => {
                        let copy = bytes[at.min(to)..at.max(to).min(at.min(to) + 80)].to_vec();
                        bytes.splice(at..at, copy);
                    }
                }
            }
            let damaged = String::from_utf8_lossy(&bytes).into_owned();
            if !survives(&workspace(&[(path.clone(), damaged.clone())])) {
                broken.push(format!("{name} {path}: version {version}\n{damaged}"));
            }
        }
    }
    assert!(broken.is_empty(), "panics:\n{}", broken.join("\n"));
}

#[test]
fn names_passed_on_in_circles() {
    let file = |path: &str, text: &str| (path.to_string(), text.to_string());
    let sources = workspace(&[
        file("tsconfig.json", "{}"),
        file("a.ts", "export * from './b';\nimport { rows } from './b';\nexport { more } from './b';\n"),
        file("b.ts", "export * from './a';\nimport { rows } from './a';\nexport { more } from './a';\n"),
        file("c.ts", "import { rows, more } from './a';\nexport function f() { return { rows, has_more: more() }; }\n"),
    ]);
    assert!(survives(&sources));
}

#[test]
fn classes_that_hold_one_of_their_own() {
    let file = |path: &str, text: &str| (path.to_string(), text.to_string());
    let sources = workspace(&[
        file("project.godot", ""),
        file("contract/pagination.gd", "var next = new()\nvar other = make()\nvar _rows = []\n\nstatic func make():\n\tvar made = new()\n\treturn made\n\nfunc cast(n: int) -> Dictionary:\n\treturn {\"returned\": n, \"total_rows\": n, \"has_more\": false}\n"),
        file("tools.gd", "const Pages = preload(\"res://contract/pagination.gd\")\n\nfunc register(registry) -> void:\n\tregistry.add(\"rows.list\", _list)\n\nfunc _list(_p):\n\treturn MCPToolkitSuccess.ok(Pages.make().next.cast(3))\n"),
    ]);
    assert!(survives(&sources));
}

/// Lines enough to make a text longer than any memory, were it kept.
fn doubled(line: &str) -> String {
    line.repeat(64)
}

#[test]
fn texts_that_double_in_each_line() {
    let file = |path: &str, text: String| (path.to_string(), text);
    for (first, line) in [
        ("\"total_\"", "\ts = s + s\n"),
        ("\"total_\"", "\ts = \"%s%s\" % [s, s]\n"),
        ("str(p.x)", "\ts = s + s\n"),
        ("\"a\" + str(p.x)", "\ts = s + s\n"),
        ("str(p.x)", "\ts = \"%s%s\" % [s, s]\n"),
        ("p.x", "\ts = s + s\n"),
    ] {
        let text = format!(
            "func register(registry) -> void:\n\tregistry.add(\"rows.list\", _list)\n\nfunc _list(p):\n\tvar s = {first}\n{}\treturn MCPToolkitSuccess.ok({{s: p, \"count\": 1, \"truncated\": s == \"\"}})\n",
            doubled(line),
        );
        let sources = workspace(&[file("project.godot", String::new()), file("tools.gd", text)]);
        let found = check(&sources, &Config::default()).report.findings;
        assert!(found.iter().any(|f| f.rule == "hand-built-envelope"), "{first} {line}: {found:?}");
    }
    for first in ["'total_'", "String(p)"] {
        let text = format!(
            "server.tool('rows', 'd', {{}}, async (p: any) => {{ let s = {first};\n{}return {{ content: [{{ type: 'text', text: JSON.stringify({{ [s]: 1, count: 2, truncated: !s }}) }}] }}; }});\n",
            doubled("s = `${s}${s}`;\n"),
        );
        assert!(survives(&workspace(&[file("a.ts", text)])), "{first}");
    }
}

/// Functions of which each calls the one before twice: without a bound, twice the work for each.
fn chain(levels: usize, function: impl Fn(usize) -> String) -> String {
    (1..=levels).map(function).collect()
}

#[test]
fn calls_that_double_at_each_level_are_cut_and_told() {
    let file = |path: &str, text: String| (path.to_string(), text);
    let gdscript = format!(
        "func register(registry):\n\tregistry.add(\"rows.list\", _list)\n\nfunc _list(p):\n\treturn MCPToolkitSuccess.ok(f24({{}}, p))\n\nfunc f0(d, p):\n\td[\"has_more\"] = p.more\n\treturn d\n{}",
        chain(24, |i| format!("\nfunc f{i}(d, p):\n\tif p.x{i}:\n\t\td[\"k{i}\"] = 1\n\t\treturn f{0}(d, p)\n\treturn f{0}(d, p)\n", i - 1)),
    );
    let go = format!(
        "package m\n\nimport (\n\t\"encoding/json\"\n\t\"os\"\n)\n\nfunc List(p map[string]any) {{\n\tjson.NewEncoder(os.Stdout).Encode(f24(map[string]any{{}}, p))\n}}\n\nfunc f0(d, p map[string]any) map[string]any {{\n\td[\"nextCursor\"] = p[\"c\"]\n\treturn d\n}}\n{}",
        chain(24, |i| format!("\nfunc f{i}(d, p map[string]any) map[string]any {{\n\tif p[\"x{i}\"] != nil {{\n\t\td[\"k{i}\"] = 1\n\t\treturn f{0}(d, p)\n\t}}\n\treturn f{0}(d, p)\n}}\n", i - 1)),
    );
    let typescript = format!(
        "function f0(d: any, p: any) {{ d.has_more = p.more; return d; }}\n{}server.tool('rows', 'd', {{}}, async function list(p: any) {{ return {{ content: [{{ type: 'text', text: JSON.stringify(f24({{}}, p)) }}] }}; }});\n",
        chain(24, |i| format!("function f{i}(d: any, p: any) {{ if (p.x{i}) {{ d.k{i} = 1; return f{0}(d, p); }} return f{0}(d, p); }}\n", i - 1)),
    );
    for (place, path, text, name) in [
        ("project.godot", "rows.gd", gdscript, "`_list`"),
        ("go.mod", "rows.go", go, "`List`"),
        ("package.json", "rows.ts", typescript, "took too many steps"),
    ] {
        let place = match place {
            "go.mod" => file(place, "module example.com/m\n\ngo 1.21\n".to_string()),
            _ => file(place, String::new()),
        };
        let sources = workspace(&[place, file(path, text)]);
        let problems = check(&sources, &Config::default()).report.problems;
        let told = problems.iter().find(|p| {
            p.path == path && p.message.contains(name) && p.message.contains("too many steps")
        });
        assert!(told.is_some_and(|p| p.line.is_some()), "{path}: {problems:?}");
    }
}

#[test]
fn values_that_double_in_each_line() {
    let file = |path: &str, text: String| (path.to_string(), text);
    let handler =
        "func register(registry):\n\tregistry.add(\"rows.list\", _list)\n\nfunc _list(p):\n";
    let copies = chain(40, |i| {
        format!(
            "\tvar d{i} = {{}}\n\td{i}.merge(d{0})\n\tif p.c{i}:\n\t\td{i}.merge(d{0}, true)\n",
            i - 1
        )
    });
    let bounds = chain(60, |i| format!("\ta = min(a, max(b, {i}))\n\tb = max(a, min(b, {i}))\n"));
    for text in [
        format!("{handler}\tvar d0 = {{\"has_more\": p.x}}\n{copies}\treturn MCPToolkitSuccess.ok(d40)\n"),
        format!("{handler}\tvar a = p.limit\n\tvar b = p.offset\n{bounds}\treturn MCPToolkitSuccess.ok({{\"has_more\": a > b}})\n"),
    ] {
        let sources = workspace(&[file("project.godot", String::new()), file("rows.gd", text)]);
        assert!(survives(&sources));
    }
    let lists = chain(48, |i| format!(" const a{i} = [...a{0}, ...a{0}];\n", i - 1));
    let text = format!("export function list(p: any) {{\n const a0 = [p.x];\n{lists} return {{ rows: a48, has_more: p.more, returned: a48.length }};\n}}\n");
    assert!(survives(&workspace(&[file("package.json", String::new()), file("rows.ts", text)])));
}
