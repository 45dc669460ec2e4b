//! Requests that take long: others are answered meanwhile, and write meanwhile.

use std::pin::pin;

use bowline_apiserver::{Server, Service};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{Answer, Scratch, admin, ask, expect, get, send};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const MAP: &str = "/api/v1/namespaces/default/configmaps/m";
/// So many are answered meanwhile at least. These tests have one thread: who takes long on it lets nobody else.
const OTHERS: usize = 20;

/// A hub with a map `m`.
async fn start(scratch: &Scratch) -> (Server, Service) {
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let map = json!({ "metadata": { "name": "m", "finalizers": ["a.b/first"] }, "data": { "a": "1" } });
    expect(201, ask(&service, "POST", MAPS, &map).await);
    (server, service)
}

/// What a request comes to, and how many of these others were answered before it was.
async fn meanwhile<F: Future<Output = Answer>>(
    long: impl Future<Output = Answer>,
    other: impl Fn() -> F,
) -> (Answer, usize) {
    let mut long = pin!(long);
    let mut answered = 0;
    loop {
        tokio::select! {
            biased;
            answer = &mut long => return (answer, answered),
            answer = other() => {
                expect(200, answer);
                answered += 1;
                // Who is never told to wait would never let others.
                tokio::task::yield_now().await;
            }
        }
    }
}

/// What changes an object in many places, in each way. Nothing is written: to wait for the disk is no hardship.
#[tokio::test]
async fn long_lists_are_merged_beside_what_others_ask() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let names: Vec<_> = (0..12_000).map(|number| format!("a.b/n{}", number * 7919 % 12_000)).collect();
    let merge = json!({ "metadata": { "finalizers": names } });
    let whole = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "m", "finalizers": names },
    });
    let json_patch = json!([{ "op": "add", "path": "/metadata/finalizers", "value": names }]);
    for (method, media, body) in [
        ("PATCH", "application/strategic-merge-patch+json", &merge),
        ("PATCH", "application/merge-patch+json", &merge),
        ("PATCH", "application/json-patch+json", &json_patch),
        ("PATCH", "application/apply-patch+yaml", &whole),
        ("PUT", "application/json", &whole),
    ] {
        let path = format!("{MAP}?dryRun=All&fieldManager=x&force=true");
        let path = if media.contains("apply") { path } else { path.replace("&force=true", "") };
        let long = send(&service, method, &path, media, body.to_string().into());
        let (answer, answered) = meanwhile(long, || get(&service, MAP)).await;
        let made = expect(200, answer);
        let finalizers = made["metadata"]["finalizers"].as_array().map_or(0, Vec::len);
        assert!(finalizers >= names.len(), "{media}: {finalizers}");
        assert!(answered >= OTHERS, "{media}: {answered} answered meanwhile");
    }
    server.stop().await;
}

/// Little is sent, and it says much.
#[tokio::test]
async fn yaml_that_grows_is_read_beside_what_others_ask() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let item = |number: usize| format!("*a{number}");
    let mut text =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: grown }\nx:\n- &a0 [x, x]\n".to_owned();
    for number in 1..3 {
        text += &format!("- &a{number} [{}]\n", vec![item(number - 1); 40].join(", "));
    }
    for (method, path, media) in [
        ("POST", format!("{MAPS}?dryRun=All"), "application/yaml"),
        ("PATCH", format!("{MAPS}/grown?dryRun=All&fieldManager=x"), "application/apply-patch+yaml"),
    ] {
        let long = send(&service, method, &path, media, text.clone().into());
        let (answer, answered) = meanwhile(long, || get(&service, MAP)).await;
        assert!(answer.0 == 201 || answer.0 == 500, "{media}: {answer:?}");
        assert!(answered >= OTHERS, "{media}: {answered} answered meanwhile");
    }
    server.stop().await;
}

/// The object is what is long: a small patch of it takes as long.
#[tokio::test]
async fn long_objects_are_changed_beside_what_others_ask() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let names: Vec<_> = (0..12_000).map(|number| format!("a.b/n{number}")).collect();
    let long = json!({ "metadata": { "name": "long", "finalizers": names } });
    expect(201, ask(&service, "POST", MAPS, &long).await);
    let path = format!("{MAPS}/long?dryRun=All");
    let patch = r#"{"metadata":{"labels":{"a":"b"}}}"#;
    let patching = send(&service, "PATCH", &path, "application/merge-patch+json", patch.into());
    let (answer, answered) = meanwhile(patching, || get(&service, MAP)).await;
    expect(200, answer);
    assert!(answered >= OTHERS, "{answered} answered meanwhile");
    server.stop().await;
}

