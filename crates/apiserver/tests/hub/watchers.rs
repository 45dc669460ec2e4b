//! Watchers that do not read, or ask for what is not there, and what they are told.

use std::time::Duration;

use bowline_apiserver::{Server, Service};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Empty};
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect, get};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// History is bounded by 64 MiB; so much of it is more.
const WRITES: usize = 80;
const BYTES: usize = 1_000_000;

/// A watch, and the part of a line that has come.
struct Watch<B> {
    body: B,
    rest: Vec<u8>,
}

async fn watch(
    service: &Service,
    version: &str,
) -> Watch<impl http_body::Body<Data = Bytes> + Unpin + use<>> {
    watch_with(service, &format!("fieldSelector=metadata.name=big&resourceVersion={version}")).await
}

async fn watch_with(
    service: &Service,
    query: &str,
) -> Watch<impl http_body::Body<Data = Bytes> + Unpin + use<>> {
    let path = format!("{MAPS}?watch=true&{query}");
    let request = Request::get(path).body(Empty::<Bytes>::new()).expect("a request");
    let response: Response<_> = service.answer(request).await;
    assert_eq!(response.status(), 200);
    Watch { body: response.into_body(), rest: Vec::new() }
}

impl<B: http_body::Body<Data = Bytes> + Unpin> Watch<B> {
    /// The next event; `None` at the end.
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<_> = self.rest.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).expect("a line is an event"));
            }
            let data = self.piece().await?;
            self.rest.extend_from_slice(&data);
        }
    }

    /// What is sent at once; `None` at the end.
    async fn piece(&mut self) -> Option<Bytes> {
        let frame = tokio::time::timeout(Duration::from_secs(60), self.body.frame()).await;
        let frame = frame.expect("something comes")?;
        Some(frame.ok().and_then(|frame| frame.into_data().ok()).expect("it is data"))
    }
}

fn big(number: usize) -> Value {
    json!({ "metadata": { "name": "big" }, "data": { "number": number.to_string(), "text": "x".repeat(BYTES) } })
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_never_reads_holds_up_nobody_and_is_told_that_it_is_too_late() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let made = expect(201, ask(&service, "POST", MAPS, &big(0)).await);
    let version = made["metadata"]["resourceVersion"].as_str().expect("it has one").to_owned();
    let mut asleep = watch(&service, &version).await;
    let mut awake = watch(&service, &version).await;
    let reader = tokio::spawn(async move {
        for number in 1..=WRITES {
            let event = awake.next().await.expect("it goes on");
            assert_eq!(
                (&event["type"], &event["object"]["data"]["number"]),
                (&json!("MODIFIED"), &json!(number.to_string()))
            );
        }
    });
    for number in 1..=WRITES {
        expect(200, ask(&service, "PUT", &format!("{MAPS}/big"), &big(number)).await);
    }
    reader.await.expect("it has seen all");
    // The sleeper wakes: it gets some of what was on its way, in order, and then the end.
    let mut seen = 0;
    let end = loop {
        let event = asleep.next().await.expect("it is told before it ends");
        if event["type"] == "ERROR" {
            break event["object"].clone();
        }
        seen += 1;
        assert_eq!(event["object"]["data"]["number"], seen.to_string());
    };
    assert!(seen < WRITES, "nothing was lost");
    assert_eq!((&end["code"], &end["reason"]), (&json!(410), &json!("Expired")));
    assert!(end["message"].as_str().expect("a message").starts_with("too old resource version: "), "{end}");
    assert!(asleep.next().await.is_none());
    // From there it would be too late too; from now on it is not.
    let mut late = watch(&service, &version).await;
    assert_eq!(late.next().await.expect("it is told")["object"]["code"], 410);
    server.stop().await;
}

/// A map with a name of its own, and much in it.
async fn make_big(service: &Service, count: usize) {
    for number in 0..count {
        let map = json!({
            "metadata": { "name": format!("big{number}"), "labels": { "big": "yes" } },
            "data": { "text": "x".repeat(600_000) },
        });
        expect(201, ask(service, "POST", MAPS, &map).await);
    }
}

