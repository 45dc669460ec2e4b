//! The rules of a schema, compiled, and what they say of objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use bowline_merge::{Cause, FieldError};
use serde_json::Value as Json;

use super::check::{self, Scope};
use super::declared::{Declared, is_embedded};
use super::eval::{Failure, Program};
use super::parser;
use super::ratchet::{Ratchet, find, keys};
use super::syntax;
use super::types::Type;
use super::value::Value;
use crate::crd::Verdict;
use crate::crd::definition::paths;

/// What all rules of one object may cost together: a second, about.
const BUDGET: u64 = 10_000_000;
/// The longest message that an expression may make.
const LONGEST_MESSAGE: usize = 5 * 1024;

/// The rules of a schema.
#[derive(Debug)]
pub(in crate::crd) struct Rules(Node);

/// The rules at one place of a schema, and below it.
#[derive(Debug, Default)]
struct Node {
    schema: Json,
    /// The type that errors show.
    kind: String,
    declared: Option<Arc<Declared>>,
    rules: Vec<Rule>,
    items: Option<Box<Node>>,
    properties: BTreeMap<String, Node>,
    additional: Option<Box<Node>>,
    all_of: Vec<Node>,
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) source: String,
    message: String,
    reason: String,
    /// The field that errors name instead, below the place of the rule.
    field: String,
    pub(super) optional_old: bool,
    /// The expression, or why there is none.
    pub(super) program: Result<Program, String>,
    pub(super) message_program: Option<Result<Program, String>>,
}

impl Rule {
    /// Compiles a rule that stands at a schema.
    pub(super) fn compile(rule: &Json, schema: &Json, declared: &Arc<Declared>) -> Rule {
        let text = |name: &str| rule.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let optional_old = rule.get("optionalOldSelf").and_then(Json::as_bool) == Some(true);
        let this = declared.kind();
        let old = if optional_old { Type::optional(this.clone()) } else { this.clone() };
        let scope = Scope::rule(this, old);
        let source = text("rule");
        let program = compile(&source, &scope).and_then(|program| match program.checked.result {
            Type::Bool => Ok(program),
            _ => Err("cel expression must evaluate to a bool".to_owned()),
        });
        let message_source = text("messageExpression");
        let message_program = (!message_source.is_empty() && program.is_ok()).then(|| {
            let compiled =
                compile(&message_source, &scope).map_err(|error| format!("messageExpression {error}"));
            compiled.and_then(|program| match program.checked.result {
                Type::String => Ok(program),
                _ => Err("messageExpression must evaluate to a string".to_owned()),
            })
        });
        let path = text("fieldPath");
        let field = paths::follow(&path, schema, true).map(|place| place.path).unwrap_or_default();
        let (message, reason) = (text("message"), text("reason"));
        Rule { source, message, reason, field, optional_old, program, message_program }
    }

    /// How errors call the rule.
    fn name(&self) -> &str {
        if self.message.is_empty() { self.source.trim() } else { self.message.trim() }
    }

    fn complaint(&self) -> String {
        if self.message.is_empty() { format!("failed rule: {}", self.name()) } else { self.name().to_owned() }
    }
}

/// Reads and types an expression.
///
/// # Errors
/// All that is wrong with it, in one text.
pub(super) fn compile(source: &str, scope: &Scope) -> Result<Program, String> {
    let failed = |faults: &[syntax::Fault]| format!("compilation failed: {}", syntax::report(source, faults));
    let (expr, parts) = parser::parse(source).map_err(|faults| failed(&faults))?;
    let checked = check::check(&expr, parts, scope).map_err(|faults| failed(&faults))?;
    Ok(Program { expr, checked })
}

impl Rules {
    /// The rules of a schema, if it has any.
    pub(in crate::crd) fn compile(schema: &Json) -> Option<Rules> {
        Node::compile(schema, true).map(Rules)
    }

    /// What the rules say of an object that replaces another.
    pub(in crate::crd) fn check(&self, object: &Json, old: Option<&Json>, verdict: &mut Verdict) {
        let mut judge = Judge { verdict, budget: BUDGET, exhausted: false };
        judge.node(&self.0, "", object, old, Ratchet::root(object, old, &self.0.schema));
    }
}

