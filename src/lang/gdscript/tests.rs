//! Tests of the front end: text in, dumped IR out. Must not know how lowering is done.

use super::*;
use crate::ir::{FunctionKind, StmtKind};

fn lowered(text: &str) -> (Module, Vec<Trouble>) {
    LANGUAGE.lower(&Input { path: "addons/kit/a.gd", text })
}

fn dumped(text: &str) -> String {
    dump::module(&lowered(text).0)
}

/// The body of `func f(a, b)` around some lines, which are indented with one tab.
fn body(lines: &str) -> String {
    let text: String = lines.lines().map(|l| format!("\t{l}\n")).collect();
    let dump = dumped(&format!("func f(a, b):\n{text}"));
    let end = dump.find("\n1 ").map_or(dump.len(), |at| at + 1);
    let lines = dump[..end].lines().skip(1);
    lines.map(|l| format!("{}\n", l.strip_prefix("  ").unwrap_or(l))).collect()
}

/// One expression of that function.
fn expr(text: &str) -> String {
    body(&format!("return {text}")).trim().strip_prefix("return ").unwrap_or("").to_owned()
}

#[test]
fn heads_of_a_file() {
    let (module, troubles) = lowered("class_name Pager extends \"../base.gd\"\n");
    assert_eq!(troubles, []);
    assert_eq!(module.unit, "addons/kit/a.gd");
    assert_eq!(module.name.as_deref(), Some("Pager"));
    assert!(module.global_name);
    assert_eq!(module.extends.as_deref(), Some("addons/base.gd"));
    assert_eq!(lowered("extends Kit.Tool").0.extends.as_deref(), Some("Kit.Tool"));
}

#[test]
fn imports_at_both_scopes() {
    let text = "const A := preload(\"res://x/a.gd\")\nvar b = load(\"sub/b.gd\")\n\
        const C = preload(\"c.gd\").Page\nconst D = A.Inner\n\
        func f():\n\tconst E = preload(\"../e.gd\")\n\treturn E.new(1)\n";
    assert_eq!(
        dumped(text),
        "import A = res://x/a.gd\nimport b = addons/kit/sub/b.gd\n\
         import C = addons/kit/c.gd::Page\nimport E = addons/e.gd\nconst D = A.Inner\n\
         0 Method f() [E]\n  $0 = #Load(\"addons/e.gd\")\n  return new Named(None, \"E\")(1)\n"
    );
}

#[test]
fn members_of_a_class() {
    let text = "var pages: Dictionary\nvar n = 1\nenum { A, B = 5, C }\nenum Kind { LIST, TREE = -2, LAST }\n\
        class Row extends Node:\n\tvar cells: Array\n\tconst MAX = 3\n\tstatic func make(): return Row.new()\n\
        \tfunc fill(): pass\n\
        static func free(): pass\nfunc _init(): pass\n@abstract func later() -> void\n";
    assert_eq!(
        dumped(text),
        "type Row : [Named(None, \"Node\")] {cells}\nvar pages = {}\nvar n = 1\n\
         const A = 0\nconst B = 5\nconst C = 6\nconst Kind = {LIST: 0, TREE: -2, LAST: -1}\n\
         var Row.cells = []\nconst Row.MAX = 3\n\
         0 Static Row.make() []\n  return new Named(None, \"Row\")()\n1 Method Row.fill() []\n\
         2 Free free() []\n3 Method _init() []\n4 Method later() []\n"
    );
}

#[test]
fn property_accessors_are_functions_without_a_usable_name() {
    let text = "var x: int = 3:\n\tset(v):\n\t\tx = v\n\tget:\n\t\treturn x + 1\n";
    assert_eq!(
        dumped(text),
        "var x = 3\n0 Method @x_setter(v) [v]\n  x = $0\n1 Method @x_getter() []\n  return (x Add 1)\n"
    );
}

#[test]
fn parameters() {
    let (module, _) = lowered(
        "func f(a, b: Array[Page], c := 1, d: Dictionary[String, int] = {}, ...e) -> void: pass",
    );
    let types: Vec<_> = module.functions[0].params.iter().map(|p| format!("{:?}", p.ty)).collect();
    assert_eq!(
        types,
        [
            "Unknown",
            "List(Named(None, \"Page\"))",
            "Unknown",
            "Map(Named(None, \"int\"))",
            "Unknown"
        ]
    );
    assert!(module.functions[0].results.is_empty());
    assert!(module.functions[0].params[4].variadic);
    assert!(dump::module(&module).starts_with("0 Method f(a, b, c=1, d={}, ...e) [a b c d e]"));
}

