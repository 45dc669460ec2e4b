//! A request as policies see it.

use serde_json::{Value, json};

use super::Attempt;
use crate::auth::rbac;
use crate::authorize::{Attributes, What};
use crate::crd::policy::Authorizer;
use crate::crd::{Decision, Question, Subject};
use crate::kinds::Kind;
use crate::user::{AUTHENTICATED, User};

/// The request, by the name of its resource that a policy means. What is empty is left out.
pub(super) fn of(attempt: &Attempt<'_>, meant: Option<&Kind>) -> Value {
    let kind = attempt.kind;
    let gvk = |kind: &Kind| match attempt.of {
        Some((group, version, kind)) => json!({ "group": group, "version": version, "kind": kind }),
        None => json!({ "group": &*kind.group, "version": &*kind.version, "kind": &*kind.kind }),
    };
    let gvr =
        |kind: &Kind| json!({ "group": &*kind.group, "version": &*kind.version, "resource": &*kind.plural });
    let mut request = json!({
        "kind": gvk(meant.unwrap_or(kind)),
        "resource": gvr(meant.unwrap_or(kind)),
        "requestKind": gvk(kind),
        "requestResource": gvr(kind),
        "operation": attempt.operation.name(),
        "userInfo": user(attempt.user),
        "dryRun": attempt.dry_run,
        "options": attempt.options,
    });
    for (name, value) in [
        ("subResource", attempt.subresource),
        ("requestSubResource", attempt.subresource),
        ("name", attempt.name),
        ("namespace", attempt.home()),
    ] {
        if !value.is_empty() {
            request[name] = value.into();
        }
    }
    request
}

fn user(user: &User) -> Value {
    let mut json = json!({ "username": user.name });
    if !user.uid.is_empty() {
        json["uid"] = user.uid.as_str().into();
    }
    if !user.groups.is_empty() {
        json["groups"] = json!(user.groups);
    }
    if !user.extra.is_empty() {
        json["extra"] = json!(user.extra);
    }
    json
}

/// What the request is about, for who asks whether something may be done with just that.
pub(super) fn subject(attempt: &Attempt<'_>) -> Subject {
    Subject::Resource {
        group: attempt.kind.group.to_string(),
        resource: attempt.kind.plural.to_string(),
        subresource: attempt.subresource.to_owned(),
        namespace: attempt.home().to_owned(),
        name: attempt.name.to_owned(),
    }
}

impl Authorizer for Attempt<'_> {
    fn decide(&self, question: &Question, verb: &str) -> Decision {
        let account = question.account.as_ref().map(|(namespace, name)| {
            let mut user = User::service_account(namespace, name, "");
            user.groups.push(AUTHENTICATED.to_owned());
            user
        });
        let what = match &question.what {
            Subject::Path(path) => What::Path(path),
            Subject::Resource { group, resource, subresource, namespace, name } => {
                What::Resource { group, plural: resource, subresource, namespace, name }
            }
            Subject::Nothing | Subject::Group(_) => return Decision::default(),
        };
        let user = account.as_ref().unwrap_or(self.user);
        let rules = self.api.auth.rules(&self.api.hub);
        match rules.decide(&Attributes { user, verb, what }) {
            rbac::Decision::Allowed(why) => Decision { allowed: true, reason: why.unwrap_or_default() },
            rbac::Decision::NoOpinion(why) => Decision { allowed: false, reason: why },
        }
    }
}
