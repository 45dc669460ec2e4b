//! What one may see is not a way to see more: CVE-2019-11247, CVE-2022-3162.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bowline_apiserver::{Server, Service};
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect, get, send, somebody};

async fn define(service: &Service, plural: &str, kind: &str, scope: &str) {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.test.dev") },
        "spec": {
            "group": "test.dev", "scope": scope, "names": { "plural": plural, "kind": kind },
            "versions": [{ "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } }],
        },
    });
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    expect(201, ask(service, "POST", definitions, &definition).await);
    while get(service, &format!("/apis/test.dev/v1/{plural}")).await.0 != 200 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// Lets somebody do everything with some resources in a namespace, or everywhere if that is empty.
async fn allow(service: &Service, user: &str, namespace: &str, resources: &[&str]) {
    let group = "rbac.authorization.k8s.io";
    let rules = json!([{ "apiGroups": ["test.dev"], "resources": resources, "verbs": ["*"] }]);
    let (place, role, binding) = match namespace {
        "" => (String::new(), "ClusterRole", "ClusterRoleBinding"),
        namespace => (format!("namespaces/{namespace}/"), "Role", "RoleBinding"),
    };
    let path = format!("/apis/{group}/v1/{place}{}s", role.to_lowercase());
    expect(201, ask(service, "POST", &path, &json!({ "metadata": { "name": user }, "rules": rules })).await);
    let bound = json!({
        "metadata": { "name": user },
        "roleRef": { "apiGroup": group, "kind": role, "name": user },
        "subjects": [{ "kind": "User", "apiGroup": group, "name": user }],
    });
    let path = format!("/apis/{group}/v1/{place}{}s", binding.to_lowercase());
    expect(201, ask(service, "POST", &path, &bound).await);
}

#[tokio::test]
async fn what_has_no_namespace_is_not_found_in_one() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    define(&service, "worlds", "World", "Cluster").await;
    let world =
        json!({ "apiVersion": "test.dev/v1", "kind": "World", "metadata": { "name": "w" }, "secret": "s" });
    let made = expect(201, ask(&service, "POST", "/apis/test.dev/v1/worlds", &world).await);
    allow(&service, "anna", "default", &["worlds", "worlds/status"]).await;
    let anna = somebody(&server, "anna", &["system:authenticated"]);
    let inside = "/apis/test.dev/v1/namespaces/default/worlds";
    for service in [&anna, &service] {
        for (method, path) in [
            ("GET", inside.to_owned()),
            ("GET", format!("{inside}?watch=true")),
            ("POST", inside.to_owned()),
            ("DELETE", inside.to_owned()),
            ("GET", format!("{inside}/w")),
            ("PUT", format!("{inside}/w")),
            ("DELETE", format!("{inside}/w")),
            ("PUT", format!("{inside}/w/status")),
        ] {
            let (code, body) = ask(service, method, &path, &world).await;
            assert_eq!(code, 404, "{method} {path}: {body}");
            assert!(!body.to_string().contains("secret"), "{body}");
        }
    }
    for path in ["/apis/test.dev/v1/worlds", "/apis/test.dev/v1/worlds/w"] {
        expect(403, get(&anna, path).await);
    }
    let left = expect(200, get(&service, "/apis/test.dev/v1/worlds/w").await);
    assert_eq!(left, made);
    server.stop().await;
}

#[tokio::test]
async fn what_has_a_namespace_is_not_found_without() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    define(&service, "things", "Thing", "Namespaced").await;
    let thing = json!({ "apiVersion": "test.dev/v1", "kind": "Thing", "metadata": { "name": "t" } });
    expect(201, ask(&service, "POST", "/apis/test.dev/v1/namespaces/default/things", &thing).await);
    for (method, path, code) in [
        ("GET", "/apis/test.dev/v1/things/t", 404),
        ("PUT", "/apis/test.dev/v1/things/t", 404),
        ("DELETE", "/apis/test.dev/v1/things/t", 404),
        ("POST", "/apis/test.dev/v1/things", 404),
        ("DELETE", "/apis/test.dev/v1/things", 404),
        ("POST", "/api/v1/configmaps", 405),
        ("DELETE", "/api/v1/configmaps", 405),
    ] {
        let answer = ask(&service, method, path, &thing).await;
        assert_eq!(answer.0, code, "{method} {path}: {}", answer.1);
    }
    // Nor by a path that could be read in another way.
    for path in [
        "/apis/test.dev/v1/namespaces/default/things/../things/t",
        "/apis/test.dev/v1/namespaces/default/things/%2e%2e/t",
        "/apis/test.dev/v1/namespaces//things/t",
    ] {
        let (code, body) = get(&service, path).await;
        assert!(matches!(code, 400 | 404), "{path}: {code} {body}");
    }
    expect(200, get(&service, "/apis/test.dev/v1/namespaces/default/things/t").await);
    // A path is decoded before it is read, as Go does, and read once: what is authorised is what is served.
    let stranger = somebody(&server, "stranger", &["system:authenticated"]);
    expect(403, get(&stranger, "/apis/test.dev/v1/namespaces/default%2Fthings/t").await);
    server.stop().await;
}

