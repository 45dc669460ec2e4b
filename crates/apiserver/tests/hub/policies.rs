//! Admission policies: they hold from the moment in which they are there.

use bowline_apiserver::{Server, Service};
use http::Request;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect, get, send, somebody};

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn rules(resource: &str) -> Value {
    json!({ "resourceRules": [{ "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": [resource] }] })
}

/// Makes a policy and binds it.
async fn bind(service: &Service, name: &str, spec: Value, binding: Value) {
    let policy = json!({ "metadata": { "name": name }, "spec": spec });
    expect(201, ask(service, "POST", POLICIES, &policy).await);
    let mut spec = json!({ "policyName": name, "validationActions": ["Deny"] });
    for (field, value) in binding.as_object().into_iter().flatten() {
        spec[field] = value.clone();
    }
    let binding = json!({ "metadata": { "name": name }, "spec": spec });
    expect(201, ask(service, "POST", BINDINGS, &binding).await);
}

async fn map(service: &Service, name: &str, data: Value) -> (u16, Value) {
    ask(service, "POST", MAPS, &json!({ "metadata": { "name": name }, "data": data })).await
}

#[tokio::test]
async fn a_policy_holds_at_once_and_also_after_a_restart() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    expect(201, map(&service, "before", json!({})).await);
    let validations =
        json!([{ "expression": "object == null || !has(object.data) || !('x' in object.data)" }]);
    bind(
        &service,
        "no-x",
        json!({ "matchConstraints": rules("configmaps"), "validations": validations }),
        json!({}),
    )
    .await;
    let said = expect(422, map(&service, "a", json!({ "x": "1" })).await);
    let why = "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'no-x' with binding 'no-x' denied request: \
               failed expression: object == null || !has(object.data) || !('x' in object.data)";
    assert_eq!((&said["message"], &said["reason"]), (&json!(why), &json!("Invalid")));
    // However it is written.
    let patch = json!({ "data": { "x": "2" } }).to_string();
    let media = "application/merge-patch+json";
    expect(422, send(&service, "PATCH", &format!("{MAPS}/before"), media, patch.into()).await);
    let applied =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "s" }, "data": { "x": "3" } });
    let path = format!("{MAPS}/s?fieldManager=m");
    expect(
        422,
        send(&service, "PATCH", &path, "application/apply-patch+yaml", applied.to_string().into()).await,
    );
    server.stop().await;
    let server = Server::start(scratch.path()).await.expect("it starts again");
    let service = admin(&server);
    expect(422, map(&service, "a", json!({ "x": "1" })).await);
    // What the server does by itself is not judged, and who made a policy can remove it.
    expect(200, ask(&service, "DELETE", &format!("{BINDINGS}/no-x"), &Value::Null).await);
    expect(201, map(&service, "a", json!({ "x": "1" })).await);
    server.stop().await;
}

#[tokio::test]
async fn what_takes_too_long_is_refused() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let much = "object.data.all(a, object.data.all(b, object.data.all(c, (a + b + c).matches('x*y*z*'))))";
    let validations = json!([{ "expression": much }]);
    bind(
        &service,
        "slow",
        json!({ "matchConstraints": rules("configmaps"), "validations": validations }),
        json!({}),
    )
    .await;
    let data: serde_json::Map<_, _> = (0..300).map(|number| (format!("k{number}"), json!(""))).collect();
    let said = expect(422, map(&service, "large", Value::Object(data)).await);
    let message = said["message"].as_str().unwrap_or_default();
    assert!(message.contains("operation cancelled: actual cost limit exceeded"), "{message}");
    server.stop().await;
}

#[tokio::test]
async fn what_costs_too_much_together_is_refused_too() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    // Each of them may cost what it does, and all of them may not.
    let one = json!({ "expression": "object.data.all(a, object.data.all(b, a == a))" });
    let spec = json!({ "matchConstraints": rules("configmaps"), "validations": vec![one; 40] });
    bind(&service, "many", spec, json!({})).await;
    let data = |count: usize| (0..count).map(|number| (format!("k{number}"), json!(""))).collect();
    expect(201, map(&service, "small", Value::Object(data(100))).await);
    let said = expect(422, map(&service, "large", Value::Object(data(300))).await);
    let message = said["message"].as_str().unwrap_or_default();
    assert!(message.contains("validation failed due to running out of cost budget"), "{message}");
    server.stop().await;
}

