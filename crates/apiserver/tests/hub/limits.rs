//! Requests that are too much: each is refused in the words of the API, and the server goes on.

use bowline_apiserver::{Server, Service};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::support::{Answer, Scratch, admin, ask, expect, get, send};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const THINGS: &str = "/apis/test.dev/v1/namespaces/default/things";

/// A hub with a map `m`, and things that may have any content.
async fn start(scratch: &Scratch) -> (Server, Service) {
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    expect(
        201,
        ask(&service, "POST", MAPS, &json!({ "metadata": { "name": "m" }, "data": { "a": "1" } })).await,
    );
    let anything = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    expect(201, ask(&service, "POST", DEFINITIONS, &definition("things", "Thing", &anything)).await);
    while get(&service, THINGS).await.0 != 200 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let thing = json!({ "apiVersion": "test.dev/v1", "kind": "Thing", "metadata": { "name": "t" }, "a": {} });
    expect(201, ask(&service, "POST", THINGS, &thing).await);
    (server, service)
}

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn definition(plural: &str, kind: &str, schema: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.test.dev") },
        "spec": {
            "group": "test.dev", "scope": "Namespaced", "names": { "plural": plural, "kind": kind },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
        },
    })
}

async fn patch(service: &Service, path: &str, media: &str, body: impl Into<Bytes>) -> Answer {
    send(service, "PATCH", path, media, body.into()).await
}

/// The server is as well as before.
async fn is_well(service: &Service) {
    let map = expect(200, get(service, &format!("{MAPS}/m")).await);
    assert_eq!(map["data"], json!({ "a": "1" }));
}

#[tokio::test]
async fn bodies_end_at_three_mebibytes() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let body = |bytes: usize| {
        let head = r#"{"metadata":{"name":"big"},"data":{"a":""#;
        let text = format!("{head}{}\"}}}}", "x".repeat(bytes - head.len() - 3));
        assert_eq!(text.len(), bytes);
        Bytes::from(text)
    };
    let over = send(&service, "POST", MAPS, "application/json", body((3 << 20) + 1)).await;
    let said = expect(413, over);
    assert_eq!(said["reason"], "RequestEntityTooLarge");
    assert_eq!(said["message"], "Request entity too large: limit is 3145728");
    // One byte less is read; a map may hold a mebibyte.
    let said = expect(422, send(&service, "POST", MAPS, "application/json", body(3 << 20)).await);
    assert_eq!(said["reason"], "Invalid");
    is_well(&service).await;
    server.stop().await;
}

#[tokio::test]
async fn json_patches_end_at_ten_thousand_operations() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let media = "application/json-patch+json";
    let operations = |count: usize| {
        let one = json!({ "op": "test", "path": "/data/a", "value": "1" });
        Value::Array(vec![one; count]).to_string()
    };
    let said = expect(413, patch(&service, &format!("{MAPS}/m"), media, operations(10_001)).await);
    assert_eq!(
        said["message"],
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    );
    expect(200, patch(&service, &format!("{MAPS}/m"), media, operations(10_000)).await);
    is_well(&service).await;
    server.stop().await;
}

#[tokio::test]
async fn json_patches_that_double_what_is_there_are_refused() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let media = "application/json-patch+json";
    // Forty of these would make 2^40 of one.
    let copies: Vec<_> = (0..40)
        .map(|number| json!({ "op": "copy", "from": "/a", "path": format!("/a/k{number}") }))
        .collect();
    let said = expect(422, patch(&service, &format!("{THINGS}/t"), media, json!(copies).to_string()).await);
    assert_eq!(said["reason"], "Invalid");
    let path = format!("{THINGS}/t");
    let thing = expect(200, get(&service, &path).await);
    assert_eq!(thing["a"], json!({}));
    // A few are fine.
    let copies: Vec<_> =
        (0..5).map(|number| json!({ "op": "copy", "from": "/a", "path": format!("/a/k{number}") })).collect();
    expect(200, patch(&service, &path, media, json!(copies).to_string()).await);
    server.stop().await;
}