impl Node {
    fn compile(schema: &Json, root: bool) -> Option<Node> {
        let fields = schema.as_object()?;
        let below = |schema: &Json| Node::compile(schema, is_embedded(schema));
        let declared = Declared::of(schema, root);
        let list = |name: &str| fields.get(name).and_then(Json::as_array).into_iter().flatten();
        let rules = match &declared {
            Some(declared) => {
                list("x-kubernetes-validations").map(|rule| Rule::compile(rule, schema, declared)).collect()
            }
            None => Vec::new(),
        };
        let properties = fields.get("properties").and_then(Json::as_object).into_iter().flatten();
        let node = Node {
            kind: fields.get("type").and_then(Json::as_str).unwrap_or_default().to_owned(),
            rules,
            items: fields.get("items").and_then(below).map(Box::new),
            properties: properties
                .filter_map(|(name, schema)| Some((name.clone(), below(schema)?)))
                .collect(),
            additional: fields.get("additionalProperties").and_then(below).map(Box::new),
            all_of: list("allOf").filter_map(|part| Node::in_all_of(part, schema, root)).collect(),
            schema: schema.clone(),
            declared,
        };
        let empty = node.rules.is_empty()
            && node.items.is_none()
            && node.properties.is_empty()
            && node.additional.is_none()
            && node.all_of.is_empty();
        (!empty).then_some(node)
    }

    /// A part of `allOf` has rules, but its types are those of what it is part of.
    fn in_all_of(part: &Json, schema: &Json, root: bool) -> Option<Node> {
        let rules = part.get("x-kubernetes-validations")?;
        let mut typed = schema.as_object()?.clone();
        typed.remove("allOf");
        for name in ["properties", "items", "additionalProperties"] {
            // Only what stands here: rules further in belong to the schema itself.
            if let Some(inner) = typed.get_mut(name) {
                strip_rules(inner);
            }
        }
        typed.insert("x-kubernetes-validations".to_owned(), rules.clone());
        Node::compile(&Json::Object(typed), root)
    }
}

fn strip_rules(schema: &mut Json) {
    match schema {
        Json::Object(fields) => {
            fields.remove("x-kubernetes-validations");
            fields.values_mut().for_each(strip_rules);
        }
        Json::Array(items) => items.iter_mut().for_each(strip_rules),
        _ => {}
    }
}

/// Rules are judged until the budget is spent.
struct Judge<'a> {
    verdict: &'a mut Verdict,
    budget: u64,
    exhausted: bool,
}

