//! Heads that are too long, and such that never end: on the wire, before there is a request.

use std::path::Path;
use std::time::Duration;

use bowline_apiserver::Server;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Alone, Scratch, alone, connect, passed};

/// Long enough for any answer that comes at all.
const SOON: Duration = Duration::from_secs(20);

/// The code of the next answer; 0 if the connection is closed without one.
async fn answer(stream: &mut (impl AsyncReadExt + Unpin)) -> u16 {
    let mut said = [0; 12];
    match stream.read_exact(&mut said).await {
        Ok(_) => String::from_utf8_lossy(&said[9..]).parse().expect("a code"),
        Err(_) => 0,
    }
}

/// Sends a head, and gives the code of the answer.
async fn send(server: &Server, data: &Path, line: &str, headers: &str) -> u16 {
    let mut stream = connect(server, data, "http/1.1").await;
    // Who is refused may be so before all is sent.
    let _ = stream.write_all(format!("{line} HTTP/1.1\r\nhost: hub\r\n{headers}\r\n").as_bytes()).await;
    tokio::time::timeout(SOON, answer(&mut stream)).await.expect("it is answered")
}

#[tokio::test]
async fn heads_that_are_too_long_are_refused() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let send = async |line: &str, headers: &str| send(&server, scratch.path(), line, headers).await;
    let header = |length: usize| format!("x: {}\r\n", "a".repeat(length));
    let many = |count: usize| (0..count).map(|number| format!("x{number}: a\r\n")).collect::<String>();
    let url = |length: usize| format!("GET /version?{}", "a".repeat(length));
    assert_eq!(send("GET /version", "").await, 200);
    assert_eq!(send("GET /version", &header(200 << 10)).await, 200);
    assert_eq!(send("GET /version", &header(300 << 10)).await, 431);
    assert_eq!(send("GET /version", &header(4 << 20)).await, 431);
    assert_eq!(send("GET /version", &many(90)).await, 200);
    assert_eq!(send("GET /version", &many(110)).await, 431);
    assert_eq!(send(&url(60_000), "").await, 200);
    assert_eq!(send(&url(70_000), "").await, 414);
    assert_eq!(send("GET\0", "").await, 400);
    server.stop().await;
}

#[tokio::test]
async fn by_http2_too_and_others_on_the_connection_go_on() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let stream = connect(&server, scratch.path(), "h2").await;
    let (mut client, connection) = http2::Builder::new(TokioExecutor::new())
        .handshake(TokioIo::new(stream))
        .await
        .expect("it speaks HTTP/2");
    tokio::spawn(connection);
    let mut send = async |length: usize, count: usize| {
        let mut request = Request::get(format!("{}/version", server.url()));
        for number in 0..count {
            request = request.header(format!("x{number}"), "a".repeat(length));
        }
        client.ready().await.expect("it takes one more");
        let answer = client.send_request(request.body(Empty::<Bytes>::new()).expect("a request")).await;
        answer.map_or(0, |answer| answer.status().as_u16())
    };
    assert_eq!(send(100 << 10, 2).await, 200);
    assert_eq!(send(100 << 10, 3).await, 431);
    assert_eq!(send(10, 20_000).await, 431);
    assert_eq!(send(10, 1).await, 200);
    server.stop().await;
}

/// Lets time pass for whoever waits, until this connection has an answer or its end. Nobody waits so long really.
async fn outwait(stream: &mut (impl AsyncReadExt + Unpin), time: Duration) -> u16 {
    for _ in 0..100 {
        tokio::time::pause();
        tokio::time::advance(time).await;
        tokio::time::resume();
        // Till then it may not even be known there.
        if let Ok(code) = tokio::time::timeout(Duration::from_millis(100), answer(stream)).await {
            return code;
        }
    }
    panic!("it is waited for");
}

#[tokio::test]
async fn who_says_nothing_or_half_of_it_is_not_waited_for() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    // Who does not shake hands.
    let mut silent = TcpStream::connect(server.address()).await.expect("it listens");
    assert_eq!(outwait(&mut silent, Duration::from_secs(11)).await, 0);
    // Who shakes hands, and says nothing, or half a head, or what it sends and then not that.
    let mut silent = connect(&server, scratch.path(), "http/1.1").await;
    assert_eq!(outwait(&mut silent, Duration::from_secs(91)).await, 0);
    let mut half = connect(&server, scratch.path(), "http/1.1").await;
    half.write_all(b"GET /version HTTP/1.1\r\nhost: hub\r\nx").await.expect("it is sent");
    assert!(matches!(outwait(&mut half, Duration::from_secs(91)).await, 0 | 408));
    let mut bodiless = connect(&server, scratch.path(), "http/1.1").await;
    let head = "POST /api/v1/namespaces HTTP/1.1\r\nhost: hub\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    bodiless.write_all(head.as_bytes()).await.expect("it is sent");
    assert_eq!(outwait(&mut bodiless, Duration::from_secs(31)).await, 504);
    server.stop().await;
}

/// As many connections as the process may have files: those that are there go on, and when some end, others come.
async fn exhaust(data: &Path) {
    let server = Server::start(data).await.expect("it starts");
    let stream = connect(&server, data, "h2").await;
    let (mut client, connection) =
        http2::handshake::<_, _, Empty<Bytes>>(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .expect("it speaks HTTP/2");
    tokio::spawn(connection);
    let mut get = async |path: &str| {
        let request = Request::get(format!("{}{path}", server.url())).body(Empty::new()).expect("a request");
        client.ready().await.expect("it takes one more");
        let answer = client.send_request(request).await.expect("an answer");
        let code = answer.status().as_u16();
        let body = answer.into_body().collect().await.expect("a body").to_bytes();
        (code, serde_json::from_slice::<Value>(&body).unwrap_or_default())
    };
    assert_eq!(get("/api/v1/secrets").await.0, 200);
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).expect("there is one");
    let open = std::fs::read_dir("/proc/self/fd").expect("it can be listed").count() as u64;
    setrlimit(Resource::RLIMIT_NOFILE, open + 40, hard).expect("it can be set");
    let mut silent = Vec::new();
    while let Ok(stream) = TcpStream::connect(server.address()).await {
        silent.push(stream);
        assert!(silent.len() < 1000, "there is a limit");
    }
    // It needs no file for that, also not for the line that tells of it.
    for _ in 0..10 {
        assert_eq!(get("/api/v1/secrets").await.0, 200);
    }
    drop(silent);
    tokio::time::timeout(SOON, connect(&server, data, "h2")).await.expect("there is room again");
    server.stop().await;
}

#[test]
fn too_many_connections_do_not_harm_those_that_are_there() {
    match alone("heads::too_many_connections_do_not_harm_those_that_are_there") {
        Alone::Here(path) => tokio::runtime::Runtime::new().expect("threads").block_on(exhaust(&path)),
        Alone::Ended(output, _) => passed(&output),
    }
}
