//! A module as short text, for tests.
//!
//! Names local variables where the name is clear; says nothing of ranges.

use crate::ir::{
    Arm, Block, Entry, EntryKey, Function, FunctionKind, LocalRef, LoopKind, Module, Pattern, Stmt,
    StmtKind, Type, Value, ValueKind,
};

pub(super) fn module(module: &Module) -> String {
    let mut out = String::new();
    for import in &module.imports {
        let item = import.item.as_deref().unwrap_or("*");
        out += &format!("import {} = {item} of {}\n", import.local, import.targets[0]);
    }
    for export in &module.reexports {
        let name = export.name.as_deref().unwrap_or("*");
        let item = export.item.as_deref().unwrap_or("*");
        out += &format!("export {name} = {item} of {}\n", export.targets[0]);
    }
    for decl in &module.types {
        let extends: Vec<_> = decl.extends.iter().map(ty).collect();
        out += &format!("type {}", decl.name);
        if !extends.is_empty() {
            out += &format!(" : {}", extends.join(", "));
        }
        if let Some(alias) = &decl.alias {
            out += &format!(" = {}", ty(alias));
        }
        let fields = decl.fields.iter().map(|f| {
            let optional = if f.omit_empty { "?" } else { "" };
            let hidden = if f.wire.is_none() { "!" } else { "" };
            let init =
                f.init.as_ref().map(|v| format!(" = {}", top(module, v))).unwrap_or_default();
            format!("{}{hidden}{optional}: {}{init}", f.name, ty(&f.ty))
        });
        out += &format!(" {{{}}}\n", fields.collect::<Vec<_>>().join(", "));
    }
    for global in &module.globals {
        let owner = global.owner.as_ref().map(|o| format!("{o}.")).unwrap_or_default();
        let word = if global.constant { "const" } else { "var" };
        let value = global.value.as_ref().map_or("-".into(), |v| top(module, v));
        out += &format!("{word} {owner}{} = {value}\n", global.name);
    }
    for (index, function) in module.functions.iter().enumerate() {
        out += &head(index, function, module);
        let dump = Dump { module, function: Some(function) };
        dump.block(&function.body, 1, &mut out);
    }
    out
}

fn head(index: usize, function: &Function, module: &Module) -> String {
    let dump = Dump { module, function: Some(function) };
    let owner = function.owner.as_ref().map(|o| format!("{o}.")).unwrap_or_default();
    let params: Vec<_> = function
        .params
        .iter()
        .map(|p| {
            let fields: Vec<_> = p
                .fields
                .iter()
                .map(|(key, slot)| format!("{key}: {}", dump.slot(*slot, function)))
                .collect();
            let mut text = if p.fields.is_empty() {
                dump.slot(p.slot, function)
            } else {
                format!("{{{}}}", fields.join(", "))
            };
            if p.variadic {
                text.insert_str(0, "...");
            }
            if let Some(default) = &p.default {
                text += &format!(" = {}", dump.value(default));
            }
            text
        })
        .collect();
    let kind = match function.kind {
        FunctionKind::Free => "",
        FunctionKind::Method => " method",
        FunctionKind::Static => " static",
        FunctionKind::Closure => " closure",
        FunctionKind::Init => " init",
    };
    let parent = function.parent.map(|p| format!(" in {p}")).unwrap_or_default();
    let error = if function.has_error { " error" } else { "" };
    format!("fn {index} {owner}{}({}){kind}{parent}{error}\n", function.name, params.join(", "))
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Unknown => "_".into(),
        Type::Named(None, name) => name.to_string(),
        Type::Named(Some(module), name) => format!("{module}.{name}"),
        Type::List(inner) => format!("[{}]", self::ty(inner)),
        Type::Map(inner) => format!("map {}", self::ty(inner)),
        Type::Func(results) => format!("fn {}", results.iter().map(self::ty).collect::<String>()),
    }
}

fn top(module: &Module, value: &Value) -> String {
    Dump { module, function: None }.value(value)
}

struct Dump<'a> {
    module: &'a Module,
    function: Option<&'a Function>,
}

