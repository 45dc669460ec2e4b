//! What a quota allows, and what objects take of it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::{at, object, objects, text, texts};
use crate::document::{Document, Json};
use crate::key::{PODS, Resource};
use crate::quantity::Quantity;

mod pod;
mod scopes;
#[cfg(test)]
mod tests;
mod usage;

use scopes::Scope;

/// Amounts by the names that quotas give them: `pods`, `count/deployments.apps`, `requests.storage`.
pub(crate) type Amounts = BTreeMap<String, Quantity>;

/// A quota: how much there may be of what.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Quota {
    /// How much.
    pub hard: Amounts,
    /// Of which objects only.
    scopes: Vec<Scope>,
}

/// What an object takes of quotas.
#[derive(Debug)]
pub(crate) struct Usage {
    resource: Resource,
    amounts: Amounts,
    /// What scopes look at; only pods and claims are looked at.
    json: Option<Json>,
}

impl Quota {
    /// What an object that is a quota says.
    pub(crate) fn of(document: &Document) -> Quota {
        let json = document.json();
        let spec = object(&json, "spec");
        let hard = object(spec, "hard").iter();
        let hard = hard.filter_map(|(name, value)| Some((name.clone(), quantity(value)?))).collect();
        let named = texts(spec, "scopes").map(Scope::named);
        let selected = objects(at(spec, &["scopeSelector"]), "matchExpressions").map(Scope::selected);
        Quota { hard, scopes: named.chain(selected).collect() }
    }

    /// What it counts of an object: of what it does not limit, nothing.
    pub(crate) fn counts<'a>(&'a self, usage: &'a Usage) -> impl Iterator<Item = (&'a String, Quantity)> {
        let in_scope = self.scopes.iter().all(|scope| scope.has(usage));
        let amounts = usage.amounts.iter().filter(move |(name, _)| in_scope && self.hard.contains_key(*name));
        amounts.map(|(name, amount)| (name, *amount))
    }

    /// Nothing, of all that it limits and somebody counts.
    pub(crate) fn nothing(&self) -> Amounts {
        let counted = self.hard.keys().filter(|name| usage::is_counted(name));
        counted.map(|name| (name.clone(), Quantity::whole(0))).collect()
    }

    /// What a pod has to say for it to be counted, and does not.
    pub(crate) fn unsaid(&self, usage: &Usage) -> Option<String> {
        let pod = usage.json.as_ref().filter(|_| usage.resource == *PODS)?;
        let in_scope = self.scopes.iter().all(|scope| scope.has(usage));
        if in_scope { pod::unsaid(&self.hard, pod) } else { None }
    }
}

impl Usage {
    /// What an object takes. `None` if it is of a kind that nobody counts.
    pub(crate) fn of(document: &Document) -> Option<Usage> {
        use bowline_kernel::Object;
        let resource = document.key().resource.clone();
        // Also those of `events.k8s.io`: they are the same objects.
        if resource.as_str() == "/events" {
            return None;
        }
        let json = usage::looks_inside(&resource).then(|| document.json());
        let amounts = usage::amounts(&resource, json.as_ref());
        Some(Usage { resource, amounts, json })
    }

    /// Whether somebody who changes `before` to this has to be allowed to: only of some kinds a change can take more.
    pub(crate) fn may_grow(&self, before: &Usage) -> bool {
        match self.resource.as_str() {
            "/services" | "/persistentvolumeclaims" => true,
            // A pod that comes back to life was allowed when it was made.
            "/pods" => !before.is_over() && !self.is_over(),
            _ => false,
        }
    }

    fn is_over(&self) -> bool {
        self.json.as_ref().is_some_and(pod::is_over)
    }
}

/// Whether an object is a quota.
pub(crate) fn is_quota(resource: &Resource) -> bool {
    resource.as_str() == "/resourcequotas"
}

fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => Quantity::parse(text),
        Value::Number(number) => Quantity::parse(&number.to_string()),
        _ => None,
    }
}

/// Amounts as messages show them: `pods=1,secrets=2`.
pub(crate) fn printed(amounts: &Amounts) -> String {
    let each: Vec<_> = amounts.iter().map(|(name, amount)| format!("{name}={amount}")).collect();
    each.join(",")
}

/// The amounts that an object has in a field.
fn amounts(json: &Json) -> Amounts {
    let each = json.iter().filter_map(|(name, value)| Some((name.clone(), quantity(value)?)));
    each.collect()
}

/// Amounts as they stand in the status of a quota.
pub(crate) fn read(status: &Json, name: &str) -> Amounts {
    amounts(object(status, name))
}

/// The name that a quota of counts has for a resource.
fn count_name(resource: &Resource) -> String {
    match resource.group() {
        "" => format!("count/{}", resource.plural()),
        group => format!("count/{}.{group}", resource.plural()),
    }
}

/// The class that a claim names; older ones do so by an annotation.
fn class_of(claim: &Json) -> &str {
    let noted = text(at(claim, &["metadata", "annotations"]), "volume.beta.kubernetes.io/storage-class");
    if noted.is_empty() { text(object(claim, "spec"), "storageClassName") } else { noted }
}
