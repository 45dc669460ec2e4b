//! One thing that is to be on a server: how it stands there, and how it is put there.
//!
//! It is put there by server-side apply: what others have added to it stays, what they have changed of ours does not. No version
//! guards that. Whether an apply would change anything is found by looking, which costs the server next to nothing. What carries the
//! label [`VERSION`] of a newer Bowline is left as it is: an older one would take away what the newer one needs.

use kube::api::{ApiResource, Patch, PatchParams};
use kube::core::{ClusterResourceScope, DynamicObject};
use kube::{Api, Client, Resource, ResourceExt};
use serde::Serialize;
use serde_json::Value;

use crate::plain::plain;

/// The label that says which Bowline something is of.
const VERSION: &str = "app.kubernetes.io/version";

/// Who applies, as the server is told.
const MANAGER: &str = "bowline";

/// A thing that is to be on a server.
pub(crate) struct Piece {
    resource: ApiResource,
    /// Its name.
    pub(crate) name: String,
    wanted: Value,
}

/// How it stands there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stand {
    /// It is not there.
    Gone,
    /// It is being deleted.
    Leaving,
    /// It is there, and not as it is wanted.
    Changed,
    /// It is a definition as it is wanted, and the server does not serve it yet.
    Unserved,
    /// It is there as it is wanted.
    Same,
}

impl Piece {
    pub(crate) fn new<K>(wanted: &K) -> Result<Piece, serde_json::Error>
    where
        K: Resource<DynamicType = (), Scope = ClusterResourceScope> + Serialize,
    {
        let (resource, name) = (ApiResource::erase::<K>(&()), wanted.name_any());
        Ok(Piece { resource, name, wanted: plain(serde_json::to_value(wanted)?) })
    }

    /// Its kind.
    pub(crate) fn kind(&self) -> &str {
        &self.resource.kind
    }

    /// Whether it defines a kind: then objects of that kind go with it.
    pub(crate) fn is_definition(&self) -> bool {
        self.kind() == "CustomResourceDefinition"
    }

    /// Its version there, if it is there: cheaper than to look at all of it.
    pub(crate) async fn version(&self, client: &Client) -> Result<Option<String>, kube::Error> {
        let there = self.api(client).get_metadata_opt(&self.name).await?;
        Ok(there.and_then(|there| there.metadata.resource_version))
    }

    /// How it stands, and at which version.
    pub(crate) async fn stand(&self, client: &Client) -> Result<(Option<String>, Stand), kube::Error> {
        let Some(there) = self.api(client).get_opt(&self.name).await? else { return Ok((None, Stand::Gone)) };
        Ok((there.resource_version(), self.compare(&there)))
    }

    /// Puts it there, as it is wanted. Tells its version then.
    pub(crate) async fn apply(&self, client: &Client) -> Result<Option<String>, kube::Error> {
        let params = PatchParams::apply(MANAGER).force();
        let applied = self.api(client).patch(&self.name, &params, &Patch::Apply(&self.wanted)).await?;
        Ok(applied.resource_version())
    }

    fn compare(&self, there: &DynamicObject) -> Stand {
        // What was read is JSON.
        let fields = plain(serde_json::to_value(there).unwrap_or_default());
        if there.metadata.deletion_timestamp.is_some() {
            Stand::Leaving
        } else if !is_newer(&fields, &self.wanted)
            && (!same(&self.wanted, &fields, false) || owns_more(there, &self.wanted))
        {
            Stand::Changed
        } else if self.is_definition() && !is_established(&fields) {
            Stand::Unserved
        } else {
            Stand::Same
        }
    }

    fn api(&self, client: &Client) -> Api<DynamicObject> {
        Api::all_with(client.clone(), &self.resource)
    }
}

/// Whether one thing is of a newer Bowline than another.
fn is_newer(there: &Value, wanted: &Value) -> bool {
    let number = |thing: &Value| {
        let text = thing["metadata"]["labels"][VERSION].as_str()?;
        text.split('.').map(|part| part.parse::<u64>().ok()).collect::<Option<Vec<_>>>()
    };
    matches!((number(there), number(wanted)), (Some(there), Some(wanted)) if there > wanted)
}

/// Whether everything that is wanted is there. In lists, which are applied as a whole, nothing else may be.
fn same(wanted: &Value, there: &Value, whole: bool) -> bool {
    match (wanted, there) {
        (Value::Object(wanted), Value::Object(there)) => {
            let has = |(field, wanted)| there.get(field).is_some_and(|there| same(wanted, there, whole));
            wanted.iter().all(has) && (!whole || wanted.len() == there.len())
        }
        (Value::Array(wanted), Value::Array(there)) => {
            wanted.len() == there.len() && wanted.iter().zip(there).all(|(a, b)| same(a, b, true))
        }
        _ => wanted == there,
    }
}

/// Whether we have applied what is not wanted any more: an apply would take it away.
fn owns_more(there: &DynamicObject, wanted: &Value) -> bool {
    let entries = there.metadata.managed_fields.iter().flatten();
    let mut ours = entries.filter(|entry| {
        entry.manager.as_deref() == Some(MANAGER) && entry.operation.as_deref() == Some("Apply")
    });
    ours.any(|entry| entry.fields_v1.as_ref().is_some_and(|owned| !is_wanted(&owned.0, wanted)))
}

