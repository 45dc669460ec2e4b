//! Answers that nobody reads: a client that does not take them is not waited for, whatever it says meanwhile.

use std::time::Duration;

use bowline_apiserver::{Server, Service};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Scratch, admin, ask, connect, expect, get};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const WATCH: &str = "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0&timeoutSeconds=86400";
/// More than the buffers of two sockets hold.
const OBJECTS: usize = 40;
const BYTES: usize = 1_000_000;

async fn filled(scratch: &Scratch) -> Server {
    let server = Server::start(scratch.path()).await.expect("it starts");
    for number in 0..OBJECTS {
        let map =
            json!({ "metadata": { "name": format!("m{number}") }, "data": { "text": "x".repeat(BYTES) } });
        expect(201, ask(&admin(&server), "POST", MAPS, &map).await);
    }
    server
}

/// How many watches there are.
async fn watches(service: &Service) -> u32 {
    let Value::String(text) = expect(200, get(service, "/metrics").await) else { panic!("it is no text") };
    let line = text.lines().find_map(|line| line.strip_prefix("bowline_hub_watchers "));
    line.and_then(|count| count.trim().parse().ok()).unwrap_or_else(|| panic!("it is not counted: {text}"))
}

/// Some seconds pass for whoever waits. Nobody waits so long really; what is under way meanwhile has its turn.
async fn pass() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(15)).await;
    tokio::time::resume();
    tokio::time::sleep(Duration::from_millis(20)).await;
}

/// Lets time pass until so many watches are left.
async fn outwait(service: &Service, left: u32) {
    for _ in 0..200 {
        if watches(service).await == left {
            return;
        }
        pass().await;
    }
    panic!("it is waited for: there are {} watches", watches(service).await);
}

#[tokio::test]
async fn who_does_not_read_by_http1_is_cut_off() {
    let scratch = Scratch::new();
    let server = filled(&scratch).await;
    let mut asked = Vec::new();
    for path in [WATCH, MAPS] {
        let mut stream = connect(&server, scratch.path(), "http/1.1").await;
        let head = format!("GET {path} HTTP/1.1\r\nhost: hub\r\n\r\n");
        stream.write_all(head.as_bytes()).await.expect("it is sent");
        assert_eq!(stream.read_u8().await.expect("an answer"), b'H');
        asked.push(stream);
    }
    let service = admin(&server);
    assert_eq!(watches(&service).await, 1);
    outwait(&service, 0).await;
    // The list was asked for just after the watch.
    for _ in 0..10 {
        pass().await;
    }
    for mut stream in asked {
        let mut all = Vec::new();
        // How it is told depends on what was under way.
        let _ = stream.read_to_end(&mut all).await;
        assert!(all.len() < OBJECTS * BYTES, "there is all of it");
    }
    server.stop().await;
}

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

/// Such a client says that it is there when it is asked, and would take what else is sent.
#[tokio::test]
async fn who_does_not_read_by_http2_is_cut_off_and_others_are_not() {
    let scratch = Scratch::new();
    let server = filled(&scratch).await;
    let (mut reads, mut sleeps) = (client(&server, &scratch).await, client(&server, &scratch).await);
    let nothing =
        "/api/v1/namespaces/kube-public/configmaps?watch=true&resourceVersion=0&timeoutSeconds=86400";
    let mut quiet = reads.send_request(request(&server, nothing)).await.expect("an answer").into_body();
    let unread = sleeps.send_request(request(&server, WATCH)).await.expect("an answer").into_body();
    let listed = sleeps.send_request(request(&server, MAPS)).await.expect("an answer").into_body();
    let service = admin(&server);
    assert_eq!(watches(&service).await, 2);
    outwait(&service, 1).await;
    for body in [unread, listed] {
        assert!(body.collect().await.is_err(), "it ends too early");
    }
    // Who has nothing to read for as long is served on, and gets everything.
    let whole = reads.send_request(request(&server, MAPS)).await.expect("an answer");
    assert!(whole.into_body().collect().await.expect("all of it").to_bytes().len() > OBJECTS * BYTES);
    assert_eq!(watches(&service).await, 1);
    let made = json!({ "metadata": { "name": "later" } });
    expect(201, ask(&service, "POST", "/api/v1/namespaces/kube-public/configmaps", &made).await);
    let mut seen = String::new();
    while !seen.contains(r#""name":"later""#) {
        let frame = quiet.frame().await.expect("it goes on").expect("it is not broken");
        seen += &String::from_utf8_lossy(&frame.into_data().unwrap_or_default());
    }
    server.stop().await;
}