#[tokio::test]
async fn who_may_only_change_makes_nothing() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let group = "rbac.authorization.k8s.io";
    for (user, verbs) in [("changer", json!(["get", "update", "patch"])), ("maker", json!(["*"]))] {
        let rules = json!([{ "apiGroups": ["", "coordination.k8s.io"], "resources": ["configmaps", "leases"],
            "verbs": verbs }]);
        let role = json!({ "metadata": { "name": user }, "rules": rules });
        expect(201, ask(&service, "POST", &format!("/apis/{group}/v1/clusterroles"), &role).await);
        let binding = json!({
            "metadata": { "name": user },
            "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": user },
            "subjects": [{ "kind": "User", "apiGroup": group, "name": user }],
        });
        expect(201, ask(&service, "POST", &format!("/apis/{group}/v1/clusterrolebindings"), &binding).await);
    }
    let lease =
        json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": "l" } });
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c" } });
    for query in ["&dryRun=All", ""] {
        for (user, code) in [("changer", 403), ("maker", 201)] {
            let who = somebody(&server, user, &["system:authenticated"]);
            for (method, media, path, body) in [
                (
                    "PUT",
                    "application/json",
                    "/apis/coordination.k8s.io/v1/namespaces/default/leases/l",
                    &lease,
                ),
                ("PATCH", "application/apply-patch+yaml", "/api/v1/namespaces/default/configmaps/c", &map),
            ] {
                let at = format!("{path}?fieldManager=m{query}");
                let answer = send(&who, method, &at, media, body.to_string().into()).await;
                let said = expect(code, answer);
                if code == 403 {
                    let message = said["message"].as_str().unwrap_or_default();
                    assert!(message.contains("cannot create resource"), "{message}");
                    expect(404, get(&service, path).await);
                }
            }
        }
    }
    // What is there may be changed by who may change.
    let who = somebody(&server, "changer", &["system:authenticated"]);
    let path = "/api/v1/namespaces/default/configmaps/c?fieldManager=m&force=true";
    expect(200, send(&who, "PATCH", path, "application/apply-patch+yaml", map.to_string().into()).await);
    server.stop().await;
}

/// A token by which a list would go on at `start`.
fn token(version: i64, start: &str) -> String {
    let token = json!({ "v": "meta.k8s.io/v1", "rv": version, "start": start });
    BASE64_URL_SAFE_NO_PAD.encode(token.to_string())
}

/// The names of what a list shows.
fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().cloned().unwrap_or_default();
    items.iter().filter_map(|item| item["metadata"]["name"].as_str().map(str::to_owned)).collect()
}

/// Where tokens that nobody gave out say that a list goes on.
const STARTS: &[&str] = &[
    "",
    "/",
    "\0",
    "b/opens-b-0\0",
    "../secrets/a/secrets-a-0\0",
    "a/../b/x\0",
    "../../test.dev/secrets/a/\0",
    "a",
    "a/",
    "a/../../secrets/",
    "/a/opens-a-0\0",
    "a/\0",
    "..",
    "a\0/x",
    "\u{10FFFF}/x\0",
];

#[tokio::test]
async fn a_token_leads_to_nothing_that_a_list_does_not() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    define(&service, "opens", "Open", "Namespaced").await;
    define(&service, "secrets", "Hidden", "Namespaced").await;
    for namespace in ["a", "b"] {
        let space = json!({ "metadata": { "name": namespace } });
        expect(201, ask(&service, "POST", "/api/v1/namespaces", &space).await);
        for (plural, kind) in [("opens", "Open"), ("secrets", "Hidden")] {
            for number in 0..4 {
                let name = format!("{plural}-{namespace}-{number}");
                let object =
                    json!({ "apiVersion": "test.dev/v1", "kind": kind, "metadata": { "name": name } });
                let path = format!("/apis/test.dev/v1/namespaces/{namespace}/{plural}");
                expect(201, ask(&service, "POST", &path, &object).await);
            }
        }
    }
    allow(&service, "anna", "a", &["opens"]).await;
    allow(&service, "otto", "", &["opens"]).await;
    let anna = somebody(&server, "anna", &["system:authenticated"]);
    let otto = somebody(&server, "otto", &["system:authenticated"]);
    let first = expect(200, get(&service, "/apis/test.dev/v1/namespaces/b/opens?limit=1").await);
    let foreign = first["metadata"]["continue"].as_str().expect("there is more").to_owned();
    let hidden = expect(200, get(&service, "/apis/test.dev/v1/secrets?limit=1").await);
    let hidden = hidden["metadata"]["continue"].as_str().expect("there is more").to_owned();
    let mut tokens = vec![foreign, hidden];
    let version: i64 =
        first["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok()).expect("a version");
    for start in STARTS {
        tokens.extend([token(version, start), token(-1, start), token(0, start)]);
    }
    tokens.extend(["!".to_owned(), "e30".to_owned(), "AAAA".repeat(10_000)]);
    for token in &tokens {
        for (who, path, prefix) in [
            (&anna, "/apis/test.dev/v1/namespaces/a/opens", "opens-a-"),
            (&otto, "/apis/test.dev/v1/opens", "opens-"),
        ] {
            let answer = get(who, &format!("{path}?limit=2&continue={token}")).await;
            assert!(matches!(answer.0, 200 | 400 | 410 | 504), "{token}: {} {}", answer.0, answer.1);
            for name in names(&answer.1) {
                assert!(name.starts_with(prefix), "{token} leads to {name}");
            }
        }
        expect(403, get(&anna, &format!("/apis/test.dev/v1/opens?limit=2&continue={token}")).await);
        expect(
            403,
            get(&anna, &format!("/apis/test.dev/v1/namespaces/b/opens?limit=2&continue={token}")).await,
        );
        expect(403, get(&otto, &format!("/apis/test.dev/v1/secrets?limit=2&continue={token}")).await);
    }
    server.stop().await;
}
