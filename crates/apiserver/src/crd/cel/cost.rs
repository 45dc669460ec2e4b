//! How much an expression can cost, at most: counted as Kubernetes counts, because it decides which rules are let in.

use std::sync::Arc;

use super::calls;
use super::check::Checked;
use super::declared::Declared;
use super::syntax::{Expr, Kind, Literal, Loop};
use super::types::Type;

/// From so much to so much: of a size, or of a cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) min: u64,
    pub(super) max: u64,
}

/// Nobody knows.
pub(super) const UNKNOWN: Range = Range { min: 0, max: u64::MAX };
pub(super) const NOTHING: Range = Range { min: 0, max: 0 };
pub(super) const ONE: Range = Range { min: 1, max: 1 };
const NEW_LIST: Range = Range { min: 10, max: 10 };
const NEW_MAP: Range = Range { min: 30, max: 30 };
/// What it costs to look at one character of a text.
pub(super) const PER_CHARACTER: f64 = 0.1;
/// What it costs to have one character in a regular expression.
pub(super) const PER_REGEX: f64 = 0.25;

impl Range {
    pub(super) fn exactly(size: u64) -> Range {
        Range { min: size, max: size }
    }

    pub(super) fn plus(self, other: Range) -> Range {
        Range { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn times(self, other: Range) -> Range {
        Range { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    pub(super) fn factor(self, factor: f64) -> Range {
        // A float that is too large becomes the largest number.
        let scale = |size: u64| (size as f64 * factor).ceil() as u64;
        Range { min: scale(self.min), max: scale(self.max) }
    }

    pub(super) fn union(self, other: Range) -> Range {
        Range { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// The sizes of what is in a list or map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    of_list: bool,
    key: Range,
    pub(super) value: Range,
}

impl Entries {
    pub(super) fn union(first: Option<Entries>, second: Option<Entries>) -> Option<Entries> {
        let (first, second) = (first?, second?);
        Some(Entries {
            of_list: first.of_list,
            key: first.key.union(second.key),
            value: first.value.union(second.value),
        })
    }
}

/// Where a value comes from: `self`, `spec`, `@items`.
type Path = Vec<String>;

struct Variable {
    name: String,
    path: Path,
    size: Option<Range>,
    entries: Option<Entries>,
}

/// What is known of the parts of an expression, by their numbers.
pub(super) struct Coster<'a> {
    checked: &'a Checked,
    root: &'a Arc<Declared>,
    paths: Vec<Path>,
    sizes: Vec<Option<Range>>,
    entries: Vec<Option<Entries>>,
    variables: Vec<Variable>,
}

/// The most that an expression over values of the type `root` can cost.
pub(super) fn most(expr: &Expr, checked: &Checked, root: &Arc<Declared>) -> u64 {
    let parts = checked.types.len();
    let mut coster = Coster {
        checked,
        root,
        paths: vec![Vec::new(); parts],
        sizes: vec![None; parts],
        entries: vec![None; parts],
        variables: Vec::new(),
    };
    coster.cost(expr).max
}

impl Coster<'_> {
    pub(super) fn cost(&mut self, expr: &Expr) -> Range {
        match &expr.kind {
            Kind::Literal(_) => NOTHING,
            Kind::Ident(name) => {
                self.paths[expr.id] = match self.variable(name) {
                    Some(variable) => variable.path.clone(),
                    None => vec![name.clone()],
                };
                ONE
            }
            Kind::Select { operand, field, test } => self.select(expr, operand, field, *test),
            Kind::Call { function, target, args } => self.call(expr, function, target.as_deref(), args),
            Kind::List { items, .. } => {
                let mut sum = NEW_LIST;
                let mut value = Range { min: if items.is_empty() { 0 } else { u64::MAX }, max: 0 };
                for item in items {
                    sum = sum.plus(self.cost(item));
                    value = value.union(self.size_of(item));
                }
                self.entries[expr.id] = Some(Entries { of_list: true, key: ONE, value });
                sum
            }
            Kind::Map(entries) => {
                let mut sum = NEW_MAP;
                let start = Range { min: if entries.is_empty() { 0 } else { u64::MAX }, max: 0 };
                let (mut keys, mut values) = (start, start);
                for (key, value, _) in entries {
                    sum = sum.plus(self.cost(key)).plus(self.cost(value));
                    keys = keys.union(self.size_of(key));
                    values = values.union(self.size_of(value));
                }
                self.entries[expr.id] = Some(Entries { of_list: false, key: keys, value: values });
                sum
            }
            Kind::Loop(inner) if inner.is_binding() => self.binding(expr, inner),
            Kind::Loop(inner) => self.run(expr, inner),
        }
    }

    fn select(&mut self, expr: &Expr, operand: &Expr, field: &str, test: bool) -> Range {
        if let Some(name) = &self.checked.names[expr.id] {
            self.paths[expr.id] = vec![name.clone()];
            return ONE;
        }
        let cost = self.cost(operand);
        // To look whether a field is there costs nothing.
        if test {
            return cost;
        }
        let mut path = self.path(operand);
        path.push(field.to_owned());
        self.paths[expr.id] = path;
        match self.kind(operand) {
            Type::Map(..) | Type::Object(_) | Type::Var(_) => cost.plus(ONE),
            _ => cost,
        }
    }

    fn call(&mut self, expr: &Expr, function: &str, target: Option<&Expr>, args: &[Expr]) -> Range {
        if let ("dyn", [arg]) = (function, args) {
            let cost = self.cost(arg).plus(ONE);
            self.copy(expr, arg);
            return cost;
        }
        let name = self.checked.names[expr.id].clone();
        let target = target.filter(|_| name.is_none());
        let function = name.as_deref().unwrap_or(function);
        let costs: Vec<Range> = args.iter().map(|arg| self.cost(arg)).collect();
        let outside = target.map_or(NOTHING, |target| self.cost(target));
        let overloads: Vec<&'static str> = match function {
            "_?._" => vec!["select_optional_field"],
            _ => self.checked.overloads[expr.id].clone(),
        };
        let mut cost = Range { min: u64::MAX, max: 0 };
        let mut size: Option<Range> = None;
        for overload in overloads {
            let called = calls::Call { expr, function, overload, target, args, costs: &costs };
            let (one, made) = calls::cost(self, &called);
            cost = cost.union(one);
            size = match (size, made) {
                (Some(size), Some(made)) => Some(size.union(made)),
                (size, made) => size.or(made),
            };
            let inside = match overload {
                "index_list" => "@items",
                "index_map" => "@values",
                _ => "",
            };
            if let (false, Some(container)) = (inside.is_empty(), args.first()) {
                size = self.entries_of(container).map(|entries| entries.value);
                let mut path = self.path(container);
                path.push(inside.to_owned());
                self.paths[expr.id] = path;
            }
            size = size.or_else(|| self.size(expr));
        }
        self.sizes[expr.id] = size.or(self.sizes[expr.id]);
        outside.plus(cost)
    }

    fn run(&mut self, expr: &Expr, inner: &Loop) -> Range {
        let mut sum = self.cost(&inner.range).plus(self.cost(&inner.init));
        let depth = self.variables.len();
        self.name(&inner.result_name, &inner.init);
        let entries = self.entries_of(&inner.range);
        let of_list =
            entries.map_or(matches!(self.kind(&inner.range), Type::List(_)), |entries| entries.of_list);
        let item = |below: &str, size: Option<Range>| (below.to_owned(), size);
        let key = entries.map(|entries| entries.key);
        let value = entries.map(|entries| entries.value);
        let variables = match (&inner.second, of_list) {
            (None, true) => vec![(inner.item.clone(), item("@items", value))],
            (None, false) => vec![(inner.item.clone(), item("@keys", key))],
            (Some(second), true) => {
                vec![(inner.item.clone(), item("@indices", key)), (second.clone(), item("@items", value))]
            }
            (Some(second), false) => {
                vec![(inner.item.clone(), item("@keys", key)), (second.clone(), item("@values", value))]
            }
        };
        for (name, (below, size)) in variables {
            let mut path = self.path(&inner.range);
            path.push(below);
            self.variables.push(Variable { name, path, size, entries: None });
        }
        let once = self.cost(&inner.condition).plus(self.cost(&inner.step));
        self.variables.truncate(depth + 1);
        sum = sum.plus(self.cost(&inner.result));
        self.variables.truncate(depth);
        let times = self.size_of(&inner.range);
        match &inner.init.kind {
            Kind::Literal(_) => self.sizes[expr.id] = self.size(&inner.init),
            Kind::List { .. } | Kind::Map(_) => {
                self.sizes[expr.id] = Some(times);
                self.entries[expr.id] = self.entries_of(&inner.step).or(self.entries[expr.id]);
            }
            _ => {}
        }
        sum.plus(times.times(once))
    }

    fn binding(&mut self, expr: &Expr, inner: &Loop) -> Range {
        let sum = self.cost(&inner.range).plus(self.cost(&inner.init));
        let depth = self.variables.len();
        self.name(&inner.result_name, &inner.init);
        let sum = sum.plus(self.cost(&inner.result));
        self.variables.truncate(depth);
        self.copy(expr, &inner.result);
        sum
    }

    fn name(&mut self, name: &str, value: &Expr) {
        let (path, size, entries) = (self.path(value), self.size(value), self.entries_of(value));
        self.variables.push(Variable { name: name.to_owned(), path, size, entries });
    }

    fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().rev().find(|variable| variable.name == name)
    }

    pub(super) fn kind(&self, expr: &Expr) -> &Type {
        &self.checked.types[expr.id]
    }

    fn path(&self, expr: &Expr) -> Path {
        if let Kind::Ident(name) = &expr.kind
            && let Some(variable) = self.variable(name)
        {
            return variable.path.clone();
        }
        self.paths[expr.id].clone()
    }

    fn copy(&mut self, to: &Expr, from: &Expr) {
        let (size, entries) = (self.size(from), self.entries_of(from));
        self.sizes[to.id] = size.or(self.sizes[to.id]);
        self.entries[to.id] = entries.or(self.entries[to.id]);
    }

    pub(super) fn set_entries(&mut self, expr: &Expr, entries: Option<Entries>) {
        self.entries[expr.id] = entries.or(self.entries[expr.id]);
    }

    pub(super) fn entries_of(&self, expr: &Expr) -> Option<Entries> {
        let named = || match &expr.kind {
            Kind::Ident(name) => self.variable(name).and_then(|variable| variable.entries),
            _ => None,
        };
        self.entries[expr.id].or_else(named)
    }

    /// The size of a value, as far as anything tells it.
    pub(super) fn size(&mut self, expr: &Expr) -> Option<Range> {
        if let Some(size) = self.sizes[expr.id] {
            return Some(size);
        }
        if let Some(size) = literal_size(expr) {
            return Some(size);
        }
        if let Some(size) = self.declared_size(&self.path(expr)) {
            self.sizes[expr.id] = Some(size);
            return Some(size);
        }
        if is_scalar(self.kind(expr)) {
            return Some(ONE);
        }
        match &expr.kind {
            Kind::Ident(name) => self.variable(name).and_then(|variable| variable.size),
            _ => None,
        }
    }

    pub(super) fn size_of(&mut self, expr: &Expr) -> Range {
        self.size(expr).unwrap_or(UNKNOWN)
    }

    /// The size that the schema allows at a path, which begins with the name of a variable.
    fn declared_size(&self, path: &[String]) -> Option<Range> {
        let (_, steps) = path.split_first()?;
        let mut here = Arc::clone(self.root);
        for step in steps {
            here = here.step(step)?;
        }
        Some(Range { min: 0, max: here.most })
    }

    /// The size of an item of a list.
    pub(super) fn item_size(&self, list: &Expr) -> Range {
        let mut path = self.path(list);
        if path.is_empty() {
            return UNKNOWN;
        }
        path.push("@items".to_owned());
        self.declared_size(&path).unwrap_or(UNKNOWN)
    }
}

fn literal_size(expr: &Expr) -> Option<Range> {
    Some(Range::exactly(match &expr.kind {
        Kind::Literal(Literal::String(text)) => text.chars().count() as u64,
        Kind::Literal(Literal::Bytes(bytes)) => bytes.len() as u64,
        Kind::Literal(_) => 1,
        Kind::List { items, .. } => items.len() as u64,
        Kind::Map(entries) => entries.len() as u64,
        _ => return None,
    }))
}

fn is_scalar(kind: &Type) -> bool {
    match kind {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => true,
        Type::Optional(inner) => is_scalar(inner),
        _ => false,
    }
}
