//! What TypeScript text becomes, as short text; and that no text is too much for it.

mod dump;

use crate::ir::{Module, ValueKind};
use crate::lang::{Input, Trouble};

/// Enough for the deepest tree, in a build without optimisation.
const STACK: usize = 64 << 20;

fn lower(path: &str, text: &str) -> (Module, Vec<Trouble>) {
    super::lower(&Input { path, text })
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let (module, troubles) = lower("src/a.ts", text);
    assert_eq!(troubles, []);
    let lines: Vec<_> = expected.lines().filter(|l| !l.trim().is_empty()).collect();
    let margin = lines.iter().map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
    let expected: String = lines.iter().map(|l| format!("{}\n", &l[margin..])).collect();
    assert_eq!(dump::module(&module), expected);
}

#[test]
fn imports_and_exports() {
    check(
        r#"
        import def, { a, b as c, type T } from "./x.js";
        import * as ns from "../n";
        import old = require("old");
        const { p, q: r } = require("./cjs");
        const one = require("./cjs").one;
        export { a, def as other, local as renamed };
        export { y as z } from "./y";
        export * from "./all";
        export * as space from "./s";
        const local = 1;
        "#,
        r#"
        import def = default of src/x.js
        import a = a of src/x.js
        import c = b of src/x.js
        import T = T of src/x.js
        import ns = * of n
        import old = * of old
        import p = p of src/cjs
        import r = q of src/cjs
        import one = one of src/cjs
        export a = a of src/x.js
        export other = default of src/x.js
        export renamed = local of src/a.ts
        export z = y of src/y
        export * = * of src/all
        export space = * of src/s
        const local = 1
        "#,
    );
}

#[test]
fn modules_loaded_by_expressions() {
    check(
        r#"
        async function f() { const { run } = await import("./x.js"); return run(); }
        "#,
        r#"
        import import(./x.js) = * of src/x.js
        fn 0 f()
          run = @import(./x.js).run
          return run()
        "#,
    );
}

#[test]
fn default_exports() {
    check("export default function main() {}", "const default = @main\nfn 0 main()\n");
    check(
        "export default async () => 1;",
        "const default = fn0\nfn 0 default() closure\n  return 1",
    );
    check(
        "module.exports = { f, g: h };\nfunction f() {}\nfunction h() {}",
        r#"
        export g = h of src/a.ts
        const default = {f: @f, g: @h}
        fn 0 f()
        fn 1 h()
        "#,
    );
}

#[test]
fn top_level_has_globals_and_one_init() {
    check(
        r#"
        "use strict";
        export const f = async (a) => a;
        let n = 1, { x, y: { z = 2 }, ...rest } = make();
        start(n);
        for (const k of list) { const inner = () => k; use(inner); }
        if (n) { var late = 3; }
        enum E { A, B = "b", C = 4, D }
        namespace N { export const deep = 5; }
        "#,
        r#"
        const f = fn0
        var n = 1
        var {114.2} = @make()
        var x = @{114.2}.x
        var z = (@{114.2}.y.z Coalesce 2)
        var rest = Copy!(@{114.2})
        var late = -
        const E = {A: 0, B: "b", C: 4, D: 5}
        const deep = 5
        fn 0 f(a) closure
          return a
        fn 1 () init
          Remove!(@rest, "x")
          Remove!(@rest, "y")
          @start(@n)
          each _, k of @list
            inner = fn2
            @use(inner)
          if @n
            @late = 3
        fn 2 inner() closure in 1
          return ^k
        "#,
    );
}

#[test]
fn parameters_are_taken_apart() {
    check(
        r#"
        function f({ limit = 10, page: p, at: { x } }: Args, [a, , b = 2] = [], n = 1, ...more) {}
        const g = ({ id, ...rest }) => rest;
        const h = x => x;
        "#,
        r#"
        const g = fn1
        const h = fn2
        fn 0 f({limit: limit, page: p, at: $9}, $1 = [], n = 1, ...more)
          limit = (limit Coalesce 10)
          x = $9.x
          a = $1[0]
          b = ($1[2] Coalesce 2)
        fn 1 g($0) closure
          id = $0.id
          rest = Copy!($0)
          Remove!(rest, "id")
          return rest
        fn 2 h(x) closure
          return x
        "#,
    );
}

#[test]
fn names_belong_to_blocks_and_functions() {
    check(
        r#"
        function f(a) {
          g();
          function g() { n += 1; return late; }
          let n = 0;
          { let n = 5; use(n, a); }
          if (a) { var late = n; }
          return () => () => n + a;
        }
        "#,
        r#"
        fn 0 f(a)
          g = fn1
          g()
          n$3 = 0
          n$4 = 5
          @use(n$4, a)
          if a
            late = n$3
          return fn2
        fn 1 g() closure in 0
          ^n$3 Add = 1
          return ^late
        fn 2 () closure in 0
          return fn3
        fn 3 () closure in 2
          return (^^n$3 Add ^^a)
        "#,
    );
}

