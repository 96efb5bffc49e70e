//! Functions of every form: parameters, hoisted names, body.
//!
//! Does not know how a function is reached; its declaration says so in a [`Head`].

use tree_sitter::Node;

use super::bind::{assign, pattern_names};
use super::scope::Frame;
use super::tree::{bare, field, first, has_token, is_function_declaration, named, range};
use super::{value, Lower};
use crate::ir::{
    Block, Function, FunctionKind, LocalRef, Name, Param, Range, Stmt, StmtKind, Type, Value,
    ValueKind,
};

/// What a declaration says about its function.
pub(super) struct Head {
    /// Its name, if it has one.
    pub name: Name,
    /// The name's bytes.
    pub name_range: Range,
    /// Its class.
    pub owner: Option<Name>,
    /// How it is reached.
    pub kind: FunctionKind,
}

impl Lower<'_> {
    /// A function written in place, named after what it is bound to.
    pub(super) fn closure(&mut self, node: Node<'_>, name: Name) -> Value {
        let body = field(node, "body").map_or(node.end_byte(), |b| b.start_byte());
        let own = field(node, "name");
        let head = Head {
            name: own.map_or(name, |n| self.name(n)),
            name_range: own
                .map_or(Range { start: node.start_byte() as u32, end: body as u32 }, range),
            owner: None,
            kind: FunctionKind::Closure,
        };
        let index = self.function(node, head);
        value(ValueKind::Closure(index), range(node))
    }

    /// Lowers a function; gives its index in the module.
    pub(super) fn function(&mut self, node: Node<'_>, head: Head) -> u32 {
        let index = self.module.functions.len() as u32;
        self.module.functions.push(Function::default());
        let parent = self.frames.last().map(|f| f.function);
        self.frames.push(Frame::new(index));
        let mut body = Block::new();
        let params = self.params(node, &mut body);
        if let Some(inner) = field(node, "body") {
            if inner.kind() == "statement_block" {
                self.hoist_vars(inner);
                self.block(&named(inner), &mut body);
            } else {
                let result = self.expr(inner);
                let at = result.range;
                body.push(Stmt { kind: StmtKind::Return(vec![result]), range: at });
            }
        }
        let frame = self.frames.pop().unwrap_or_default();
        let results = self.results(node);
        if let Some(slot) = self.module.functions.get_mut(index as usize) {
            *slot = Function {
                name: head.name,
                owner: head.owner,
                kind: head.kind,
                receiver: None,
                params,
                results,
                result_slots: Vec::new(),
                body,
                slots: frame.slot_names.len() as u16,
                slot_names: frame.slot_names,
                range: range(node),
                name_range: head.name_range,
                parent,
                has_error: node.has_error(),
            };
        }
        index
    }

    fn params(&mut self, node: Node<'_>, prologue: &mut Block) -> Vec<Param> {
        if let Some(single) = field(node, "parameter") {
            let name = self.name(single);
            let slot = self.declare(&name);
            return vec![Param {
                slot,
                name,
                ty: Type::Unknown,
                default: None,
                variadic: false,
                fields: Vec::new(),
                range: range(single),
            }];
        }
        let Some(list) = field(node, "parameters") else { return Vec::new() };
        // All names first: a default may use any earlier parameter.
        let all: Vec<_> = named(list)
            .into_iter()
            .filter_map(|p| Some((p, field(p, "pattern").or_else(|| field(p, "name"))?)))
            .filter(|(_, pattern)| pattern.kind() != "this")
            .collect();
        let mut slots = Vec::new();
        for (_, pattern) in &all {
            slots.push(self.param_slot(*pattern));
        }
        for (_, pattern) in &all {
            self.declare_pattern(*pattern);
        }
        let mut params = Vec::new();
        for ((node, pattern), slot) in all.into_iter().zip(slots) {
            params.push(self.param(node, pattern, slot, prologue));
        }
        params
    }

    /// The slot that takes the whole argument.
    fn param_slot(&mut self, pattern: Node<'_>) -> u16 {
        let inner = if pattern.kind() == "rest_pattern" { first(pattern) } else { Some(pattern) };
        match inner {
            Some(n) if n.kind() == "identifier" => {
                let name = self.name(n);
                self.declare(&name)
            }
            _ => self.frame().map_or(0, |f| f.temp()),
        }
    }

    /// The slot of a name declared in the innermost block.
    pub(super) fn declare(&mut self, name: &Name) -> u16 {
        self.frame().map_or(0, |f| f.declare(name))
    }

    /// Declares all names of a pattern in the innermost block.
    pub(super) fn declare_pattern(&mut self, pattern: Node<'_>) {
        let mut names = Vec::new();
        pattern_names(pattern, &mut names);
        for node in names {
            let name = self.name(node);
            self.declare(&name);
        }
    }

    fn param(&mut self, node: Node<'_>, pattern: Node<'_>, slot: u16, out: &mut Block) -> Param {
        let at = range(node);
        let whole = value(ValueKind::Local(LocalRef { up: 0, slot }), range(pattern));
        let variadic = pattern.kind() == "rest_pattern";
        let inner = if variadic { first(pattern).unwrap_or(pattern) } else { pattern };
        let mut fields = Vec::new();
        let name = match inner.kind() {
            "identifier" => self.name(inner),
            "object_pattern" if !variadic => {
                self.param_fields(inner, whole, &mut fields, out);
                Name::default()
            }
            _ => {
                self.bind(inner, whole, out);
                Name::default()
            }
        };
        let default = field(node, "value").map(|n| self.expr(n));
        if self.has_modifier(node) && !name.is_empty() {
            let stored = value(ValueKind::Local(LocalRef { up: 0, slot }), at);
            let this = Box::new(value(ValueKind::This, at));
            let place = value(ValueKind::Member(this, name.clone(), range(inner)), range(inner));
            out.push(assign(place, stored, at));
        }
        let ty = field(node, "type").map_or(Type::Unknown, |n| self.ty(n));
        Param { slot, name, ty, default, variadic, fields, range: at }
    }

    /// Whether a parameter is also a field of its class.
    pub(super) fn has_modifier(&self, param: Node<'_>) -> bool {
        has_token(param, "readonly")
            || named(param).iter().any(|n| n.kind() == "accessibility_modifier")
    }

    /// An object pattern as a parameter: plain names are read by the call itself, what is
    /// left (defaults, inner patterns, the rest) by assignments at the body's start.
    fn param_fields(
        &mut self,
        pattern: Node<'_>,
        whole: Value,
        fields: &mut Vec<(Name, u16)>,
        out: &mut Block,
    ) {
        let parts = named(pattern);
        if parts.iter().any(|p| p.kind() == "rest_pattern" || self.computed_pair(*p)) {
            self.bind(pattern, whole, out);
            return;
        }
        for part in parts {
            let (key, inner) = match part.kind() {
                "shorthand_property_identifier_pattern" => (self.name(part), part),
                "object_assignment_pattern" => match field(part, "left") {
                    Some(left) => (self.name(left), part),
                    None => continue,
                },
                "pair_pattern" => {
                    let key = field(part, "key").and_then(|k| self.known_key(k));
                    match (key, field(part, "value")) {
                        (Some(key), Some(inner)) => (key, inner),
                        _ => continue,
                    }
                }
                _ => continue,
            };
            self.param_field(key, inner, fields, out);
        }
    }

    fn computed_pair(&self, part: Node<'_>) -> bool {
        part.kind() == "pair_pattern"
            && field(part, "key").is_some_and(|key| self.known_key(key).is_none())
    }

    fn param_field(
        &mut self,
        key: Name,
        inner: Node<'_>,
        fields: &mut Vec<(Name, u16)>,
        out: &mut Block,
    ) {
        let with_default = inner.kind().ends_with("assignment_pattern");
        let place = if with_default { field(inner, "left").unwrap_or(inner) } else { inner };
        let plain = matches!(place.kind(), "identifier" | "shorthand_property_identifier_pattern");
        let slot = if plain {
            let name = self.name(place);
            self.declare(&name)
        } else {
            self.frame().map_or(0, |f| f.temp())
        };
        fields.push((key, slot));
        if with_default || !plain {
            let read = value(ValueKind::Local(LocalRef { up: 0, slot }), range(place));
            self.bind(inner, read, out);
        }
    }

    /// Declares the names that `var` gives to the whole function, however deep it stands.
    fn hoist_vars(&mut self, body: Node<'_>) {
        for node in named(body) {
            match node.kind() {
                "variable_declaration" => {
                    for declarator in named(node) {
                        if let Some(pattern) = field(declarator, "name") {
                            self.declare_pattern(pattern);
                        }
                    }
                }
                "for_in_statement" => {
                    let kind = field(node, "kind").map(|k| k.kind());
                    if let (Some("var"), Some(left)) = (kind, field(node, "left")) {
                        self.declare_pattern(left);
                    }
                    self.hoist_vars(node);
                }
                // Expressions hold no declarations but those of their own functions.
                "expression_statement" | "return_statement" => {}
                kind if kind.ends_with("_statement")
                    || matches!(
                        kind,
                        "statement_block"
                            | "else_clause"
                            | "catch_clause"
                            | "finally_clause"
                            | "switch_body"
                            | "switch_case"
                            | "switch_default"
                    ) =>
                {
                    self.hoist_vars(node);
                }
                _ => {}
            }
        }
    }

    /// Statements of one block: its names first, then its functions, then the rest in order.
    pub(super) fn block(&mut self, nodes: &[Node<'_>], out: &mut Block) {
        self.predeclare(nodes);
        for node in nodes {
            if is_function_declaration(*node) {
                self.local_function(*node, out);
            }
        }
        for node in nodes {
            self.stmt(*node, out);
        }
    }

    /// Declares the names that belong to the block of these statements.
    pub(super) fn predeclare(&mut self, nodes: &[Node<'_>]) {
        for node in nodes {
            if is_function_declaration(*node) {
                if let Some(name) = field(*node, "name") {
                    let name = self.name(name);
                    self.declare(&name);
                }
            } else if node.kind() == "lexical_declaration" {
                for declarator in named(*node) {
                    if let Some(pattern) = field(declarator, "name") {
                        self.declare_pattern(pattern);
                    }
                }
            }
        }
    }

    /// A function declared inside a function is a local variable with a closure.
    pub(super) fn local_function(&mut self, node: Node<'_>, out: &mut Block) {
        let Some(name) = field(node, "name") else { return };
        let target = self.named_value(self.name(name), range(name));
        let closure = self.closure(node, Name::default());
        out.push(assign(target, closure, range(node)));
    }

    /// A value that is about to be bound to a name; a function in it takes the name.
    pub(super) fn bound(&mut self, node: Node<'_>, name: &Name) -> Value {
        let inner = bare(node);
        match inner.kind() {
            "arrow_function" | "function_expression" | "generator_function" => {
                self.closure(inner, name.clone())
            }
            "class" => self.class_value(inner, name.clone()),
            _ => self.expr(node),
        }
    }
}
