//! Priority and fairness: a flood of one user is not another's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bowline_apiserver::{Server, Service};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect, get, somebody};

const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const LEVELS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SEATS: usize = 4;

/// A hub with a level of few seats, where everybody of the group `many` is, and who they are.
async fn start(scratch: &Scratch, response: &Value) -> (Server, Service) {
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let level = json!({ "metadata": { "name": "few" }, "spec": { "type": "Limited", "limited": {
        "nominalConcurrencyShares": 1, "limitResponse": response,
    } } });
    expect(201, ask(&service, "POST", LEVELS, &level).await);
    let schema = json!({ "metadata": { "name": "many" }, "spec": {
        "priorityLevelConfiguration": { "name": "few" }, "matchingPrecedence": 50,
        "distinguisherMethod": { "type": "ByUser" },
        "rules": [{
            "subjects": [{ "kind": "Group", "group": { "name": "many" } }],
            "resourceRules": [{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"] }],
        }],
    } });
    expect(201, ask(&service, "POST", SCHEMAS, &schema).await);
    // All other shares come to 245: with so many more, one is worth four of 2048 seats.
    let heavy = json!({ "metadata": { "name": "heavy" }, "spec": { "type": "Limited", "limited": {
        "nominalConcurrencyShares": 300, "limitResponse": { "type": "Reject" },
    } } });
    expect(201, ask(&service, "POST", LEVELS, &heavy).await);
    let group = "rbac.authorization.k8s.io";
    let binding = json!({
        "metadata": { "name": "many" }, "subjects": [{ "kind": "Group", "name": "many", "apiGroup": group }],
        "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin" },
    });
    expect(201, ask(&service, "POST", &format!("/apis/{group}/v1/clusterrolebindings"), &binding).await);
    (server, service)
}

fn queue() -> Value {
    json!({ "type": "Queue", "queuing": { "queues": 64, "handSize": 6, "queueLengthLimit": 50 } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_by_one_user_does_not_hold_up_another() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch, &queue()).await;
    for number in 0..60 {
        let map = json!({ "metadata": { "name": format!("m{number}") }, "data": { "a": "x".repeat(5_000) } });
        expect(201, ask(&service, "POST", MAPS, &map).await);
    }
    let flooder = somebody(&server, "flood", &["many", "system:authenticated"]);
    let other = somebody(&server, "other", &["many", "system:authenticated"]);
    let (answered, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let flood: Vec<_> = (0..200)
        .map(|_| {
            let (flooder, answered, over) = (flooder.clone(), Arc::clone(&answered), Arc::clone(&over));
            tokio::spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    let (code, _) = headers(&flooder, MAPS).await;
                    assert!(matches!(code, 200 | 429), "{code}");
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    // The flood is there, and waits: more than half of it.
    while waiting(&service).await < 100 {
        tokio::task::yield_now().await;
    }
    let mut before = Vec::new();
    for _ in 0..20 {
        let start = answered.load(Ordering::Relaxed);
        expect(200, get(&other, &format!("{MAPS}/m0")).await);
        before.push(answered.load(Ordering::Relaxed) - start);
    }
    over.store(true, Ordering::Relaxed);
    for task in flood {
        task.await.expect("it does not panic");
    }
    before.sort_unstable();
    // In the order of their coming, it would have been the hundred and more that were there before.
    let median = before[before.len() / 2];
    assert!(median <= 4 * SEATS, "{before:?} of the flood were answered before one of the other's");
    server.stop().await;
}

/// How many requests of the flood wait.
async fn waiting(service: &Service) -> usize {
    let text = expect(200, get(service, "/metrics").await);
    let lines = text.as_str().unwrap_or_default().lines();
    let name = "apiserver_flowcontrol_current_inqueue_requests{priority_level=\"few\",flow_schema=\"many\"} ";
    lines.filter_map(|line| line.strip_prefix(name)).filter_map(|count| count.parse::<usize>().ok()).sum()
}

/// The headers of an answer.
async fn headers(service: &Service, path: &str) -> (u16, http::HeaderMap) {
    let request = Request::builder().uri(path).body(Full::<Bytes>::default()).expect("a request");
    let reply = service.answer(request).await;
    let (parts, body) = reply.into_parts();
    drop(body.collect().await);
    (parts.status.as_u16(), parts.headers)
}

#[tokio::test]
async fn answers_say_where_a_request_belonged() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let root = admin(&server);
    let uid = async |path: String| expect(200, get(&root, &path).await)["metadata"]["uid"].clone();
    for (service, path, schema, level) in [
        (admin(&server), MAPS, "exempt", "exempt"),
        (somebody(&server, "bob", &["system:authenticated"]), MAPS, "global-default", "global-default"),
        (somebody(&server, "bob", &["system:authenticated"]), "/healthz", "probes", "exempt"),
        (
            somebody(
                &server,
                "system:serviceaccount:a:b",
                &["system:serviceaccounts", "system:authenticated"],
            ),
            MAPS,
            "service-accounts",
            "workload-low",
        ),
        (
            somebody(
                &server,
                "system:serviceaccount:kube-system:b",
                &["system:serviceaccounts", "system:authenticated"],
            ),
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x",
            "system-leader-election",
            "leader-election",
        ),
        (somebody(&server, "nobody", &[]), MAPS, "catch-all", "catch-all"),
    ] {
        let (_, headers) = headers(&service, path).await;
        let said = |name: &str| json!(headers.get(name).and_then(|value| value.to_str().ok()));
        assert_eq!(
            said("x-kubernetes-pf-flowschema-uid"),
            uid(format!("{SCHEMAS}/{schema}")).await,
            "{schema}"
        );
        assert_eq!(
            said("x-kubernetes-pf-prioritylevel-uid"),
            uid(format!("{LEVELS}/{level}")).await,
            "{level}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn what_no_server_can_be_without_is_put_back_and_cannot_be_changed() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let found = expect(200, get(&service, &format!("{SCHEMAS}/catch-all")).await);
    expect(200, ask(&service, "DELETE", &format!("{SCHEMAS}/catch-all"), &Value::Null).await);
    loop {
        let (code, again) = get(&service, &format!("{SCHEMAS}/catch-all")).await;
        if code == 200 {
            assert_eq!(again["spec"], found["spec"]);
            break;
        }
        tokio::task::yield_now().await;
    }
    let mut level = expect(200, get(&service, &format!("{LEVELS}/catch-all")).await);
    level["spec"]["limited"]["nominalConcurrencyShares"] = 50.into();
    let said = expect(422, ask(&service, "PUT", &format!("{LEVELS}/catch-all"), &level).await);
    let message = said["message"].as_str().unwrap_or_default();
    assert!(message.contains("spec of 'catch-all' must equal the fixed value"), "{message}");
    server.stop().await;
}

#[tokio::test]
async fn who_is_slow_to_send_has_no_seat_and_too_many_of_them_are_turned_away() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch, &json!({ "type": "Reject" })).await;
    let slow = somebody(&server, "slow", &["many", "system:authenticated"]);
    let other = somebody(&server, "other", &["many", "system:authenticated"]);
    // Each of these has said what it wants, and never says the rest.
    let sending: Vec<_> = (0..20)
        .map(|_| {
            let slow = slow.clone();
            tokio::spawn(async move {
                let request =
                    Request::builder().method("POST").uri(MAPS).header("content-type", "application/json");
                slow.answer(request.body(Endless).expect("a request")).await.status().as_u16()
            })
        })
        .collect();
    // That they were turned away is written down before they are told.
    while rejected(&service).await < 20 - SEATS
        || sending.iter().filter(|task| task.is_finished()).count() < 20 - SEATS
    {
        tokio::task::yield_now().await;
    }
    assert_eq!(sending.iter().filter(|task| !task.is_finished()).count(), SEATS);
    // There is a seat for each of the other's.
    for number in 0..20 {
        expect(
            201,
            ask(&other, "POST", MAPS, &json!({ "metadata": { "name": format!("o{number}") } })).await,
        );
    }
    for task in sending {
        task.abort();
    }
    server.stop().await;
}

async fn rejected(service: &Service) -> usize {
    let text = expect(200, get(service, "/metrics").await);
    let lines = text.as_str().unwrap_or_default().lines();
    let name = "apiserver_flowcontrol_rejected_requests_total{priority_level=\"few\",";
    lines
        .filter(|line| line.starts_with(name))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok())
        .sum()
}

/// A body that never comes.
struct Endless;

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        std::task::Poll::Pending
    }
}