#[test]
fn assignments_take_values_apart() {
    check(
        r#"
        function f(x, o) {
          const { a, "b-c": b = 1, [a]: dyn, ...rest } = x.y;
          [o.p, o.q] = [o.q, o.p];
          ({ z: o.z } = load());
          let v = o.n = 3;
          o.n ??= 4; o.n++; delete o["n"]; delete o.m;
        }
        "#,
        r#"
        fn 0 f(x, o)
          a = x.y.a
          b = (x.y.b-c Coalesce 1)
          dyn = x.y[a]
          rest = Copy!(x.y)
          Remove!(rest, "a")
          Remove!(rest, "b-c")
          Remove!(rest, a)
          $7 = [o.q, o.p]
          o.p = $7[0]
          o.q = $7[1]
          $8 = @load()
          o.z = $8.z
          v = (o.n = 3)
          o.n Coalesce = 4
          o.n Add = 1
          Remove!(o, "n")
          Remove!(o, "m")
        "#,
    );
}

#[test]
fn switches_fall_through_and_break() {
    check(
        r#"
        function f(x) {
          switch (x.kind) {
            case "a": case "b": { one(); break; }
            case "c": two();
            default: if (x) break; three(); break;
            case "d": return 1;
          }
          switch (true) { case x > 1: four(); }
        }
        "#,
        r#"
        fn 0 f(x)
          switch x.kind
            case "a" | "b"
              @one()
            case "c" falls
              @two()
            case _
              if x
                break 0
              @three()
            case "d"
              return 1
          switch -
            case (x Gt 1)
              @four()
        "#,
    );
}

#[test]
fn loops_and_jumps() {
    check(
        r#"
        function f(xs, o) {
          for (let i = 0; i < xs.length; i++) if (i) continue;
          for (const [k, v] of Object.entries(o)) use(k, v);
          for (const [k, v] of o) use(k, v);
          for (const k in o) use(k);
          outer: while (true) { switch (o) { case 1: continue outer; case 2: break outer; } }
          block: { for (;;) break block; }
          do { if (o) continue; } while (more());
        }
        "#,
        r#"
        fn 0 f(xs, o)
          i = 0
          while (i Lt Size!(xs))
            if i
              continue 0
          post
            i Add = 1
          each k$3, v$4 of o
            @use(k$3, v$4)
          each _, $7 of Pairs!(o)
            k$5 = $7[0]
            v$6 = $7[1]
            @use(k$5, v$6)
          each k$8, _ of o
            @use(k$8)
          loop
            switch o
              case 1
                continue 0
              case 2
                break 1
          switch -
            case _
              loop
                break 1
          loop
            if o
              continue 0
          post
            if Not(@more())
              break 0
        "#,
    );
}

#[test]
fn objects_and_texts() {
    check(
        r#"
        const o = { a, "b c": 1, [k]: 2, ["d"]: 3, ...rest, m() { return 1; }, get g() { return 2; } };
        const t = `x${o.a}\ty`, u = `plain`, w = 'it\'s \u0041\u{1F600}', n = [0x10, 1_000, 1e3, 1.5, -2];
        const j = <T>x; const c = { a: 1 } as const; const d = x as T, e = y!, s = z satisfies T;
        "#,
        r#"
        const o = {a: @a, b c: 1, [@k]: 2, d: 3, ...@rest, m: fn0, g: fn1()}
        const t = format("x", @o.a, "\ty")
        const u = "plain"
        const w = "it's A😀"
        const n = [16, 1000, 1000, 1.5, -2]
        const j = @x as T
        const c = {a: 1}
        const d = @x as T
        const e = @y
        const s = @z
        fn 0 m() closure
          return 1
        fn 1 g() closure
          return 2
        "#,
    );
}

