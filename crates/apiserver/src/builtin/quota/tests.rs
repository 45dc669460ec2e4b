//! What objects take of quotas.

use serde_json::{Value, json};

use super::*;
use crate::document::Counting;
use crate::key::Key;

fn usage(plural: &str, mut json: Value) -> Usage {
    let (group, plural) = plural.split_once('/').unwrap_or(("", plural));
    json["metadata"] = json!({ "name": "x", "uid": "1" });
    let key = Key::new(Resource::new(group, plural), "n", "x");
    let json = json.as_object().expect("an object");
    let document = Document::new(key, json, Counting::Nothing, &|_, _, _, _| None).expect("it has metadata");
    Usage::of(&document).expect("it is counted")
}

#[track_caller]
fn check(plural: &str, json: Value, expected: &str) {
    assert_eq!(printed(&usage(plural, json).amounts), expected);
}

#[test]
fn objects_are_counted_by_their_resource() {
    check("secrets", json!({}), "count/secrets=1,secrets=1");
    check("apps/deployments", json!({}), "count/deployments.apps=1");
    check("test.dev/things", json!({}), "count/things.test.dev=1");
    check("serviceaccounts", json!({}), "count/serviceaccounts=1");
}

#[test]
fn services_take_ports_of_nodes_and_balancers() {
    let service = |kind: &str| json!({ "spec": { "type": kind, "ports": [{ "nodePort": 1 }, {}] } });
    let rest = "services=1,services.loadbalancers";
    check("services", service("ClusterIP"), &format!("count/services=1,{rest}=0,services.nodeports=0"));
    check("services", service("NodePort"), &format!("count/services=1,{rest}=0,services.nodeports=2"));
    check("services", service("LoadBalancer"), &format!("count/services=1,{rest}=1,services.nodeports=2"));
    let mut only = service("LoadBalancer");
    only["spec"]["allocateLoadBalancerNodePorts"] = false.into();
    check("services", only, &format!("count/services=1,{rest}=1,services.nodeports=1"));
}

#[test]
fn claims_take_storage_of_their_class() {
    let claim =
        json!({ "spec": { "storageClassName": "gold", "resources": { "requests": { "storage": "1Gi" } } } });
    let gold = "gold.storageclass.storage.k8s.io";
    let expected = format!(
        "count/persistentvolumeclaims=1,{gold}/persistentvolumeclaims=1,{gold}/requests.storage=1Gi,\
         persistentvolumeclaims=1,requests.storage=1Gi"
    );
    check("persistentvolumeclaims", claim, &expected);
}

fn container(cpu: &str) -> Value {
    json!({ "name": "c", "resources": { "requests": { "cpu": cpu } } })
}

#[test]
fn pods_take_what_they_need_at_their_worst_moment() {
    let pod = json!({ "spec": {
        "containers": [container("100m"), container("200m")],
        "initContainers": [container("250m")],
    } });
    check("pods", pod.clone(), "count/pods=1,cpu=300m,pods=1,requests.cpu=300m");
    let mut sidecar = container("50m");
    sidecar["restartPolicy"] = "Always".into();
    let mut pod = pod;
    pod["spec"]["initContainers"] = json!([sidecar, container("400m")]);
    check("pods", pod.clone(), "count/pods=1,cpu=450m,pods=1,requests.cpu=450m");
    pod["spec"]["overhead"] = json!({ "cpu": "50m" });
    check("pods", pod.clone(), "count/pods=1,cpu=500m,pods=1,requests.cpu=500m");
    pod["spec"]["resources"] = json!({ "requests": { "cpu": "1" } });
    check("pods", pod.clone(), "count/pods=1,cpu=1050m,pods=1,requests.cpu=1050m");
    pod["status"] = json!({ "phase": "Succeeded" });
    check("pods", pod, "count/pods=1");
    let devices = json!({ "spec": { "containers": [{
        "resources": { "requests": { "test.dev/gpu": "2" }, "limits": { "test.dev/gpu": "2", "memory": "1Gi" } },
    }] } });
    check("pods", devices, "count/pods=1,limits.memory=1Gi,pods=1,requests.test.dev/gpu=2");
}

#[test]
fn scopes_choose_pods() {
    let pod = |spec: Value| usage("pods", json!({ "spec": spec }));
    let selected = |name: &str, operator: &str, values: Value| {
        let scope = json!({ "scopeName": name, "operator": operator, "values": values });
        Scope::selected(scope.as_object().expect("an object"))
    };
    assert!(Scope::named("BestEffort").has(&pod(json!({ "containers": [{}] }))));
    assert!(!Scope::named("BestEffort").has(&pod(json!({ "containers": [container("1")] }))));
    assert!(Scope::named("NotBestEffort").has(&pod(json!({ "containers": [container("1")] }))));
    assert!(Scope::named("Terminating").has(&pod(json!({ "activeDeadlineSeconds": 0 }))));
    assert!(Scope::named("NotTerminating").has(&pod(json!({}))));
    assert!(!Scope::named("NotTerminating").has(&usage("secrets", json!({}))));
    let high = pod(json!({ "priorityClassName": "high" }));
    for (operator, values, expected) in [
        ("In", json!(["high"]), true),
        ("In", json!(["low"]), false),
        ("NotIn", json!(["low"]), true),
        ("Exists", json!([]), true),
        ("DoesNotExist", json!([]), false),
    ] {
        assert_eq!(selected("PriorityClass", operator, values).has(&high), expected, "{operator}");
    }
    let near = json!({ "affinity": { "podAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [{ "namespaces": ["other"] }],
    } } });
    assert!(Scope::named("CrossNamespacePodAffinity").has(&pod(near)));
    assert!(!Scope::named("CrossNamespacePodAffinity").has(&pod(json!({}))));
}
