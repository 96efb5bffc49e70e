//! File-level declarations: package, imports, variables and constants.
//!
//! Must not know how a body is lowered.

use tree_sitter::Node;

use super::literal;
use super::tree::{at, children, field_children, range, Ask, Part};
use super::Lower;
use crate::ir::{Builtin, Function, Global, Import, Name, Stmt, StmtKind, Type, Value, ValueKind};

/// Longest list of values that a constant group repeats for names without any.
const MAX_REPEATED: usize = 256;

/// A `const` or `var` line: its names, type and values.
pub(super) struct Spec<'t> {
    /// The line.
    pub(super) node: Node<'t>,
    /// The names.
    pub(super) names: Vec<Node<'t>>,
    /// The declared type.
    pub(super) ty: Option<Node<'t>>,
    /// The values, in order.
    pub(super) values: Vec<Node<'t>>,
    /// The place in its constant group.
    pub(super) iota: Option<i64>,
}

impl<'t> Lower<'t> {
    /// A whole file.
    pub(super) fn source_file(&mut self, root: Node<'t>) {
        let items = children(root);
        for item in &items {
            match item.word() {
                "import_declaration" => self.imports(*item),
                "type_declaration" => self.remember_types(*item),
                _ => {}
            }
        }
        let mut strays = Vec::new();
        for item in items {
            match item.word() {
                "package_clause" => {
                    self.module.name = children(item).first().map(|n| self.name(*n));
                }
                "import_declaration" => {}
                "function_declaration" | "method_declaration" => self.function(item),
                "type_declaration" => self.type_declaration(item),
                "const_declaration" | "var_declaration" => self.globals(item),
                _ => strays.push(item),
            }
        }
        self.strays(strays);
    }

    /// Statements that a syntax error left outside of any function: one nameless function,
    /// which nothing calls, keeps them.
    fn strays(&mut self, strays: Vec<Node<'t>>) {
        let (Some(first), Some(last)) = (strays.first(), strays.last()) else { return };
        let span = crate::ir::Range { start: range(*first).start, end: range(*last).end };
        let index = self.open_function();
        let mut body = Vec::new();
        for stray in strays {
            self.stmt(stray, &mut body);
        }
        let function = Function {
            body,
            range: span,
            name_range: crate::ir::Range { start: span.start, end: span.start },
            has_error: true,
            ..Function::default()
        };
        self.close_function(index, function);
    }

    fn remember_types(&mut self, node: Node<'t>) {
        for spec in children(node) {
            let name = spec.part(Part::Name);
            if let (Some(name), Some(ty)) = (name, spec.part(Part::Type)) {
                self.file_types.insert(self.source(name), ty);
            }
        }
    }

    fn imports(&mut self, node: Node<'t>) {
        for item in children(node) {
            match item.word() {
                "import_spec" => self.import(item),
                _ => children(item).into_iter().for_each(|spec| self.import(spec)),
            }
        }
    }

    fn import(&mut self, spec: Node<'t>) {
        let Some(path) = spec.part(Part::Path) else { return };
        let path = literal::string(self.source(path));
        let local: Name = match spec.part(Part::Name) {
            Some(alias) if alias.word() == "package_identifier" => self.name(alias),
            Some(_) => return,
            None => package_name(&path).into(),
        };
        self.packages.insert(local.clone(), path.clone());
        self.module.imports.push(Import {
            local,
            targets: vec![path],
            item: None,
            range: range(spec),
        });
    }

