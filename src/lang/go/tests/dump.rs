//! IR to short text, so that a test can show what a body became.
//!
//! Must not hide anything that inference reads.

use std::fmt::Write;

use crate::ir::{
    Arm, Block, Entry, EntryKey, Function, FunctionKind, LocalRef, LoopKind, Module, Pattern, Stmt,
    StmtKind, Type, Value, ValueKind,
};

/// A whole module. What leads nowhere is called lost.
pub(super) fn module(module: &Module, text: &str) -> String {
    let mut dump = Dump { module, text, out: String::new(), depth: 0, function: 0 };
    for import in &module.imports {
        dump.line(format!("import {} = {}", import.local, import.targets.join(", ")));
    }
    for decl in &module.types {
        let mut text = format!("type {}", decl.name);
        decl.alias.iter().for_each(|a| text += &format!(" = {}", ty(a)));
        decl.extends.iter().for_each(|e| text += &format!(" < {}", ty(e)));
        text += if decl.interface { " interface" } else { "" };
        dump.line(text);
        for field in &decl.fields {
            let wire = field.wire.as_deref().unwrap_or("-");
            let empty = if field.omit_empty { " omitempty" } else { "" };
            let embedded = if field.embedded { " embedded" } else { "" };
            dump.line(format!("  {} {} -> {wire}{empty}{embedded}", field.name, ty(&field.ty)));
        }
    }
    for global in &module.globals {
        let word = if global.constant { "const" } else { "var" };
        let value = global.value.as_ref().map_or("none".into(), |v| dump.value(v));
        dump.line(format!("{word} {} {} = {value}", global.name, ty(&global.ty)));
    }
    for (index, function) in module.functions.iter().enumerate() {
        dump.function = index;
        dump.head(index, function);
        dump.depth = 1;
        dump.block(&function.body);
        dump.depth = 0;
    }
    dump.out
}

/// A type.
pub(super) fn ty(t: &Type) -> String {
    match t {
        Type::Unknown => "_".into(),
        Type::Named(None, name) => name.to_string(),
        Type::Named(Some(package), name) => format!("{package}.{name}"),
        Type::List(element) => format!("[]{}", ty(element)),
        Type::Map(value) => format!("map {}", ty(value)),
        Type::Func(results) => format!("func({})", types(results)),
    }
}

fn types(list: &[Type]) -> String {
    list.iter().map(ty).collect::<Vec<_>>().join(", ")
}

struct Dump<'m> {
    module: &'m Module,
    text: &'m str,
    out: String,
    depth: usize,
    function: usize,
}