/// `depth` objects in each other.
fn nested(depth: usize) -> String {
    format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth))
}

#[tokio::test]
async fn what_is_nested_too_deep_is_refused() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let thing = format!("{THINGS}/t");
    for depth in [600, 10_001, 500_000] {
        let nested = nested(depth);
        let list = "[".repeat(depth);
        for text in [&nested, &list] {
            let object = format!(
                r#"{{"apiVersion":"test.dev/v1","kind":"Thing","metadata":{{"name":"d"}},"deep":{text}}}"#
            );
            expect(400, send(&service, "POST", THINGS, "application/json", object.clone().into()).await);
            let answer = send(&service, "POST", THINGS, "application/yaml", object.clone().into()).await;
            assert!(matches!(answer.0, 400), "{}", answer.1);
            expect(400, patch(&service, &thing, "application/merge-patch+json", object.clone()).await);
            expect(400, patch(&service, &thing, "application/json-patch+json", text.clone()).await);
            let answer =
                patch(&service, &format!("{thing}?fieldManager=x"), "application/apply-patch+yaml", object)
                    .await;
            assert!(matches!(answer.0, 400), "{}", answer.1);
        }
    }
    is_well(&service).await;
    server.stop().await;
}

#[tokio::test]
async fn what_is_nested_deep_is_kept_and_found_again() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let path = format!("{THINGS}/deep");
    let object = format!(
        r#"{{"apiVersion":"test.dev/v1","kind":"Thing","metadata":{{"name":"deep"}},"deep":{}}}"#,
        nested(500)
    );
    let (code, _) = send(&service, "POST", THINGS, "application/json", object.clone().into()).await;
    assert_eq!(code, 201);
    let label = r#"{"metadata":{"labels":{"a":"b"}}}"#;
    assert_eq!(patch(&service, &path, "application/merge-patch+json", label).await.0, 200);
    let said =
        patch(&service, &format!("{path}?fieldManager=x&force=true"), "application/apply-patch+yaml", object)
            .await;
    assert_eq!(said.0, 200, "{}", said.1);
    for _ in 0..2 {
        assert_eq!(get(&service, &path).await.0, 200);
        assert_eq!(get(&service, THINGS).await.0, 200);
    }
    // Nor does it get any deeper, step by step.
    let operation =
        format!(r#"[{{"op":"replace","path":"/deep{}","value":{}}}]"#, "/a".repeat(500), nested(500));
    assert_eq!(patch(&service, &path, "application/json-patch+json", operation).await.0, 422);
    let copies: Vec<_> = (0..10)
        .map(|_| json!({ "op": "copy", "from": "/deep", "path": format!("/deep{}", "/a".repeat(499)) }))
        .collect();
    assert_eq!(patch(&service, &path, "application/json-patch+json", json!(copies).to_string()).await.0, 422);
    let moves: Vec<_> = (0..600)
        .flat_map(|_| {
            [
                json!({ "op": "add", "path": "/next", "value": {} }),
                json!({ "op": "move", "from": "/deep", "path": "/next/a" }),
                json!({ "op": "move", "from": "/next", "path": "/deep" }),
            ]
        })
        .collect();
    assert_eq!(patch(&service, &path, "application/json-patch+json", json!(moves).to_string()).await.0, 422);
    is_well(&service).await;
    server.stop().await;
    let server = Server::start(scratch.path()).await.expect("it starts with it");
    assert_eq!(get(&admin(&server), &path).await.0, 200);
    assert_eq!(ask(&admin(&server), "DELETE", &path, &Value::Null).await.0, 200);
    server.stop().await;
}

