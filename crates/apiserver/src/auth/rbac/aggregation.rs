//! Cluster roles whose rules are those of others.

use bowline_kernel::{Object as _, View};
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::{CLUSTER_ROLES, GROUP, Rule, objects, selector};
use crate::document::{Document, Json};
use crate::key::Key;

/// Who writes the rules: the manager of the field.
pub(crate) const MANAGER: &str = "clusterrole-aggregation-controller";

/// The cluster roles whose rules are not what they gather, and what they gather.
pub(crate) fn updates(view: &View<Document>) -> Vec<(Key, Value)> {
    let roles: Vec<(&Document, Value)> =
        objects(view, &CLUSTER_ROLES).map(|role| (&**role, Value::Object(role.json()))).collect();
    let mut updates = Vec::new();
    for (role, json) in &roles {
        let Some(selectors) = json["aggregationRule"]["clusterRoleSelectors"].as_array() else { continue };
        let gathered = gather(role, selectors, &roles);
        if gathered != Rule::of_role(json) {
            updates.push((role.key().clone(), json!(gathered)));
        }
    }
    updates
}

/// What is applied to a cluster role so that it has these rules.
pub(crate) fn config(name: &str, rules: &Value) -> Json {
    let mut config = Json::new();
    config.insert("apiVersion".into(), format!("{GROUP}/v1").into());
    config.insert("kind".into(), "ClusterRole".into());
    config.insert("metadata".into(), json!({ "name": name }));
    config.insert("rules".into(), rules.clone());
    config
}

/// In the order of the selectors, then of the names; each rule once.
fn gather(role: &Document, selectors: &[Value], roles: &[(&Document, Value)]) -> Vec<Rule> {
    let mut gathered: Vec<Rule> = Vec::new();
    for each in selectors {
        for (other, json) in roles {
            if other.key() == role.key() || !selector::matches(each, |name| other.label(name)) {
                continue;
            }
            for rule in json["rules"].as_array().into_iter().flatten() {
                // A rule that cannot be read allows nothing, and is not passed on.
                let Ok(rule) = Rule::deserialize(rule) else { continue };
                if !gathered.contains(&rule) {
                    gathered.push(rule);
                }
            }
        }
    }
    gathered
}