impl Judge<'_> {
    fn node(&mut self, node: &Node, path: &str, value: &Json, old: Option<&Json>, ratchet: Ratchet<'_>) {
        if self.exhausted || value.is_null() {
            return;
        }
        let old = old.filter(|old| !old.is_null());
        self.rules(node, path, value, old, ratchet);
        for part in &node.all_of {
            self.node(part, path, value, old, Ratchet { here: None, around: ratchet.around });
        }
        match value {
            Json::Object(fields) => {
                for (name, value) in fields {
                    let before = old.and_then(|old| old.get(name));
                    if let Some(inner) = node.properties.get(name) {
                        let hidden = path.is_empty()
                            && ratchet.around.is_none()
                            && matches!(name.as_str(), "apiVersion" | "kind");
                        let below = if hidden {
                            Ratchet { here: None, around: None }
                        } else {
                            ratchet.below(ratchet.field(name, &inner.schema))
                        };
                        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                        self.node(inner, &path, value, before, below);
                    } else if let Some(inner) = &node.additional {
                        let below = ratchet.below(ratchet.field(name, &inner.schema));
                        self.node(inner, &format!("{path}[{name}]"), value, before, below);
                    }
                }
            }
            Json::Array(items) => {
                let Some(inner) = node.items.as_deref() else { return };
                let keys = keys(&node.schema);
                let before = old.and_then(Json::as_array);
                for (index, item) in items.iter().enumerate() {
                    let old = keys.as_ref().zip(before).and_then(|(keys, before)| find(before, item, keys));
                    let below = ratchet.below(old.map(|old| (item, old, &inner.schema)));
                    self.node(inner, &format!("{path}[{index}]"), item, old, below);
                }
            }
            _ => {}
        }
    }

    fn rules(&mut self, node: &Node, path: &str, value: &Json, old: Option<&Json>, ratchet: Ratchet<'_>) {
        let Some(declared) = node.declared.as_ref().filter(|_| !node.rules.is_empty()) else { return };
        let this = Value::of(value, declared, &node.schema);
        let before = old.map(|old| Value::of(old, declared, &node.schema));
        for rule in &node.rules {
            if self.exhausted {
                return;
            }
            let program = match &rule.program {
                Ok(program) => program,
                Err(why) => {
                    self.say(path, node, format!("rule compile error: {why}"));
                    continue;
                }
            };
            let uses_old = program.checked.uses_old;
            if uses_old && before.is_none() && !rule.optional_old {
                continue;
            }
            let old = match (&before, rule.optional_old) {
                (before, true) => Some(Value::Optional(before.clone().map(Arc::new))),
                (before, false) => before.clone(),
            };
            let (result, spent) = program.run(&this, old.as_ref());
            if spent > self.budget {
                return self.end(
                    path,
                    node,
                    "validation failed due to running out of cost budget, no further \
                    validation rules will be run"
                        .to_owned(),
                );
            }
            self.budget -= spent;
            match result {
                Ok(Value::Bool(true)) => {}
                Ok(_) => {
                    let let_be = !uses_old && ratchet.is_unchanged();
                    self.violated(rule, path, node, &this, old.as_ref(), let_be);
                }
                Err(Failure::NoSuchOverload) => self.say(path, node, format!(
                    "'no such overload': call arguments did not match a supported operator, function or macro \
                     signature for rule: {}", rule.name())),
                Err(Failure::TooExpensive) => return self.end(path, node, format!(
                    "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due \
                     to call cost exceeds limit for rule: {}", rule.name())),
                Err(Failure::Error(why)) => self.say(path, node, format!("{why} evaluating rule: {}", rule.name())),
            }
        }
    }

    fn say(&mut self, path: &str, node: &Node, why: String) {
        self.verdict.errors.push(FieldError::invalid(place(path), node.kind.as_str(), why));
    }

    fn end(&mut self, path: &str, node: &Node, why: String) {
        self.say(path, node, why);
        self.exhausted = true;
    }

    fn violated(
        &mut self,
        rule: &Rule,
        path: &str,
        node: &Node,
        this: &Value,
        old: Option<&Value>,
        let_be: bool,
    ) {
        let message = match &rule.message_program {
            Some(Ok(program)) => self.message(program, this, old),
            _ => None,
        };
        let message = message.unwrap_or_else(|| rule.complaint());
        let path = match (path.is_empty(), rule.field.is_empty()) {
            (_, true) => path.to_owned(),
            (true, false) => rule.field.clone(),
            (false, false) if rule.field.starts_with('[') => format!("{path}{}", rule.field),
            (false, false) => format!("{path}.{}", rule.field),
        };
        let (path, kind) = (place(&path), node.kind.as_str());
        let error = match rule.reason.as_str() {
            "FieldValueForbidden" => FieldError::forbidden(path, message),
            "FieldValueRequired" => FieldError::required(path, message),
            "FieldValueDuplicate" => FieldError::duplicate(path, kind),
            _ => FieldError::invalid(path, kind, message),
        };
        if let_be {
            self.verdict.warnings.push(error.to_string());
        } else {
            self.verdict.errors.push(error);
        }
    }

    /// What an expression has to say; nothing if it fails or says nothing fit to be told.
    fn message(&mut self, program: &Program, this: &Value, old: Option<&Value>) -> Option<String> {
        let (result, spent) = program.run(this, old);
        self.budget = self.budget.saturating_sub(spent);
        match result {
            Ok(Value::String(text)) => {
                let text = text.trim();
                let fit = !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n');
                fit.then(|| text.to_owned())
            }
            _ => None,
        }
    }
}

fn place(path: &str) -> &str {
    if path.is_empty() { "<nil>" } else { path }
}

/// What the server says of rules that it did not look at.
pub(in crate::crd) fn not_checked() -> FieldError {
    FieldError {
        kind: Cause::Invalid,
        path: "<nil>".to_owned(),
        value: Some(Json::Null),
        detail: "some validation rules were not checked because the object was invalid; correct the existing errors \
                 to complete validation"
            .to_owned(),
    }
}
