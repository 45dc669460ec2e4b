//! Asking who may do what, in policies.

use std::sync::Arc;

use super::super::eval::{Evaluated, Run};
use super::super::value::Value;

pub(in crate::crd::cel) const AUTHORIZER: &str = "kubernetes.authorization.Authorizer";
pub(in crate::crd::cel) const PATH_CHECK: &str = "kubernetes.authorization.PathCheck";
pub(in crate::crd::cel) const GROUP_CHECK: &str = "kubernetes.authorization.GroupCheck";
pub(in crate::crd::cel) const RESOURCE_CHECK: &str = "kubernetes.authorization.ResourceCheck";
pub(in crate::crd::cel) const DECISION: &str = "kubernetes.authorization.Decision";

/// What is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    /// Who it is about, by namespace and name, if not the one who makes the request.
    pub account: Option<(String, String)>,
    /// Of what.
    pub what: Subject,
}

/// What a question is about.
#[derive(Clone, Debug, Default)]
pub(crate) enum Subject {
    /// That is not said yet.
    #[default]
    Nothing,
    /// A path that is none of a resource.
    Path(String),
    /// Something of a group.
    Group(String),
    /// A resource, or an object of it.
    Resource {
        /// Empty for the core kinds.
        group: String,
        /// The plural name.
        resource: String,
        /// Empty for the object itself.
        subresource: String,
        /// Empty for all.
        namespace: String,
        /// Empty for all.
        name: String,
    },
}

/// The answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decision {
    /// Whether it may be done.
    pub allowed: bool,
    /// Why.
    pub reason: String,
}

impl Question {
    pub(in crate::crd::cel) fn type_name(&self) -> &'static str {
        match self.what {
            Subject::Nothing => AUTHORIZER,
            Subject::Path(_) => PATH_CHECK,
            Subject::Group(_) => GROUP_CHECK,
            Subject::Resource { .. } => RESOURCE_CHECK,
        }
    }
}

pub(super) fn call(run: &Run<'_>, function: &str, values: &[Value]) -> Option<Evaluated> {
    match values {
        [Value::Decision(decision)] => Some(Ok(match function {
            "allowed" => Value::Bool(decision.allowed),
            // Nothing that is asked here can fail.
            "errored" => Value::Bool(false),
            "error" => Value::text(""),
            "reason" => Value::text(&decision.reason),
            _ => return None,
        })),
        [Value::Question(question), Value::String(verb)] if function == "check" => {
            let decision = run.outside?.decide(question, verb);
            Some(Ok(Value::Decision(Arc::new(decision))))
        }
        [Value::Question(question), Value::String(namespace), Value::String(name)]
            if function == "serviceAccount" =>
        {
            let account = Some((namespace.to_string(), name.to_string()));
            Some(Ok(asked(Question { account, what: question.what.clone() })))
        }
        [Value::Question(question), Value::String(text)] => {
            let what = narrowed(&question.what, function, text)?;
            Some(Ok(asked(Question { account: question.account.clone(), what })))
        }
        _ => None,
    }
}

fn asked(question: Question) -> Value {
    Value::Question(Arc::new(question))
}

/// The same about less.
fn narrowed(what: &Subject, function: &str, text: &str) -> Option<Subject> {
    let mut what = what.clone();
    match (&mut what, function) {
        (Subject::Nothing, "path") => return Some(Subject::Path(text.to_owned())),
        (Subject::Nothing, "group") => return Some(Subject::Group(text.to_owned())),
        (Subject::Group(group), "resource") => {
            return Some(Subject::Resource {
                group: std::mem::take(group),
                resource: text.to_owned(),
                subresource: String::new(),
                namespace: String::new(),
                name: String::new(),
            });
        }
        (Subject::Resource { subresource, .. }, "subresource") => text.clone_into(subresource),
        (Subject::Resource { namespace, .. }, "namespace") => text.clone_into(namespace),
        (Subject::Resource { name, .. }, "name") => text.clone_into(name),
        _ => return None,
    }
    Some(what)
}
