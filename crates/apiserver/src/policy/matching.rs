//! Which requests a policy or a binding is about.

use std::sync::Arc;

use serde_json::Value;

use super::{Attempt, Operation, labels};
use crate::builtin::{self, fields};
use crate::document::Json;
use crate::key::Key;
use crate::kinds::Kind;

/// What a policy or a binding is about.
#[derive(Debug)]
pub(super) struct Matching {
    rules: Vec<Rule>,
    excluded: Vec<Rule>,
    /// Whether a resource is also meant by its other names.
    equivalent: bool,
    namespaces: Value,
    objects: Value,
}

#[derive(Debug)]
struct Rule {
    names: Vec<String>,
    operations: Vec<String>,
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
    scope: String,
}

/// The name of a resource by which it is meant, if it is not the one that was asked for.
pub(super) type Meant = Option<Arc<Kind>>;

impl Matching {
    /// What an object says.
    pub(super) fn of(json: &Json) -> Matching {
        let rules = |name: &str| fields::objects(json, name).map(Rule::of).collect();
        let selector = |name: &str| Value::Object(fields::object(json, name).clone());
        Matching {
            rules: rules("resourceRules"),
            excluded: rules("excludeResourceRules"),
            equivalent: fields::text(json, "matchPolicy") != "Exact",
            namespaces: selector("namespaceSelector"),
            objects: selector("objectSelector"),
        }
    }

    /// Whether a request can be meant, whatever object it is about.
    pub(super) fn may_mean(&self, kinds: &[Arc<Kind>], kind: &Kind, subresource: &str) -> bool {
        let means = |kind: &Kind| self.rules.iter().any(|rule| rule.has_resource(kind, subresource));
        self.rules.is_empty()
            || means(kind)
            || self.equivalent && equivalents(kinds, kind).any(|kind| means(kind))
    }

    /// Whether a request is meant, and by which name of its resource.
    pub(super) fn means(&self, attempt: &Attempt<'_>) -> Option<Meant> {
        let selected = self.selects_namespace(attempt) && self.selects_object(attempt);
        if !selected || self.find(&self.excluded, attempt).is_some() {
            return None;
        }
        if self.rules.is_empty() { Some(None) } else { self.find(&self.rules, attempt) }
    }

    fn find(&self, rules: &[Rule], attempt: &Attempt<'_>) -> Option<Meant> {
        if rules.iter().any(|rule| rule.means(attempt, attempt.kind)) {
            return Some(None);
        }
        if !self.equivalent {
            return None;
        }
        let kinds = attempt.api.kinds();
        let others = || equivalents(kinds.all(), attempt.kind);
        let found = rules.iter().find_map(|rule| others().find(|kind| rule.means(attempt, kind)));
        found.map(|kind| Some(Arc::clone(kind)))
    }

    fn selects_namespace(&self, attempt: &Attempt<'_>) -> bool {
        let home = attempt.home();
        // What is in no namespace is never left out by this.
        if (home.is_empty() && !attempt.is_namespace()) || is_empty(&self.namespaces) {
            return true;
        }
        if attempt.is_namespace() && attempt.subresource.is_empty() && attempt.operation != Operation::Delete
        {
            return selects(&self.namespaces, attempt.object.and_then(labels));
        }
        let found = attempt.api.hub.view().get(&Key::namespace(home)).map(|found| found.json());
        selects(&self.namespaces, found.as_ref().and_then(labels))
    }

    fn selects_object(&self, attempt: &Attempt<'_>) -> bool {
        let one = |object: Option<&Json>| object.is_some_and(|object| selects(&self.objects, labels(object)));
        is_empty(&self.objects) || one(attempt.object) || one(attempt.old)
    }
}

/// Other versions and groups of the same resource.
fn equivalents<'k>(kinds: &'k [Arc<Kind>], kind: &'k Kind) -> impl Iterator<Item = &'k Arc<Kind>> {
    kinds.iter().filter(move |other| {
        other.resource == kind.resource && (&other.group, &other.version) != (&kind.group, &kind.version)
    })
}

fn is_empty(selector: &Value) -> bool {
    let none = |name: &str| match &selector[name] {
        Value::Object(map) => map.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => true,
    };
    none("matchLabels") && none("matchExpressions")
}

fn selects(selector: &Value, labels: Option<&Json>) -> bool {
    builtin::selects(Some(selector), labels.unwrap_or(&Json::new()))
}

impl Rule {
    fn of(json: &Json) -> Rule {
        let texts = |name: &str| fields::texts(json, name).map(str::to_owned).collect();
        Rule {
            names: texts("resourceNames"),
            operations: texts("operations"),
            groups: texts("apiGroups"),
            versions: texts("apiVersions"),
            resources: texts("resources"),
            scope: fields::text(json, "scope").to_owned(),
        }
    }

    fn has_resource(&self, kind: &Kind, subresource: &str) -> bool {
        let part = |wanted: &str, is: &str| wanted == "*" || wanted == is;
        let resource = self.resources.iter().any(|both| {
            let (resource, sub) = both.split_once('/').unwrap_or((both, ""));
            part(resource, &kind.plural) && part(sub, subresource)
        });
        resource && has(&self.groups, &kind.group) && has(&self.versions, &kind.version)
    }

    fn means(&self, attempt: &Attempt<'_>, kind: &Kind) -> bool {
        let clustered = attempt.is_namespace() || attempt.namespace.is_empty();
        let scope = match self.scope.as_str() {
            "Namespaced" => !clustered,
            "Cluster" => clustered,
            _ => true,
        };
        let named = self.names.is_empty() || self.names.iter().any(|name| name == attempt.name);
        scope
            && named
            && has(&self.operations, attempt.operation.name())
            && self.has_resource(kind, attempt.subresource)
    }
}

fn has(list: &[String], wanted: &str) -> bool {
    list.iter().any(|item| item == "*" || item == wanted)
}
