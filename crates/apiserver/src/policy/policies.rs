//! Policies and bindings, read once.

use std::sync::Arc;

use bowline_kernel::View;

use super::matching::Matching;
use super::params::ParamKind;
use super::{BINDINGS, GROUP, POLICIES, all};
use crate::builtin::fields;
use crate::crd::policy::{Expression, Language, Wanted};
use crate::document::{Document, Json};
use crate::kinds::Kind;

/// All policies that are bound, by their names.
#[derive(Debug, Default)]
pub(crate) struct Policies(pub(super) Vec<Policy>);

/// A policy.
#[derive(Debug)]
pub(super) struct Policy {
    pub(super) name: String,
    /// Whether what cannot be evaluated is refused.
    pub(super) fails: bool,
    pub(super) matching: Matching,
    pub(super) params: Option<ParamKind>,
    pub(super) conditions: Vec<Read>,
    pub(super) variables: Vec<(String, Result<Expression, String>)>,
    pub(super) validations: Vec<Validation>,
    /// What is noted in the audit log, each under its key.
    pub(super) notes: Vec<(String, Read)>,
    pub(super) bindings: Vec<Binding>,
}

/// An expression as it is written, and as it was read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) source: String,
    pub(super) expression: Result<Expression, String>,
}

#[derive(Debug)]
pub(super) struct Validation {
    pub(super) read: Read,
    pub(super) message: String,
    pub(super) message_expression: Option<Result<Expression, String>>,
    pub(super) reason: String,
}

/// What binds a policy.
#[derive(Debug)]
pub(super) struct Binding {
    pub(super) name: String,
    pub(super) matching: Option<Matching>,
    pub(super) params: Option<Json>,
    pub(super) actions: Vec<String>,
}

impl Policies {
    /// Those that there are.
    pub(crate) fn of(view: &View<Document>) -> Policies {
        let bindings: Vec<(String, Binding)> =
            all(view, BINDINGS).map(|(name, json)| binding(name, &json)).collect();
        let policies = all(view, POLICIES).map(|(name, json)| policy(name, &json));
        let mut policies: Vec<_> = policies.collect();
        for (of, binding) in bindings {
            if let Some(policy) = policies.iter_mut().find(|policy| policy.name == of) {
                policy.bindings.push(binding);
            }
        }
        policies.retain(|policy| !policy.bindings.is_empty());
        Policies(policies)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one may have to be evaluated for a write.
    pub(crate) fn may_mean(&self, kinds: &[Arc<Kind>], kind: &Kind, subresource: &str) -> bool {
        !is_exempt(kind) && self.0.iter().any(|policy| policy.matching.may_mean(kinds, kind, subresource))
    }
}

/// Policies are not judged by policies: who made a bad one could not remove it. Nor are questions.
pub(super) fn is_exempt(kind: &Kind) -> bool {
    matches!(&*kind.group, GROUP | "authentication.k8s.io" | "authorization.k8s.io")
}

fn policy(name: &str, json: &Json) -> Policy {
    let spec = fields::object(json, "spec");
    let params = fields::maybe_object(spec, "paramKind").map(ParamKind::of);
    let mut language = Language::new(params.is_some());
    let read = |language: &Language, source: &str, wanted| Read {
        source: source.to_owned(),
        expression: language.read(source, wanted, true),
    };
    let conditions = fields::objects(spec, "matchConditions")
        .map(|condition| read(&language, fields::text(condition, "expression"), Wanted::Bool))
        .collect();
    let mut variables = Vec::new();
    for variable in fields::objects(spec, "variables") {
        let name = fields::text(variable, "name");
        variables.push((name.to_owned(), language.define(name, fields::text(variable, "expression"))));
    }
    let validations = fields::objects(spec, "validations").map(|validation| {
        let message = fields::text(validation, "messageExpression");
        Validation {
            read: read(&language, fields::text(validation, "expression"), Wanted::Bool),
            message: fields::text(validation, "message").trim().to_owned(),
            message_expression: (!message.is_empty()).then(|| language.read(message, Wanted::Text, false)),
            reason: fields::text(validation, "reason").to_owned(),
        }
    });
    let notes = fields::objects(spec, "auditAnnotations").map(|note| {
        let value = read(&language, fields::text(note, "valueExpression"), Wanted::TextOrNull);
        (fields::text(note, "key").to_owned(), value)
    });
    Policy {
        name: name.to_owned(),
        fails: fields::text(spec, "failurePolicy") != "Ignore",
        matching: Matching::of(fields::object(spec, "matchConstraints")),
        params,
        conditions,
        validations: validations.collect(),
        notes: notes.collect(),
        variables,
        bindings: Vec::new(),
    }
}

/// A binding, after the name of the policy that it binds.
fn binding(name: &str, json: &Json) -> (String, Binding) {
    let spec = fields::object(json, "spec");
    let binding = Binding {
        name: name.to_owned(),
        matching: fields::maybe_object(spec, "matchResources").map(Matching::of),
        params: fields::maybe_object(spec, "paramRef").cloned(),
        actions: fields::texts(spec, "validationActions").map(str::to_owned).collect(),
    };
    (fields::text(spec, "policyName").to_owned(), binding)
}
