//! Quotas: nobody gets more than there is, also if all ask at once.

use bowline_apiserver::{Server, Service};
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect, get};

const QUOTAS: &str = "/api/v1/namespaces/default/resourcequotas";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";

async fn limit(service: &Service, name: &str, hard: &Value) {
    let quota = json!({ "metadata": { "name": name }, "spec": { "hard": hard } });
    expect(201, ask(service, "POST", QUOTAS, &quota).await);
}

async fn secret(service: &Service, name: &str, query: &str) -> (u16, Value) {
    ask(service, "POST", &format!("{SECRETS}{query}"), &json!({ "metadata": { "name": name } })).await
}

/// Waits until the status of the quota says this.
async fn says(service: &Service, name: &str, used: &Value) {
    loop {
        let quota = expect(200, get(service, &format!("{QUOTAS}/{name}")).await);
        if quota["status"]["used"] == *used && quota["status"]["hard"] == quota["spec"]["hard"] {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_at_once_exactly_ten_get_the_ten_places() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    limit(&service, "ten", &json!({ "secrets": "10" })).await;
    let tasks: Vec<_> = (0..100)
        .map(|number| {
            let service = service.clone();
            tokio::spawn(async move { secret(&service, &format!("s{number}"), "").await })
        })
        .collect();
    let mut codes = Vec::new();
    for task in tasks {
        let (code, body) = task.await.expect("it does not panic");
        if code == 403 {
            let message = body["message"].as_str().unwrap_or_default();
            let why = "is forbidden: exceeded quota: ten, requested: secrets=1, used: secrets=10, limited: secrets=10";
            assert!(message.ends_with(why), "{message}");
            assert_eq!((&body["reason"], &body["details"]["kind"]), (&json!("Forbidden"), &json!("secrets")));
        }
        codes.push(code);
    }
    let made = codes.iter().filter(|code| **code == 201).count();
    assert_eq!((made, codes.iter().filter(|code| **code == 403).count()), (10, 90));
    says(&service, "ten", &json!({ "secrets": "10" })).await;
    // A place that is given back is one that can be taken, and what is only tried takes none.
    let one = codes.iter().position(|code| *code == 201).expect("somebody got one");
    expect(200, ask(&service, "DELETE", &format!("{SECRETS}/s{one}"), &Value::Null).await);
    says(&service, "ten", &json!({ "secrets": "9" })).await;
    for _ in 0..3 {
        expect(201, secret(&service, "tried", "?dryRun=All").await);
    }
    expect(201, secret(&service, "last", "").await);
    expect(403, secret(&service, "tried", "?dryRun=All").await);
    // What is applied is held to it too.
    let applied = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "applied" } });
    let path = format!("{SECRETS}/applied?fieldManager=m");
    let media = "application/apply-patch+yaml";
    let refused = crate::support::send(&service, "PATCH", &path, media, applied.to_string().into()).await;
    expect(403, refused);
    server.stop().await;
}

#[tokio::test]
async fn what_was_there_counts_also_after_a_restart() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    expect(201, secret(&service, "before", "").await);
    limit(&service, "two", &json!({ "count/secrets": "2", "count/things.test.dev": "1" })).await;
    says(&service, "two", &json!({ "count/secrets": "1", "count/things.test.dev": "0" })).await;
    server.stop().await;
    let server = Server::start(scratch.path()).await.expect("it starts again");
    let service = admin(&server);
    expect(201, secret(&service, "second", "").await);
    expect(403, secret(&service, "third", "").await);
    // It is the quota that counts, not what somebody writes into its status.
    let status = json!({ "status": { "used": { "count/secrets": "0" } } });
    let path = format!("{QUOTAS}/two/status");
    let media = "application/merge-patch+json";
    expect(200, crate::support::send(&service, "PATCH", &path, media, status.to_string().into()).await);
    expect(403, secret(&service, "third", "").await);
    says(&service, "two", &json!({ "count/secrets": "2", "count/things.test.dev": "0" })).await;
    // More is allowed, and so there is more; less takes nothing away.
    let hard = json!({ "spec": { "hard": { "count/secrets": "3", "count/things.test.dev": "1" } } });
    let path = format!("{QUOTAS}/two");
    expect(200, crate::support::send(&service, "PATCH", &path, media, hard.to_string().into()).await);
    expect(201, secret(&service, "third", "").await);
    expect(200, ask(&service, "DELETE", &path, &Value::Null).await);
    expect(201, secret(&service, "fourth", "").await);
    server.stop().await;
}

#[tokio::test]
async fn custom_objects_and_changes_of_services_are_held_to_it() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "things.test.dev" },
        "spec": {
            "group": "test.dev", "scope": "Namespaced", "names": { "plural": "things", "kind": "Thing" },
            "versions": [{ "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } } }],
        },
    });
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    expect(201, ask(&service, "POST", definitions, &definition).await);
    let things = "/apis/test.dev/v1/namespaces/default/things";
    while get(&service, things).await.0 != 200 {
        tokio::task::yield_now().await;
    }
    limit(&service, "q", &json!({ "count/things.test.dev": "1", "services.nodeports": "1" })).await;
    let thing =
        |name: &str| json!({ "apiVersion": "test.dev/v1", "kind": "Thing", "metadata": { "name": name } });
    expect(201, ask(&service, "POST", things, &thing("a")).await);
    let said = expect(403, ask(&service, "POST", things, &thing("b")).await);
    let why = "things.test.dev \"b\" is forbidden: exceeded quota: q, requested: count/things.test.dev=1, \
               used: count/things.test.dev=1, limited: count/things.test.dev=1";
    assert_eq!(said["message"], why);
    let services = "/api/v1/namespaces/default/services";
    let made = json!({ "metadata": { "name": "s" }, "spec": { "ports": [{ "port": 1, "name": "a" }, { "port": 2, "name": "b" }] } });
    expect(201, ask(&service, "POST", services, &made).await);
    let path = format!("{services}/s");
    let media = "application/merge-patch+json";
    let patch = |kind: &str| json!({ "spec": { "type": kind } }).to_string();
    let refused = crate::support::send(&service, "PATCH", &path, media, patch("NodePort").into()).await;
    let said = expect(403, refused);
    let why = "services \"s\" is forbidden: exceeded quota: q, requested: services.nodeports=2, \
               used: services.nodeports=0, limited: services.nodeports=1";
    assert_eq!(said["message"], why);
    // Nothing of it is there.
    let found = expect(200, get(&service, &path).await);
    assert_eq!(found["spec"]["type"], "ClusterIP");
    // Nor is it where the next write is decided.
    let label = r#"{"metadata":{"labels":{"a":"b"}}}"#;
    let changed = expect(200, crate::support::send(&service, "PATCH", &path, media, label.into()).await);
    assert_eq!(changed["spec"]["type"], "ClusterIP");
    server.stop().await;
}