/// How many watches the server counts; its own are none of them.
async fn watchers(service: &Service) -> usize {
    let text = expect(200, get(service, "/metrics").await);
    let text = text.as_str().expect("it is text");
    let line = text.lines().find_map(|line| line.strip_prefix("bowline_hub_watchers "));
    line.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("no watchers in {text}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_never_reads_ends_in_time_and_has_little_under_way() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let version = expect(200, get(&service, MAPS).await)["metadata"]["resourceVersion"].clone();
    make_big(&service, 12).await;
    // One begins with what is there, the other with what has happened.
    let state = "labelSelector=big&timeoutSeconds=1".to_owned();
    let changes = format!("{state}&resourceVersion={}", version.as_str().expect("it has one"));
    for query in [state, changes] {
        check_asleep(&service, &query).await;
    }
    server.stop().await;
}

async fn check_asleep(service: &Service, query: &str) {
    assert_eq!(watchers(service).await, 0);
    let mut asleep = watch_with(service, query).await;
    assert_eq!(watchers(service).await, 1);
    while watchers(service).await > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // What was under way is still there, and no more. A piece is a mebibyte, and at most an event more.
    let mut bytes = 0;
    while let Some(piece) = asleep.piece().await {
        assert!(piece.len() < (1 << 20) + 700_000, "{} bytes at once", piece.len());
        bytes += piece.len();
    }
    assert!((600_000..4_000_000).contains(&bytes), "{bytes} bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_never_reads_does_not_outlast_the_server() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    make_big(&service, 12).await;
    let mut asleep = watch_with(&service, "labelSelector=big&timeoutSeconds=600").await;
    server.stop().await;
    while watchers(&service).await > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut bytes = 0;
    while let Some(piece) = asleep.piece().await {
        bytes += piece.len();
    }
    assert!(bytes < 4_000_000, "{bytes} bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_for_ever_is_one() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let query = format!("timeoutSeconds={}&allowWatchBookmarks=true&labelSelector=big", i64::MAX);
    let mut watch = watch_with(&service, &query).await;
    make_big(&service, 1).await;
    loop {
        let event = watch.next().await.expect("it goes on");
        if event["type"] == "ADDED" {
            assert_eq!(event["object"]["metadata"]["name"], "big0");
            break;
        }
    }
    server.stop().await;
}

const AHEAD: &str = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=1000000";

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_does_not_come_is_not_replaced_by_an_older_one() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let mut watch = watch_with(&service, AHEAD).await;
    let event = watch.next().await.expect("it is told");
    let status = &event["object"];
    assert_eq!((&event["type"], &status["code"]), (&json!("ERROR"), &json!(504)), "{event}");
    assert_eq!((&status["reason"], &status["details"]["retryAfterSeconds"]), (&json!("Timeout"), &json!(1)));
    let said = status["message"].as_str().expect("a message");
    assert!(said.starts_with("Timeout: Too large resource version: 1000000, current: "), "{said}");
    assert!(watch.next().await.is_none());
    // Who waits for it does not outlast the server, and is not told that it took too long.
    let mut watch = watch_with(&service, AHEAD).await;
    server.stop().await;
    assert!(watch.next().await.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bookmark_is_as_new_as_what_has_happened_elsewhere() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    // Its only bookmark comes two seconds before its end.
    let mut watch = watch_with(&service, "labelSelector=big&allowWatchBookmarks=true&timeoutSeconds=4").await;
    let secret = json!({ "metadata": { "name": "s" } });
    let made = expect(201, ask(&service, "POST", "/api/v1/namespaces/default/secrets", &secret).await);
    let version = |object: &Value| -> u64 {
        let text = object["metadata"]["resourceVersion"].as_str().expect("it has one");
        text.parse().expect("a number")
    };
    loop {
        let event = watch.next().await.expect("there is a bookmark");
        assert_eq!(event["type"], "BOOKMARK");
        // The first may say where the watch begins.
        if event["object"]["metadata"]["annotations"].is_null() {
            assert!(version(&event["object"]) >= version(&made), "{event}");
            break;
        }
    }
    assert!(watch.next().await.is_none());
    server.stop().await;
}