    /// The lines of a `const` or `var` declaration. A constant without a value repeats the
    /// line above it.
    pub(super) fn specs(&self, declaration: Node<'t>) -> Vec<Spec<'t>> {
        let mut lines = Vec::new();
        for child in children(declaration) {
            match child.word() {
                "var_spec_list" => lines.extend(children(child)),
                _ => lines.push(child),
            }
        }
        let constant = declaration.word() == "const_declaration";
        let mut above: (Option<Node<'t>>, Vec<Node<'t>>) = (None, Vec::new());
        let mut specs = Vec::new();
        for (place, line) in lines.into_iter().enumerate() {
            let names = field_children(line, Part::Name);
            let ty = line.part(Part::Type);
            let values = line.part(Part::Value).map(children).unwrap_or_default();
            let (ty, values) = match constant && ty.is_none() && values.is_empty() {
                true => above.clone(),
                false => (ty, values),
            };
            if constant {
                let ends = values.first().zip(values.last());
                let short = ends.is_none_or(|(first, last)| {
                    last.end_byte().saturating_sub(first.start_byte()) <= MAX_REPEATED
                });
                above = if short { (ty, values.clone()) } else { (None, Vec::new()) };
            }
            specs.push(Spec {
                node: line,
                names,
                ty,
                values,
                iota: constant.then_some(place as i64),
            });
        }
        specs
    }

    fn globals(&mut self, declaration: Node<'t>) {
        let constant = declaration.word() == "const_declaration";
        for spec in self.specs(declaration) {
            let ty = spec.ty.map_or(Type::Unknown, |n| self.ty(n));
            let mut values = self.spec_values(&spec).into_iter();
            for name in &spec.names {
                let global = Global {
                    name: self.name(*name),
                    owner: None,
                    value: values.next(),
                    ty: ty.clone(),
                    constant,
                    range: range(spec.node),
                };
                self.module.globals.push(global);
            }
        }
    }

    /// One value for each name, or fewer. A call that gives several values at once keeps its
    /// place in the first.
    fn spec_values(&mut self, spec: &Spec<'t>) -> Vec<Value> {
        let outer = std::mem::replace(&mut self.iota, spec.iota);
        let mut values: Vec<Value> = spec.values.iter().map(|v| self.expr(*v)).collect();
        self.iota = outer;
        if values.len() < spec.names.len() {
            if let (Some(node), Some(value)) = (spec.values.first(), values.pop()) {
                let kind = match value.kind {
                    // The text of what is encoded comes first; an error beside it is none here.
                    ValueKind::Call { args, builtin: Some(Builtin::EncodeChecked), .. } => {
                        let values = args.into_iter().map(|a| a.value).collect();
                        ValueKind::Builtin(Builtin::Encode, values)
                    }
                    _ => ValueKind::Opaque(vec![value]),
                };
                values = vec![at(*node, kind)];
            }
        }
        values
    }

    /// A `const` or `var` declaration inside a function.
    pub(super) fn local_declaration(&mut self, declaration: Node<'t>, out: &mut Vec<Stmt>) {
        for spec in self.specs(declaration) {
            let outer = std::mem::replace(&mut self.iota, spec.iota);
            let mut values = self.right_side(spec.names.len(), &spec.values);
            self.iota = outer;
            if let (true, Some(ty)) = (values.is_empty(), spec.ty) {
                values = spec.names.iter().map(|_| self.zero(ty)).collect();
            } else if let Some(ty) = spec.ty {
                let ty = self.ty(ty);
                values = values.into_iter().map(|value| declared(value, &ty)).collect();
            }
            let targets: Vec<Value> = spec.names.iter().map(|n| self.declare(*n, false)).collect();
            self.assign_all(targets, values, range(spec.node), out);
        }
    }
}

/// A value in a variable whose type is written down; `nil` alone would lose it.
fn declared(value: Value, ty: &Type) -> Value {
    match value.kind {
        ValueKind::Null => {
            let range = value.range;
            Value { kind: ValueKind::Assert(Box::new(value), Box::new(ty.clone())), range }
        }
        _ => value,
    }
}

/// The name that a package most likely has, by its import path.
fn package_name(path: &str) -> &str {
    let is_version = |s: &str| {
        s.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = path.rsplit('/');
    let mut last = parts.next().unwrap_or(path);
    if is_version(last) {
        last = parts.next().unwrap_or(last);
    }
    if let Some((stem, version)) = last.rsplit_once('.') {
        if version == "go" || is_version(version) {
            last = stem;
        }
    }
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.strip_suffix("-go").unwrap_or(last)
}

/// A statement that keeps expressions which have no better place.
pub(super) fn keep(values: Vec<Value>, node: Node<'_>) -> Stmt {
    Stmt { kind: StmtKind::Opaque(values, Vec::new()), range: range(node) }
}
