//! What the core libraries' operations do to values, objects and lists.
//!
//! Knows no pack word and no language.

use super::formula::F;
use super::observe::Removal;
use super::session::Session;
use super::value::{ListId, Node, Op, Origin, V};
use crate::ir::{Builtin, Name, Range, Type};

/// Most texts of a list whose number is told apart by what put them there.
const MAX_WORDS: usize = 4;

impl<'p> Session<'p> {
    /// Applies a core operation to operands in the order that its declaration gives.
    pub(super) fn builtin(&mut self, builtin: Builtin, operands: &[V], range: Range) -> V {
        let arg = |i: usize| operands.get(i).copied();
        let Some(x) = arg(0) else { return self.nullary(builtin, range) };
        let pc = self.pc;
        match builtin {
            Builtin::Size => self.size(x),
            Builtin::IsEmpty => {
                let f = self.nonempty(x);
                let f = f.denied();
                self.store.values.cond(f)
            }
            Builtin::Has => match arg(1) {
                Some(key) => {
                    let f = self.contains(x, key);
                    self.store.values.cond(f)
                }
                None => self.store.values.unknown(),
            },
            Builtin::Get => {
                let Some(key) = arg(1) else { return self.store.values.unknown() };
                let default = arg(2).unwrap_or(V::NULL);
                self.get_or(x, key, default, range)
            }
            Builtin::Set => {
                if let (Some(key), Some(v)) = (arg(1), arg(2)) {
                    self.write_field(x, key, v, range, range);
                }
                x
            }
            Builtin::Remove => {
                if let Some(key) = arg(1) {
                    let site = self.site(range);
                    let guard = self.write_guard(x, None);
                    let activity = self.activity();
                    self.seen.removals.push(Removal { from: x, key, guard, site, activity });
                    self.store.remove(x, key, guard, site);
                }
                V::NULL
            }
            Builtin::Clear => {
                self.store.clear(x, pc);
                V::NULL
            }
            Builtin::Merge | Builtin::Assign => self.merge_objects(builtin, operands, range),
            Builtin::Copy => self.copy(x, range),
            Builtin::Keys => self.keys_of(x, range),
            Builtin::Values => self.derived_list(x, range, false),
            Builtin::Entries => self.entries_of(x, range),
            Builtin::Pairs => self.pairs_of(x, range),
            Builtin::FromEntries => self.object_of_pairs(x, range),
            Builtin::Append | Builtin::AppendAll => self.append(builtin, x, &operands[1..], range),
            Builtin::Pop => {
                self.shrink(x, range);
                self.store.values.symbol(Origin::Item(x), None)
            }
            Builtin::Truncate => {
                self.truncate(x, arg(1).unwrap_or(V::NULL), range);
                V::NULL
            }
            Builtin::Slice => self.slice(x, operands, range),
            Builtin::Sort => x,
            Builtin::Map | Builtin::Filter | Builtin::ForEach => {
                self.each(builtin, x, arg(1), range)
            }
            Builtin::Min | Builtin::Max => self.extreme(builtin, operands, range),
            Builtin::Clamp => match (arg(1), arg(2)) {
                (Some(low), Some(high)) => {
                    let capped = self.extreme(Builtin::Min, &[x, high], range);
                    self.extreme(Builtin::Max, &[capped, low], range)
                }
                _ => self.store.values.unknown(),
            },
            Builtin::ToText | Builtin::ToInt | Builtin::ToFloat | Builtin::Trim => {
                self.convert(builtin, x)
            }
            Builtin::ToBool => {
                let f = self.truth(x);
                self.store.values.cond(f)
            }
            Builtin::IsType => match arg(1).and_then(|t| self.store.values.as_text(t).cloned()) {
                Some(name) => {
                    let f = self.is_type_named(x, &name);
                    self.store.values.cond(f)
                }
                None => self.store.values.unknown(),
            },
            Builtin::TypeOf => {
                self.store.values.map(x, pc, |values, v| values.op(Op::TypeOf, &[v]))
            }
            Builtin::Encode => {
                self.store.values.map(x, pc, |values, v| values.op(Op::Encode, &[v]))
            }
            Builtin::EncodeChecked => {
                let text = self.store.values.map(x, pc, |values, v| values.op(Op::Encode, &[v]));
                let error = self.store.values.unknown();
                self.store.values.op(Op::Tuple, &[text, error])
            }
            Builtin::Decode => self.decode(x),
            Builtin::DecodeInto => self.decode_into(x, arg(1), range),
            Builtin::Format => self.formatted(operands),
            Builtin::Join => self.joined(x, arg(1).unwrap_or(V::NULL)),
            Builtin::Split => self.split(x, arg(1), range),
            Builtin::StartsWith | Builtin::EndsWith | Builtin::SameFold => {
                self.text_test(builtin, x, arg(1))
            }
            Builtin::Error => self.error(operands),
            Builtin::Exit => {
                self.leave_program();
                V::NULL
            }
            Builtin::Invoke => match self.invoke(x, &operands[1..], false, range) {
                Some(v) => v,
                None => self.outside(Name::new_static("call"), None),
            },
            Builtin::Bind | Builtin::BindLast => {
                let last = if builtin == Builtin::BindLast { V::TRUE } else { V::FALSE };
                let mut parts = vec![x, last];
                parts.extend_from_slice(&operands[1..]);
                self.store.values.op(Op::Bound, &parts)
            }
            Builtin::Range => self.derived_list(x, range, false),
            Builtin::Load => self.load(x),
            Builtin::Abs => self.store.values.op(Op::Other, &[x]),
            Builtin::MakeList | Builtin::MakeObject => self.nullary(builtin, range),
            Builtin::Ignore => V::NULL,
        }
    }