#[tokio::test]
async fn definitions_that_are_nested_deep_do_no_harm() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    for depth in [50, 120, 240] {
        let mut schema = json!({ "type": "string" });
        for _ in 0..depth {
            schema = json!({ "type": "object", "properties": { "a": schema } });
        }
        let plural = format!("deep{depth}s");
        let text = definition(&plural, &format!("Deep{depth}"), &schema);
        let (code, _) = ask(&service, "POST", DEFINITIONS, &text).await;
        assert!(matches!(code, 201 | 400 | 422), "{code}");
        assert_eq!(get(&service, "/openapi/v3").await.0, 200);
    }
    for rule in [
        "(".repeat(50_000),
        format!("{}true", "!".repeat(50_000)),
        "[".repeat(20_000),
        format!("true{}", " && true".repeat(20_000)),
    ] {
        let schema = json!({ "type": "object", "x-kubernetes-validations": [{ "rule": rule }] });
        let (code, said) = ask(&service, "POST", DEFINITIONS, &definition("rules", "Rule", &schema)).await;
        assert!(matches!(code, 400 | 422), "{code} {}", said["message"]);
    }
    is_well(&service).await;
    server.stop().await;
}

#[tokio::test]
async fn yaml_that_grows_when_it_is_read_is_refused() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let mut text =
        "apiVersion: test.dev/v1\nkind: Thing\nmetadata: {name: lol}\na0: &a0 [x,x,x,x,x,x,x,x,x]\n"
            .to_owned();
    for number in 1..12 {
        let one = format!("*a{}", number - 1);
        text += &format!("a{number}: &a{number} [{}]\n", vec![one; 9].join(","));
    }
    let answer = send(&service, "POST", THINGS, "application/yaml", text.into()).await;
    assert_eq!(answer.0, 400, "{}", answer.1);
    is_well(&service).await;
    server.stop().await;
}

#[tokio::test]
async fn what_is_wrong_with_a_secret_is_told_without_it() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    for (media, body) in [
        ("application/json", r#"{"stringData":{"a":"CANARY""#),
        ("application/json", r#"{"kind":"Other","stringData":{"a":"CANARY"}}"#),
        ("application/yaml", "CANARY: ["),
        ("application/vnd.kubernetes.protobuf", "CANARY"),
    ] {
        let answer = send(&service, "POST", "/api/v1/namespaces/default/secrets", media, body.into()).await;
        let said = answer.1.to_string();
        let hex: String = "CANARY".bytes().map(|byte| format!("{byte:02x}")).collect();
        assert!(answer.0 == 400 && !said.contains("CANARY") && !said.contains(&hex), "{media}: {said}");
    }
    server.stop().await;
}

#[tokio::test]
async fn nonsense_is_told_to_who_sends_it() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let bodies: [&[u8]; 12] = [
        b"",
        b"null",
        b"[]",
        b"1",
        b"\"",
        b"{",
        b"{\"metadata\":1}",
        b"\xff\xfe",
        b"{\"metadata\":{\"name\":1}}",
        b"k8s\0",
        b"k8s\0\xff\xff\xff\xff\xff\xff\xff",
        b"{\"metadata\":{\"name\":\"x\",\"labels\":[]}}",
    ];
    let medias = [
        "application/json",
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "text/html",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
    ];
    for body in bodies {
        for media in medias {
            for (method, path) in [
                ("POST", MAPS.to_owned()),
                ("PUT", format!("{MAPS}/m")),
                ("PATCH", format!("{MAPS}/m?fieldManager=x")),
                ("PATCH", format!("{THINGS}/t?fieldManager=x")),
                ("POST", THINGS.to_owned()),
            ] {
                let body = Bytes::copy_from_slice(body);
                let (code, said) = send(&service, method, &path, media, body.clone()).await;
                let fault = said["message"].as_str().unwrap_or_default().contains("panic");
                // A patch of nothing is one, and Go reads null as nothing.
                let fine = code == 200
                    && match media {
                        "application/json-patch+json" => matches!(&*body, b"[]" | b"null"),
                        "application/strategic-merge-patch+json" => &*body == b"null",
                        _ => false,
                    };
                assert!(
                    fine || (400..=500).contains(&code) && !fault,
                    "{method} {path} {media} {body:?}: {code} {said}"
                );
            }
        }
    }
    is_well(&service).await;
    server.stop().await;
}

/// Set for a test that has a process of its own.
const ALONE: &str = "BOWLINE_TEST_ALONE";

