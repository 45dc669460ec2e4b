//! The metadata that every object has: custom resources do not describe it.

use std::sync::{Arc, LazyLock};

use serde_json::json;

use super::Definitions;

/// The name of the definition of resource metadata.
pub(crate) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const MANAGED_FIELDS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry";
const OWNER_REFERENCE: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference";

/// What custom resources refer to.
pub(crate) fn definitions() -> Arc<Definitions> {
    static DEFINITIONS: LazyLock<Arc<Definitions>> = LazyLock::new(|| Arc::new(parse()));
    Arc::clone(&DEFINITIONS)
}

fn parse() -> Definitions {
    let string = || json!({"type": "string"});
    let number = || json!({"type": "integer", "format": "int64"});
    let time = || json!({"type": "string", "format": "date-time"});
    let boolean = || json!({"type": "boolean"});
    let strings = || json!({"type": "object", "additionalProperties": {"type": "string"}});
    Definitions::parse(&json!({
        OBJECT_META: {
            "type": "object",
            "properties": {
                "annotations": strings(),
                "creationTimestamp": time(),
                "deletionGracePeriodSeconds": number(),
                "deletionTimestamp": time(),
                "finalizers": {"type": "array", "items": string(), "x-kubernetes-list-type": "set",
                    "x-kubernetes-patch-strategy": "merge"},
                "generateName": string(),
                "generation": number(),
                "labels": strings(),
                "managedFields": {"type": "array", "items": {"$ref": MANAGED_FIELDS},
                    "x-kubernetes-list-type": "atomic"},
                "name": string(),
                "namespace": string(),
                "ownerReferences": {"type": "array", "items": {"$ref": OWNER_REFERENCE},
                    "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"],
                    "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "uid"},
                "resourceVersion": string(),
                "selfLink": string(),
                "uid": string(),
            },
        },
        OWNER_REFERENCE: {
            "type": "object",
            "x-kubernetes-map-type": "atomic",
            "properties": {
                "apiVersion": string(),
                "blockOwnerDeletion": boolean(),
                "controller": boolean(),
                "kind": string(),
                "name": string(),
                "uid": string(),
            },
        },
        MANAGED_FIELDS: {
            "type": "object",
            "properties": {
                "apiVersion": string(),
                "fieldsType": string(),
                "fieldsV1": {"type": "object"},
                "manager": string(),
                "operation": string(),
                "subresource": string(),
                "time": time(),
            },
        },
    }))
}