    fn nullary(&mut self, builtin: Builtin, range: Range) -> V {
        let site = self.site(range);
        match builtin {
            Builtin::MakeList => self.store.new_list(site, Vec::new(), false),
            Builtin::MakeObject => self.store.new_object(site, self.pc, None, None),
            Builtin::Error => self.error(&[]),
            Builtin::Exit => {
                self.leave_program();
                V::NULL
            }
            _ => self.store.values.unknown(),
        }
    }

    fn error(&mut self, operands: &[V]) -> V {
        let v = self.store.values.symbol(Origin::Error, None);
        self.note_error(v, operands);
        v
    }

    /// A module loaded by its path.
    fn load(&mut self, path: V) -> V {
        let target = self.store.values.as_text(path).cloned();
        match target.and_then(|t| self.index.resolve_targets(self.running().module, &[t])) {
            Some(unit) => self.store.values.intern(Node::Unit(unit)),
            None => self.store.values.unknown(),
        }
    }

    fn decode(&mut self, text: V) -> V {
        let pc = self.pc;
        self.store.values.map(text, pc, |values, v| match values.node(v) {
            Node::Op(Op::Encode, inner) => inner[0],
            _ => values.op(Op::Decode, &[v]),
        })
    }

    /// Fills a place from a text: what it holds is then what the text says. A struct keeps its
    /// own fields; anything else becomes the decoded value.
    pub(super) fn decode_place(
        &mut self,
        place: &'p crate::ir::Value,
        text: V,
        target: V,
        range: Range,
    ) -> V {
        let decoded = self.decode(text);
        let is_struct = self
            .store
            .body(target)
            .is_some_and(|id| self.store.object(id).ty.is_some() && self.wire_type(target));
        let is_map = matches!(self.store.values.node(target), Node::Object(_));
        if is_struct || is_map {
            self.fill(target, decoded, range);
        } else {
            self.put_decoded(place, decoded, range);
        }
        self.store.values.unknown()
    }

    /// Whether a value is of a declared type with fields.
    fn wire_type(&mut self, v: V) -> bool {
        let Some((m, ty)) = self.type_of(v) else { return false };
        self.index
            .declaration(m, &ty)
            .is_some_and(|(dm, di)| !self.index.type_decl(dm, di).fields.is_empty())
    }

    fn decode_into(&mut self, text: V, target: Option<V>, range: Range) -> V {
        if let Some(target) = target {
            let decoded = self.decode(text);
            self.fill(target, decoded, range);
        }
        self.store.values.unknown()
    }

    fn fill(&mut self, target: V, decoded: V, range: Range) {
        let site = self.site(range);
        let guard = self.write_guard(target, None);
        self.store.copy_into(target, decoded, guard, site, true);
    }

    /// Number of elements, characters or bytes.
    pub(super) fn size(&mut self, x: V) -> V {
        let pc = self.pc;
        let mut parts = Vec::new();
        for (guard, leaf) in self.store.values.leaves(x, pc) {
            let v = match *self.store.values.node(leaf) {
                Node::Null => self.store.values.int(0),
                Node::Text(ref text) => {
                    let n = text.chars().count() as i64;
                    self.store.values.int(n)
                }
                Node::List(id) => self.list_size(id, leaf),
                _ => {
                    let zero = self.store.values.int(0);
                    self.store.values.op(Op::Size, &[leaf, zero])
                }
            };
            parts.push((guard, v));
        }
        self.store.values.join(&parts)
    }

