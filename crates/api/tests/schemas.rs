//! Types and schemas say the same: whatever a schema lets in can be read, and nothing of it is lost.

mod arbitrary;

use bowline_api::identities::{IamPolicy, IamRole, IamRoleServiceAccount, IamTombstone};
use bowline_api::placements::{Placement, SyncTarget, VolumeGrant};
use bowline_api::updates::{Bundle, Cluster, KubeconfigSecretRef, Stack, Update};
use bowline_api::upgrades::{Device, HttpProbe, Member, NodeGroup, Notify, Probe, Software};
use bowline_api::{GROUP, VERSION, crds, definition};
use bowline_merge::{FieldPath, Schema};
use kube::CustomResourceExt;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The schema of a kind, as a server is given it.
fn schema_of<K: CustomResourceExt>() -> Value {
    let definition = definition::<K>();
    let schema =
        definition.spec.versions[0].schema.as_ref().and_then(|schema| schema.open_api_v3_schema.as_ref());
    serde_json::to_value(schema).expect("a schema is JSON")
}

fn structural(schema: &Value) -> Schema {
    Schema::structural(schema, &FieldPath::Root).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// An object of the kind with these parts.
fn object<K: CustomResourceExt>(parts: &Value) -> Value {
    let resource = K::api_resource();
    let mut object =
        json!({"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "x"}});
    for (key, value) in parts.as_object().into_iter().flatten() {
        object[key.as_str()] = value.clone();
    }
    object
}

/// What the schema lets in is read, and written again, as the server would store it.
fn goes_round<K>() -> Result<(), TestCaseError>
where
    K: CustomResourceExt + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let schema = schema_of::<K>();
    let rules = structural(&schema);
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let run = runner.run(&arbitrary::value(&schema), |parts| {
        let given = object::<K>(&parts);
        let complaints = rules.validate(&given);
        prop_assert!(complaints.is_empty(), "{complaints:?}\n{given:#}");
        let mut stored = given.clone();
        rules.default(&mut stored);
        let read: K = serde_json::from_value(given.clone())
            .map_err(|e| TestCaseError::fail(format!("{e}\n{given:#}")))?;
        let written = serde_json::to_value(&read).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&written, &stored, "what is written differs from what is stored");
        let again: K = serde_json::from_value(written).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(again, read);
        Ok(())
    });
    run.map_err(|error| TestCaseError::fail(format!("{}: {error}", K::crd_name())))
}

#[test]
fn whatever_a_schema_lets_in_goes_round() -> Result<(), TestCaseError> {
    goes_round::<Cluster>()?;
    goes_round::<Stack>()?;
    goes_round::<Update>()?;
    goes_round::<Bundle>()?;
    goes_round::<NodeGroup>()?;
    goes_round::<Member>()?;
    goes_round::<Device>()?;
    goes_round::<IamRoleServiceAccount>()?;
    goes_round::<IamPolicy>()?;
    goes_round::<IamRole>()?;
    goes_round::<IamTombstone>()?;
    goes_round::<SyncTarget>()?;
    goes_round::<Placement>()?;
    goes_round::<VolumeGrant>()
}

/// `Default` has what the schema fills in, what is required, and nothing else.
fn default_is_the_schemas<T: Default + Serialize>(schema: &Value) {
    let value = serde_json::to_value(T::default()).expect("it is JSON");
    let required: Vec<_> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut expected = Map::new();
    for (name, property) in schema["properties"].as_object().expect("it has fields") {
        let of_type = value.get(name).filter(|_| required.contains(&name.as_str()));
        if let Some(filled_in) = property.get("default").or(of_type) {
            expected.insert(name.clone(), filled_in.clone());
        }
    }
    assert_eq!(value, Value::Object(expected));
}

#[test]
fn what_the_schema_fills_in_is_the_default_of_the_type() {
    fn of_kind<K: CustomResourceExt, Spec: Default + Serialize, Status: Default + Serialize>() {
        let schema = schema_of::<K>();
        default_is_the_schemas::<Spec>(&schema["properties"]["spec"]);
        default_is_the_schemas::<Status>(&schema["properties"]["status"]);
    }
    use bowline_api::identities::*;
    use bowline_api::placements::*;
    use bowline_api::updates::*;
    use bowline_api::upgrades::*;
    of_kind::<Cluster, ClusterSpec, ClusterStatus>();
    of_kind::<Stack, StackSpec, StackStatus>();
    of_kind::<Update, UpdateSpec, UpdateStatus>();
    default_is_the_schemas::<BundleSpec>(&schema_of::<Bundle>()["properties"]["spec"]);
    of_kind::<NodeGroup, NodeGroupSpec, NodeGroupStatus>();
    of_kind::<Member, MemberSpec, MemberStatus>();
    of_kind::<Device, DeviceSpec, DeviceStatus>();
    of_kind::<IamRoleServiceAccount, IamRoleServiceAccountSpec, IamRoleServiceAccountStatus>();
    of_kind::<IamPolicy, IamPolicySpec, IamPolicyStatus>();
    of_kind::<IamRole, IamRoleSpec, IamRoleStatus>();
    default_is_the_schemas::<IamTombstoneSpec>(&schema_of::<IamTombstone>()["properties"]["spec"]);
    of_kind::<SyncTarget, SyncTargetSpec, SyncTargetStatus>();
    of_kind::<Placement, PlacementSpec, PlacementStatus>();
    of_kind::<VolumeGrant, VolumeGrantSpec, VolumeGrantStatus>();
}

#[test]
fn so_it_is_of_parts_that_have_a_default_written_by_hand() {
    let cluster = schema_of::<Cluster>();
    let group = schema_of::<NodeGroup>();
    let software = &group["properties"]["spec"]["properties"]["versions"]["items"];
    let probe = &software["properties"]["probe"];
    default_is_the_schemas::<KubeconfigSecretRef>(
        &cluster["properties"]["spec"]["properties"]["kubeconfigSecretRef"],
    );
    default_is_the_schemas::<bowline_api::updates::Quota>(
        &cluster["properties"]["spec"]["properties"]["quota"],
    );
    default_is_the_schemas::<Software>(software);
    default_is_the_schemas::<Probe>(probe);
    default_is_the_schemas::<HttpProbe>(&probe["properties"]["http"]);
    default_is_the_schemas::<Notify>(&software["properties"]["notify"]);
}

/// Each schema in a schema, with the way to it.
fn visit(schema: &Value, path: &str, look: &mut impl FnMut(&str, &Value)) {
    look(path, schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        visit(property, &format!("{path}.{name}"), look);
    }
    for part in ["items", "additionalProperties"] {
        if schema[part].is_object() {
            visit(&schema[part], &format!("{path}[]"), look);
        }
    }
}

fn each(mut look: impl FnMut(&str, &Value)) {
    for definition in crds() {
        let value = serde_json::to_value(&definition).expect("it is JSON");
        let schema = &value["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        visit(schema, &definition.spec.names.kind, &mut look);
    }
}

#[test]
fn everything_is_explained_and_bounded() {
    let mut fields = 0;
    each(|path, schema| {
        fields += 1;
        assert!(schema.get("nullable").is_none(), "{path} lets null in as a value");
        for combined in ["anyOf", "oneOf", "allOf", "not"] {
            assert!(schema.get(combined).is_none(), "{path} has {combined}");
        }
        if !path.ends_with("[]") {
            assert!(schema["description"].is_string(), "{path} is not explained");
        }
        match schema["type"].as_str() {
            Some("array") => {
                assert!(schema["maxItems"].is_u64(), "{path} has no end");
                assert!(schema["x-kubernetes-list-type"].is_string(), "{path} does not say how it is merged");
            }
            Some("integer") => {
                assert!(
                    schema["maximum"].is_number() && schema["minimum"].is_number(),
                    "{path} has no bounds"
                );
            }
            Some("string") => {
                let bounded =
                    ["maxLength", "enum", "format"].iter().any(|keyword| schema.get(keyword).is_some());
                assert!(bounded, "{path} has no end");
            }
            Some("object" | "boolean") => {}
            other => assert!(path.ends_with(".resource"), "{path} is {other:?}"),
        }
    });
    assert!(fields > 300, "only {fields} were seen");
}

#[test]
fn every_rule_says_in_words_what_is_wrong() {
    let mut rules = 0;
    each(|path, schema| {
        for rule in schema["x-kubernetes-validations"].as_array().into_iter().flatten() {
            rules += 1;
            assert!(rule["message"].as_str().is_some_and(|message| !message.is_empty()), "{path}: {rule}");
        }
    });
    assert!(rules > 30, "only {rules} were seen");
}

#[test]
fn kinds_are_where_the_design_says() {
    let of_scope = |scope: &str| -> Vec<String> {
        let all = crds().into_iter().filter(|definition| definition.spec.scope == scope);
        all.map(|definition| definition.spec.names.kind).collect()
    };
    assert_eq!(of_scope("Cluster"), ["Cluster", "IamTombstone", "SyncTarget", "VolumeGrant"]);
    assert_eq!(of_scope("Namespaced").len(), 10);
    for definition in crds() {
        let version = &definition.spec.versions[0];
        let kind = &definition.spec.names.kind;
        assert_eq!((definition.spec.group.as_str(), version.name.as_str()), (GROUP, VERSION));
        assert_eq!(definition.spec.names.categories.as_deref(), Some(&["bowline".to_owned()][..]), "{kind}");
        let columns: Vec<_> = version
            .additional_printer_columns
            .iter()
            .flatten()
            .map(|column| column.name.to_uppercase())
            .collect();
        assert_eq!(columns.last().map(String::as_str), Some("AGE"), "{kind}");
        let status = version.subresources.as_ref().is_some_and(|subresources| subresources.status.is_some());
        assert_eq!(status, !["Bundle", "IamTombstone"].contains(&kind.as_str()), "{kind}");
        let promised = match kind.as_str() {
            "Update" => "STACK VERSION PHASE PROGRESS MESSAGE AGE",
            "Stack" => "CLUSTER PHASE APPLIED LASTGOOD MESSAGE AGE",
            "NodeGroup" => "PHASE SERVING TARGET MEMBERS READY MODE MOVING MESSAGE AGE",
            "Member" => "GROUP VERSION DESIRED PHASE MESSAGE AGE",
            "Device" => "GROUP MASTER EPOCH AGE",
            "IamRoleServiceAccount" => "READY ROLE-ARN MESSAGE AGE",
            "Placement" => "HOLDER DESIRED PHASE EPOCH MESSAGE AGE",
            _ => continue,
        };
        assert_eq!(columns.join(" "), promised, "{kind}");
    }
}
