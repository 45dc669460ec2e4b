//! Who may write a part of an object writes that, and nothing else.

use bowline_apiserver::{Server, Service};
use serde_json::{Value, json};

use crate::support::{Answer, Scratch, admin, ask, expect, get, send, somebody};

const POD: &str = "/api/v1/namespaces/default/pods/p";

async fn patch(service: &Service, path: &str, patch: &Value) -> Answer {
    send(service, "PATCH", path, "application/strategic-merge-patch+json", patch.to_string().into()).await
}

/// Lets a user patch some resources, whatever they are part of.
async fn allow(service: &Service, user: &str, group: &str, resource: &str) {
    let rbac = "rbac.authorization.k8s.io";
    let rules = json!([{ "apiGroups": [group], "resources": [resource], "verbs": ["patch"] }]);
    let role = json!({ "metadata": { "name": user }, "rules": rules });
    expect(201, ask(service, "POST", &format!("/apis/{rbac}/v1/clusterroles"), &role).await);
    let binding = json!({
        "metadata": { "name": user },
        "roleRef": { "apiGroup": rbac, "kind": "ClusterRole", "name": user },
        "subjects": [{ "kind": "User", "apiGroup": rbac, "name": user }],
    });
    expect(201, ask(service, "POST", &format!("/apis/{rbac}/v1/clusterrolebindings"), &binding).await);
}

async fn pod(service: &Service) -> Value {
    let account = json!({ "metadata": { "name": "default" } });
    ask(service, "POST", "/api/v1/namespaces/default/serviceaccounts", &account).await;
    let pod = json!({ "metadata": { "name": "p", "labels": { "a": "b" } }, "spec": { "containers": [
        { "name": "c", "image": "i", "resources": { "requests": { "cpu": "1" } } }] } });
    expect(201, ask(service, "POST", "/api/v1/namespaces/default/pods", &pod).await)
}

#[tokio::test]
async fn a_part_of_a_pod_is_not_the_pod() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let before = pod(&service).await;
    let greedy = json!({
        "metadata": { "labels": { "new": "label" }, "finalizers": ["test.dev/held"] },
        "spec": {
            "activeDeadlineSeconds": 1,
            "containers": [{ "name": "c", "image": "other", "resources": { "requests": { "cpu": "2" } } }],
            "ephemeralContainers": [{ "name": "debug", "image": "i" }],
        },
        "status": { "phase": "Running" },
    });
    for (user, part) in [("debugger", "ephemeralcontainers"), ("resizer", "resize")] {
        allow(&service, user, "", &format!("pods/{part}")).await;
        let who = somebody(&server, user, &["system:authenticated"]);
        expect(403, patch(&who, POD, &greedy).await);
        expect(200, patch(&who, &format!("{POD}/{part}"), &greedy).await);
        let now = expect(200, get(&service, POD).await);
        for pointer in [
            "/metadata/labels",
            "/metadata/finalizers",
            "/spec/activeDeadlineSeconds",
            "/spec/containers/0/image",
            "/status",
        ] {
            assert_eq!(now.pointer(pointer), before.pointer(pointer), "{part} changed {pointer}");
        }
        assert_eq!(now["spec"]["ephemeralContainers"][0]["name"], "debug");
        let cpu = if part == "resize" { "2" } else { "1" };
        assert_eq!(now["spec"]["containers"][0]["resources"]["requests"]["cpu"], cpu, "{part}");
    }
    server.stop().await;
}

