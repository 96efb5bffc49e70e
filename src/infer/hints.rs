//! The texts that a hint may have.
//!
//! Judges nothing.

use rustc_hash::FxHashMap;

use super::facts::HintText;
use super::formula::F;
use super::session::Session;
use super::value::{Node, Op, V};

/// The texts that a value may have where `care` holds, each as far as it is constant.
pub(super) fn hint_texts(session: &mut Session<'_>, value: V, care: F) -> Vec<HintText> {
    let mut texts = Vec::new();
    let mut known = FxHashMap::default();
    let leaves = session.store.values.leaves(value, care);
    for (when, leaf) in leaves.into_iter().take(16) {
        let spelled = session.store.values.spelled_out(when);
        if spelled.formula == F::FALSE {
            continue;
        }
        let text = constant_text(session, leaf, care, &mut known, 0).filter(|_| spelled.whole);
        let one = HintText { text };
        if !texts.contains(&one) {
            texts.push(one);
        }
    }
    texts
}

/// The constant parts of a text; `None` where nothing of it is constant. `known` holds what was
/// found of its parts, which many texts share.
fn constant_text(
    session: &mut Session<'_>,
    v: V,
    care: F,
    known: &mut FxHashMap<V, Option<String>>,
    depth: u8,
) -> Option<String> {
    if depth > 12 {
        return None;
    }
    if let Some(known) = known.get(&v) {
        return known.clone();
    }
    let text = match session.store.values.node(v).clone() {
        Node::Text(text) => Some(text.to_string()),
        Node::Op(Op::Other, parts)
            if parts.iter().any(|p| matches!(session.store.values.node(*p), Node::List(_))) =>
        {
            None
        }
        Node::Op(Op::Text | Op::Add | Op::Other, parts) => {
            let mut joined = String::new();
            let mut any = false;
            for part in parts.iter() {
                for leaf in session.store.values.occurring(*part, care) {
                    if let Some(text) = constant_text(session, leaf, care, known, depth + 1) {
                        any = true;
                        joined.push_str(&text);
                        joined.push(' ');
                    }
                }
            }
            any.then_some(joined)
        }
        _ => None,
    };
    known.insert(v, text.clone());
    text
}