/// Each would move the whole list by one: ten thousand of them would move hundreds of millions of items.
#[tokio::test]
async fn json_patches_that_move_long_lists_again_and_again_are_refused() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let media = "application/json-patch+json";
    let names: Vec<_> = (0..60_000).map(|number| format!("a.b/{number}")).collect();
    let set = json!({ "op": "add", "path": "/metadata/finalizers", "value": names });
    let path = format!("{MAP}?dryRun=All");
    let first = "/metadata/finalizers/0";
    for one in [
        vec![json!({ "op": "remove", "path": first })],
        vec![json!({ "op": "add", "path": first, "value": "a.b/c" })],
        vec![json!({ "op": "copy", "from": "/metadata/finalizers/9", "path": first })],
        vec![json!({ "op": "move", "from": first, "path": "/metadata/finalizers/-" })],
        vec![json!({ "op": "move", "from": "/metadata/finalizers/59000", "path": first })],
    ] {
        let operations = |count: usize| {
            let again = one.iter().cycle().take(count).cloned();
            Value::Array(std::iter::once(set.clone()).chain(again).collect()).to_string()
        };
        let said = expect(422, send(&service, "PATCH", &path, media, operations(9_000).into()).await);
        assert_eq!(said["message"], "the server rejected our request due to an error in our request");
        expect(200, send(&service, "PATCH", &path, media, operations(100).into()).await);
    }
    // At its end nothing moves, and a list that is not so long may be moved often.
    let few = json!({ "op": "add", "path": "/metadata/finalizers", "value": names[..1_000] });
    let many = |set: &Value, path: &str| {
        let add = json!({ "op": "add", "path": path, "value": "a.b/c" });
        Value::Array([vec![set.clone()], vec![add; 9_000]].concat()).to_string()
    };
    for body in [many(&set, "/metadata/finalizers/-"), many(&few, first)] {
        expect(200, send(&service, "PATCH", &path, media, body.into()).await);
    }
    server.stop().await;
}

