//! No text makes lowering fail, and whatever comes out holds together.

use super::{dump, lower};

const TEXT: &str = r#"package app

import out "example.org/output"

const (
	a = iota
	b
)

type Row[T any] struct {
	Next string `json:"next,omitempty"`
	in   struct{ é []map[string]*T }
	*out.Base
}

var table = []map[string]any{{"a": 1, key: `raw`}, {"b": func(x ...int) { use(x...) }}}

func (r *Row[T]) Page(m map[string]any, c <-chan int) (data map[string]any, err error) {
loop:
	for i, n := 0, len(m); i < n; i++ {
		switch v := m["é\n\x41"].(type) {
		case nil, string:
			continue loop
		case []out.Row:
			break loop
		default:
			go func() { data[key], err = v, nil }()
		}
		for k := range c {
			select {
			case v, ok := <-c:
				m[string(k)] = append(v.([]int)[1:ok], k...)
			default:
			}
		}
	}
	if v, ok := m["x"]; ok && !(v == -1.5) {
		return Row[int]{Next: 'x'}, &out.Row{1, "b"}
	} else if ok {
		type inner struct{ A int }
		data = make(map[string]any, 3)
		data["x"] = new(inner)
	}
	defer close(c)
	return
}
"#;

/// Asserts that a text lowers to a module whose references all lead somewhere.
fn holds(text: &str) {
    let (module, _) = lower(text);
    let dump = dump::module(&module, text);
    assert!(!dump.contains("<lost"), "{text}\n----\n{dump}");
    for function in &module.functions {
        assert_eq!(usize::from(function.slots), function.slot_names.len());
    }
}

#[test]
fn whole_text_has_no_trouble() {
    let (module, troubles) = lower(TEXT);
    assert!(troubles.is_empty(), "{troubles:?}");
    assert_eq!(module.functions.len(), 3);
    holds(TEXT);
}

#[test]
fn every_cut_holds() {
    for (at, _) in TEXT.char_indices() {
        holds(&TEXT[..at]);
        if at % 3 == 0 {
            holds(&TEXT[at..]);
        }
    }
}

#[test]
fn mutations_hold() {
    // A small generator keeps the cases the same in every run.
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let pieces =
        ["{", "}", "(", ")", "func", "case", "\"", "`", ":=", "[", "]", "*", "é", "\0", ";"];
    let chars: Vec<char> = TEXT.chars().collect();
    for _ in 0..600 {
        let mut text = chars.clone();
        for _ in 0..=next(4) {
            let from = next(text.len());
            let to = (from + next(12)).min(text.len());
            match next(3) {
                0 => drop(text.drain(from..to)),
                1 => {
                    let copy: Vec<char> = text[from..to].to_vec();
                    let place = next(text.len());
                    text.splice(place..place, copy);
                }
                _ => drop(text.splice(from..from, pieces[next(pieces.len())].chars())),
            }
        }
        holds(&text.into_iter().collect::<String>());
    }
}

#[test]
fn odd_texts_hold() {
    for text in
        ["", "\n", "package", "\u{feff}package a", "// x", "/* x", "\"", "`", "'", "/", "/*/"]
    {
        holds(text);
    }
    for tag in ["`json`", "`json:`", "`json:\"`", "`json:\"a`", "` : `", "`json:\"a\\`", "\"\\\""] {
        holds(&format!("package a\ntype T struct {{ A int {tag} }}\n"));
    }
    for text in
        ["'\\", "'\\x'", "\"\\x\"", "\"\\u12\"", "\"\\8\"", "0x", "1e999", "99999999999999999999"]
    {
        holds(&format!("package a\nvar x = {text}\n"));
    }
}

/// Debug builds take much stack for one level; workers get big stacks too.
fn on_a_big_stack(run: fn()) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run);
    thread.expect("a thread starts").join().expect("lowering does not fail");
}

#[test]
fn deep_nesting_is_lowered_or_refused() {
    on_a_big_stack(|| {
        for (open, close) in
            [("(", ")"), ("[]any{", "}"), ("func() { ", " }"), ("f(", ")"), ("!", "")]
        {
            let nest =
                |n: usize| format!("package a\nvar x = {}y{}\n", open.repeat(n), close.repeat(n));
            holds(&nest(150));
            let (module, troubles) = lower(&nest(2000));
            assert!(troubles.iter().any(|t| t.fatal), "{open}");
            assert!(module.functions.is_empty());
        }
        holds(&format!("package a\nvar x = 1{}\n", " + 1".repeat(900)));
        holds(&format!("package a\nfunc f() {{ {} }}\n", "if x { ".repeat(300) + &"}".repeat(300)));
    });
}

#[test]
fn many_variables_share_the_last_slot() {
    let mut text = String::from("package a\nfunc f() {\n");
    for i in 0..66_000 {
        text += &format!("v{i} := 1\n");
    }
    text += "use(v0, v65999) }\n";
    let (module, _) = lower(&text);
    assert_eq!(module.functions[0].slots, u16::MAX);
}