impl Dump<'_> {
    fn slot(&self, slot: u16, function: &Function) -> String {
        let name = &function.slot_names[usize::from(slot)];
        let again = function.slot_names.iter().filter(|n| *n == name).count() > 1;
        if name.is_empty() || again {
            format!("{name}${slot}")
        } else {
            name.to_string()
        }
    }

    fn local(&self, local: LocalRef) -> String {
        let mut function = self.function.expect("a local needs a function");
        for _ in 0..local.up {
            function = &self.module.functions[function.parent.expect("a parent") as usize];
        }
        format!("{}{}", "^".repeat(local.up.into()), self.slot(local.slot, function))
    }

    fn list(&self, values: &[Value]) -> String {
        values.iter().map(|v| self.value(v)).collect::<Vec<_>>().join(", ")
    }

    fn entry(&self, entry: &Entry) -> String {
        let value = self.value(&entry.value);
        match &entry.key {
            EntryKey::Known(name) => format!("{name}: {value}"),
            EntryKey::Computed(key) => format!("[{}]: {value}", self.value(key)),
            EntryKey::Spread => format!("...{value}"),
            EntryKey::Position(n) => format!("{n}: {value}"),
        }
    }

    fn value(&self, value: &Value) -> String {
        let v = |value: &Value| self.value(value);
        match &value.kind {
            ValueKind::Null => "null".into(),
            ValueKind::Bool(b) => b.to_string(),
            ValueKind::Int(n) => n.to_string(),
            ValueKind::Float(n) => format!("{n:?}"),
            ValueKind::Str(text) => format!("{text:?}"),
            ValueKind::Format(parts) => format!("format({})", self.list(parts)),
            ValueKind::List(items) => format!("[{}]", self.list(items)),
            ValueKind::Object(entries) | ValueKind::Struct(_, entries) => {
                let entries: Vec<_> = entries.iter().map(|e| self.entry(e)).collect();
                format!("{{{}}}", entries.join(", "))
            }
            ValueKind::Spread(inner) => format!("...{}", v(inner)),
            ValueKind::Local(local) => self.local(*local),
            ValueKind::Global(name) => format!("@{name}"),
            ValueKind::This => "this".into(),
            ValueKind::Member(base, name, _) => format!("{}.{name}", v(base)),
            ValueKind::Index(base, index) => format!("{}[{}]", v(base), v(index)),
            ValueKind::Call { callee, args, builtin } => {
                let args: Vec<_> = args.iter().map(|a| v(&a.value)).collect();
                let mark = builtin.map(|b| format!("!{b:?}")).unwrap_or_default();
                format!("{}{mark}({})", v(callee), args.join(", "))
            }
            ValueKind::New(name, args) => {
                let args: Vec<_> = args.iter().map(|a| v(&a.value)).collect();
                format!("new {}({})", ty(name), args.join(", "))
            }
            ValueKind::Builtin(op, values) => format!("{op:?}!({})", self.list(values)),
            ValueKind::Unary(op, inner) => format!("{op:?}({})", v(inner)),
            ValueKind::Binary(op, a, b) => format!("({} {op:?} {})", v(a), v(b)),
            ValueKind::Ternary(c, a, b) => format!("({} ? {} : {})", v(c), v(a), v(b)),
            ValueKind::Closure(index) => format!("fn{index}"),
            ValueKind::Await(inner) => format!("await {}", v(inner)),
            ValueKind::Assert(inner, name) => format!("{} as {}", v(inner), ty(name)),
            ValueKind::CommaOk(inner) => format!("ok {}", v(inner)),
            ValueKind::Assign(target, value) => format!("({} = {})", v(target), v(value)),
            ValueKind::Opaque(parts) => format!("?({})", self.list(parts)),
        }
    }

    fn block(&self, block: &Block, depth: usize, out: &mut String) {
        for stmt in block {
            self.stmt(stmt, depth, out);
        }
    }

    fn stmt(&self, stmt: &Stmt, depth: usize, out: &mut String) {
        let pad = "  ".repeat(depth);
        let mut line = |text: String| *out += &format!("{pad}{text}\n");
        match &stmt.kind {
            StmtKind::Assign { targets, value, op } => {
                let op = op.map(|op| format!("{op:?} ")).unwrap_or_default();
                line(format!("{} {op}= {}", self.list(targets), self.value(value)));
            }
            StmtKind::If { condition, then, otherwise } => {
                line(format!("if {}", self.value(condition)));
                self.block(then, depth + 1, out);
                if !otherwise.is_empty() {
                    *out += &format!("{pad}else\n");
                    self.block(otherwise, depth + 1, out);
                }
            }
            StmtKind::Loop { kind, body, post } => {
                line(self.loop_head(kind));
                self.block(body, depth + 1, out);
                if !post.is_empty() {
                    *out += &format!("{pad}post\n");
                    self.block(post, depth + 1, out);
                }
            }
            StmtKind::Switch { subject, arms } => {
                line(format!("switch {}", subject.as_ref().map_or("-".into(), |s| self.value(s))));
                for arm in arms {
                    self.arm(arm, depth + 1, out);
                }
            }
            StmtKind::Return(values) => {
                line(format!("return {}", self.list(values)).trim().to_string())
            }
            StmtKind::Break(n) => line(format!("break {n}")),
            StmtKind::Continue(n) => line(format!("continue {n}")),
            StmtKind::Eval(value) => line(self.value(value)),
            StmtKind::Defer(value) => line(format!("defer {}", self.value(value))),
            StmtKind::Throw(value) => line(format!("throw {}", self.value(value))),
            StmtKind::Try { body, caught, handler, finally } => {
                line("try".into());
                self.block(body, depth + 1, out);
                let function = self.function.expect("a statement needs a function");
                let caught = caught.map(|s| self.slot(s, function)).unwrap_or_default();
                *out += &format!("{pad}catch {caught}\n");
                self.block(handler, depth + 1, out);
                *out += &format!("{pad}finally\n");
                self.block(finally, depth + 1, out);
            }
            StmtKind::Opaque(values, blocks) => {
                line(format!("?? {}", self.list(values)));
                for block in blocks {
                    self.block(block, depth + 1, out);
                }
            }
        }
    }

    fn loop_head(&self, kind: &LoopKind) -> String {
        match kind {
            LoopKind::While(None) => "loop".into(),
            LoopKind::While(Some(condition)) => format!("while {}", self.value(condition)),
            LoopKind::Each { key, value, over, .. } => {
                let place =
                    |v: &Option<Box<Value>>| v.as_ref().map_or("_".into(), |v| self.value(v));
                format!("each {}, {} of {}", place(key), place(value), self.value(over))
            }
        }
    }

    fn arm(&self, arm: &Arm, depth: usize, out: &mut String) {
        let patterns: Vec<_> = arm
            .patterns
            .iter()
            .map(|p| match p {
                Pattern::Value(value) => self.value(value),
                Pattern::Any(_) => "_".into(),
                Pattern::Type(name, _) => ty(name),
                Pattern::Opaque => "?".into(),
            })
            .collect();
        let falls = if arm.falls_through { " falls" } else { "" };
        *out += &format!("{}case {}{falls}\n", "  ".repeat(depth), patterns.join(" | "));
        self.block(&arm.body, depth + 1, out);
    }
}
