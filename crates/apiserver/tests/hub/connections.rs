//! Connections that carry much, and such that carry nothing.

use std::time::Duration;

use bowline_apiserver::Server;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::support::{Scratch, admin, ask, connect, expect};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const STREAMS: usize = 1000;

/// The administrator, on a connection that speaks HTTP/2.
async fn client(server: &Server, scratch: &Scratch) -> SendRequest<Empty<Bytes>> {
    let stream = connect(server, scratch.path(), "h2").await;
    let (sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("it speaks HTTP/2");
    tokio::spawn(connection);
    sender
}

fn request(server: &Server, path: &str) -> Request<Empty<Bytes>> {
    Request::get(format!("{}{path}", server.url())).body(Empty::new()).expect("a request")
}

/// The next bytes.
async fn next(body: &mut Incoming) -> Bytes {
    let frame = tokio::time::timeout(Duration::from_secs(60), body.frame()).await.expect("something comes");
    let frame = frame.expect("it goes on").expect("it is not broken");
    frame.into_data().expect("it is data")
}

/// A client with many watches has one connection.
#[tokio::test(flavor = "multi_thread")]
async fn one_connection_carries_a_thousand_watches() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let mut client = client(&server, &scratch).await;
    let mut watches = Vec::new();
    for _ in 0..STREAMS {
        client.ready().await.expect("it takes one more");
        let asked = client.send_request(request(&server, &format!("{MAPS}?watch=true&resourceVersion=0")));
        watches.push(tokio::spawn(asked));
    }
    let mut bodies = Vec::new();
    for watch in watches {
        let response = watch.await.expect("a task").expect("an answer");
        assert_eq!(response.status(), 200);
        bodies.push(response.into_body());
    }
    // None of them has ended, and others are answered beside them.
    let listed = client.send_request(request(&server, MAPS)).await.expect("an answer");
    assert_eq!(listed.status(), 200);
    let map = json!({ "metadata": { "name": "m" } });
    expect(201, ask(&admin(&server), "POST", MAPS, &map).await);
    for body in &mut bodies {
        let mut line = Vec::new();
        while !String::from_utf8_lossy(&line).contains(r#""name":"m""#) {
            line.extend(next(body).await);
        }
        let last = line.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().expect("a line");
        let event: Value = serde_json::from_slice(last).expect("an event");
        assert_eq!((&event["type"], &event["object"]["metadata"]["name"]), (&json!("ADDED"), &json!("m")));
    }
    server.stop().await;
}

/// Half of what the server gives requests to end: a stop that takes so long has waited for somebody.
const SOON: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn who_connects_and_says_nothing_does_not_hold_up_a_stop() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let silent = TcpStream::connect(server.address()).await.expect("it listens");
    // Connections are accepted one after the other: when this one is served, the silent one is open.
    let mut client = client(&server, &scratch).await;
    let answer = client.send_request(request(&server, "/version")).await.expect("an answer");
    assert_eq!(answer.status(), 200);
    drop((answer, client));
    tokio::time::timeout(SOON, server.stop()).await.expect("nobody is waited for");
    drop(silent);
}

#[tokio::test]
async fn selectors_may_be_long() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let mut client = client(&server, &scratch).await;
    let values: Vec<String> = (0..5000).map(|value| format!("v{value:05}")).collect();
    let path = format!("{MAPS}?labelSelector=a+in+%28{}%29", values.join(","));
    let answer = client.send_request(request(&server, &path)).await.expect("it is answered");
    assert_eq!(answer.status(), 200);
    server.stop().await;
}

/// A body after the head of an answer to HEAD breaks the stream: clients report that, and not the answer.
#[tokio::test]
async fn answers_to_head_are_heads() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let mut client = client(&server, &scratch).await;
    for (path, code) in [("/livez", 200), ("/apis", 200), ("/api", 405), (MAPS, 405), ("/nowhere", 404)] {
        let mut asked = request(&server, path);
        *asked.method_mut() = http::Method::HEAD;
        let answer = client.send_request(asked).await.expect("it is answered");
        assert_eq!(answer.status(), code, "{path}");
        let length = answer.headers().get("content-length").and_then(|length| length.to_str().ok());
        assert_ne!(length.unwrap_or("0"), "0", "{path} says how long the body would be");
        let body = answer.into_body().collect().await.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(body.to_bytes().is_empty(), "{path}");
    }
    server.stop().await;
}