#[test]
fn captures_go_out_frame_by_frame() {
    let text = "func f(page):\n\tvar n := 1\n\tvar g := func(p):\n\t\tvar n := 2\n\
        \t\treturn func(): return [page, p, n, g]\n\treg.add(\"x\", func(q): return h(page, q), 1)\n";
    assert_eq!(
        dumped(text),
        "0 Method f(page) [page n g]\n  $1 = 1\n  $2 = closure 1\n  \
         reg.add(\"x\", closure 3, 1)\n\
         1 Closure (p) in 0 [p n]\n  $1 = 2\n  return closure 2\n\
         2 Closure () in 1 []\n  return [^^$0, ^$0, ^$1, g]\n\
         3 Closure (q) in 0 [q]\n  return h(^$0, $0)\n"
    );
}

#[test]
fn a_break_counts_the_matches_up_to_its_loop() {
    let lines = "for i in a:\n\tmatch i:\n\t\t1: break\n\t\t2:\n\t\t\tmatch b:\n\t\t\t\t_:\n\
        \t\t\t\t\tbreak\n\t\t3: continue\n\tbreak";
    assert_eq!(
        body(lines),
        "for $2 in $0 keys\n  switch $2\n    case 1\n      Break(1)\n    case 2\n      \
         switch $1\n        case _\n          Break(2)\n    case 3\n      Continue(0)\n  Break(0)\n"
    );
}

#[test]
fn patterns() {
    let lines = "match a:\n\t1, \"x\", Kind.A: pass\n\t[var p, [_, var q]]: return [p, q]\n\
        \t{\"k\": var v, ..}: return v\n\tvar other when other > b: return other";
    assert_eq!(
        body(lines),
        "switch $0\n  case 1 | \"x\" | Kind.A\n  case Opaque\n    $2 = $0[0]\n    \
         $3 = $0[1][1]\n    return [$2, $3]\n  case Opaque\n    $4 = $0[\"k\"]\n    return $4\n  \
         case $5 when ($5 Gt $1)\n    return $5\n"
    );
}

#[test]
fn statements() {
    let lines = "var d: Dictionary\nvar t: Tool = a\nvar u: Tool\nif a: b = 1\nelif b:\n\tb += 2\nelse:\n\tpass\n\
        while true: break\nfor i in 3: pass\nfor k in d: pass\nd.x.y = 1\nd[\"k\"] |= 4\nself.z = await b\n\
        assert(a)\nreturn";
    assert_eq!(
        body(lines),
        "$2 = {}\n$3 = $0 as Named(None, \"Tool\")\n$4 = null\nif $0\n  $1 = 1\nelse\n  if $1\n    \
         $1 Add= 2\nloop\n  Break(0)\nfor $5 in #Range(3)\nfor $6 in $2 keys\n$2.x.y = 1\n\
         $2[\"k\"] Bits= 4\nthis.z = await $1\n?($0)\nreturn \n"
    );
}

#[test]
fn operators() {
    assert_eq!(expr("not a and b or !a"), "((Not($0) And $1) Or Not($0))");
    assert_eq!(expr("a not in b"), "Not(($0 In $1))");
    assert_eq!(expr("a is Node"), "#IsType($0, \"Node\")");
    assert_eq!(expr("a is not Node"), "Not(#IsType($0, \"Node\"))");
    assert_eq!(expr("(a as Kit.Tool).run()"), "$0 as Named(Some(\"Kit\"), \"Tool\").run()");
    assert_eq!(expr("1 if a else -2.5"), "($0 ? 1 : -2.5)");
    assert_eq!(expr("~a | 0xFF_FF"), "(($0 Bits -1) Bits 65535)");
    assert_eq!(expr("\"%s %d\" % [a, b]"), "#Format($0, \" \", $1)");
    assert_eq!(expr("(\"a\" + \"%s\") % a"), "#Format((\"a\" Add \"%s\"), $0)");
    assert_eq!(expr("a % b"), "($0 Mod $1)");
    assert_eq!(expr("a ** b"), "?($0, $1)");
    assert_eq!(expr("99999999999999999999"), "1e20");
}

