//! Objects of built-in kinds with much to read in them, and where they are sent.

use serde_json::{Value, json};

/// A line with the path, and the object.
pub(crate) fn kinds() -> Vec<Vec<u8>> {
    let all = [of_core(), of_groups(), of_clusters()].into_iter().flatten();
    all.map(|(path, object)| format!("{path}\n{object}").into_bytes()).collect()
}

fn pod() -> Value {
    let container = json!({ "name": "c", "image": "i", "env": [{ "name": "E", "valueFrom": { "fieldRef": { "fieldPath": "metadata.labels['a']" } } }],
        "livenessProbe": { "httpGet": { "path": "/x", "port": "http" } }, "ports": [{ "name": "http", "containerPort": 80, "hostPort": 1 }],
        "resources": { "limits": { "cpu": "1", "memory": "1Gi" } }, "volumeMounts": [{ "name": "v", "mountPath": "/v", "subPath": "a" }] });
    let term = json!({ "matchExpressions": [{ "key": "k", "operator": "Gt", "values": ["1"] }] });
    let affinity = json!({ "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": [term] } } });
    json!({ "containers": [container], "affinity": affinity, "tolerations": [{ "key": "t", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5 }],
        "volumes": [{ "name": "v", "projected": { "sources": [{ "configMap": { "name": "m", "items": [{ "key": "a", "path": "../b", "mode": 420 }] } }] } }],
        "hostAliases": [{ "ip": "10.0.0.1", "hostnames": ["h"] }], "dnsConfig": { "nameservers": ["1.1.1.1"], "options": [{ "name": "ndots", "value": "5" }] } })
}

fn of_core() -> Vec<(String, Value)> {
    let core = |plural: &str| format!("/api/v1/namespaces/default/{plural}");
    vec![
        (core("pods"), json!({ "metadata": { "name": "p", "annotations": { "a": "b" } }, "spec": pod() })),
        (
            core("services"),
            json!({ "metadata": { "name": "s" }, "spec": { "type": "LoadBalancer", "clusterIP": "None", "externalIPs": ["1.2.3.4"],
            "loadBalancerSourceRanges": ["10.0.0.0/8"], "ipFamilies": ["IPv4"], "ports": [{ "name": "a", "port": 80, "targetPort": "x", "nodePort": 30080 }] } }),
        ),
        (
            core("persistentvolumeclaims"),
            json!({ "metadata": { "name": "c" }, "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } } }),
        ),
        (
            core("resourcequotas"),
            json!({ "metadata": { "name": "q" }, "spec": { "hard": { "count/pods": "5", "requests.cpu": "500m", "x.example.org/y": "1" }, "scopes": ["BestEffort"] } }),
        ),
        (
            core("limitranges"),
            json!({ "metadata": { "name": "l" }, "spec": { "limits": [{ "type": "Container", "max": { "cpu": "2" }, "default": { "cpu": "1" }, "maxLimitRequestRatio": { "cpu": "3" } }] } }),
        ),
        (
            core("secrets"),
            json!({ "metadata": { "name": "s" }, "type": "kubernetes.io/dockerconfigjson", "data": { ".dockerconfigjson": "eyJhdXRocyI6e319" } }),
        ),
        (
            core("events"),
            json!({ "metadata": { "name": "e" }, "involvedObject": { "namespace": "default" }, "eventTime": "2026-11-16T02:11:58.000000Z", "series": { "count": 2, "lastObservedTime": "2026-11-16T02:11:58.000000Z" } }),
        ),
        (
            core("endpoints"),
            json!({ "metadata": { "name": "e" }, "subsets": [{ "addresses": [{ "ip": "1.2.3.4" }], "ports": [{ "port": 1 }] }] }),
        ),
    ]
}

fn of_groups() -> Vec<(String, Value)> {
    let of = |group: &str, plural: &str| format!("/apis/{group}/namespaces/default/{plural}");
    let from = json!({ "ipBlock": { "cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"] } });
    vec![
        (
            of("coordination.k8s.io/v1", "leases"),
            json!({ "metadata": { "name": "l" }, "spec": { "renewTime": "2026-11-16T02:11:58.123456Z", "leaseDurationSeconds": 15 } }),
        ),
        (
            of("batch/v1", "jobs"),
            json!({ "metadata": { "name": "j" }, "spec": { "completions": 2, "completionMode": "Indexed", "template": { "spec": pod() },
            "podFailurePolicy": { "rules": [{ "action": "Ignore", "onExitCodes": { "operator": "In", "values": [1] } }] } } }),
        ),
        (
            of("networking.k8s.io/v1", "ingresses"),
            json!({ "metadata": { "name": "i" }, "spec": { "rules": [{ "host": "*.a.b", "http": { "paths": [{ "path": "/x", "pathType": "Prefix",
            "backend": { "service": { "name": "s", "port": { "number": 80 } } } }] } }], "tls": [{ "hosts": ["a.b"] }] } }),
        ),
        (
            of("networking.k8s.io/v1", "networkpolicies"),
            json!({ "metadata": { "name": "n" }, "spec": { "podSelector": { "matchExpressions": [{ "key": "a", "operator": "In", "values": ["b"] }] },
            "ingress": [{ "from": [from], "ports": [{ "port": 80, "endPort": 90 }] }] } }),
        ),
        (
            of("discovery.k8s.io/v1", "endpointslices"),
            json!({ "metadata": { "name": "e" }, "addressType": "IPv6", "endpoints": [{ "addresses": ["2001:db8::1"] }], "ports": [{ "port": 1 }] }),
        ),
        (
            of("rbac.authorization.k8s.io/v1", "roles"),
            json!({ "metadata": { "name": "r" }, "rules": [{ "apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"], "resourceNames": ["x"] }] }),
        ),
        (
            of("autoscaling/v2", "horizontalpodautoscalers"),
            json!({ "metadata": { "name": "h" }, "spec": { "maxReplicas": 3, "scaleTargetRef": { "kind": "X", "name": "x" } } }),
        ),
    ]
}

fn of_clusters() -> Vec<(String, Value)> {
    vec![
        (
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews".to_owned(),
            json!({ "spec": { "resourceAttributes": { "verb": "list", "resource": "pods",
            "labelSelector": { "rawSelector": "a in (b)" }, "fieldSelector": { "requirements": [{ "key": "metadata.name", "operator": "In", "values": ["x"] }] } } } }),
        ),
        (
            "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas".to_owned(),
            json!({ "metadata": { "name": "f" }, "spec": { "matchingPrecedence": 5, "priorityLevelConfiguration": { "name": "exempt" },
            "rules": [{ "subjects": [{ "kind": "User", "user": { "name": "*" } }], "nonResourceRules": [{ "verbs": ["*"], "nonResourceURLs": ["/x/*"] }] }] } }),
        ),
        (
            "/apis/storage.k8s.io/v1/storageclasses".to_owned(),
            json!({ "metadata": { "name": "s" }, "provisioner": "x.y/z", "mountOptions": ["a"], "parameters": { "p": "q" } }),
        ),
        (
            "/api/v1/persistentvolumes".to_owned(),
            json!({ "metadata": { "name": "p" }, "spec": { "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteMany"], "nfs": { "server": "s", "path": "/p" } } }),
        ),
        (
            "/api/v1/nodes".to_owned(),
            json!({ "metadata": { "name": "n" }, "spec": { "podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"], "taints": [{ "key": "t", "effect": "NoSchedule" }] } }),
        ),
    ]
}
