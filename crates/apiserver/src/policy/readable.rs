//! Who has a policy read objects must be able to read them: it may say what is in them.

use bowline_merge::FieldError;

use super::{BINDINGS, GROUP, POLICIES};
use crate::auth::rbac;
use crate::authorize::{Attributes, What};
use crate::builtin::fields;
use crate::document::Json;
use crate::key::{Key, Resource};
use crate::kinds::Kind;
use crate::user::{MASTERS, User};
use crate::verbs::Write;

/// What is wrong with a policy or a binding that its writer must not write.
pub(crate) fn check(write: &Write, new: &Json, old: Option<&Json>) -> Vec<FieldError> {
    if &*write.kind.group != GROUP || write.user.is_in(MASTERS) {
        return Vec::new();
    }
    let refused = match &*write.kind.plural {
        POLICIES => policy(write, new, old).map(|why| FieldError::forbidden("spec.paramKind", why)),
        BINDINGS => binding(write, new, old).map(|why| FieldError::forbidden("spec.paramRef", why)),
        _ => None,
    };
    refused.into_iter().collect()
}

fn policy(write: &Write, new: &Json, old: Option<&Json>) -> Option<String> {
    let of = |json: &Json| fields::maybe_object(fields::object(json, "spec"), "paramKind").cloned();
    let kind = of(new)?;
    if old.and_then(of).as_ref() == Some(&kind) {
        return None;
    }
    let (group, plural) = resource(write, &kind);
    let what = What::Resource { group: &group, plural: &plural, subresource: "", namespace: "*", name: "*" };
    if may(write, "get", what) {
        return None;
    }
    let (name, version) = (fields::text(&kind, "kind"), fields::text(&kind, "apiVersion"));
    Some(format!(
        "user {} must have \"get\" permission on all objects of the referenced paramKind (kind={name}, \
         apiVersion={version})",
        shown(&write.user)
    ))
}

fn binding(write: &Write, new: &Json, old: Option<&Json>) -> Option<String> {
    let spec = fields::object(new, "spec");
    let reference = fields::maybe_object(spec, "paramRef")?;
    let policy = fields::text(spec, "policyName");
    let same = |old: &Json| {
        let old = fields::object(old, "spec");
        old.get("paramRef") == spec.get("paramRef") && fields::text(old, "policyName") == policy
    };
    if old.is_some_and(same) {
        return None;
    }
    let key = Key::new(Resource::new(GROUP, POLICIES), "", policy);
    let found = write.api.hub.view().get(&key).map(|policy| policy.json());
    let kind =
        found.as_ref().and_then(|policy| fields::maybe_object(fields::object(policy, "spec"), "paramKind"));
    let (group, plural) = kind.map_or_else(|| ("*".to_owned(), "*".to_owned()), |kind| resource(write, kind));
    let (name, namespace) = (fields::text(reference, "name"), fields::text(reference, "namespace"));
    let verb = if name.is_empty() { "list" } else { "get" };
    if may(write, verb, What::Resource { group: &group, plural: &plural, subresource: "", namespace, name }) {
        return None;
    }
    let user = shown(&write.user);
    Some(match (&found, plural.as_str()) {
        (None, _) => format!(
            "unable to get policy {policy} to determine minimum required permissions and user {user} does not have \
             \"{verb}\" permission for all groups, versions and resources"
        ),
        (Some(_), _) => {
            format!("user {user} does not have \"{verb}\" permission on the object referenced by paramRef")
        }
    })
}

/// Group and plural name of a kind; who names one that there is not must be able to read everything of the group.
fn resource(write: &Write, kind: &Json) -> (String, String) {
    let (version, name) = (fields::text(kind, "apiVersion"), fields::text(kind, "kind"));
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kinds = write.api.kinds();
    let found = kinds
        .all()
        .iter()
        .find(|kind: &&std::sync::Arc<Kind>| kind.api_version() == version && *kind.kind == *name);
    (group.to_owned(), found.map_or_else(|| "*".to_owned(), |kind| kind.plural.to_string()))
}

fn may(write: &Write, verb: &str, what: What<'_>) -> bool {
    let rules = write.api.auth.rules(&write.api.hub);
    let attributes = Attributes { user: &write.user, verb, what };
    matches!(rules.decide(&attributes), rbac::Decision::Allowed(_))
}

/// A user as Go prints one.
fn shown(user: &User) -> String {
    let extra: Vec<_> =
        user.extra.iter().map(|(key, values)| format!("{key}:[{}]", values.join(" "))).collect();
    format!("&{{{} {} [{}] map[{}]}}", user.name, user.uid, user.groups.join(" "), extra.join(" "))
}
