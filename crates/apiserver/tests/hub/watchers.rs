//! Watchers that do not read.

use std::time::Duration;

use bowline_apiserver::{Server, Service};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Empty};
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect};

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
    let path = format!("{MAPS}?watch=true&fieldSelector=metadata.name=big&resourceVersion={version}");
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
            let frame = tokio::time::timeout(Duration::from_secs(60), self.body.frame()).await;
            let frame = frame.expect("something comes")?;
            let data = frame.ok().and_then(|frame| frame.into_data().ok()).expect("it is data");
            self.rest.extend_from_slice(&data);
        }
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
