//! Questions about users and rights, which are asked by creating an object and answered in its status.

use serde_json::{Value, json};

use super::causes::{text, texts};
use super::rbac::{Rule, Rules};
use super::tokens::{ISSUER, Signed, Tokens, Verified};
use super::words;
use crate::document::Json;
use crate::status::Status;
use crate::time::Moment;
use crate::user::User;

mod access;
mod validation;

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";

/// Which question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Review {
    /// May I?
    SelfSubjectAccess,
    /// May they?
    SubjectAccess,
    /// May they, in this namespace?
    LocalSubjectAccess,
    /// What may I, in a namespace?
    SelfSubjectRules,
    /// Whose token is this?
    Token,
    /// Who am I?
    SelfSubject,
}

/// Whose token it is that has this signature, if it is for one of these audiences; or why it is not believed.
pub(crate) type Believe<'a> = dyn Fn(&Signed, &[String]) -> Result<Verified, String> + 'a;

/// By what questions are answered.
pub(crate) struct Context<'a> {
    /// Who asks.
    pub user: &'a User,
    /// The namespace in the path; empty if there is none.
    pub namespace: &'a str,
    /// Who may do what.
    pub rules: &'a Rules,
    /// Whose tokens there are.
    pub tokens: &'a Tokens,
    /// Whose token it is that has a good signature, by what there is. That is looked at only then.
    pub believe: &'a Believe<'a>,
    /// When.
    pub now: Moment,
}

impl Review {
    /// The question that is asked by creating an object of this resource.
    pub(crate) fn of(group: &str, plural: &str) -> Option<Review> {
        Some(match (group, plural) {
            (AUTHORIZATION, "selfsubjectaccessreviews") => Review::SelfSubjectAccess,
            (AUTHORIZATION, "subjectaccessreviews") => Review::SubjectAccess,
            (AUTHORIZATION, "localsubjectaccessreviews") => Review::LocalSubjectAccess,
            (AUTHORIZATION, "selfsubjectrulesreviews") => Review::SelfSubjectRules,
            (AUTHENTICATION, "tokenreviews") => Review::Token,
            (AUTHENTICATION, "selfsubjectreviews") => Review::SelfSubject,
            _ => return None,
        })
    }

    fn types(self) -> (&'static str, &'static str) {
        match self {
            Review::SelfSubjectAccess => (AUTHORIZATION, "SelfSubjectAccessReview"),
            Review::SubjectAccess => (AUTHORIZATION, "SubjectAccessReview"),
            Review::LocalSubjectAccess => (AUTHORIZATION, "LocalSubjectAccessReview"),
            Review::SelfSubjectRules => (AUTHORIZATION, "SelfSubjectRulesReview"),
            Review::Token => (AUTHENTICATION, "TokenReview"),
            Review::SelfSubject => (AUTHENTICATION, "SelfSubjectReview"),
        }
    }

    /// Answers. The body has the types that its schema says; what else it has is dropped. `managedFields` in its
    /// metadata are kept.
    ///
    /// # Errors
    /// What the API says against the question.
    pub(crate) fn answer(self, context: &Context<'_>, body: Json) -> Result<Json, Status> {
        let (group, kind) = self.types();
        let parts = match self {
            Review::SelfSubjectAccess | Review::SubjectAccess | Review::LocalSubjectAccess => {
                access::answer(self, context, body)?
            }
            Review::SelfSubjectRules => rules(context, &body)?,
            Review::Token => token(context, body)?,
            Review::SelfSubject => json!({
                "metadata": {"creationTimestamp": context.now.to_string()},
                "status": {"userInfo": user_info(context.user)},
            }),
        };
        let mut answer = Json::new();
        answer.insert("apiVersion".into(), format!("{group}/v1").into());
        answer.insert("kind".into(), kind.into());
        if let Value::Object(parts) = parts {
            answer.extend(parts);
        }
        Ok(answer)
    }
}

fn rules(context: &Context<'_>, body: &Json) -> Result<Value, Status> {
    let namespace = body.get("spec").map_or("", |spec| text(spec, "namespace"));
    if namespace.is_empty() {
        return Err(Status::bad_request("no namespace on request"));
    }
    let rules = context.rules.of(context.user, namespace);
    let (mut resources, mut paths) = (Vec::new(), Vec::new());
    for rule in rules {
        if !rule.resources.is_empty() {
            resources.push(json!(Rule { paths: Vec::new(), ..rule.clone() }));
        }
        if !rule.paths.is_empty() {
            paths.push(json!({"verbs": rule.verbs, "nonResourceURLs": rule.paths}));
        }
    }
    let mut status = json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false});
    if let Some(troubles) = context.rules.missing_roles(context.user, namespace, None) {
        status["evaluationError"] = troubles.into();
    }
    // The real server answers with a new object: what was asked is not in it.
    Ok(json!({"metadata": {}, "spec": {}, "status": status}))
}

fn token(context: &Context<'_>, body: Json) -> Result<Value, Status> {
    let body = Value::Object(body);
    let spec = body.get("spec").unwrap_or(&Value::Null);
    let token = text(spec, "token");
    if token.is_empty() {
        return Err(Status::bad_request("token is required for TokenReview in authentication"));
    }
    let audiences = texts(spec, "audiences");
    let asked = if audiences.is_empty() { vec![ISSUER.to_owned()] } else { audiences.clone() };
    let signed = context.tokens.signed(token.trim());
    let status = match signed.and_then(|signed| (context.believe)(&signed, &asked).map_err(Some)) {
        Ok(verified) => json!({
            "authenticated": true, "user": user_info(&verified.user), "audiences": verified.audiences,
        }),
        Err(why) => {
            let errors = ["invalid bearer token".to_owned()].into_iter().chain(why);
            json!({"user": {}, "error": words::aggregate(errors)})
        }
    };
    let mut spec = json!({"token": token});
    if !audiences.is_empty() {
        spec["audiences"] = json!(audiences);
    }
    let metadata = body.get("metadata").cloned().unwrap_or_else(|| json!({}));
    Ok(json!({"metadata": metadata, "spec": spec, "status": status}))
}

fn user_info(user: &User) -> Value {
    let mut info = json!({"username": user.name});
    if !user.uid.is_empty() {
        info["uid"] = json!(user.uid);
    }
    if !user.groups.is_empty() {
        info["groups"] = json!(user.groups);
    }
    if !user.extra.is_empty() {
        info["extra"] = json!(user.extra);
    }
    info
}

#[cfg(test)]
mod tests;