#[test]
fn core_library() {
    check(
        r#"
        function f(xs, o, p) {
          return [xs.length, o?.a?.["b"], xs.push(1), xs.push(...o), [...xs].concat(o), xs.slice(1, 2),
            xs.map(String), o.has("a"), Object.assign({}, o), Object.freeze(o), JSON.stringify(o, null, 2),
            Math.max(1, o), Number(o), Array.isArray(o), new Map(), new Error("x"), new Foo(1),
            path.join("a"), Registry.get("x"), o.call("tool", 1), o.call(null, 1), o.m.bind(o),
            "a" in o, typeof o, o instanceof Foo, a ?? b, void 0, (g(), 1), xs.find((x) => x), process.exit(1)];
        }
        import path from "node:path";
        "#,
        r#"
        import path = default of node:path
        fn 0 f(xs, o, p)
          return [Size!(xs), o.a["b"], xs.push!Append(1), xs.push!AppendAll(o), AppendAll!(Copy!([...xs]), o), xs.slice!Slice(1, 2), xs.map!Map(@String), o.has!Has("a"), Assign!({}, o), o, Encode!(o, null, 2), Max!(1, o), @Number!ToFloat(o), IsType!(o, "Array"), MakeObject!(), Error!("x"), new Foo(1), @path.join("a"), @Registry.get("x"), o.call("tool", 1), Invoke!(o, 1), Bind!(o.m), ("a" In o), TypeOf!(o), IsType!(o, "Foo"), (@a Coalesce @b), null, [@g(), 1][1], xs.find!Filter(fn1)[?()], Exit!(1)]
        fn 1 (x) closure in 0
          return x
        "#,
    );
    // An own name hides the library's.
    check(
        "const JSON = {}; function f() { return JSON.stringify(1); }",
        "const JSON = {}\nfn 0 f()\n  return @JSON.stringify(1)",
    );
}

#[test]
fn effects_and_promises() {
    check(
        r#"
        async function f(a) {
          a && go(a); a ? go(1) : go(2); void go(3);
          try { await a.b; } catch ({ message }) { throw new Error(message); } finally { done(); }
          return load().then((r) => r.rows).catch(() => null);
        }
        "#,
        r#"
        fn 0 f(a)
          if a
            @go(a)
          if a
            @go(1)
          else
            @go(2)
          @go(3)
          try
            await a.b
          catch $2
            message = $2.message
            throw Error!(message)
          finally
            @done()
          return (?() ? Invoke!(fn1, @load()) : Invoke!(fn2, ?()))
        fn 1 (r) closure in 0
          return r.rows
        fn 2 () closure in 0
          return null
        "#,
    );
}

