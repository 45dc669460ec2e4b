//! What a restart keeps.

use std::collections::BTreeMap;
use std::fs;

use bowline_apiserver::{Config, Server, Service};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect, get};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "things.test.dev" },
        "spec": {
            "group": "test.dev", "scope": "Namespaced", "names": { "plural": "things", "kind": "Thing" },
            "versions": [{ "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } }],
        },
    })
}

/// All objects of some kinds, as they are shown.
async fn everything(service: &Service) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for path in [
        "/api/v1/namespaces",
        "/api/v1/configmaps",
        "/api/v1/serviceaccounts",
        "/api/v1/secrets",
        "/api/v1/services",
        "/apis/apps/v1/deployments",
        "/apis/test.dev/v1/things",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    ] {
        all.insert(path.to_owned(), expect(200, get(service, path).await));
    }
    all
}

/// Waits until nothing changes any more: what the server does by itself is done.
async fn quiet(service: &Service) -> BTreeMap<String, Value> {
    let mut before = everything(service).await;
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        let now = everything(service).await;
        if now == before {
            return now;
        }
        before = now;
    }
}

async fn established(service: &Service) {
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.test.dev";
    loop {
        let (_, found) = get(service, path).await;
        let conditions = found["status"]["conditions"].as_array().cloned().unwrap_or_default();
        if conditions
            .iter()
            .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
        {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// A hub with objects of several kinds: with owners, finalizers, on their way out.
async fn filled(scratch: &Scratch) -> Server {
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    expect(201, ask(&service, "POST", definitions, &definition()).await);
    established(&service).await;
    let owner = expect(201, ask(&service, "POST", MAPS, &json!({ "metadata": { "name": "owner" } })).await);
    let thing = json!({
        "apiVersion": "test.dev/v1", "kind": "Thing",
        "metadata": { "name": "owned", "finalizers": ["test.dev/hold"], "ownerReferences": [{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"] }] },
        "spec": { "text": "ä\u{0}\u{1F980}", "numbers": [1, 1.5, -7, 1e300], "deep": { "a": [[{}]] } },
    });
    expect(201, ask(&service, "POST", "/apis/test.dev/v1/namespaces/default/things", &thing).await);
    expect(200, ask(&service, "DELETE", &format!("{MAPS}/owner"), &Value::Null).await);
    server
}

#[tokio::test]
async fn objects_come_back_as_they_were() {
    let scratch = Scratch::new();
    let server = filled(&scratch).await;
    let before = quiet(&admin(&server)).await;
    server.stop().await;
    let stopped = scratch.contents();
    for _ in 0..2 {
        let server = Server::start(scratch.path()).await.expect("it starts");
        assert_eq!(quiet(&admin(&server)).await, before);
        // What was on its way out still is, and goes when nothing holds it.
        server.stop().await;
    }
    // Who only looks changes nothing in the file.
    let path = scratch.join("hub.redb");
    assert!(scratch.contents()[&path] == stopped[&path]);
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let held = "/apis/test.dev/v1/namespaces/default/things/owned";
    let mut thing = expect(200, get(&service, held).await);
    assert!(thing["metadata"]["deletionTimestamp"].is_string());
    thing["metadata"]["finalizers"] = json!([]);
    expect(200, ask(&service, "PUT", held, &thing).await);
    expect(404, get(&service, held).await);
    server.stop().await;
}

#[tokio::test]
async fn a_copy_of_a_hub_that_runs_is_that_hub_after_a_crash() {
    let scratch = Scratch::new();
    let server = filled(&scratch).await;
    let before = quiet(&admin(&server)).await;
    let copy = Scratch::new();
    fs::create_dir(copy.path()).expect("a directory");
    for (path, bytes) in scratch.contents() {
        fs::write(copy.join(&path.file_name().expect("it has one").to_string_lossy()), bytes)
            .expect("a file");
    }
    let again = Server::start(copy.path()).await.expect("it starts");
    assert_eq!(quiet(&admin(&again)).await, before);
    // It goes on where it was.
    let made =
        expect(201, ask(&admin(&again), "POST", MAPS, &json!({ "metadata": { "name": "new" } })).await);
    let version =
        |object: &Value| object["metadata"]["resourceVersion"].as_str().map(|text| text.parse::<u64>());
    let last = before.values().filter_map(version).flatten().max();
    assert_eq!(version(&made).and_then(Result::ok), last.map(|last| last + 1));
    again.stop().await;
    server.stop().await;
}

#[tokio::test]
async fn certificates_and_tokens_stay_good() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let listen = server.address();
    let account = json!({ "metadata": { "name": "robot" } });
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    expect(201, ask(&admin(&server), "POST", accounts, &account).await);
    let asked = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {} });
    let answer = expect(201, ask(&admin(&server), "POST", &format!("{accounts}/robot/token"), &asked).await);
    let token = answer["status"]["token"].as_str().expect("it is a token").to_owned();
    server.stop().await;
    let before = scratch.contents();
    let server =
        Server::start_with(Config { listen, ..Config::local(scratch.path()) }).await.expect("it starts");
    for (path, bytes) in scratch.contents() {
        // That it started is in the log.
        let may_change = path.ends_with("hub.redb") || path.ends_with("audit.log");
        assert!(may_change || before.get(&path) == Some(&bytes), "{} changed", path.display());
    }
    let review = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview" });
    let request = Request::post("/apis/authentication.k8s.io/v1/selfsubjectreviews")
        .header("authorization", format!("Bearer {token}"))
        .body(Full::new(Bytes::from(review.to_string())))
        .expect("a request");
    let reply = server.service().answer(request).await;
    let bytes = reply.into_body().collect().await.expect("a body").to_bytes();
    let said: Value = serde_json::from_slice(&bytes).expect("it is JSON");
    assert_eq!(said["status"]["userInfo"]["username"], "system:serviceaccount:default:robot");
    server.stop().await;
}
