//! What a stack has: objects as teams have them, but for workloads, whose health is the simulator's affair.

use anyhow::{Context, Result};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::{Value, json};

/// How long a value in a config map is, in bytes.
const TEXT: usize = 256;

/// The objects of a stack, all in the namespace `default`.
pub(crate) fn objects(stack: &str, count: usize) -> Vec<Value> {
    (0..count).map(|index| object(stack, index)).collect()
}

/// Of ten: an account, a service, a role and who has it, two secrets, four config maps.
fn object(stack: &str, index: usize) -> Value {
    let (api_version, kind, rest) = match index % 10 {
        0 => ("v1", "ServiceAccount", json!({})),
        1 => {
            let ports = json!([{ "name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080 }]);
            ("v1", "Service", json!({ "spec": { "selector": { "app": stack }, "ports": ports } }))
        }
        2 => {
            let rules = json!([{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"] }]);
            ("rbac.authorization.k8s.io/v1", "Role", json!({ "rules": rules }))
        }
        3 => {
            let role = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name(stack, index - 1) });
            let account =
                json!({ "kind": "ServiceAccount", "name": name(stack, index - 3), "namespace": "default" });
            let rest = json!({ "roleRef": role, "subjects": [account] });
            ("rbac.authorization.k8s.io/v1", "RoleBinding", rest)
        }
        4 | 5 => ("v1", "Secret", json!({ "type": "Opaque", "data": { "password": "Ym93bGluZQ==" } })),
        _ => {
            let text = |key: usize| {
                format!("{stack} {index} {key} ").repeat(TEXT).chars().take(TEXT).collect::<String>()
            };
            ("v1", "ConfigMap", json!({ "data": { "first": text(1), "second": text(2), "third": text(3) } }))
        }
    };
    let mut object = json!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": { "name": name(stack, index), "namespace": "default", "labels": { "app": stack } },
    });
    if let (Some(object), Value::Object(rest)) = (object.as_object_mut(), rest) {
        object.extend(rest);
    }
    object
}

/// An object, and its kind.
pub(crate) fn typed(object: Value) -> Result<(DynamicObject, ApiResource)> {
    let object: DynamicObject = serde_json::from_value(object)?;
    let types = object.types.as_ref().context("an object has a kind")?;
    let kind = ApiResource::from_gvk(&GroupVersionKind::try_from(types)?);
    Ok((object, kind))
}

fn name(stack: &str, index: usize) -> String {
    format!("{stack}-{index}")
}

#[cfg(test)]
mod tests {
    use bowline_bundle::{Manifest, pack};

    use super::*;

    #[test]
    fn they_can_be_submitted_and_are_others_for_each_stack() {
        let packed = |stack: &str| {
            let manifests: Result<Vec<_>, _> = objects(stack, 25).into_iter().map(Manifest::new).collect();
            pack(&manifests.expect("manifests")).expect("a bundle").spec
        };
        assert_eq!(packed("a").objects, 25);
        assert_ne!(packed("a").digest, packed("b").digest);
    }
}