#[test]
fn classes_and_types() {
    check(
        r#"
        class A extends base.B<T> implements I {
          static LIMIT = 5;
          rows: Row[] = [];
          #secret = 1;
          run = async () => this.rows;
          constructor(private readonly bridge: Bridge) { super(); }
          get size(): number { return this.rows.length; }
          static make(): A { return new A(); }
          static { A.LIMIT = 6; }
        }
        interface P extends Q { a?: string; "b-c": number; rows: Promise<Row>[]; m(): P }
        type O = { x: 1 | 2 } & R;
        type S = Record<string, A>;
        const F = class Inner {};
        "#,
        r#"
        type A : base.B, I {rows: [Row] = [], #secret!: _ = 1, bridge: Bridge}
        type P : Q {a?: string, b-c: number, rows: [Row], m!: fn P}
        type O : R {x: number}
        type S = map A {}
        type Inner = F {}
        type F {}
        var A.LIMIT = 5
        const F = @F
        fn 0 A.run() method
          return this.rows
        fn 1 A.constructor(bridge) method
          this.bridge = bridge
          @super()
        fn 2 A.size() method
          return Size!(this.rows)
        fn 3 A.make() static
          return new A()
        fn 4 () init
          @A.LIMIT = 6
        "#,
    );
}

#[test]
fn jsx_keeps_its_expressions() {
    let (module, troubles) =
        lower("a.tsx", "const v = <A b={x} {...y}>{list.map((i) => <C d={i} />)} t</A>;\n");
    assert_eq!(troubles, []);
    assert_eq!(
        dump::module(&module),
        "const v = ?(@x, @y, @list.map!Map(fn0))\nfn 0 (i) closure\n  return ?(i)\n"
    );
}

#[test]
fn comments_keep_their_place() {
    let (module, _) = lower("a.ts", "// one\r\nf(/* two */ 1); // three\n  /** four */\n");
    let found: Vec<_> = module.comments.iter().map(|c| (c.text.as_str(), c.own_line)).collect();
    assert_eq!(found, [(" one", true), (" two ", false), (" three", false), ("* four ", true)]);
}

#[test]
fn texts_stand_where_they_say() {
    let text = "const a = [\"has_more\", 'x\\ty', `p ${1} \\n\\n`];\n";
    let (module, _) = lower("a.ts", text);
    let Some(ValueKind::List(items)) = module.globals[0].value.as_ref().map(|v| v.kind.clone())
    else {
        panic!("no list");
    };
    let mut todo = items;
    while let Some(value) = todo.pop() {
        match value.kind {
            ValueKind::Format(parts) => todo.extend(parts),
            ValueKind::Str(name)
                if (value.range.end - value.range.start) as usize == name.len() + 2 =>
            {
                let at = value.range.start as usize + 1;
                assert_eq!(&text[at..at + name.len()], name);
            }
            _ => {}
        }
    }
}

#[test]
fn errors_are_local() {
    let text = "function f(a) { let x: @; return { b: a }; }\nfunction g() { return 1; }\n";
    let (module, troubles) = lower("a.ts", text);
    assert_eq!(troubles.len(), 1);
    assert!(!troubles[0].fatal);
    let dumped = dump::module(&module);
    assert!(dumped.contains("g()\n  return 1"), "{dumped}");
    assert!(dumped.contains("return {b: a}"), "{dumped}");
    assert!(module.functions.iter().find(|f| f.name == "f").is_some_and(|f| f.has_error));
    assert!(module.functions.iter().find(|f| f.name == "g").is_some_and(|f| !f.has_error));
}

/// One text with every construct, for the tests that break it.
const ALL: &str = r#"
import d, { a as b } from "./x.js"; export * from "./y"; export default class K extends L { #p = 1; static s = () => this; get g() { return 1 } }
const { q, r: [s, ...t], ...u } = await import("m"); enum E { A = 1, B }
async function* f({ x = 1, y: { z } }: T, [k, , v] = [], ...rest: U[]) {
  l: for (const [i, j] of Object.entries(x)) { if (i in j) continue l; else break l; }
  switch (x?.y) { case 1: case `a${z}b`: { break } default: yield* rest; }
  try { throw new Error("é" + '\u{1F600}\x41') } catch ({ m }) { delete m["k"]; } finally { void 0 }
  do { var w = (k, v) ?? k ||= 3; } while (k--);
  return { ...x, [k]: v, m() {}, get n() { return w }, p: (o) => o!.p as T, /* c */ "s": /re/g };
}
interface I { a?: string; [k: string]: unknown } type A = B & { c: 1 }; // end
module.exports.z = f.call(null, 1).then((x) => x).catch(() => {});
"#;

fn on_big_stack(f: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(f).unwrap().join().unwrap();
}

#[test]
fn every_cut_is_lowered() {
    on_big_stack(|| {
        for end in (0..ALL.len()).filter(|i| ALL.is_char_boundary(*i)) {
            dump::module(&lower("a.ts", &ALL[..end]).0);
            if end % 3 == 0 {
                dump::module(&lower("a.tsx", &ALL[end..]).0);
            }
        }
    });
}

#[test]
fn every_change_is_lowered() {
    const BITS: &[&str] = &[
        "{", "}", "(", ")", "[", "]", "`", "${", "\"", ",", ";", "=>", "...", ":", "=", "\\", "#",
        "@", "case ", "class ", "\0", "é",
    ];
    on_big_stack(|| {
        let mut state = 1u32;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        for round in 0..1500 {
            let mut text = ALL.to_string();
            for _ in 0..=round % 4 {
                let at = (random(text.len())..).find(|i| text.is_char_boundary(*i)).unwrap();
                match random(3) {
                    0 => text.insert_str(at, BITS[random(BITS.len())]),
                    1 => {
                        let end = (at + random(12)).min(text.len());
                        if text.is_char_boundary(end) {
                            text.replace_range(at..end, BITS[random(BITS.len())]);
                        }
                    }
                    _ => text.truncate(at.max(1)),
                }
            }
            dump::module(&lower(if round % 2 == 0 { "a.ts" } else { "a.jsx" }, &text).0);
        }
    });
}

#[test]
fn deep_nesting_is_lowered_or_refused() {
    on_big_stack(|| {
        for (open, close) in
            [("(", ")"), ("[", "]"), ("{a:", "}"), ("() => ", ""), ("!", ""), ("`${", "}`")]
        {
            for depth in [90, 240, 480, 980, 3000] {
                let text = format!("const x = {}1{};", open.repeat(depth), close.repeat(depth));
                let (module, troubles) = lower("a.ts", &text);
                assert!(!module.globals.is_empty() || troubles.iter().any(|t| t.fatal));
            }
        }
        let text = format!("function f() {{ {}{} }}", "if (a) {".repeat(450), "}".repeat(450));
        assert_eq!(lower("a.ts", &text).1, []);
    });
}
#[test]
fn imports_inside_types_are_no_errors() {
    check(
        r#"
        async function f(a: import("x").T[]) {
          const m = await actual<typeof import("./x.js")>("./x.js");
          return "import('x').T";
        }
        "#,
        r#"
        fn 0 f(a)
          m = await @actual("./x.js")
          return "import('x').T"
        "#,
    );
}

#[test]
fn more_variables_than_slots_share_the_last() {
    let lines: String = (0..70_000).map(|i| format!("let v{i};")).collect();
    let (module, _) = lower("a.ts", &format!("function f() {{ {lines} }}"));
    let function = &module.functions[0];
    assert_eq!(usize::from(function.slots), function.slot_names.len());
    for stmt in &function.body {
        if let crate::ir::StmtKind::Assign { targets, .. } = &stmt.kind {
            assert!(matches!(&targets[0].kind, ValueKind::Local(l) if l.slot < function.slots));
        }
    }
}