/// A policy that costs nearly all that one may, and a definition with such a rule: who writes waits for them, and nobody else.
#[tokio::test]
async fn policies_and_rules_are_evaluated_beside_what_others_ask() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let all =
        json!({ "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["secrets"] });
    let much = "object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != '')))";
    let policy = json!({ "metadata": { "name": "slow" }, "spec": {
        "matchConstraints": { "resourceRules": [all] }, "validations": [{ "expression": much }],
    } });
    let policies = "/apis/admissionregistration.k8s.io/v1";
    expect(201, ask(&service, "POST", &format!("{policies}/validatingadmissionpolicies"), &policy).await);
    let bound = json!({ "metadata": { "name": "slow" }, "spec": {
        "policyName": "slow", "validationActions": ["Deny"],
    } });
    expect(
        201,
        ask(&service, "POST", &format!("{policies}/validatingadmissionpolicybindings"), &bound).await,
    );
    let data: serde_json::Map<_, _> = (0..400).map(|number| (format!("k{number}"), json!(""))).collect();
    let secret = json!({ "metadata": { "name": "judged" }, "data": data });
    let judging = ask(&service, "POST", "/api/v1/namespaces/default/secrets", &secret);
    let (answer, answered) = meanwhile(judging, || get(&service, MAP)).await;
    let said = expect(422, answer);
    assert!(said.to_string().contains("cost limit exceeded"), "{said}");
    assert!(answered >= OTHERS, "{answered} answered while a policy was evaluated");

    let list = json!({ "type": "array", "maxItems": 1000, "items": { "type": "integer" },
        "x-kubernetes-validations": [{ "rule": "self.all(a, self.all(b, a == b))" }] });
    let definition = json!({ "metadata": { "name": "rulings.test.dev" }, "spec": {
        "group": "test.dev", "scope": "Namespaced", "names": { "plural": "rulings", "kind": "Ruling" },
        "versions": [{ "name": "v1", "served": true, "storage": true,
            "schema": { "openAPIV3Schema": { "type": "object", "properties": { "list": list } } } }],
    } });
    expect(
        201,
        ask(&service, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await,
    );
    let rulings = "/apis/test.dev/v1/namespaces/default/rulings";
    while get(&service, rulings).await.0 != 200 {
        tokio::task::yield_now().await;
    }
    let ruling = json!({ "apiVersion": "test.dev/v1", "kind": "Ruling", "metadata": { "name": "r" },
        "list": vec![1; 900] });
    let (answer, answered) = meanwhile(ask(&service, "POST", rulings, &ruling), || get(&service, MAP)).await;
    let said = expect(422, answer);
    assert!(said.to_string().contains("cost exceeds limit"), "{said}");
    assert!(answered >= OTHERS, "{answered} answered while a rule was evaluated");
    server.stop().await;
}

/// The longest selectors, and such as are about what stands in the objects.
#[tokio::test]
async fn long_selections_hold_up_nobody_who_writes() {
    const COUNT: usize = 400;
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let mut making = JoinSet::new();
    for number in 0..COUNT {
        let service = service.clone();
        making.spawn(async move {
            let secret = json!({
                "metadata": { "name": format!("s{number}"), "labels": { "odd": (number % 2).to_string() } },
                "type": if number % 4 == 0 { "test.dev/a" } else { "test.dev/b" },
                "stringData": { "a": "x".repeat(30_000) },
            });
            expect(201, ask(&service, "POST", "/api/v1/namespaces/default/secrets", &secret).await);
        });
    }
    making.join_all().await;
    let none: Vec<_> = (0..6_000).map(|number| format!("l{number}!=x")).collect();
    let labels = format!("labelSelector=odd=1,{}", none.join(","));
    let fields = "fieldSelector=type=test.dev/a".to_owned();
    for (selector, limit, expected) in
        [(&labels, 0, COUNT / 2), (&labels, 150, 150), (&fields, 0, COUNT / 4), (&fields, 50, 50)]
    {
        let path = format!("/api/v1/namespaces/default/secrets?{selector}&limit={limit}");
        let write = || async {
            let label = json!({ "metadata": { "labels": { "at": another() } } }).to_string();
            send(&service, "PATCH", MAP, "application/merge-patch+json", label.into()).await
        };
        // A disk may take longer for a write than a list takes. Who is held up by it writes nothing however often it is tried.
        let mut written = 0;
        for _ in 0..20 {
            let (answer, meanwhile) = meanwhile(get(&service, &path), write).await;
            let list = expect(200, answer);
            assert_eq!(list["items"].as_array().map(Vec::len), Some(expected));
            assert_eq!(list["metadata"]["continue"].is_string(), limit > 0, "{}", list["metadata"]);
            written += meanwhile;
            if written > 0 {
                break;
            }
        }
        assert!(written > 0, "nothing was written meanwhile");
    }
    server.stop().await;
}

#[tokio::test]
async fn long_lists_are_written_beside_what_others_ask() {
    const COUNT: usize = 200;
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let mut making = JoinSet::new();
    for number in 0..COUNT {
        let service = service.clone();
        making.spawn(async move {
            let map =
                json!({ "metadata": { "name": format!("m{number}") }, "data": { "a": "x".repeat(30_000) } });
            expect(201, ask(&service, "POST", MAPS, &map).await);
        });
    }
    making.join_all().await;
    // Who is held up by it is answered nothing however often it is tried.
    let mut answered = 0;
    for _ in 0..20 {
        let (answer, meanwhile) = meanwhile(get(&service, MAPS), || get(&service, MAP)).await;
        let list = expect(200, answer);
        assert!(list["items"].as_array().is_some_and(|items| items.len() > COUNT));
        answered += meanwhile;
    }
    assert!(answered >= OTHERS, "{answered} answered meanwhile");
    server.stop().await;
}

/// Another text each time.
fn another() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    COUNT.fetch_add(1, Ordering::Relaxed).to_string()
}

/// Each complaint shows all of them: for the longest body that would be gigabytes.
#[tokio::test]
async fn very_many_controllers_are_complained_about_briefly() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let owners = |count: usize| -> Value {
        let owner = |number| json!({ "apiVersion": "v1", "kind": "A", "name": "a", "uid": format!("u{number}"), "controller": true });
        json!({ "metadata": { "name": "owned", "ownerReferences": (0..count).map(owner).collect::<Vec<_>>() } })
    };
    let said = expect(422, ask(&service, "POST", MAPS, &owners(3)).await);
    assert_eq!(said["details"]["causes"].as_array().map(Vec::len), Some(2));
    let said = expect(422, ask(&service, "POST", MAPS, &owners(3_000)).await);
    let length = said.to_string().len();
    assert!(length < 8 << 20, "{length} bytes");
    server.stop().await;
}