#[tokio::test]
async fn several_versions_are_one_resource_unless_somebody_means_just_one() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let version = |name: &str, storage: bool| {
        let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        json!({ "name": name, "served": true, "storage": storage, "schema": { "openAPIV3Schema": schema } })
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "things.test.dev" },
        "spec": {
            "group": "test.dev", "scope": "Namespaced", "names": { "plural": "things", "kind": "Thing" },
            "versions": [version("v1", true), version("v2", false)],
        },
    });
    expect(
        201,
        ask(&service, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await,
    );
    let things = |version: &str| format!("/apis/test.dev/{version}/namespaces/default/things");
    while get(&service, &things("v2")).await.0 != 200 {
        tokio::task::yield_now().await;
    }
    let about = |policy: &str| {
        let mut matching = rules("things");
        matching["resourceRules"][0]["apiVersions"] = json!(["v1"]);
        matching["matchPolicy"] = policy.into();
        matching
    };
    let validations = json!([{
        "expression": "object.color != 'red'",
        "messageExpression": "object.apiVersion + ' for ' + request.requestResource.version",
    }]);
    bind(
        &service,
        "exact",
        json!({ "matchConstraints": about("Exact"), "validations": validations }),
        json!({}),
    )
    .await;
    let thing = |version: &str, name: &str| {
        json!({
            "apiVersion": format!("test.dev/{version}"), "kind": "Thing", "metadata": { "name": name }, "color": "red",
        })
    };
    expect(422, ask(&service, "POST", &things("v1"), &thing("v1", "a")).await);
    expect(201, ask(&service, "POST", &things("v2"), &thing("v2", "a")).await);
    bind(
        &service,
        "both",
        json!({ "matchConstraints": about("Equivalent"), "validations": validations }),
        json!({}),
    )
    .await;
    let said = expect(422, ask(&service, "POST", &things("v2"), &thing("v2", "b")).await);
    let message = said["message"].as_str().unwrap_or_default();
    assert!(message.ends_with("'both' denied request: test.dev/v1 for v2"), "{message}");
    server.stop().await;
}

#[tokio::test]
async fn who_cannot_read_what_a_policy_would_read_cannot_make_it_read_it() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let (root, bob) = (admin(&server), somebody(&server, "bob", &["system:authenticated"]));
    let group = "rbac.authorization.k8s.io";
    let role = json!({ "metadata": { "name": "policies" }, "rules": [
        { "apiGroups": ["admissionregistration.k8s.io"], "resources": ["*"], "verbs": ["*"] },
    ] });
    expect(201, ask(&root, "POST", &format!("/apis/{group}/v1/clusterroles"), &role).await);
    let binding = json!({
        "metadata": { "name": "policies" }, "subjects": [{ "kind": "User", "name": "bob", "apiGroup": group }],
        "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": "policies" },
    });
    expect(201, ask(&root, "POST", &format!("/apis/{group}/v1/clusterrolebindings"), &binding).await);
    let policy = |params: bool| {
        let mut spec =
            json!({ "matchConstraints": rules("configmaps"), "validations": [{ "expression": "true" }] });
        if params {
            spec["paramKind"] = json!({ "apiVersion": "v1", "kind": "Secret" });
        }
        json!({ "metadata": { "name": "reads" }, "spec": spec })
    };
    let said = expect(422, ask(&bob, "POST", POLICIES, &policy(true)).await);
    let why = "ValidatingAdmissionPolicy.admissionregistration.k8s.io \"reads\" is invalid: spec.paramKind: Forbidden: \
               user &{bob  [system:authenticated] map[]} must have \"get\" permission on all objects of the \
               referenced paramKind (kind=Secret, apiVersion=v1)";
    assert_eq!(said["message"], why);
    expect(201, ask(&bob, "POST", POLICIES, &policy(false)).await);
    let params = json!({ "metadata": { "name": "reads" }, "spec": {
        "policyName": "reads", "validationActions": ["Deny"],
        "paramRef": { "name": "s", "namespace": "default", "parameterNotFoundAction": "Deny" },
    } });
    expect(422, ask(&bob, "POST", BINDINGS, &params).await);
    expect(201, ask(&root, "POST", BINDINGS, &params).await);
    server.stop().await;
}

