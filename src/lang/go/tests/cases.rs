//! What each kind of Go text becomes.

use super::shows;

#[test]
fn maps_lists_and_structs_keep_their_shape() {
    shows(
        r##"
package app
import out "example.org/tool/internal/output"
var table = map[string]any{"x": 1, key: 2, "in" + key: []string{"a", "b"}}
var pairs = [][2]string{{"nextToken", "nextCursor"}, {"a", "b"}}
var maps = []map[string]any{{"a": 1}, {"b": nil}}
var rows = []Row{{Name: "x"}, {"y", 2}}
var pointers = []*Row{{Name: "x"}, &Row{}}
var table2 = []struct{ in, out string }{{"a", "b"}, {in: "c"}}
var set = map[string]struct{}{"a": {}}
var nested = map[string][]map[string]int{"k": {{"v": 1}}}
var foreign = out.Table{"a": {B: 1}, C: &out.D{E: 1}}
var own = Extra{key: 1, "lit": 2}
var ownList = Rows{{Name: "z"}}
var indexed = [...]string{0: "a", 1: "b"}
type Extra map[string]any
type Rows []Row
"##,
        r##"
import out = example.org/tool/internal/output
type struct@page.go:346
  in string -> -
  out string -> -
type Extra = map any
type Rows = []Row
var table _ = {x: 1, [$key]: 2, [("in" Add $key)]: ["a", "b"]}
var pairs _ = [["nextToken", "nextCursor"], ["a", "b"]]
var maps _ = [{a: 1}, {b: null}]
var rows _ = [Row{Name: "x"}, Row{#0: "y", #1: 2}]
var pointers _ = [Row{Name: "x"}, Row{}]
var table2 _ = [struct@page.go:346{#0: "a", #1: "b"}, struct@page.go:346{in: "c"}]
var set _ = {a: struct{}{}}
var nested _ = {k: [{v: 1}]}
var foreign _ = out.Table{a: _{B: 1}, C: out.D{E: 1}}
var own _ = Extra{[$key]: 1, lit: 2}
var ownList _ = Rows{#0: Row{Name: "z"}}
var indexed _ = ["a", "b"]
"##,
    );
}

#[test]
fn tags_give_wire_names() {
    shows(
        r##"
package app
type Row struct {
	Name   string `json:"name,omitempty" yaml:"n"`
	hidden int    `json:"hidden"`
	Plain  bool
	Skip   string `json:"-"`
	Dash   string `json:"-,"`
	Own    string `json:",omitempty"`
	A, B   []map[string]any
	*Base
	out.Meta `json:"meta"`
	Inner  struct{ Next string "json:\"next\"" } `yaml:"x" json:"inner"`
	Call   func(int) (string, error)
	Feed   chan Row
	Group  Set[string]
}
type Alias = out.Envelope
type Number int
type Runner interface {
	Base
	Run() error
}
"##,
        r##"
type struct@page.go:274
  Next string -> next
type Row < Base < out.Meta
  Name string -> name omitempty
  hidden int -> -
  Plain bool -> Plain
  Skip string -> -
  Dash string -> -
  Own string -> Own omitempty
  A []map any -> A
  B []map any -> B
  Base Base -> Base embedded
  Meta out.Meta -> meta
  Inner struct@page.go:274 -> inner
  Call func(string, error) -> Call
  Feed []Row -> Feed
  Group Set -> Group
type Alias = out.Envelope
type Number = int
type Runner < Base interface
"##,
    );
}

#[test]
fn constants_count_and_repeat() {
    shows(
        r##"
package app
const (
	first = iota
	second
	_
	fourth Level = iota * 2
	key = "hasMore"
	same
)
var a, b = two()
var c, d int = 1, 2
var typed map[string]int
"##,
        r##"
const first _ = 0
const second _ = 1
const _ _ = 2
const fourth Level = (3 Mul 2)
const key _ = "hasMore"
const same _ = "hasMore"
var a _ = opaque($two())
var b _ = none
var c int = 1
var d int = 2
var typed map int = none
"##,
    );
}

#[test]
fn receivers_results_and_type_parameters() {
    shows(
        r##"
package app
func init() {}
func (s *Set[T]) Add(x T, more ...T) (n int, err error) {
	if n++; n > 3 {
		return
	}
	return n, err
}
func (Row) fixed(int, string) (a, b []int) { return nil, nil }
func Keep[T any, U Row](x T, y map[string]U) U { return y[""] }
func outside(a int) string
"##,
        r##"
Init init()
Method Add of Set on 0(x.1 _, more.2 ...[]_) -> int, error [3, 4]
    n.3 = 0
    err.4 = null
    n.3 Add = 1
    if (n.3 Gt 3)
      return n.3, err.4
    return n.3, err.4
Method fixed of Row(.0 int, .1 string) -> []int, []int [2, 3]
    a.2 = (@MakeList() as []int)
    b.3 = (@MakeList() as []int)
    return null, null
Free Keep(x.0 _, y.1 map _) -> _ []
    return y.1[""]
Free outside(a.0 int) -> string []
"##,
    );
}

#[test]
fn imports_take_the_package_name() {
    shows(
        r##"
package app
import "encoding/json"
import (
	_ "embed"
	. "example.org/dots"
	out "example.org/tool/internal/output"
	"example.org/lib/v3"
	"gopkg.in/yaml.v3"
	"example.org/go-page"
	"example.org/nats.go"
)
"##,
        r##"
import json = encoding/json
import out = example.org/tool/internal/output
import lib = example.org/lib/v3
import yaml = gopkg.in/yaml.v3
import page = example.org/go-page
import nats = example.org/nats.go
"##,
    );
}

#[test]
fn blocks_shadow() {
    shows(
        r##"
package app
func shadow(x int) int {
	x, y := x+1, 2
	if x := x * 2; x > y {
		x := x
		x++
	} else if y := x; y > 0 {
		y--
	} else {
		x = y
	}
	{
		y := 3
		_ = y
	}
	var y2 = y
	return x + y2
}
"##,
        r##"
Free shadow(x.0 int) -> int []
    x.0 = (x.0 Add 1)
    y.1 = 2
    x.2 = (x.0 Mul 2)
    if (x.2 Gt y.1)
      x.3 = x.2
      x.3 Add = 1
    else
      y.4 = x.2
      if (y.4 Gt 0)
        y.4 Sub = 1
      else
        x.2 = y.4
    y.5 = 3
    _ = y.5
    y2.6 = y.1
    return (x.0 Add y2.6)
"##,
    );
}

#[test]
fn closures_capture() {
    shows(
        r##"
package app
var handler = Shortcut{Execute: func(rt *Runtime) error { return rt.Output(handler) }}
func outer(x, y int) func() int {
	var f func() int
	f = func() int {
		x := x + y
		g := func() { x, y = y, x }
		g()
		return f() + x
	}
	return f
}
"##,
        r##"
var handler _ = Shortcut{Execute: fn#0}
closure 0 in None(rt.0 Runtime) -> error []
    return rt.0.Output($handler)
Free outer(x.0 int, y.1 int) -> func(int) []
    f.2 = null
    f.2 = fn#2
    return f.2
closure 2 in Some(1)() -> int []
    x.0 = (^x.0 Add ^y.1)
    g.1 = fn#3
    g.1()
    return (^f.2() Add x.0)
closure 3 in Some(2)()
    ^x.0 = ^^y.1
    ^^y.1 = ^x.0
"##,
    );
}

#[test]
fn local_types_stay_apart() {
    shows(
        r##"
package app
type page struct{ Outer int }
func a() {
	type page struct{ Next string `json:"next"` }
	type bag map[string]page
	use(page{Next: "a"}, bag{key: {Next: "b"}}, bag(nil))
}
func b() { use(page{Outer: 1}, page(x)) }
"##,
        r##"
type page
  Outer int -> Outer
type page@page.go:59
  Next string -> next
type bag@page.go:106 = map page@page.go:59
Free a()
    $use(page@page.go:59{Next: "a"}, bag@page.go:106{[$key]: page@page.go:59{Next: "b"}}, (null as bag@page.go:106))
Free b()
    $use(page{Outer: 1}, ($x as page))
"##,
    );
}

#[test]
fn labels_count_loops_and_switches() {
    shows(
        r##"
package app
func flow(feed chan string, n int) {
outer:
	for i := 0; i < n; i++ {
	inner:
		for {
			switch {
			case i > 3:
				break
			case i > 2:
				break inner
			case i > 1, n == 2:
				continue outer
			case n == 3:
				fallthrough
			default:
				break outer
			}
			select {
			case s, ok := <-feed:
				use(s, ok)
				continue
			case feed <- "x":
				break
			case <-done():
			default:
				return
			}
			break
		}
	}
pick:
	switch key := name(n); key {
	case "hasMore", "nextCursor":
		for {
			break pick
		}
	case "x":
		goto end
	}
end:
}
"##,
        r##"
Free flow(feed.0 []string, n.1 int)
    i.2 = 0
    while (i.2 Lt n.1)
      loop
        switch _
        case (i.2 Gt 3)
          break 0
        case (i.2 Gt 2)
          break 1
        case (i.2 Gt 1) | (n.1 Eq 2)
          continue 1
        case (n.1 Eq 3) falls
        case any
          break 2
        switch _
        case ?
          s.3, ok.4 = ok(@Pop(feed.0))
          $use(s.3, ok.4)
          continue 0
        case ?
          @Append(feed.0, "x")
          break 0
        case ?
          @Pop($done())
        case any
          return 
        break 0
    post
      i.2 Add = 1
    key.5 = $name(n.1)
    switch key.5
    case "hasMore" | "nextCursor"
      loop
        break 1
    case "x"
      opaque 
"##,
    );
}

#[test]
fn loops_bind_keys_and_values() {
    shows(
        r##"
package app
import ("maps"; "slices")
func loops(m map[string]any, feed <-chan int, n int) {
	for k := range m { use(k) }
	for k, v := range m { use(k, v) }
	for _, pair := range [][2]string{{"a", "b"}} { m[pair[1]] = pair[0] }
	for range 3 { use() }
	for i := range len(m) { use(i) }
	for x := range feed { use(x) }
	for k := range maps.Keys(m) { use(k) }
	for _, k := range slices.Sorted(maps.Keys(m)) { use(k) }
	ready := make(chan any)
	go func() { for x := range ready { use(x) } }()
	var xs [3]int
	for n, xs[0] = range xs {}
	for n < 3 { n-- }
}
"##,
        r##"
import maps = maps
import slices = slices
Free loops(m.0 map any, feed.1 []int, n.2 int)
    each k.3, _ of m.0
      $use(k.3)
    each k.4, v.5 of m.0
      $use(k.4, v.5)
    each _, pair.6 of [["a", "b"]]
      m.0[pair.6[1]] = pair.6[0]
    each _, _ of @Range(3)
      $use()
    each i.7, _ of @Range(@Size(m.0))
      $use(i.7)
    each _, x.8 of feed.1
      $use(x.8)
    each _, k.9 of $maps.Keys!Keys(m.0)
      $use(k.9)
    each _, k.10 of $slices.Sorted!Sort($maps.Keys!Keys(m.0))
      $use(k.10)
    ready.11 = @MakeList()
    fn#1()
    xs.12 = (@MakeList() as []int)
    each n.2, xs.12[0] of xs.12
    while (n.2 Lt 3)
      n.2 Sub = 1
closure 1 in Some(0)()
    each _, x.0 of ^ready.11
      $use(x.0)
"##,
    );
}

#[test]
fn type_switches_bind_each_arm() {
    shows(
        r##"
package app
func kind(v any) (out map[string]any, err error) {
	switch t := v.(type) {
	case nil:
		return nil, nil
	case string:
		use(t)
	case int, []string:
		use(t)
	default:
		use(t)
	}
	switch v.(type) {
	case *Row:
	}
	switch true {
	case out == nil:
	}
	return
}
"##,
        r##"
Free kind(v.0 any) -> map any, error [1, 2]
    out.1 = (null as map any)
    err.2 = null
    switch v.0
    case null
      return null, null
    case is string as 4
      $use(t.4)
    case is int as 5 | is []string as 5
      $use(t.5)
    case any as 6
      $use(t.6)
    switch v.0
    case is Row
    switch _
    case (out.1 Eq null)
    return out.1, err.2
"##,
    );
}

#[test]
fn zero_values_keep_types() {
    shows(
        r##"
package app
func zeros() {
	var m map[string]any
	var s, t string
	var rows []Row
	var row Row
	var pointer *Row
	var decoded struct{ HasMore bool `json:"hasMore"` }
	var text strings.Builder
	var e error
	var n, f, b = 1, 2.5, true
	const key = "hasMore"
	use(m, key)
}
"##,
        r##"
type struct@page.go:126
  HasMore bool -> hasMore
Free zeros()
    m.0 = (null as map any)
    s.1 = ""
    t.2 = ""
    rows.3 = (@MakeList() as []Row)
    row.4 = new Row()
    pointer.5 = (null as Row)
    decoded.6 = new struct@page.go:126()
    text.7 = new strings.Builder()
    e.8 = null
    n.9 = 1
    f.10 = 2.5
    b.11 = true
    key.12 = "hasMore"
    $use(m.0, key.12)
"##,
    );
}

#[test]
fn pairs_and_several_targets() {
    shows(
        r##"
package app
func pairs(m map[string]any, feed chan int) {
	v, ok := m["k"].(map[string]any)
	w, found := m["k"]
	x, open := <-feed
	var y, there = m["k"]
	_, err := load(m)
	v, err = load(v), nil
	m["a"], m["b"] = load(m)
	n, s := 1, "x"
	n += len(s)
	n <<= 2
	n &^= ^1
	if _, ok := m["z"]; !ok { return }
}
"##,
        r##"
Free pairs(m.0 map any, feed.1 []int)
    v.2, ok.3 = ok((m.0["k"] as map any))
    w.4, found.5 = ok(m.0["k"])
    x.6, open.7 = ok(@Pop(feed.1))
    y.8, there.9 = ok(m.0["k"])
    _, err.10 = $load(m.0)
    v.2 = $load(v.2)
    err.10 = null
    m.0["a"], m.0["b"] = $load(m.0)
    n.11 = 1
    s.12 = "x"
    n.11 Add = @Size(s.12)
    n.11 Bits = 2
    n.11 Bits = opaque(1)
    _, ok.13 = ok(m.0["z"])
    if Not(ok.13)
      return 
"##,
    );
}

#[test]
fn library_calls_say_what_they_mean() {
    shows(
        r##"
package app
import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"sort"
	"strconv"
	"strings"
)
func library(m map[string]any, s string) error {
	x, err := json.Marshal(m)
	err = json.Unmarshal([]byte(s), &m)
	err = json.NewDecoder(strings.NewReader(s)).Decode(&m)
	use(json.RawMessage(`{"a":1}`), json.Valid(x))
	maps.Copy(m, maps.Clone(m))
	sort.Strings(keys)
	use(strings.TrimSpace(s), strings.Join(keys, ","), strings.Contains(s, "x"), strings.Split(s, ","))
	use(strconv.Itoa(1), fmt.Sprintf("%d", 1))
	fmt.Println(s)
	if err != nil { return fmt.Errorf("bad: %w", err) }
	if errors.Is(err, nil) { os.Exit(1) }
	fmt := local()
	fmt.Sprintf("x")
	return errors.New("bad")
}
"##,
        r##"
import json = encoding/json
import errors = errors
import fmt = fmt
import maps = maps
import os = os
import sort = sort
import strconv = strconv
import strings = strings
Free library(m.0 map any, s.1 string) -> error []
    x.2, err.3 = $json.Marshal!EncodeChecked(m.0)
    err.3 = $json.Unmarshal!DecodeInto(@ToText(s.1), m.0)
    err.3 = $json.NewDecoder!ToText($strings.NewReader!ToText(s.1)).Decode!DecodeInto(m.0)
    $use(@ToText("{\"a\":1}"), $json.Valid(x.2))
    $maps.Copy!Merge(m.0, $maps.Clone!Copy(m.0))
    $sort.Strings!Sort($keys)
    $use($strings.TrimSpace!Trim(s.1), $strings.Join!Join($keys, ","), $strings.Contains!Has(s.1, "x"), $strings.Split!Split(s.1, ","))
    $use($strconv.Itoa!ToText(1), $fmt.Sprintf!Format("%d", 1))
    $fmt.Println(s.1)
    if (err.3 Ne null)
      return $fmt.Errorf!Error("bad: %w", err.3)
    if $errors.Is(err.3, null)
      $os.Exit!Exit(1)
    fmt.4 = $local()
    fmt.4.Sprintf("x")
    return $errors.New!Error("bad")
"##,
    );
}

#[test]
fn predeclared_calls_and_conversions() {
    shows(
        r##"
package app
type Extra map[string]any
type Rows []Row
type Stage string
func own(rows []Row, m map[string]any, s string, n int) {
	rows = append(rows, Row{}, *&rows[0])
	rows = append(rows, m["x"].([]Row)...)
	rows = append([]Row(nil), rows...)
	copy(rows, rows)
	delete(m, "hasMore")
	clear(m)
	use(len(rows), cap(rows), min(n, 3), max(n, 1))
	use(string(n), int64(n), float64(n), []byte(s), any(m), bool(x))
	use(Extra(m), map[string]any(m), Stage("x"), (*Row)(nil), (*Extra)(m), foreign.T(m))
	use(make(map[string]any, 3), make([]Row, 0, n), make(Extra), make(Rows, n), make(chan int), make(Far), new(Row))
	use(rows[1:], rows[:n], rows[1:n:n], rows[:], generic[string](s), generic[string, int](s), pkg.Of[int](s), spread(rows...))
	len := func(x any) int { return 0 }
	use(len(rows), Rows.Method, 'a', 0x1F, 0b11, 0o17, 017, 1_000, 1e3, -2, 2i, "a\tb\u00e9\x41", `raw "x"`)
	defer func() { err = recover().(error) }()
	panic("no")
}
"##,
        r##"
type Extra = map any
type Rows = []Row
type Stage = string
Free own(rows.0 []Row, m.1 map any, s.2 string, n.3 int)
    rows.0 = @Append(rows.0, Row{}, rows.0[0])
    rows.0 = @AppendAll(rows.0, (m.1["x"] as []Row))
    rows.0 = @AppendAll([], rows.0)
    @AppendAll(rows.0, rows.0)
    @Remove(m.1, "hasMore")
    $clear!Clear(m.1)
    $use(@Size(rows.0), @Size(rows.0), $min!Min(n.3, 3), $max!Max(n.3, 1))
    $use(@ToText(n.3), @ToInt(n.3), @ToFloat(n.3), @ToText(s.2), m.1, @ToBool($x))
    $use((m.1 as Extra), (m.1 as map any), ("x" as Stage), $Row(null), (m.1 as Extra), $foreign.T(m.1))
    $use(@MakeObject(3), @MakeList(0, n.3), @MakeObject(), @MakeList(n.3), @MakeList(), new Far(), new Row())
    $use(@Slice(rows.0, 1), @Slice(rows.0, 0, n.3), @Slice(rows.0, 1, n.3), rows.0, $generic(s.2), $generic(s.2), $pkg.Of(s.2), $spread(...rows.0))
    len.4 = fn#1
    $use(len.4(rows.0), $Rows.Method, 97, 31, 3, 15, 15, 1000, 1000.0, -2, _, "a\tbéA", "raw \"x\"")
    defer fn#2()
    @Exit("no")
closure 1 in Some(0)(x.0 any) -> int []
    return 0
closure 2 in Some(0)()
    $err = ($recover() as error)
"##,
    );
}

#[test]
fn broken_code_keeps_its_parts() {
    shows(
        r##"
package app
func broken(a int) map[string]any {
	x := map[string]any{"hasMore": a, 
	return x
}
func fine() int { return 1 }
"##,
        r##"
Free broken(a.0 int) -> map any [] broken
    x.1 = {hasMore: a.0, #1: _, #2: $x}
    fn#1
closure 1 in Some(0)() -> int [] broken
    return 1
"##,
    );
}

#[test]
fn lookups_are_told_from_generic_functions() {
    shows(
        r##"
package app
type Row struct{}
func pick(snapshot *S, flag Flag, handlers map[string]func(int)) {
	use(snapshot.Bindings[flag.canonical][flag.name], table[flag.name], table[key])
	handlers[flag.name](1)
	handlers[key](nil)
	decode[Row](nil)
	decode[[]Row](nil)
	decode[out.Row](nil)
	use(decode[Row], out.Decode[Row](nil))
}
"##,
        r##"
type Row
Free pick(snapshot.0 S, flag.1 Flag, handlers.2 map func())
    $use(snapshot.0.Bindings[flag.1.canonical][flag.1.name], $table[flag.1.name], $table[$key])
    handlers.2[flag.1.name](1)
    handlers.2[$key](null)
    $decode(null)
    $decode(null)
    $decode(null)
    $use($decode, $out.Decode(null))
"##,
    );
}