fn is_wanted(owned: &Value, wanted: &Value) -> bool {
    owned.as_object().into_iter().flatten().all(|(step, below)| match step.strip_prefix("f:") {
        Some(field) => wanted.get(field).is_some_and(|wanted| is_wanted(below, wanted)),
        // The thing itself, or an item of a list, and lists are compared by what they hold.
        None => true,
    })
}

fn is_established(definition: &Value) -> bool {
    let conditions = definition["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|said| said["type"] == "Established" && said["status"] == "True")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::rbac::v1::ClusterRole;
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    use serde_json::json;

    use super::*;

    fn piece<K>(wanted: Value) -> Piece
    where
        K: Resource<DynamicType = (), Scope = ClusterResourceScope> + Serialize + serde::de::DeserializeOwned,
    {
        Piece::new(&serde_json::from_value::<K>(wanted).expect("an object")).expect("a piece")
    }

    fn stands(piece: &Piece, there: &Value) -> Stand {
        piece.compare(&serde_json::from_value(there.clone()).expect("an object"))
    }

    fn role() -> Value {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": { "name": "r", "labels": { "a": "b" } },
            "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }],
        })
    }

    #[test]
    fn what_others_add_stays_but_not_in_a_list() {
        let piece = piece::<ClusterRole>(role());
        let mut there = role();
        there["metadata"]["uid"] = json!("u");
        there["metadata"]["labels"]["theirs"] = json!("c");
        assert_eq!(stands(&piece, &there), Stand::Same);
        let mut wrong = there.clone();
        wrong["rules"][0]["verbs"] = json!(["get", "delete"]);
        assert_eq!(stands(&piece, &wrong), Stand::Changed);
        let mut wrong = there.clone();
        wrong["rules"][0]["resourceNames"] = json!(["one"]);
        assert_eq!(stands(&piece, &wrong), Stand::Changed);
        let mut wrong = there.clone();
        wrong["metadata"]["labels"]["a"] = json!("c");
        assert_eq!(stands(&piece, &wrong), Stand::Changed);
        there["metadata"]["deletionTimestamp"] = json!("2026-11-16T00:00:00Z");
        assert_eq!(stands(&piece, &there), Stand::Leaving);
    }

    #[test]
    fn what_is_of_a_newer_bowline_is_left_as_it_is() {
        let of = |version: &str, verb: &str| {
            let mut role = role();
            role["metadata"]["labels"][VERSION] = json!(version);
            role["rules"][0]["verbs"] = json!([verb]);
            role
        };
        let piece = piece::<ClusterRole>(of("0.9.0", "get"));
        for (version, verb, stand) in [
            ("0.9.0", "get", Stand::Same),
            ("0.9.0", "list", Stand::Changed),
            ("0.8.12", "get", Stand::Changed),
            ("0.10.0", "list", Stand::Same),
            ("1.0.0", "get", Stand::Same),
            ("newest", "get", Stand::Changed),
        ] {
            assert_eq!(stands(&piece, &of(version, verb)), stand, "{version} {verb}");
        }
    }

    #[test]
    fn what_we_applied_and_do_not_want_any_more_goes() {
        let piece = piece::<ClusterRole>(role());
        let mut there = role();
        there["metadata"]["labels"]["old"] = json!("b");
        let by = |manager: &str, operation: &str| {
            json!([{
                "manager": manager, "operation": operation, "fieldsType": "FieldsV1",
                "fieldsV1": { "f:metadata": { "f:labels": { "f:a": {}, "f:old": {} } }, "f:rules": {} },
            }])
        };
        there["metadata"]["managedFields"] = by("others", "Apply");
        assert_eq!(stands(&piece, &there), Stand::Same);
        there["metadata"]["managedFields"] = by(MANAGER, "Update");
        assert_eq!(stands(&piece, &there), Stand::Same);
        there["metadata"]["managedFields"] = by(MANAGER, "Apply");
        assert_eq!(stands(&piece, &there), Stand::Changed);
    }

    #[test]
    fn a_definition_is_served_when_it_is_established() {
        let definition = |least: Value| {
            json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": { "name": "d" },
                "spec": {
                    "group": "g", "scope": "Cluster", "names": { "kind": "D", "plural": "ds" },
                    "versions": [{ "name": "v1", "served": true, "storage": true,
                        "schema": { "openAPIV3Schema": { "type": "integer", "minimum": least } } }],
                },
            })
        };
        let piece = piece::<CustomResourceDefinition>(definition(json!(1.0)));
        let mut there = definition(json!(1));
        assert_eq!(stands(&piece, &there), Stand::Unserved);
        there["status"] = json!({ "conditions": [{ "type": "Established", "status": "True" }] });
        there["spec"]["conversion"] = json!({ "strategy": "None" });
        assert_eq!(stands(&piece, &there), Stand::Same);
        there["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["minimum"] = json!(2);
        assert_eq!(stands(&piece, &there), Stand::Changed);
    }
}
