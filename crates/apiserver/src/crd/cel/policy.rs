//! Expressions of admission policies: what they may speak of, and what they come to.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::{Value as Json, json};

use super::check::Scope;
use super::declared::{Declared, is_reserved};
use super::eval::{Evaluated, Failure, Outside, Program};
use super::library::{AUTHORIZER, Decision, Question, RESOURCE_CHECK, Subject};
use super::rules;
use super::types::Type;
use super::value::{Key, Value, plain};

const VARIABLES: &str = "variables";

/// What an expression has to come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// Yes or no.
    Bool,
    /// A text.
    Text,
    /// A text, or nothing.
    TextOrNull,
    /// Whatever it is.
    Anything,
}

/// Whether a variable can have this name.
pub(crate) fn is_identifier(name: &str) -> bool {
    let starts = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    let continues = name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    starts && continues && !is_reserved(name)
}

/// An expression that can be evaluated.
#[derive(Debug)]
pub(crate) struct Expression(Program);

/// What all expressions of a policy may speak of.
#[derive(Debug)]
pub(crate) struct Language {
    params: bool,
    /// The variables that are defined so far, with their types.
    defined: BTreeMap<String, Arc<Declared>>,
}

impl Language {
    /// Without variables of the policy's own.
    pub(crate) fn new(params: bool) -> Language {
        Language { params, defined: BTreeMap::new() }
    }

    /// Reads an expression. Not all may ask who may do what.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(&self, source: &str, wanted: Wanted, authorizes: bool) -> Result<Expression, String> {
        let program = rules::compile(source, &self.scope(authorizes))?;
        let (found, result) = (&program.checked.result, program.checked.result.to_string());
        let result = if matches!(found, Type::Null) { "null_type".to_owned() } else { result };
        match (wanted, found) {
            (Wanted::Anything, _)
            | (Wanted::Bool, Type::Bool)
            | (Wanted::Text | Wanted::TextOrNull, Type::String)
            | (Wanted::TextOrNull, Type::Null) => Ok(Expression(program)),
            (Wanted::Bool, _) => Err(format!("must evaluate to bool but got {result}")),
            (Wanted::Text, _) => Err(format!("must evaluate to string but got {result}")),
            (Wanted::TextOrNull, _) => {
                Err(format!("must evaluate to one of [string null_type] but got {result}"))
            }
        }
    }

    /// Reads a variable of the policy's own, of which those that come later may speak.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn define(&mut self, name: &str, source: &str) -> Result<Expression, String> {
        let read = self.read(source, Wanted::Anything, true);
        let kind = read.as_ref().map_or(Type::Dyn, |expression| expression.0.checked.result.clone());
        self.defined.insert(name.to_owned(), Declared::known_as(kind));
        read
    }

    fn scope(&self, authorizes: bool) -> Scope {
        let mut variables = vec![
            ("object".to_owned(), Type::Dyn),
            ("oldObject".to_owned(), Type::Dyn),
            ("namespaceObject".to_owned(), NAMESPACE.0.kind()),
            ("request".to_owned(), REQUEST.0.kind()),
        ];
        if self.params {
            variables.push(("params".to_owned(), Type::Dyn));
        }
        if authorizes {
            variables.push(("authorizer".to_owned(), Type::Opaque(AUTHORIZER)));
            variables.push(("authorizer.requestResource".to_owned(), Type::Opaque(RESOURCE_CHECK)));
        }
        for (name, kind) in &self.defined {
            variables.push((format!("{VARIABLES}.{name}"), kind.kind()));
        }
        if !self.defined.is_empty() {
            let all = Declared::of_fields("kubernetes.variables", self.defined.clone());
            variables.push((VARIABLES.to_owned(), all.kind()));
        }
        Scope::policy(variables)
    }
}

/// Who says who may do what.
pub(crate) trait Authorizer {
    /// Whether it may be done.
    fn decide(&self, question: &Question, verb: &str) -> Decision;
}

/// What a request is, for the expressions of a policy.
pub(crate) struct Given<'a> {
    /// The object as it would be; nothing if it goes.
    pub object: Option<&'a Json>,
    /// The object as it was; nothing if it is new.
    pub old: Option<&'a Json>,
    /// What is asked.
    pub request: &'a Json,
    /// What the policy is told beside.
    pub params: Option<&'a Json>,
    /// The namespace, if there is one.
    pub namespace: Option<&'a Json>,
    /// What the request is about, for questions about just that.
    pub subject: Subject,
}

/// The evaluation of a policy for a request. Variables are evaluated when they are first asked for, and once.
pub(crate) struct Evaluation<'a> {
    given: BTreeMap<&'static str, Value>,
    variables: &'a [(String, Result<Expression, String>)],
    known: RefCell<BTreeMap<String, Evaluated>>,
    spent: Cell<u64>,
    authorizer: &'a dyn Authorizer,
}

/// What an expression comes to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Said {
    /// Yes or no.
    Bool(bool),
    /// A text.
    Text(String),
    /// Something else, or nothing.
    Other,
}

/// Why nothing more is evaluated.
pub(crate) const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