    fn list_size(&mut self, id: ListId, v: V) -> V {
        let list = self.store.list(id);
        // A round stands for all rounds: what it adds to a list was there in the one before.
        let grows = self.outlives_round(id) && list.elements.len() < 2;
        // What an ended call made up is an example as likely as a rule: its size is not counted on.
        let foreign = !list.elements.is_empty() && !self.in_progress(list.created.frame);
        if !grows && !foreign && !list.open && list.elements.iter().all(|(f, _)| *f == F::TRUE) {
            let n = list.elements.len() as i64;
            return self.store.values.int(n);
        }
        let known = !grows && !foreign && !list.open && list.elements.len() <= MAX_WORDS;
        let elements = list.elements.clone();
        if known && elements.iter().all(|(_, v)| self.is_words(*v)) {
            return elements.iter().fold(self.store.values.int(0), |n, (f, _)| {
                let more = self.store.values.map(n, F::TRUE, |values, n| {
                    let n = values.as_int(n).unwrap_or(0);
                    values.int(n + 1)
                });
                self.store.values.choose(*f, more, n)
            });
        }
        let version = self.store.list(id).version;
        let version = self.store.values.int(version);
        self.store.values.op(Op::Size, &[v, version])
    }

    /// Whether a value is a text that the program words itself.
    fn is_words(&self, v: V) -> bool {
        self.store.values.any_leaf(v, |_, node| match node {
            Node::Text(_) => true,
            Node::Op(Op::Text | Op::Add, parts) => {
                parts.iter().any(|p| self.store.values.as_text(*p).is_some())
            }
            _ => false,
        })
    }

    /// Whether a call still runs.
    fn in_progress(&self, frame: u32) -> bool {
        let mut at = Some(self.frame);
        while let Some(f) = at {
            if f == frame {
                return true;
            }
            at = self.frames[f as usize].caller;
        }
        false
    }

    /// Whether there is anything in a text, list or object.
    pub(super) fn nonempty(&mut self, x: V) -> F {
        let pc = self.pc;
        let mut any = F::FALSE;
        for (guard, leaf) in self.store.values.leaves(x, pc) {
            let f = match *self.store.values.node(leaf) {
                Node::List(id) => self.list_nonempty(id, leaf),
                Node::Object(id) => self.object_nonempty(id, leaf),
                _ => self.store.values.nonempty(leaf),
            };
            any = self.store.values.either(guard, f, any);
        }
        self.store.values.forms.restrict(any, pc)
    }

    fn list_nonempty(&mut self, id: ListId, v: V) -> F {
        let list = self.store.list(id);
        if list.open || list.elements.is_empty() || !self.in_progress(list.created.frame) {
            let size = self.list_size(id, v);
            return self.store.values.at_least(size, 1);
        }
        let guards: Vec<F> = list.elements.iter().map(|(f, _)| *f).collect();
        guards.into_iter().fold(F::FALSE, |any, f| self.store.values.either(any, F::TRUE, f))
    }

    /// Whether a value counts as true where empty lists and dictionaries do not.
    pub(super) fn filled(&mut self, x: V) -> F {
        let pc = self.pc;
        let leaves = self.store.values.leaves(x, pc);
        let holds = |s: &Self, v: V| match s.store.values.node(v) {
            Node::List(_) => true,
            Node::Object(id) => matches!(s.store.object(*id).ty, None | Some((_, Type::Map(_)))),
            _ => false,
        };
        if !leaves.iter().any(|(_, leaf)| holds(self, *leaf)) {
            return self.store.values.truthy(x, pc);
        }
        let mut any = F::FALSE;
        for (guard, leaf) in leaves {
            let f = match holds(self, leaf) {
                true => self.nonempty(leaf),
                false => self.store.values.truthy(leaf, guard),
            };
            let both = self.store.values.forms.and(guard, f);
            any = self.store.values.forms.or(any, both);
        }
        any
    }

