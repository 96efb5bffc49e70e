//! Imports and exports, of ES modules and of CommonJS.
//!
//! Knows one file: where an import leads is a list of candidates.

use tree_sitter::Node;

use super::function::Head;
use super::path::{candidates, is_relative};
use super::tree::{bare, field, first, has_token, is_function_declaration, named, range};
use super::{value, Lower};
use crate::ir::{Block, FunctionKind, Import, Name, Range, Reexport, Type, Value, ValueKind};

const DEFAULT: &str = "default";

impl Lower<'_> {
    /// The whole file.
    pub(super) fn program(&mut self, root: Node<'_>) {
        let nodes = named(root);
        self.collect_top(&nodes);
        for node in nodes.iter().filter(|n| n.kind() == "import_statement") {
            self.import(*node);
        }
        self.top_statements(&nodes);
        self.finish_init(root);
    }

    fn push_import(&mut self, local: Name, target: &str, item: Option<Name>, range: Range) {
        if local.is_empty() {
            return;
        }
        // A default import of an own file may be any value.
        let package = match item.as_deref() {
            None => true,
            Some(item) => item == DEFAULT && !is_relative(target),
        };
        if package {
            self.packages.insert(local.clone());
        }
        self.top.insert(local.clone());
        self.imported.insert(local.clone(), self.module.imports.len());
        let targets = candidates(self.path, target);
        self.module.imports.push(Import { local, targets, item, range });
    }

    fn import(&mut self, node: Node<'_>) {
        let parts = named(node);
        let required = parts.iter().find(|n| n.kind() == "import_require_clause");
        let source = field(node, "source")
            .or_else(|| required.and_then(|n| field(*n, "source")))
            .map(|n| self.string(n));
        let Some(target) = source else { return };
        if let Some(name) = required.and_then(|n| first(*n)) {
            return self.push_import(self.name(name), &target, None, range(name));
        }
        let clause = parts.into_iter().find(|n| n.kind() == "import_clause");
        for part in clause.map(named).unwrap_or_default() {
            match part.kind() {
                "identifier" => {
                    let item = Some(Name::new_static(DEFAULT));
                    self.push_import(self.name(part), &target, item, range(part));
                }
                "namespace_import" => {
                    if let Some(name) = first(part) {
                        self.push_import(self.name(name), &target, None, range(name));
                    }
                }
                "named_imports" => {
                    for item in named(part) {
                        let Some(name) = field(item, "name") else { continue };
                        let local = field(item, "alias").unwrap_or(name);
                        let name = self.export_name(name);
                        self.push_import(self.name(local), &target, Some(name), range(item));
                    }
                }
                _ => {}
            }
        }
    }

    /// A name in an import or export list, which may be quoted.
    fn export_name(&self, node: Node<'_>) -> Name {
        match node.kind() {
            "string" => self.string(node),
            _ => self.name(node),
        }
    }

    /// The hidden import of a module that an expression loads.
    pub(super) fn module_import(&mut self, target: &str, range: Range) -> Name {
        let local = Name::from(format!("import({target})"));
        if !self.imported.contains_key(&local) {
            self.push_import(local.clone(), target, None, range);
        }
        local
    }

    /// `import a = b.c`.
    pub(super) fn import_alias(&mut self, node: Node<'_>) {
        let parts = named(node);
        let (Some(name), Some(target)) = (parts.first(), parts.get(1)) else { return };
        let target = self.dotted(*target);
        self.push_global(self.name(*name), Some(target), Type::Unknown, true, range(node));
    }

    fn dotted(&mut self, node: Node<'_>) -> Value {
        match (field(node, "object"), field(node, "property")) {
            (Some(_), Some(_)) if node.kind() == "nested_identifier" => {
                let object = field(node, "object").map(|n| self.dotted(n));
                let object = object.unwrap_or_else(|| super::unknown(range(node)));
                self.member_of(object, node)
            }
            _ => self.expr(node),
        }
    }

    /// `const x = require("./x")` and `const {a: b} = require("./x")` at the top.
    pub(super) fn require(&mut self, pattern: Node<'_>, init: Node<'_>) -> bool {
        let (init, item) = match bare(init) {
            member if member.kind() == "member_expression" => {
                match (field(member, "object"), field(member, "property")) {
                    (Some(object), Some(item)) => (object, Some(self.name(item))),
                    _ => return false,
                }
            }
            other => (other, None),
        };
        let Some(target) = self.required(init) else { return false };
        let at = range(pattern);
        if pattern.kind() == "identifier" {
            self.push_import(self.name(pattern), &target, item, at);
            return true;
        }
        let mut names = Vec::new();
        for part in named(pattern) {
            let (key, local) = match part.kind() {
                "shorthand_property_identifier_pattern" => (Some(self.name(part)), Some(part)),
                "pair_pattern" => {
                    let key = field(part, "key").and_then(|k| self.known_key(k));
                    (key, field(part, "value").filter(|n| n.kind() == "identifier"))
                }
                _ => (None, None),
            };
            let (Some(key), Some(local)) = (key, local) else { return false };
            names.push((key, local));
        }
        if item.is_some() || pattern.kind() != "object_pattern" {
            return false;
        }
        for (key, local) in names {
            self.push_import(self.name(local), &target, Some(key), range(local));
        }
        true
    }

    pub(super) fn export(&mut self, node: Node<'_>) {
        if let Some(source) = field(node, "source") {
            return self.export_from(node, source);
        }
        if let Some(declaration) = field(node, "declaration") {
            if has_token(node, DEFAULT) {
                self.default_declaration(declaration);
            } else {
                self.top_statement(declaration);
            }
            return self.export_decorators(node);
        }
        if let Some(exported) = field(node, "value") {
            return self.default_value(exported, range(node));
        }
        for part in named(node) {
            match part.kind() {
                "export_clause" => self.export_names(part),
                // `export = x`.
                _ if has_token(node, "=") => self.default_value(part, range(node)),
                _ => {}
            }
        }
    }

    /// Decorators may stand before `export`.
    fn export_decorators(&mut self, node: Node<'_>) {
        for inner in named(node).into_iter().filter(|n| n.kind() == "decorator") {
            if let Some(call) = first(inner) {
                self.in_init(|lower, out| lower.effect(call, out));
            }
        }
    }

    fn export_from(&mut self, node: Node<'_>, source: Node<'_>) {
        let targets = candidates(self.path, &self.string(source));
        let mut all = true;
        for part in named(node) {
            match part.kind() {
                "export_clause" => {
                    all = false;
                    for item in named(part) {
                        let Some(name) = field(item, "name") else { continue };
                        let alias = field(item, "alias").unwrap_or(name);
                        let (name, item) = (self.export_name(alias), self.export_name(name));
                        self.reexport(Some(name), Some(item), targets.clone());
                    }
                }
                "namespace_export" => {
                    all = false;
                    let name = first(part).map(|n| self.export_name(n));
                    self.reexport(name, None, targets.clone());
                }
                _ => {}
            }
        }
        if all {
            self.reexport(None, None, targets);
        }
    }

    fn reexport(&mut self, name: Option<Name>, item: Option<Name>, targets: Vec<Name>) {
        self.module.reexports.push(Reexport { name, item, targets });
    }

    /// `export { a, b as c }`: only imported or renamed names need an entry.
    fn export_names(&mut self, clause: Node<'_>) {
        for item in named(clause) {
            let Some(name) = field(item, "name") else { continue };
            let alias = field(item, "alias").unwrap_or(name);
            let (name, alias) = (self.export_name(name), self.export_name(alias));
            self.export_as(name, alias);
        }
    }

    fn export_as(&mut self, name: Name, alias: Name) {
        let import = self.imported.get(&name).and_then(|i| self.module.imports.get(*i));
        if let Some((item, targets)) = import.map(|i| (i.item.clone(), i.targets.clone())) {
            self.reexport(Some(alias), item, targets);
        } else if name != alias {
            self.reexport(Some(alias), Some(name), vec![self.path.into()]);
        }
    }

    /// `export default` of a function or class keeps its own name and is named `default` too.
    fn default_declaration(&mut self, node: Node<'_>) {
        let at = range(node);
        match field(node, "name") {
            Some(name) => {
                self.top_statement(node);
                let same = value(ValueKind::Global(self.name(name)), range(name));
                self.push_global(DEFAULT.into(), Some(same), Type::Unknown, true, at);
            }
            None if is_function_declaration(node) => {
                let head = Head {
                    name: DEFAULT.into(),
                    name_range: at,
                    owner: None,
                    kind: FunctionKind::Free,
                };
                self.function(node, head);
            }
            None => self.class(node, DEFAULT.into(), &mut Block::new()),
        }
    }

    fn default_value(&mut self, node: Node<'_>, at: Range) {
        let name = self.own_name(node).unwrap_or_else(|| DEFAULT.into());
        let exported = self.bound(node, &name);
        self.push_global(DEFAULT.into(), Some(exported), Type::Unknown, true, at);
    }

    /// `module.exports = x`, `module.exports.a = x` and `exports.a = x` as exports; gives
    /// whether the statement was one.
    pub(super) fn common_export(&mut self, node: Node<'_>) -> bool {
        let assignment = match first(node) {
            Some(n) if node.kind() == "expression_statement" => n,
            _ => return false,
        };
        if assignment.kind() != "assignment_expression" || !self.is_core("module") {
            return false;
        }
        let (Some(left), Some(right)) = (field(assignment, "left"), field(assignment, "right"))
        else {
            return false;
        };
        let target = self.text(left);
        let at = range(assignment);
        if target == "module.exports" {
            if right.kind() == "object" {
                self.common_names(right);
            }
            self.default_value(right, at);
            return true;
        }
        let name = target.strip_prefix("module.").unwrap_or(target).strip_prefix("exports.");
        match name {
            Some(name) if left.kind() == "member_expression" && !name.contains(['.', '[']) => {
                let name = Name::from(name);
                if right.kind() == "identifier" {
                    self.export_as(self.name(right), name);
                } else {
                    let exported = self.bound(right, &name);
                    self.push_global(name, Some(exported), Type::Unknown, true, at);
                }
                true
            }
            _ => false,
        }
    }

    /// The names that `module.exports = {a, b: c}` exports; other values are found in the
    /// object itself.
    fn common_names(&mut self, object: Node<'_>) {
        for part in named(object) {
            match part.kind() {
                "shorthand_property_identifier" => {
                    self.export_as(self.name(part), self.name(part));
                }
                "pair" => {
                    let key = field(part, "key").and_then(|k| self.known_key(k));
                    let inner = field(part, "value").filter(|n| n.kind() == "identifier");
                    if let (Some(key), Some(inner)) = (key, inner) {
                        self.export_as(self.name(inner), key);
                    }
                }
                _ => {}
            }
        }
    }
}