impl<'a> Evaluation<'a> {
    /// That of a request.
    pub(crate) fn new(
        given: Given<'_>,
        variables: &'a [(String, Result<Expression, String>)],
        authorizer: &'a dyn Authorizer,
    ) -> Evaluation<'a> {
        let or_null = |json: Option<&Json>| json.map_or(Value::Null, plain);
        let declared = |json: &Json, of: &(Arc<Declared>, Json)| Value::of(json, &of.0, &of.1);
        let asked = |what: Subject| Value::Question(Arc::new(Question { account: None, what }));
        let named = variables.iter().map(|(name, _)| (Key::String(name.as_str().into()), Value::Null));
        let given = BTreeMap::from([
            ("object", or_null(given.object)),
            ("oldObject", or_null(given.old)),
            ("params", or_null(given.params)),
            ("request", declared(given.request, &REQUEST)),
            ("namespaceObject", given.namespace.map_or(Value::Null, |json| declared(json, &NAMESPACE))),
            ("authorizer", asked(Subject::Nothing)),
            ("authorizer.requestResource", asked(given.subject)),
            (VARIABLES, Value::Map(Arc::new(named.collect()))),
        ]);
        Evaluation { given, variables, known: RefCell::default(), spent: Cell::new(0), authorizer }
    }

    /// What an expression comes to, or why it does not; what it costs is taken from the budget.
    ///
    /// # Errors
    /// If there is not enough left: [`OUT_OF_BUDGET`].
    pub(crate) fn evaluate(
        &self,
        expression: &Expression,
        budget: &mut u64,
    ) -> Result<Result<Said, String>, &'static str> {
        let (result, cost) = expression.0.run_in(self);
        let cost = cost.saturating_add(self.spent.replace(0));
        *budget = budget.checked_sub(cost).ok_or(OUT_OF_BUDGET)?;
        Ok(match result {
            Ok(Value::Bool(flag)) => Ok(Said::Bool(flag)),
            Ok(Value::String(text)) => Ok(Said::Text(text.to_string())),
            Ok(_) => Ok(Said::Other),
            Err(failure) => Err(words(&failure)),
        })
    }

    /// The value of a variable of the policy's own.
    fn variable(&self, name: &str) -> Option<Evaluated> {
        if let Some(known) = self.known.borrow().get(name) {
            return Some(known.clone());
        }
        let (_, expression) = self.variables.iter().find(|(defined, _)| defined == name)?;
        let value = match expression {
            Err(why) => Err(Failure::error(format!("composited variable {name:?} fails to compile: {why}"))),
            Ok(expression) => {
                let (result, cost) = expression.0.run_in(self);
                self.spent.set(self.spent.get().saturating_add(cost));
                result.map_err(|failure| {
                    let why = words(&failure);
                    Failure::error(format!("composited variable {name:?} fails to evaluate: {why}"))
                })
            }
        };
        self.known.borrow_mut().insert(name.to_owned(), value.clone());
        Some(value)
    }
}

fn words(failure: &Failure) -> String {
    match failure {
        Failure::Error(why) => why.clone(),
        Failure::NoSuchOverload => "no such overload".to_owned(),
        Failure::TooExpensive => "operation cancelled: actual cost limit exceeded".to_owned(),
    }
}

impl Outside for Evaluation<'_> {
    fn value(&self, name: &str) -> Option<Evaluated> {
        match name.strip_prefix(VARIABLES).and_then(|rest| rest.strip_prefix('.')) {
            Some(name) => self.variable(name),
            None => self.given.get(name).cloned().map(Ok),
        }
    }

    fn decide(&self, question: &Question, verb: &str) -> Decision {
        self.authorizer.decide(question, verb)
    }
}

/// The type of a request, and the schema by which its values are read.
static REQUEST: LazyLock<(Arc<Declared>, Json)> = LazyLock::new(|| {
    let kind = fields(&["group", "version", "kind"]);
    let resource = fields(&["group", "version", "resource"]);
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let user = json!({ "type": "object", "properties": {
        "username": { "type": "string" }, "uid": { "type": "string" }, "groups": texts.clone(),
        "extra": { "type": "object", "additionalProperties": texts },
    } });
    let mut schema = fields(&["subResource", "requestSubResource", "name", "namespace", "operation"]);
    for (name, part) in [
        ("kind", &kind),
        ("requestKind", &kind),
        ("resource", &resource),
        ("requestResource", &resource),
        ("userInfo", &user),
        ("dryRun", &json!({ "type": "boolean" })),
        ("options", &json!({ "x-kubernetes-int-or-string": true })),
    ] {
        schema["properties"][name] = part.clone();
    }
    declared("kubernetes.AdmissionRequest", schema)
});

/// The same of a namespace, of which not everything is shown.
static NAMESPACE: LazyLock<(Arc<Declared>, Json)> = LazyLock::new(|| {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let moment = json!({ "type": "string", "format": "date-time" });
    let mut metadata = fields(&["name", "generateName", "namespace", "UID", "resourceVersion"]);
    for (name, part) in [
        ("labels", &map),
        ("annotations", &map),
        ("creationTimestamp", &moment),
        ("deletionTimestamp", &moment),
        ("deletionGracePeriodSeconds", &json!({ "type": "integer" })),
        ("generation", &json!({ "type": "integer" })),
        ("finalizers", &texts),
    ] {
        metadata["properties"][name] = part.clone();
    }
    let mut condition = fields(&["status", "type", "message", "reason"]);
    condition["properties"]["lastTransitionTime"] = moment;
    let mut status = fields(&["phase"]);
    status["properties"]["conditions"] = json!({ "type": "array", "items": condition });
    let spec = json!({ "type": "object", "properties": { "finalizers": texts } });
    let all = json!({ "metadata": metadata, "spec": spec, "status": status });
    declared("kubernetes.Namespace", json!({ "type": "object", "properties": all }))
});

fn fields(names: &[&str]) -> Json {
    let each: serde_json::Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    json!({ "type": "object", "properties": each })
}

fn declared(name: &str, schema: Json) -> (Arc<Declared>, Json) {
    (Declared::named(&schema, false, name).expect("it is a schema"), schema)
}