#[test]
fn precedence_is_the_engines() {
    assert_eq!(expr("not a in b"), "Not(($0 In $1))");
    assert_eq!(expr("!a + 1 == b and a"), "(Not((($0 Add 1) Eq $1)) And $0)");
    assert_eq!(expr("(not a) == b"), "(Not($0) Eq $1)");
    assert_eq!(expr("not a is Node"), "Not(#IsType($0, \"Node\"))");
    assert_eq!(expr("notes == b"), "(notes Eq $1)");
    assert_eq!(expr("await a.f() == b"), "(await $0.f() Eq $1)");
    assert_eq!(expr("await a.f() if b else {}"), "($1 ? await $0.f() : {})");
    assert_eq!(expr("await (a + b)"), "await ($0 Add $1)");
}

#[test]
fn dictionaries() {
    assert_eq!(
        expr("{\"a\": 1, b = 2, &\"c\": 3, \"d\" = 4, KEY: 5, a: 6, 7: func(): return 8}"),
        "{a: 1, b: 2, c: 3, d: 4, [KEY]: 5, [$0]: 6, [7]: closure 1}"
    );
}

#[test]
fn chains() {
    assert_eq!(expr("a.b.c(1)[\"e\"].f[2].g()"), "$0.b.c(1)[\"e\"].f[2].g()");
    assert_eq!(expr("super.run(a)"), "super.run($0)");
    assert_eq!(expr("super(a)"), "super.f($0)");
    assert_eq!(expr("Modules.Page.new(a)"), "new Named(Some(\"Modules\"), \"Page\")($0)");
    assert_eq!(expr("a.new()"), "$0.new()");
    assert_eq!(expr("Callable(self, \"run\").bind(1)"), "this.run.bind(1)#BindLast");
    assert_eq!(expr("call_deferred(\"run\", 1)"), "this.run(1)");
    assert_eq!(expr("a.call(1)"), "$0.call(1)#Invoke");
    assert_eq!(expr("a.callv([1])"), "$0.callv(...[1])#Invoke");
    assert_eq!(
        expr("$A/B.text + %Name.text"),
        "(get_node(\"A/B\").text Add get_node(\"%Name\").text)"
    );
    assert_eq!(expr("$%Name.text"), "get_node(\"%Name\").text");
    assert_eq!(expr("$\"A b\".text"), "get_node(\"A b\").text");
}

#[test]
fn core_operations() {
    assert_eq!(expr("a.merge(b)"), "$0.merge($1, false)#Merge");
    assert_eq!(expr("a.merge(b, true)"), "$0.merge($1, true)#Merge");
    assert_eq!(expr("a.merged(b)"), "#Merge(#Copy($0), $1, false)");
    assert_eq!(expr("\", \".join(a)"), "#Join($0, \", \")");
    assert_eq!(expr("a.get(\"k\", 1)"), "$0.get(\"k\", 1)#Get");
    assert_eq!(expr("a.left(b)"), "#Slice($0, 0, $1)");
    assert_eq!(expr("a.right(b)"), "#Slice($0, Neg($1))");
    assert_eq!(expr("a.substr(2, b)"), "#Slice($0, 2, (2 Add $1))");
    assert_eq!(expr("a.slice(0, b)"), "$0.slice(0, $1)#Slice");
    assert_eq!(expr("a.insert(0, b)"), "#Append($0, $1)");
    assert_eq!(expr("clampi(int(a), 1, MAX)"), "clampi(int($0)#ToInt, 1, MAX)#Clamp");
    assert_eq!(expr("str(a, b)"), "text($0, $1)");
    assert_eq!(expr("JSON.stringify(a)"), "#Encode($0)");
    assert_eq!(expr("load(a)"), "#Load($0)");
    assert_eq!(expr("Array(a)"), "Array($0)#Copy");
}