    fn object_nonempty(&mut self, id: super::value::ObjectId, v: V) -> F {
        let mut any = F::FALSE;
        for key in self.store.keys(id) {
            let f = self.store.has(v, key, F::TRUE);
            any = self.store.values.forms.or(any, f);
        }
        if self.store.object(id).base.is_some() {
            let more = self.store.values.nonempty(v);
            any = self.store.values.forms.or(any, more);
        }
        any
    }

    /// Whether a dictionary has a key, or a list or text an element.
    pub(super) fn contains(&mut self, x: V, key: V) -> F {
        let pc = self.pc;
        let mut any = F::FALSE;
        for (guard, leaf) in self.store.values.leaves(x, pc) {
            let f = match *self.store.values.node(leaf) {
                Node::List(id) if !self.store.list(id).open => {
                    let mut f = F::FALSE;
                    for (when, element) in self.store.list(id).elements.clone() {
                        let same = self.store.values.equal(element, key, guard);
                        let here = self.store.values.forms.and(when, same);
                        f = self.store.values.forms.or(f, here);
                    }
                    f
                }
                Node::Text(_) | Node::Op(Op::Text, _) => self.text_holds(leaf, key),
                _ => self.has_key(leaf, key, guard),
            };
            any = self.store.values.either(guard, f, any);
        }
        self.store.values.forms.restrict(any, pc)
    }

    /// When a dictionary has a key; a key that varies is one of the known ones.
    fn has_key(&mut self, x: V, key: V, care: F) -> F {
        let closed = self.store.body(x).filter(|id| self.keys_are_known(*id));
        if let (Some(id), Node::Symbol(_) | Node::Op(..)) = (closed, self.store.values.node(key)) {
            let mut any = F::FALSE;
            for known in self.store.keys(id) {
                let here = self.store.has(x, known, care);
                let same = self.store.values.equal(known, key, care);
                let both = self.store.values.forms.and(here, same);
                any = self.store.values.forms.or(any, both);
            }
            return any;
        }
        self.store.has(x, key, care)
    }

    fn get_or(&mut self, x: V, key: V, default: V, range: Range) -> V {
        let there = self.contains(x, key);
        let before = self.pc;
        self.pc = self.store.values.forms.and(before, there);
        let v = self.read_field(x, key, range);
        self.pc = before;
        self.store.values.choose(there, v, default)
    }

    /// Sets a field; the guard is what holds outside the loops that the object outlives.
    pub(super) fn write_field(&mut self, target: V, key: V, v: V, at: Range, _statement: Range) {
        let guard = self.write_guard(target, Some(key));
        let site = self.first_writer(key, v).unwrap_or_else(|| self.teller(key, self.site(at)));
        let pc = self.pc;
        for (_, leaf) in self.store.values.leaves(target, pc) {
            if let Node::List(id) = *self.store.values.node(leaf) {
                let list = &mut self.store.lists[id.0 as usize];
                list.open = true;
                list.version += 1;
            }
        }
        self.note_field_reset(target, key, v);
        self.store.write(target, key, v, guard, site, false);
        self.note_part(target, &[key, v]);
        self.note_failed_write(target, key, v, at);
    }

    /// The condition of a write as it can be told outside the rounds that the target outlives.
    pub(super) fn write_guard(&mut self, target: V, key: Option<V>) -> F {
        let varies = key.is_some_and(|k| {
            self.store.values.symbol_of(k).is_some_and(|s| matches!(s.origin, Origin::Key(_)))
        });
        if varies || self.rounds.is_empty() {
            return self.pc;
        }
        let newest = self
            .store
            .values
            .leaves(target, self.pc)
            .iter()
            .filter_map(|(_, leaf)| self.store.body(*leaf))
            .map(|id| id.0)
            .max()
            .unwrap_or(0);
        let mut guard = self.pc;
        for i in (0..self.rounds.len()).rev() {
            let round = self.rounds[i];
            if newest < round.first_object {
                guard = self.lift(guard, round);
            }
        }
        guard
    }

    fn merge_objects(&mut self, builtin: Builtin, operands: &[V], range: Range) -> V {
        let target = operands[0];
        let site = self.site(range);
        let guard = self.write_guard(target, None);
        if builtin == Builtin::Assign {
            for other in &operands[1..] {
                self.store.copy_into(target, *other, guard, site, true);
            }
        } else if let Some(other) = operands.get(1) {
            let overwrite = operands.get(2) != Some(&V::FALSE);
            self.store.copy_into(target, *other, guard, site, overwrite);
        }
        target
    }

