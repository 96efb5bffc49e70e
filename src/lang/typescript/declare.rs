//! Declarations at the top of a file: globals, functions, namespaces, and the one function of
//! all other statements there.
//!
//! Knows the file alone; imports and exports stand in `module`.

use tree_sitter::Node;

use super::bind::pattern_names;
use super::function::Head;
use super::scope::Frame;
use super::tree::{bare, field, first, has_token, is_function_declaration, named, range};
use super::{unknown, Lower};
use crate::ir::{Block, Function, FunctionKind, Global, Name, Range, Type, Value};

impl Lower<'_> {
    /// Runs `f` in the function of the top-level statements, which is made on first use.
    pub(super) fn in_init(&mut self, f: impl FnOnce(&mut Self, &mut Block)) {
        let (frame, mut body) = self.init.take().unwrap_or_else(|| {
            let index = self.module.functions.len() as u32;
            self.module.functions.push(Function::default());
            let mut frame = Frame::new(index);
            frame.top = true;
            (frame, Block::new())
        });
        self.frames.push(frame);
        f(self, &mut body);
        self.init = self.frames.pop().map(|frame| (frame, body));
    }

    /// Stores the function of the top-level statements.
    pub(super) fn finish_init(&mut self, root: Node<'_>) {
        let Some((frame, body)) = self.init.take() else { return };
        if let Some(place) = self.module.functions.get_mut(frame.function as usize) {
            *place = Function {
                kind: FunctionKind::Init,
                body,
                slots: frame.slot_names.len() as u16,
                slot_names: frame.slot_names,
                range: range(root),
                name_range: Range {
                    start: root.start_byte() as u32,
                    end: root.start_byte() as u32,
                },
                has_error: root.has_error(),
                ..Function::default()
            };
        }
    }

    /// One statement at the top of the file.
    pub(super) fn top_statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "import_statement" | "function_signature" | "empty_statement" | "hash_bang_line" => {}
            "export_statement" => self.export(node),
            "import_alias" => self.import_alias(node),
            "lexical_declaration" | "variable_declaration" => self.globals(node),
            "class_declaration" | "abstract_class_declaration" => {
                let mut run = Block::new();
                self.class_declaration(node, &mut run);
            }
            "interface_declaration" => self.interface(node),
            "type_alias_declaration" => self.type_alias(node),
            "enum_declaration" => self.enumeration(node),
            "ambient_declaration" => {
                for child in named(node) {
                    match child.kind() {
                        "statement_block" => self.top_statements(&named(child)),
                        "property_identifier" => {}
                        _ => self.top_statement(child),
                    }
                }
            }
            "module" | "internal_module" => self.namespace(node),
            "expression_statement"
                if first(node).is_some_and(|n| n.kind() == "internal_module") =>
            {
                first(node).into_iter().for_each(|n| self.namespace(n));
            }
            _ if is_function_declaration(node) => self.function_declaration(node),
            // Directives have no effect.
            "expression_statement" if first(node).is_some_and(|n| n.kind() == "string") => {}
            _ if self.common_export(node) => {}
            _ => self.in_init(|lower, out| lower.stmt(node, out)),
        }
    }

    pub(super) fn top_statements(&mut self, nodes: &[Node<'_>]) {
        for node in nodes {
            self.top_statement(*node);
        }
    }

    /// What a namespace declares counts as declared at the top.
    fn namespace(&mut self, node: Node<'_>) {
        self.top_statements(&field(node, "body").map(named).unwrap_or_default());
    }

    pub(super) fn function_declaration(&mut self, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let head = Head {
            name: self.name(name),
            name_range: range(name),
            owner: None,
            kind: FunctionKind::Free,
        };
        self.function(node, head);
    }

    /// `const`, `let` and `var` at the top.
    pub(super) fn globals(&mut self, node: Node<'_>) {
        let constant = has_token(node, "const");
        for declarator in named(node).into_iter().filter(|n| n.kind() == "variable_declarator") {
            let Some(pattern) = field(declarator, "name") else { continue };
            let init = field(declarator, "value");
            if init.is_some_and(|init| self.require(pattern, init)) {
                continue;
            }
            if pattern.kind() != "identifier" {
                let source = init.map_or_else(|| unknown(range(declarator)), |n| self.expr(n));
                self.bind_globals(pattern, source, constant);
                continue;
            }
            let name = self.name(pattern);
            let value = init.map(|n| self.bound(n, &name));
            let ty = field(declarator, "type").map_or(Type::Unknown, |n| self.ty(n));
            self.push_global(name, value, ty, constant, range(declarator));
        }
    }

    pub(super) fn push_global(
        &mut self,
        name: Name,
        value: Option<Value>,
        ty: Type,
        constant: bool,
        range: Range,
    ) {
        self.module.globals.push(Global { name, owner: None, value, ty, constant, range });
    }

    /// Names of a `var` inside a top-level block are globals too.
    pub(super) fn top_vars(&mut self, pattern: Node<'_>) {
        if !self.frames.last().is_some_and(|f| f.top) {
            return;
        }
        let mut names = Vec::new();
        pattern_names(pattern, &mut names);
        for node in names {
            let name = self.name(node);
            if self.local(&name).is_none() && self.top.insert(name.clone()) {
                self.push_global(name, None, Type::Unknown, false, range(node));
            }
        }
    }

    /// The names that the top of the file declares, for [`Lower::is_core`].
    pub(super) fn collect_top(&mut self, nodes: &[Node<'_>]) {
        for node in nodes {
            match node.kind() {
                "export_statement" => {
                    if let Some(inner) = field(*node, "declaration") {
                        self.collect_top(&[inner]);
                    }
                }
                "lexical_declaration" | "variable_declaration" => {
                    for declarator in named(*node) {
                        let mut names = Vec::new();
                        if let Some(pattern) = field(declarator, "name") {
                            pattern_names(pattern, &mut names);
                        }
                        for name in names {
                            self.top.insert(self.name(name));
                        }
                    }
                }
                _ => {
                    if let Some(name) = field(*node, "name") {
                        self.top.insert(self.name(name));
                    }
                }
            }
        }
    }

    /// Whether a value is a class or function that already has its own name.
    pub(super) fn own_name(&self, node: Node<'_>) -> Option<Name> {
        field(bare(node), "name").map(|n| self.name(n))
    }
}