#[tokio::test]
async fn warnings_are_told_and_nothing_is_refused() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let validations = json!([{ "expression": "false", "message": "think of it" }]);
    let spec = json!({ "matchConstraints": rules("configmaps"), "validations": validations });
    bind(&service, "warns", spec, json!({ "validationActions": ["Warn"] })).await;
    let body = json!({ "metadata": { "name": "a" } }).to_string();
    let request = Request::builder().method("POST").uri(MAPS).header("content-type", "application/json");
    let reply = service.answer(request.body(Full::new(body.into())).expect("a request")).await;
    assert_eq!(reply.status().as_u16(), 201);
    let warning =
        reply.headers().get("warning").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    drop(reply.into_body().collect().await);
    let said =
        "299 - \"Validation failed for ValidatingAdmissionPolicy 'warns' with binding 'warns': think of it\"";
    assert_eq!(warning, said);
    server.stop().await;
}

/// The annotations of the last line about an object of this name.
fn remarks(scratch: &Scratch, name: &str) -> Value {
    let log = std::fs::read_to_string(scratch.path().join("audit.log")).expect("there is a log");
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut of_it = lines.filter(|line| line["objectRef"]["name"] == name);
    of_it.next_back().map(|line| line["annotations"].clone()).unwrap_or_default()
}

#[tokio::test]
async fn what_policies_have_to_say_stands_in_the_audit_log() {
    const VIOLATED: &str = "validation.policy.admission.k8s.io/validation_failure";
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let spec = json!({
        "matchConstraints": rules("*"),
        "matchConditions": [{ "name": "data", "expression": "object != null && has(object.data)" }],
        "validations": [
            { "expression": "true" },
            { "expression": "!('x' in object.data)", "messageExpression": "'x is ' + string(object.data.x)" },
        ],
        "auditAnnotations": [
            { "key": "keys", "valueExpression": "'keys: ' + string(size(object.data))" },
            { "key": "none", "valueExpression": "null" },
        ],
    });
    bind(&service, "noted", spec, json!({ "validationActions": ["Audit", "Warn"] })).await;
    expect(201, map(&service, "good", json!({ "y": "1" })).await);
    let said = remarks(&scratch, "good");
    assert_eq!(
        (&said["noted/keys"], &said["noted/none"], &said[VIOLATED]),
        (&json!("keys: 1"), &Value::Null, &Value::Null)
    );
    expect(201, map(&service, "bad", json!({ "x": "7" })).await);
    let said = remarks(&scratch, "bad");
    let violated: Value =
        serde_json::from_str(said[VIOLATED].as_str().expect("it is noted")).expect("it is JSON");
    let expected = json!([{ "message": "x is 7", "policy": "noted", "binding": "noted", "expressionIndex": 1,
        "validationActions": ["Audit", "Warn"] }]);
    assert_eq!((violated, &said["noted/keys"]), (expected, &json!("keys: 1")));
    // Whoever writes policies may read Secrets by them; whoever reads the log need not.
    let secret = json!({ "metadata": { "name": "hidden" }, "data": { "x": "Y2FuYXJ5" } });
    expect(201, ask(&service, "POST", "/api/v1/namespaces/default/secrets", &secret).await);
    let said = remarks(&scratch, "hidden");
    assert_eq!(said["noted/keys"], "(of a Secret, and not shown)");
    let violated = said[VIOLATED].as_str().expect("it is noted");
    assert!(violated.contains("not shown") && !violated.contains("Y2FuYXJ5"), "{violated}");
    server.stop().await;
}