#[tokio::test]
async fn who_approves_may_for_the_signer() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let group = "certificates.k8s.io";
    let all = format!("/apis/{group}/v1/certificatesigningrequests");
    let asked = json!({ "metadata": { "name": "r" }, "spec": { "request": "eA==", "signerName": "test.dev/s",
        "usages": ["client auth"], "username": "system:admin", "groups": ["system:masters", "more"] } });
    let asked = expect(201, ask(&service, "POST", &all, &asked).await);
    // Who asks is who asks, whatever they say.
    assert_eq!(
        (&asked["spec"]["username"], &asked["spec"]["groups"]),
        (&json!("admin"), &json!(["system:masters"]))
    );
    allow(&service, "anna", group, "certificatesigningrequests/approval").await;
    let anna = somebody(&server, "anna", &["system:authenticated"]);
    let yes = json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "signerName": "test.dev/other" },
        "status": { "certificate": "eA==", "conditions": [{ "type": "Approved", "status": "True" }] } });
    let at = format!("{all}/r/approval");
    let said = expect(403, patch(&anna, &at, &yes).await);
    let message = said["message"].as_str().unwrap_or_default();
    assert!(
        message.ends_with(r#"user not permitted to approve requests with signerName "test.dev/s""#),
        "{message}"
    );
    for path in [all.clone() + "/r", format!("{all}/r/status")] {
        let answer = patch(&service, &path, &yes).await;
        assert!(answer.1["status"].get("conditions").is_none(), "{path} approves: {}", answer.1);
    }
    let approved = expect(200, patch(&service, &at, &yes).await);
    assert_eq!(approved["spec"], asked["spec"]);
    assert!(approved["status"].get("certificate").is_none(), "{approved}");
    assert_eq!(approved["status"]["conditions"][0]["type"], "Approved");
    let no = json!({ "status": { "conditions": [{ "$patch": "replace" }, { "type": "Denied", "status": "True" }] } });
    expect(422, patch(&service, &at, &no).await);
    server.stop().await;
}

#[tokio::test]
async fn a_dry_run_evicts_nothing() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let before = pod(&service).await;
    let at = format!("{POD}/eviction");
    let eviction = |options: Value| json!({ "metadata": { "name": "p" }, "deleteOptions": options });
    for (query, options, code) in [
        ("?dryRun=All", json!({}), 201),
        ("?dryRun=All", json!({ "gracePeriodSeconds": 0 }), 201),
        ("", json!({ "dryRun": ["All"] }), 201),
        ("", json!({ "preconditions": { "uid": "other" } }), 409),
        ("", json!({ "preconditions": { "resourceVersion": "nonsense" } }), 409),
    ] {
        let said =
            expect(code, ask(&service, "POST", &format!("{at}{query}"), &eviction(options.clone())).await);
        assert!(code == 201 || !said["message"].as_str().unwrap_or_default().contains("(0)"), "{said}");
        let now = expect(200, get(&service, POD).await);
        assert_eq!(now, before, "{query} {options}");
    }
    let exact = json!({ "preconditions": { "uid": before["metadata"]["uid"],
        "resourceVersion": before["metadata"]["resourceVersion"] } });
    expect(201, ask(&service, "POST", &at, &eviction(exact)).await);
    expect(404, get(&service, POD).await);
    server.stop().await;
}

#[tokio::test]
async fn what_would_have_to_run_is_not_implemented() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    pod(&service).await;
    for part in ["log", "exec", "attach", "portforward", "proxy", "proxy/index.html"] {
        let said = expect(501, get(&service, &format!("{POD}/{part}")).await);
        assert_eq!(said["reason"], "NotImplemented", "{part}");
    }
    expect(405, get(&service, &format!("{POD}/log/more")).await);
    server.stop().await;
}

#[tokio::test]
async fn who_scales_to_what_is_there_changes_nothing() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let all = "/apis/apps/v1/namespaces/default/deployments";
    let template = json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let spec = json!({ "selector": { "matchLabels": { "a": "b" } }, "template": template });
    expect(201, ask(&service, "POST", all, &json!({ "metadata": { "name": "d" }, "spec": spec })).await);
    // By its name it would come last, among those of one second.
    let scale = format!("{all}/d/scale?fieldManager=zoomer");
    let replicas = json!({ "spec": { "replicas": 3 } });
    expect(200, patch(&service, &scale, &replicas).await);
    let first = expect(200, get(&service, &format!("{all}/d")).await);
    assert_eq!(first["metadata"]["managedFields"][0]["manager"], "zoomer", "who has no time is the first");
    expect(200, patch(&service, &scale, &replicas).await);
    assert_eq!(expect(200, get(&service, &format!("{all}/d")).await), first);
    server.stop().await;
}