    fn copy(&mut self, x: V, range: Range) -> V {
        let pc = self.pc;
        let mut parts = Vec::new();
        for (guard, leaf) in self.store.values.leaves(x, pc) {
            let is_list = self.is_list(leaf);
            let v = match *self.store.values.node(leaf) {
                Node::List(id) => {
                    let mut copied = self.store.list(id).clone();
                    copied.created = self.site(range);
                    self.store.lists.push(copied);
                    let id = ListId(self.store.lists.len() as u32 - 1);
                    self.store.values.intern(Node::List(id))
                }
                Node::Null | Node::Text(_) | Node::Int(_) | Node::Cond(_) => leaf,
                Node::Symbol(_) | Node::Op(..) if is_list => self.derived_list(leaf, range, false),
                _ => {
                    let site = self.site(range);
                    let ty = self.type_of(leaf);
                    let v = self.store.new_object(site, guard, None, ty);
                    self.store.copy_into(v, leaf, guard, site, true);
                    v
                }
            };
            parts.push((guard, v));
        }
        self.store.values.join(&parts)
    }

    fn is_list(&mut self, v: V) -> bool {
        matches!(self.type_of(v), Some((_, Type::List(_))))
    }

    /// The list of an object's keys.
    fn keys_of(&mut self, x: V, range: Range) -> V {
        let site = self.site(range);
        let closed = self.store.body(x).filter(|id| self.keys_are_known(*id));
        if let Some(id) = closed {
            let keys = self.store.keys(id);
            if keys.iter().all(|k| self.store.values.as_text(*k).is_some()) {
                let mut elements = Vec::new();
                for key in keys {
                    let f = self.store.has(x, key, self.pc);
                    elements.push((f, key));
                }
                return self.store.new_list(site, elements, false);
            }
        }
        let v = self.store.new_list(site, Vec::new(), true);
        if let Node::List(id) = *self.store.values.node(v) {
            self.store.lists[id.0 as usize].keys_of = Some(x);
        }
        v
    }

    /// A list of which only the source is known.
    pub(super) fn derived_list(&mut self, of: V, range: Range, cut: bool) -> V {
        let site = self.site(range);
        let v = self.store.new_list(site, Vec::new(), true);
        if let Node::List(id) = *self.store.values.node(v) {
            let list = &mut self.store.lists[id.0 as usize];
            list.base = Some(of);
            if cut {
                list.cut = Some((of, site.span));
            }
        }
        v
    }

    fn slice(&mut self, x: V, operands: &[V], range: Range) -> V {
        let pc = self.pc;
        self.note_slice(x, &operands[1..], range);
        let mut parts = Vec::new();
        for (guard, leaf) in self.store.values.leaves(x, pc) {
            let v = match self.store.values.node(leaf) {
                Node::Text(_) | Node::Op(Op::Text, _) | Node::Null => {
                    self.store.values.op(Op::Other, operands)
                }
                _ => match self.known_part(leaf, &operands[1..], range) {
                    Some(part) => part,
                    None => self.derived_list(leaf, range, true),
                },
            };
            parts.push((guard, v));
        }
        self.store.values.join(&parts)
    }

    fn extreme(&mut self, builtin: Builtin, operands: &[V], range: Range) -> V {
        let op = if builtin == Builtin::Min { Op::Min } else { Op::Max };
        let pc = self.pc;
        let mut v = operands[0];
        for other in &operands[1..] {
            v = self.store.values.map2(v, *other, pc, |values, a, b| values.bound(op, a, b));
        }
        self.note_bound(v, range);
        v
    }

    fn convert(&mut self, builtin: Builtin, x: V) -> V {
        let pc = self.pc;
        self.store.values.map(x, pc, |values, v| match (values.node(v).clone(), builtin) {
            (Node::Int(n), Builtin::ToText) => values.text(&n.to_string()),
            (Node::Null, Builtin::ToText | Builtin::Trim) => values.text(""),
            (Node::Null, _) => values.int(0),
            (Node::Text(text), Builtin::Trim) => values.text(text.trim()),
            (Node::Float(bits), Builtin::ToInt) => values.int(f64::from_bits(bits) as i64),
            (Node::Object(_) | Node::List(_), Builtin::ToText) => values.op(Op::Encode, &[v]),
            _ => v,
        })
    }

    /// A declared type as seen from a module.
    pub(super) fn typed_in(&self, m: u32, ty: &Type) -> Option<(u32, Type)> {
        (*ty != Type::Unknown).then(|| (m, ty.clone()))
    }
}