impl Dump<'_> {
    fn line(&mut self, text: String) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth));
    }

    fn head(&mut self, index: usize, function: &Function) {
        let mut text = match function.kind {
            FunctionKind::Closure => format!("closure {index} in {:?}", function.parent),
            kind => format!("{kind:?} {}", function.name),
        };
        function.owner.iter().for_each(|o| text += &format!(" of {o}"));
        function.receiver.iter().for_each(|slot| text += &format!(" on {slot}"));
        let params = function.params.iter().map(|p| {
            let dots = if p.variadic { "..." } else { "" };
            format!("{}.{} {dots}{}", p.name, p.slot, ty(&p.ty))
        });
        text += &format!("({})", params.collect::<Vec<_>>().join(", "));
        if !function.results.is_empty() {
            text += &format!(" -> {} {:?}", types(&function.results), function.result_slots);
        }
        text += if function.has_error { " broken" } else { "" };
        self.line(text);
    }

    fn block(&mut self, block: &Block) {
        self.depth += 1;
        block.iter().for_each(|s| self.stmt(s));
        self.depth -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { targets, value, op } => {
                let op = op.map_or(String::new(), |o| format!("{o:?} "));
                let text = format!("{} {op}= {}", self.values(targets), self.value(value));
                self.line(text);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.line(format!("if {}", self.value(condition)));
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("else".into());
                    self.block(otherwise);
                }
            }
            StmtKind::Loop { kind, body, post } => {
                let text = match kind {
                    LoopKind::While(None) => "loop".into(),
                    LoopKind::While(Some(condition)) => format!("while {}", self.value(condition)),
                    LoopKind::Each { key, value, over, .. } => {
                        let place = |v: &Option<Box<Value>>| {
                            v.as_ref().map_or("_".into(), |v| self.value(v))
                        };
                        format!("each {}, {} of {}", place(key), place(value), self.value(over))
                    }
                };
                self.line(text);
                self.block(body);
                if !post.is_empty() {
                    self.line("post".into());
                    self.block(post);
                }
            }
            StmtKind::Switch { subject, arms } => {
                let subject = subject.as_ref().map_or("_".into(), |s| self.value(s));
                self.line(format!("switch {subject}"));
                arms.iter().for_each(|a| self.arm(a));
            }
            StmtKind::Return(values) => self.line(format!("return {}", self.values(values))),
            StmtKind::Break(n) => self.line(format!("break {n}")),
            StmtKind::Continue(n) => self.line(format!("continue {n}")),
            StmtKind::Eval(value) => self.line(self.value(value)),
            StmtKind::Defer(value) => self.line(format!("defer {}", self.value(value))),
            StmtKind::Throw(value) => self.line(format!("throw {}", self.value(value))),
            StmtKind::Try { .. } => self.line("try".into()),
            StmtKind::Opaque(values, blocks) => {
                self.line(format!("opaque {}", self.values(values)));
                blocks.iter().for_each(|b| self.block(b));
            }
        }
    }

    fn arm(&mut self, arm: &Arm) {
        let slot = |slot: &Option<u16>| slot.map_or(String::new(), |s| format!(" as {s}"));
        let patterns = arm.patterns.iter().map(|p| match p {
            Pattern::Value(value) => self.value(value),
            Pattern::Type(t, bound) => format!("is {}{}", ty(t), slot(bound)),
            Pattern::Any(bound) => format!("any{}", slot(bound)),
            Pattern::Opaque => "?".into(),
        });
        let text = patterns.collect::<Vec<_>>().join(" | ");
        let falls = if arm.falls_through { " falls" } else { "" };
        self.line(format!("case {text}{falls}"));
        self.block(&arm.body);
    }

    fn values(&self, values: &[Value]) -> String {
        values.iter().map(|v| self.value(v)).collect::<Vec<_>>().join(", ")
    }

    fn local(&self, local: LocalRef) -> String {
        let mut index = self.function;
        for _ in 0..local.up {
            match self.module.functions.get(index).and_then(|f| f.parent) {
                Some(parent) => index = parent as usize,
                None => return format!("<lost>.{}", local.slot),
            }
        }
        let names = &self.module.functions[index].slot_names;
        let name = names.get(local.slot as usize).map_or("<lost>", |n| n.as_str());
        format!("{}{name}.{}", "^".repeat(local.up as usize), local.slot)
    }

    fn value(&self, value: &Value) -> String {
        let v = |inner: &Value| self.value(inner);
        if self.text.get(value.range.start as usize..value.range.end as usize).is_none() {
            return "<lost range>".into();
        }
        match &value.kind {
            ValueKind::Null => "null".into(),
            ValueKind::Bool(b) => b.to_string(),
            ValueKind::Int(n) => n.to_string(),
            ValueKind::Float(n) => format!("{n:?}"),
            ValueKind::Str(text) => format!("{text:?}"),
            ValueKind::Format(parts) => format!("format({})", self.values(parts)),
            ValueKind::List(parts) => format!("[{}]", self.values(parts)),
            ValueKind::Object(entries) => format!("{{{}}}", self.entries(entries)),
            ValueKind::Struct(t, entries) => format!("{}{{{}}}", ty(t), self.entries(entries)),
            ValueKind::Spread(inner) => format!("...{}", v(inner)),
            ValueKind::Local(local) => self.local(*local),
            ValueKind::Global(name) => format!("${name}"),
            ValueKind::This => "this".into(),
            ValueKind::Member(base, name, _) => format!("{}.{name}", v(base)),
            ValueKind::Index(base, index) => format!("{}[{}]", v(base), v(index)),
            ValueKind::Call { callee, args, builtin } => {
                let args = args.iter().map(|a| v(&a.value)).collect::<Vec<_>>().join(", ");
                let builtin = builtin.map_or(String::new(), |b| format!("!{b:?}"));
                format!("{}{builtin}({args})", v(callee))
            }
            ValueKind::New(t, args) => {
                let args = args.iter().map(|a| v(&a.value)).collect::<Vec<_>>().join(", ");
                format!("new {}({args})", ty(t))
            }
            ValueKind::Builtin(builtin, parts) => format!("@{builtin:?}({})", self.values(parts)),
            ValueKind::Unary(op, inner) => format!("{op:?}({})", v(inner)),
            ValueKind::Binary(op, left, right) => format!("({} {op:?} {})", v(left), v(right)),
            ValueKind::Ternary(a, b, c) => format!("({} ? {} : {})", v(a), v(b), v(c)),
            ValueKind::Closure(index) => match self.module.functions.get(*index as usize) {
                Some(_) => format!("fn#{index}"),
                None => "<lost>".into(),
            },
            ValueKind::Await(inner) => format!("await {}", v(inner)),
            ValueKind::Assert(inner, t) => format!("({} as {})", v(inner), ty(t)),
            ValueKind::CommaOk(inner) => format!("ok({})", v(inner)),
            ValueKind::Assign(target, value) => format!("({} = {})", v(target), v(value)),
            ValueKind::Opaque(parts) if parts.is_empty() => "_".into(),
            ValueKind::Opaque(parts) => format!("opaque({})", self.values(parts)),
        }
    }

    fn entries(&self, entries: &[Entry]) -> String {
        let entries = entries.iter().map(|e| {
            let key = match &e.key {
                EntryKey::Known(name) => name.to_string(),
                EntryKey::Computed(key) => format!("[{}]", self.value(key)),
                EntryKey::Spread => "...".into(),
                EntryKey::Position(n) => format!("#{n}"),
            };
            format!("{key}: {}", self.value(&e.value))
        });
        entries.collect::<Vec<_>>().join(", ")
    }
}
