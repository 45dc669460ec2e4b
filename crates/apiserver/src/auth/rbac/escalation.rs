//! Nobody gives away what they do not have, unless they may `escalate` or `bind`.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::rule::{self, Rule};
use super::{GROUP, Rules};
use crate::auth::causes::{not_found, text};
use crate::auth::words;
use crate::authorize::{Attributes, What, refusal};
use crate::document::Json;
use crate::status::Status;
use crate::user::User;

/// A role or binding that is about to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write<'a> {
    /// `roles`, `clusterroles`, `rolebindings` or `clusterrolebindings`.
    pub plural: &'a str,
    /// Where; empty for cluster roles and their bindings.
    pub namespace: &'a str,
    /// The name in the path: empty where it is created by POST.
    pub asked: &'a str,
    /// What is there.
    pub old: Option<&'a Json>,
    /// What shall be there.
    pub new: &'a Json,
}

impl Write<'_> {
    /// The name of what is written.
    pub(super) fn name(&self) -> &str {
        self.new.get("metadata").map_or("", |metadata| text(metadata, "name"))
    }
}

/// What who sets an aggregation rule must have: it can gather anything.
static EVERYTHING: LazyLock<[Rule; 2]> = LazyLock::new(|| {
    let all = || vec!["*".to_owned()];
    let everywhere = Rule { verbs: all(), api_groups: all(), resources: all(), ..Rule::default() };
    [everywhere, Rule { verbs: all(), paths: all(), ..Rule::default() }]
});

/// Whether the user may write this role or binding, which they may write otherwise.
///
/// # Errors
/// 403 with what they lack; 404 if a binding names a role that is not there.
pub(super) fn check(rules: &Rules, user: &User, write: &Write<'_>) -> Result<(), Status> {
    let only_upkeep = write.old.is_some_and(|old| is_upkeep(old, write.new));
    if only_upkeep {
        return Ok(());
    }
    match write.plural {
        "roles" | "clusterroles" => check_role(rules, user, write),
        "rolebindings" | "clusterrolebindings" => check_binding(rules, user, write),
        _ => Ok(()),
    }
}

fn check_role(rules: &Rules, user: &User, write: &Write<'_>) -> Result<(), Status> {
    if may(rules, user, "escalate", write.plural, write.namespace, write.asked) {
        return Ok(());
    }
    let refuse = |why: &str| refusal(GROUP, write.plural, write.name(), why);
    let wanted = Rule::of_role(&json!({ "rules": write.new.get("rules") }));
    covered(rules, user, write, &wanted).map_err(|why| refuse(&why))?;
    if [Some(write.new), write.old].into_iter().flatten().any(aggregates) {
        covered(rules, user, write, &*EVERYTHING)
            .map_err(|_| refuse("must have cluster-admin privileges to use the aggregationRule"))?;
    }
    Ok(())
}

fn aggregates(role: &Json) -> bool {
    let selectors = role.get("aggregationRule").and_then(|rule| rule.get("clusterRoleSelectors"));
    selectors.and_then(Value::as_array).is_some_and(|selectors| !selectors.is_empty())
}

fn check_binding(rules: &Rules, user: &User, write: &Write<'_>) -> Result<(), Status> {
    let nothing = Value::Null;
    let reference = write.new.get("roleRef").unwrap_or(&nothing);
    let (kind, name) = (text(reference, "kind"), text(reference, "name"));
    let plural = match kind {
        "ClusterRole" => "clusterroles",
        "Role" => "roles",
        _ => {
            let why = format!("unsupported role reference kind: {}", words::quote(kind));
            return Err(Status::failure(http::StatusCode::INTERNAL_SERVER_ERROR, "", why));
        }
    };
    if may(rules, user, "bind", plural, write.namespace, name) {
        return Ok(());
    }
    // The real server speaks of the binding's resource here, too.
    let role = rules.role(kind, write.namespace, name).map_err(|_| not_found(GROUP, write.plural, name))?;
    covered(rules, user, write, &role.rules).map_err(|why| refusal(GROUP, write.plural, write.name(), &why))
}

fn may(rules: &Rules, user: &User, verb: &str, plural: &str, namespace: &str, name: &str) -> bool {
    let what = What::Resource { group: GROUP, plural, subresource: "", namespace, name };
    rules.allow(&Attributes { user, verb, what })
}

/// Whether the user has all this; if not, what they lack.
fn covered(rules: &Rules, user: &User, write: &Write<'_>, wanted: &[Rule]) -> Result<(), String> {
    let missing = rule::missing(rules.of(user, write.namespace), wanted);
    if missing.is_empty() {
        return Ok(());
    }
    let mut lines: Vec<_> = rule::compact(missing).iter().map(Rule::describe).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut why = format!(
        "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
        words::quote(&user.name),
        words::quote_all(user.groups.iter().map(String::as_str)),
        lines.join("\n")
    );
    if let Some(troubles) = rules.missing_roles(user, write.namespace, Some(write.plural)) {
        why.push_str(&format!("; resolution errors: [{troubles}]"));
    }
    Err(why)
}

/// Whether only that changes by which the collector works, so that it can delete what it may not grant.
fn is_upkeep(old: &Json, new: &Json) -> bool {
    let rest = |json: &Json| {
        let mut json = json.clone();
        json.remove("apiVersion");
        json.remove("kind");
        if let Some(Value::Object(metadata)) = json.get_mut("metadata") {
            for field in ["ownerReferences", "finalizers", "managedFields", "resourceVersion", "selfLink"] {
                metadata.remove(field);
            }
        }
        without_nothing(json)
    };
    rest(old) == rest(new)
}

/// `rules: null` says the same as no rules.
fn without_nothing(json: Json) -> Map<String, Value> {
    json.into_iter().filter(|(_, value)| !value.is_null() && *value != json!([])).collect()
}