/// The most memory that this process has had, in kilobytes.
fn peak_kb() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the system says it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak is there");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// What a body costs beyond what it is: a path for every field below a long name would be half a gigabyte here, and
/// three hundred for the longest body.
#[test]
fn odd_fields_cost_no_more_than_the_body_that_has_them() {
    if std::env::var_os(ALONE).is_some() {
        return tokio::runtime::Runtime::new().expect("a runtime").block_on(odd_fields());
    }
    let output = std::process::Command::new(std::env::current_exe().expect("this is a program"))
        .args(["limits::odd_fields_cost_no_more_than_the_body_that_has_them", "--exact", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .expect("it can be started once more");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("running 1 test"), "{said}");
}

async fn odd_fields() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let long = "x".repeat(100_000);
    let below = (0..5000).map(|number| format!("\"f{number}\":0")).collect::<Vec<_>>().join(",");
    let head = |kind: &str| match kind {
        "Shut" => r#""apiVersion":"test.dev/v1","kind":"Shut","metadata":{"name":"o"}"#,
        _ => r#""metadata":{"name":"o"}"#,
    };
    let closed = json!({ "type": "object", "properties": {
        "maps": { "type": "object", "additionalProperties": { "type": "object" } } } });
    expect(201, ask(&service, "POST", DEFINITIONS, &definition("shuts", "Shut", &closed)).await);
    let shuts = "/apis/test.dev/v1/namespaces/default/shuts";
    while get(&service, shuts).await.0 != 200 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let before = peak_kb();
    for (kind, path, fields) in [
        // Below an unknown field; beside one; twice; and below a name that a map may have.
        ("", MAPS, format!(r#""{long}":{{{below}}}"#)),
        ("", MAPS, format!(r#"{below},"{long}":{{{below}}}"#)),
        ("", MAPS, format!(r#""{long}":{{{below},{below}}}"#)),
        ("Shut", shuts, format!(r#""maps":{{"{long}":{{{below}}}}}"#)),
        ("Shut", shuts, format!(r#""maps":{{"{long}":{{{below},{below}}}}}"#)),
    ] {
        for validation in ["Strict", "Warn", "Ignore"] {
            let body = format!("{{{},{fields}}}", head(kind));
            let path = format!("{path}?dryRun=All&fieldValidation={validation}");
            let request = http::Request::post(path).header("content-type", "application/json");
            let body = http_body_util::Full::new(Bytes::from(body));
            let reply = service.answer(request.body(body).expect("a request")).await;
            let expected = if validation == "Strict" { 400 } else { 201 };
            assert_eq!(reply.status(), expected, "{validation}");
            let warnings = reply.headers().get_all("warning");
            let bytes: usize = warnings.iter().map(http::HeaderValue::len).sum();
            // As many as the real server sends, with what is around each.
            assert!(bytes < 8192 && (validation == "Warn") == (bytes > 0), "{bytes} bytes of warnings");
        }
    }
    let grown = peak_kb() - before;
    assert!(grown < 150_000, "{grown} kB more");
    is_well(&service).await;
    server.stop().await;
}

/// Who mistook the name of a field is to know which.
#[tokio::test]
async fn of_an_applied_secret_the_field_that_it_does_not_have_is_told_and_nothing_that_it_holds() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    for (fields, told) in [
        (json!({ "stringdata": { "a": "canary" } }), ".stringdata: field not declared in schema"),
        (
            json!({ "stringData": { "a": ["canary"] } }),
            "a field does not have its type; what it has is not shown",
        ),
    ] {
        let mut secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" } });
        secret.as_object_mut().expect("an object").extend(fields.as_object().expect("fields").clone());
        let path = "/api/v1/namespaces/default/secrets/s?fieldManager=x";
        let answer = patch(&service, path, "application/apply-patch+yaml", secret.to_string()).await;
        let said = expect(500, answer)["message"].clone();
        assert_eq!(said, format!("failed to create typed patch object (Kind=Secret): {told}"));
    }
    server.stop().await;
}