#[test]
fn texts_are_decoded_and_their_ranges_point_at_bytes() {
    let cases = [
        (r#""plain é""#, "plain é", true),
        (r#"'it"s'"#, "it\"s", true),
        (r#"&"name""#, "name", true),
        (r#"^"a/b""#, "a/b", true),
        (r#"r"a\d""#, r"a\d", true),
        ("\"\"\"a \"quoted\" b\"\"\"", "a \"quoted\" b", true),
        ("\"\"\"\"\"\"", "", true),
        (r#""""#, "", true),
        (r#""a\n\t\"\\ \u00e9\U01F600 \uD83D\uDE00""#, "a\n\t\"\\ é😀 😀", false),
        ("\"two \\\nlines\"", "two lines", false),
    ];
    for (source, text, exact) in cases {
        let file = format!("var x = {source}\n");
        let (module, troubles) = lowered(&file);
        assert_eq!(troubles, [], "{source}");
        let value = module.globals[0].value.as_ref().unwrap();
        let ValueKind::Str(found) = &value.kind else { panic!("{source}: {value:?}") };
        assert_eq!(found, text, "{source}");
        let bytes = &file[value.range.start as usize..value.range.end as usize];
        assert_eq!(bytes.len() == text.len() + 2, exact, "{source}: {bytes}");
        if exact {
            assert_eq!(&bytes[1..bytes.len() - 1], text, "{source}");
        }
    }
}

#[test]
fn comments_are_kept_and_do_not_touch_the_blocks() {
    let text = "func f(a):\n\tif a:\n\t\tvar b = \"# no\" # yes\n# note\n\t\treturn {\"has_more\": true}\n";
    let (module, troubles) = lowered(text);
    assert_eq!(troubles, []);
    let StmtKind::If { then, .. } = &module.functions[0].body[0].kind else { panic!() };
    assert_eq!(then.len(), 2);
    let comments: Vec<_> = module.comments.iter().map(|c| (c.text.as_str(), c.own_line)).collect();
    assert_eq!(comments, [(" yes", false), (" note", true)]);
    let range = module.comments[1].range;
    assert_eq!(&text[range.start as usize..range.end as usize], "# note");
}

#[test]
fn an_under_indented_comment_keeps_an_inner_class_whole() {
    let text = "class A:\n\tfunc f():\n\t\tvar a = 1\n\t# out\n\t\treturn a\n# out\n\tfunc g():\n#out\n\t\treturn 2\nfunc h(): pass\n";
    assert_eq!(
        dumped(text),
        "type A : [] {}\n0 Method A.f() [a]\n  $0 = 1\n  return $0\n1 Method A.g() []\n  return 2\n2 Method h() []\n"
    );
}

#[test]
fn comments_of_files_with_carriage_returns() {
    let (module, troubles) = lowered("# a\r\nfunc f():\r\n\tif 1:\r\n# b\r\n\t\treturn 1\r\n");
    assert_eq!(troubles, []);
    assert_eq!(module.comments[1].text, " b");
    assert_eq!(module.functions[0].body.len(), 1);
}

#[test]
fn forms_that_the_grammar_does_not_know() {
    let deep = |n: usize| "\t".repeat(n);
    let mut text = String::from("func f(größe):\n\treturn größe\nfunc g():\n");
    for level in 1..40 {
        text.push_str(&format!("{}if x{level}:\n", deep(level)));
    }
    text.push_str(&format!("{}return 1\n\treturn $A/%B\n", deep(40)));
    let (module, troubles) = lowered(&text);
    assert_eq!(troubles, []);
    assert_eq!(module.functions[0].params[0].name, "größe");
    assert_eq!(module.functions[1].body.len(), 2);
    assert!(dump::module(&module).ends_with("return get_node(\"A/%B\")\n"));
}

#[test]
fn ranges_of_functions() {
    let text = "## doc\n@rpc\nfunc find(a):\n\treturn 1\n\n\nvar x = func(p): return p\n";
    let (module, _) = lowered(text);
    let slice = |r: Range| &text[r.start as usize..r.end as usize];
    assert_eq!(slice(module.functions[0].range).lines().last(), Some("\treturn 1"));
    assert_eq!(slice(module.functions[0].name_range), "find");
    assert_eq!(slice(module.functions[1].name_range), "func(p)");
    assert_eq!(module.functions[1].kind, FunctionKind::Closure);
    assert_eq!(module.functions[1].parent, None);
}

#[test]
fn a_syntax_error_leaves_the_rest_usable() {
    let text = "func a():\n\tvar x = = 3\n\treturn {\"has_more\": 1}\nfunc b():\n\treturn 2\n";
    let (module, troubles) = lowered(text);
    assert_eq!(troubles.len(), 1);
    assert!(!troubles[0].fatal);
    let of = |name| module.functions.iter().find(|f| f.name == name).unwrap();
    assert!(of("a").has_error);
    assert!(!of("b").has_error);
    assert!(dump::module(&module).contains("{has_more: 1}"));
}

#[test]
fn long_flat_code_does_not_nest() {
    let chain = format!("func f(a):\n\treturn a{}\n", ".b(1)".repeat(50_000));
    assert!(dumped(&chain).contains("return ?("));
    let mut branches = String::from("func f(a):\n\tfor i in a:\n\t\tif a == 0: break\n");
    for n in 0..5_000 {
        branches.push_str(&format!("\t\telif a == {n}: break\n"));
    }
    let dump = dumped(&branches);
    assert!(dump.contains("case ($0 Eq 4999)\n        Break(1)"), "{}", &dump[..400]);
    let mut locals = String::from("func f():\n");
    for n in 0..70_000 {
        locals.push_str(&format!("\tvar v{n} = 1\n"));
    }
    assert_eq!(lowered(&locals).0.functions[0].slots, u16::MAX);
}

/// Runs `inside` on a stack such as worker threads have.
fn on_a_big_stack(inside: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(inside).unwrap();
    thread.join().unwrap();
}

#[test]
fn nesting_up_to_the_limit_is_lowered_and_more_is_refused() {
    on_a_big_stack(|| {
        for (open, close) in
            [("[", "]"), ("(", ")"), ("{1: ", "}"), ("f(", ")"), ("-", ""), ("a.b(", ")")]
        {
            for depth in [100, 300, 450, 900, 5_000] {
                let text = format!("var x = {}1{}\n", open.repeat(depth), close.repeat(depth));
                let (module, troubles) = lowered(&text);
                match troubles.iter().any(|t| t.fatal) {
                    true => assert!(depth > 300, "{open} {depth}"),
                    false => assert_eq!(module.globals.len(), 1, "{open} {depth}"),
                }
            }
        }
        let text = format!("var x = {}1\n", "func(): return ".repeat(300));
        lowered(&text);
    });
}

const SAMPLE: &str = "class_name Pager extends \"base.gd\"\n## Doc\nconst M := preload(\"res://m.gd\")\n\
    @export var x: int = 3:\n\tset(v):\n\t\tx = v\n\tget: return x\nenum Kind { LIST, BYTES = 1 << 2, LINES }\nsignal done(page)\n\
    class Inner extends Node:\n\tvar a := {}\n\tstatic func make() -> Inner:\n\t\treturn Inner.new()\n\
    static func build(page: Dictionary, unit := \"rows\", ...rest) -> Dictionary:\n\
    \tif page and unit == &\"x\":\n\t\tpage[\"total_\" + unit] = rest\n# note\n\t\tpage.has_more = true\n\
    \telif not unit: page.merge({has_more = 1, KEY: 2, \"k\": [3, {}]})\n\telse:\n\t\tpass\n\
    \tfor i in 5:\n\t\tmatch page.get(\"kind\", 1):\n\t\t\t1, 2: break\n\t\t\t[var a, ..]: print(a)\n\
    \t\t\t{\"a\": var c, ..} when c > 1: continue\n\t\t\tvar other: return other\n\
    \tregistry.add(\"q\", func(p):\n\t\tvar r = await M.cmd(page, p)\n\t\treturn r\n\t, Opts.new())\n\
    \tvar s = \"%s é\\n\" % [unit, r\"\\d\"] if page else \"\"\"tri\"ple\"\"\"\n\t$A/B.text = %Unique.text + str(1, 2)\n\
    \twhile true:\n\t\tif a is not Node or b as Node: break\n\treturn ~x & 0xFF\n";

/// Every range must lie inside the text and on character bounds.
fn check_whole(text: &str) {
    let (module, troubles) = lowered(text);
    let fits = |r: Range| text.get(r.start as usize..r.end as usize).is_some();
    for trouble in troubles {
        assert!(trouble.offset.is_none_or(|o| o as usize <= text.len()), "{text}");
    }
    for function in &module.functions {
        assert!(fits(function.range) && fits(function.name_range), "{function:?}\n{text}");
        assert_eq!(usize::from(function.slots), function.slot_names.len());
    }
    assert!(module.comments.iter().all(|c| fits(c.range)));
    dump::module(&module);
}

#[test]
fn the_sample_is_sound() {
    let (module, troubles) = lowered(SAMPLE);
    assert_eq!(troubles, []);
    assert_eq!(module.functions.len(), 5);
}

/// What the functions after a broken one say does not depend on what is broken there.
#[test]
fn a_mistake_stays_in_its_function() {
    let after = "\n\nfunc whole(rows):\n\tvar page := {\"returned\": rows.size()}\n\treturn page\n";
    for broken in [
        "func a(:\n\tpass",
        "func a():\n\tfoo(1, [",
        "func a():\n\tvar x = {",
        "func a():\n\tx = = 1",
    ] {
        let text = format!("{broken}{after}");
        let (module, troubles) = lowered(&text);
        assert_eq!(troubles.len(), 1, "{text}");
        let whole = module.functions.iter().find(|f| f.name == "whole").expect("it is seen");
        assert!(!whole.has_error, "{text}");
        let (alone, _) = lowered(after);
        assert_eq!(whole.body.len(), alone.functions[0].body.len(), "{text}");
    }
}

/// What is typed in one function leaves the others their numbers, by which they are remembered.
#[test]
fn a_mistake_changes_no_number() {
    let typed =
        ["v", "var", "var x :", "var x := a +", "foo(1, [", "for x in range(10", "x)", "if a:"];
    for typed in typed {
        let text = format!(
            "func first(a):\n\tvar limit := int(a.get(\"limit\", 20))\n\t{typed}\n\tvar all := []\n\
             \tfor i in range(10):\n\t\tall.append(i)\n\treturn all\n\n\nfunc second():\n\tpass\n"
        );
        let (module, _) = lowered(&text);
        let names: Vec<&str> = module.functions.iter().map(|f| f.name.as_str()).take(2).collect();
        assert_eq!(names, ["first", "second"], "{text}");
    }
}

#[test]
fn any_cut_of_a_text_is_lowered() {
    for (at, _) in SAMPLE.char_indices() {
        check_whole(&SAMPLE[..at]);
        check_whole(&SAMPLE[at..]);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(400))]

    #[test]
    fn any_change_of_a_text_is_lowered(
        changes in proptest::collection::vec((0usize..2000, "[\\PC\n\t\"'#$%{}()\\[\\]:=.,\\\\]{0,3}", 0usize..4), 1..6),
    ) {
        let mut chars: Vec<char> = SAMPLE.chars().collect();
        for (at, new, gone) in changes {
            let at = at.min(chars.len());
            let end = (at + gone).min(chars.len());
            chars.splice(at..end, new.chars());
        }
        let text: String = chars.into_iter().collect();
        check_whole(&text);
        same_in_pieces("a.gd", &text);
    }
}

#[test]
fn an_operand_keeps_its_whole_chain() {
    let cases = [
        ("not a.b.c()", "Not($0.b.c())"),
        ("not a.b.c() == d", "Not(($0.b.c() Eq d))"),
        ("not a.b().c().d()", "Not($0.b().c().d())"),
        ("-a.b.c.d()", "Neg($0.b.c.d())"),
        ("x + a.b.c() * 2", "(x Add ($0.b.c() Mul 2))"),
        ("x * a.b.c() + 2", "((x Mul $0.b.c()) Add 2)"),
        ("x - a.b.c - a.d.e", "((x Sub $0.b.c) Sub $0.d.e)"),
        ("x and y.a.b() == z", "(x And (y.a.b() Eq z))"),
        ("x < a.b.c() and y < a.e.f()", "((x Lt $0.b.c()) And (y Lt $0.e.f()))"),
        ("x == a.b.c or not y == a.b.c", "((x Eq $0.b.c) Or Not((y Eq $0.b.c)))"),
        ("x not in a.b.c()", "Not((x In $0.b.c()))"),
        ("x + a[0].b.c[1]", "(x Add $0[0].b.c[1])"),
        ("x is A.B.C and y", "(#IsType(x, \"A.B.C\") And y)"),
        ("x is not A.B.C", "Not(#IsType(x, \"A.B.C\"))"),
        ("not await a.b.c()", "Not(await $0.b.c())"),
        ("x + await a.b.c() + y", "((x Add await $0.b.c()) Add y)"),
        ("x if not a.b.c() else y", "(Not($0.b.c()) ? x : y)"),
        ("f(x + a.b.c)", "f((x Add $0.b.c))"),
        ("(x + a.b).c()", "(x Add $0.b).c()"),
        ("(not a.b).c()", "Not($0.b).c()"),
        ("x + (a.b.c() + y) * 2", "(x Add (($0.b.c() Add y) Mul 2))"),
        ("\"%s\" % a.b.c()", "#Format($0.b.c())"),
    ];
    for (text, meant) in cases {
        assert_eq!(expr(text), meant, "{text}");
    }
}

/// A text that is lowered as a whole says what its pieces say.
fn same_in_pieces(path: &str, text: &str) {
    let input = Input { path, text };
    let prepared = repair::prepare(text);
    let Some(part) = whole(&input, &prepared) else { return };
    let mut module = Module::default();
    module.append(part, 0);
    let pieces = by_pieces(&input, &prepared, &mut Recall::default(), Module::default());
    let (pieces, error) = pieces.expect("it is parsed");
    assert_eq!(error, None, "{path}: {text}");
    assert_eq!(format!("{module:#?}"), format!("{pieces:#?}"), "{path}: {text}");
}
