//! Tests of the module around it; must not know the modules above.

use super::*;

const KNOWN: Known<'_> = Known {
    rules: &["hand-built-envelope", "legacy-field"],
    packs: &["offset-envelope", "meta-pagination"],
    languages: &["gdscript", "go", "typescript"],
};

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("/w"), KNOWN)
}

/// The error as a person sees it: the text it points at, what is wrong, what to do.
fn mistake(text: &str) -> (String, String, String) {
    let error = parse(text).expect_err("the text has a mistake");
    let at = text.get(error.span.clone()).expect("the span lies in the text").to_string();
    (at, error.message, error.help.unwrap_or_default())
}

#[test]
fn empty_is_the_default() {
    let config = parse("").expect("empty is fine");
    assert_eq!(config.fail_on, Some(Level::Warning));
    assert_eq!(config.stage_cap("legacy_only"), Some(Level::Note));
    assert_eq!(config.stage_cap("unified_active"), None);
    assert!(config.packs.is_none());
}

#[test]
fn everything_at_once() {
    let config = parse(
        r#"
exclude = ["demo/"]
tests = true
fail-on = "never"
[packs.offset-envelope]
languages = ["gdscript"]
paths = ["addons/"]
[packs.mine]
[rules]
legacy-field = "off"
[[override]]
paths = ["addons/old/**"]
rules = { legacy-field = "note", hand-built-envelope = "warning" }
[stages]
dual_validate = "error"
[[pack.mine.sinks]]
call = "reply"
argument = 0
"#,
    )
    .expect("all of it is known");
    assert_eq!(config.fail_on, None);
    assert!(config.tests);
    assert!(config.exclude.matches(Path::new("/w/demo/a.gd"), false));
    assert!(!config.exclude.matches(Path::new("/elsewhere/demo/a.gd"), false));
    let old = Path::new("/w/addons/old/x.gd");
    assert_eq!(config.level("legacy-field", old), Some(Level::Note));
    assert_eq!(config.level("legacy-field", Path::new("/w/a.gd")), Some(Level::Off));
    assert_eq!(config.level("hand-built-envelope", Path::new("/w/a.gd")), None);
    assert_eq!(config.stage_cap("dual_validate"), Some(Level::Error));
    let packs = config.packs.expect("two packs");
    assert_eq!(
        packs.iter().map(|p| p.id.as_str()).collect::<Vec<_>>(),
        ["mine", "offset-envelope"]
    );
    assert_eq!(config.vocabulary[0].0, "mine");
}

#[test]
fn mistakes_point_at_their_text() {
    let cases: Vec<String> = [
        "excludes = []",
        "exclude = \"x\"",
        "tests = 1",
        "packs = \"offset-envelope\"",
        "packs = [\"offset-envelop\"]",
        "packs = [\"other\"]",
        "packs = [1]",
        "[packs.offset-envelope]\nlanguage = []",
        "[packs.offset-envelope]\nlanguages = [\"go\", \"gdscrip\"]",
        "[rules]\nlegacy-fild = \"off\"",
        "[rules]\nnothing-like-it = \"off\"",
        "[rules]\nlegacy-field = \"warn\"",
        "fail-on = \"off\"",
        "[[override]]\npaths = [\"a\"]",
        "[[override]]\npaths = [\"a\"]\nrules = { legacy-fields = \"off\" }",
        "[[override]]\npaths = [\"ok\", \"a[\"]\nrules = {}",
        "exclude = [\"\"]",
        "[pack]\nmine = 3",
        "[[pack.mine.sinks]]\ncall = \"reply\"",
        "[[pack.offset-envelop.sinks]]\ncall = \"reply\"",
        "[[pack.offset-envelope.sinks]]\ncall = \"reply\"\n[[pack.offset-envelope.sinks]]\ncal = \"reply\"",
        "[pack.offset-envelope.fields]\nmore = 3",
        "tests = ",
        "tests = true\ntests = false",
    ]
    .iter()
    .map(|text| {
        let (at, message, help) = mistake(text);
        format!("{text:?}\n  at {at:?}: {message}\n  help: {help}")
    })
    .collect();
    insta::assert_snapshot!(cases.join("\n"));
}

#[test]
fn schema_names_the_rules() {
    let schema: serde_json::Value =
        serde_json::from_str(&schema(&[("legacy-field", "old")])).expect("it is JSON");
    for place in ["/properties/rules", "/$defs/OverrideEntry/properties/rules"] {
        let table = schema.pointer(place).expect("the types have such a place");
        assert_eq!(table["properties"]["legacy-field"]["description"], "old");
        assert_eq!(table["additionalProperties"], false);
    }
}

#[test]
fn the_nearest_file_governs_up_to_the_repository() {
    let entries = ["/r/.git", "/r/a/pagelint.toml", "/pagelint.toml"];
    let holds = |dir: &Path, name: &str| entries.iter().any(|e| dir.join(name) == Path::new(e));
    let found = |start| governing(Path::new(start), holds).map(|path| path.display().to_string());
    assert_eq!(found("/r/a/b/c.gd"), Some("/r/a/pagelint.toml".to_string()));
    assert_eq!(found("/r/b"), None);
    assert_eq!(found("/x"), Some("/pagelint.toml".to_string()));
}

#[test]
fn near_words() {
    let known = ["legacy-field", "missing-invariant", "note"];
    assert_eq!(nearest("legacy_field", &known), Some("legacy-field"));
    assert_eq!(nearest("missing", &known), Some("missing-invariant"));
    assert_eq!(nearest("not", &known), Some("note"));
    assert_eq!(nearest("xy", &known), None);
    assert_eq!(nearest("", &known), None);
}
