//! A scratch git repository with a half-migrated toolkit, and the program run in it.
//!
//! Knows which findings the toolkit has, but not how they are found.

#![allow(dead_code)]

use std::process::{Command, Stdio};

use super::Tree;

/// A page that is built by hand, in a function of this name.
pub fn by_hand(name: &str) -> String {
    format!(
        "func {name}(herd: Array) -> Dictionary:\n\
         \tvar shown := herd.slice(0, 20)\n\
         \treturn MCPToolkitSuccess.ok({{\n\
         \t\t\"cows\": shown,\n\
         \t\t\"returned\": shown.size(),\n\
         \t\t\"total_cows\": herd.size(),\n\
         \t\t\"has_more\": shown.size() < herd.size(),\n\
         \t}})\n"
    )
}

/// The same function when it has been mended.
pub fn mended(name: &str) -> String {
    format!(
        "func {name}(herd: Array) -> Dictionary:\n\
         \tvar shown := herd.slice(0, 20)\n\
         \treturn MCPToolkitSuccess.ok({{\"cow\": shown}})\n"
    )
}

/// A class file of functions.
pub fn class(functions: &[String]) -> String {
    format!("extends RefCounted\n\n{}", functions.join("\n"))
}

/// What a run gave.
pub struct Ran {
    /// Exit status.
    pub status: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// A repository.
pub struct Repo {
    /// Its files.
    pub tree: Tree,
}

impl Repo {
    /// A repository whose toolkit has two findings, `list_cows` and `list_goats`, recorded in
    /// a baseline and committed.
    pub fn new() -> Repo {
        let repo = Repo { tree: Tree::new() };
        repo.git(&["init", "-q", "-b", "main", "."]);
        repo.write("project.godot", "[application]\n");
        // Only one rule, so that each test can say which findings there are.
        let off = [
            "missing-navigation-hint",
            "missing-resume-field",
            "undisclosed-clamp",
            "unvalidated-window",
            "ungated-hint",
            "inexact-total",
        ];
        let rules: String = off.iter().map(|rule| format!("{rule} = \"off\"\n")).collect();
        repo.write("pagelint.toml", &format!("[rules]\n{rules}"));
        repo.write(
            "barn.gd",
            &class(&[by_hand("list_cows"), by_hand("list_goats"), mended("names")]),
        );
        repo.write("yard.gd", &class(&[mended("yards")]));
        let ran = repo.lint(&["baseline"]);
        assert_eq!(
            (ran.status, ran.out.as_str()),
            (0, "recorded 2 findings in .pagelint-baseline\n")
        );
        repo.commit("base");
        repo
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        self.tree.write(path, text.as_bytes());
    }

    /// Reads a file.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.tree.at(path)).expect("the file is there")
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Runs git, which must succeed.
    pub fn git(&self, arguments: &[&str]) -> String {
        let ran = self.try_git(arguments);
        assert_eq!(ran.status, 0, "git {arguments:?}: {}{}", ran.out, ran.err);
        ran.out
    }

    /// Runs git.
    pub fn try_git(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new("git");
        for (name, value) in [("AUTHOR", "a"), ("COMMITTER", "c")] {
            command.env(format!("GIT_{name}_NAME"), value);
            command.env(format!("GIT_{name}_EMAIL"), format!("{value}@example.org"));
        }
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        ran(command.args(arguments).current_dir(&self.tree.root), "")
    }

    /// Runs the program.
    pub fn lint(&self, arguments: &[&str]) -> Ran {
        self.lint_with(arguments, "")
    }

    /// Runs the program with standard input.
    pub fn lint_with(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pagelint"));
        command.env_remove("GITHUB_STEP_SUMMARY");
        ran(command.args(arguments).current_dir(&self.tree.root), input)
    }

    /// The findings that a check reports, as `path function`, and its exit status.
    pub fn findings(&self, arguments: &[&str]) -> (i32, Vec<String>) {
        let ran = self.lint(&[&["check", "--format", "json"], arguments].concat());
        let json: serde_json::Value = serde_json::from_str(&ran.out)
            .unwrap_or_else(|e| panic!("{e}: {}{}", ran.out, ran.err));
        let findings = json["findings"].as_array().expect("a list");
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
        let shown =
            findings.iter().map(|f| format!("{} {}", text(&f["path"]), text(&f["function"])));
        (ran.status, shown.collect())
    }

    /// Asserts that nothing is new and nothing is stale.
    pub fn passes(&self) {
        assert_eq!(self.findings(&[]), (0, vec![]));
        let locked = self.lint(&["check", "--locked"]);
        assert_eq!(locked.status, 0, "{}", locked.out);
    }
}

fn ran(command: &mut Command, input: &str) -> Ran {
    use std::io::Write;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("it was asked for");
    // A program that does not read its input may have ended already.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().expect("the program ends");
    Ran {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
