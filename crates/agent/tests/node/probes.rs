//! Probes of every kind: good, bad, and without an answer.

use std::time::Duration;

use bowline_agent::{Boottime, Check, Env, Gauge, Outcome, Probe, Timing};

use crate::server::{answer, closed, serve};
use crate::world::{Node, lives, number, until};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);

async fn ask(check: Check, timeout: Duration) -> Result<(), String> {
    Probe { check, timing: Timing { timeout, ..Timing::default() } }.ask().await
}

fn http(port: u16, path: &str) -> Check {
    Check::Http { host: None, port, path: path.into(), headers: Vec::new() }
}

fn exec(script: &str) -> Check {
    Check::Exec { command: "sh".into(), args: vec!["-c".into(), script.into()], env: Env::from([("A", "1")]) }
}

#[tokio::test]
async fn http_is_good_from_200_to_399() {
    for status in [200, 204, 302, 399] {
        assert_eq!(ask(http(serve(Some(&answer(status, ""))).port, "/"), LONG).await, Ok(()));
    }
    for status in [400, 404, 500, 503] {
        let port = serve(Some(&answer(status, "no"))).port;
        let why = format!("GET http://127.0.0.1:{port}/healthz?full=1: status {status}");
        assert_eq!(ask(http(port, "/healthz?full=1"), LONG).await, Err(why));
    }
}

#[tokio::test]
async fn http_says_what_it_was_told_to_say() {
    let server = serve(Some(&answer(200, "fine")));
    let headers = vec![("Host".into(), "kv.example.org".into()), ("X-Probe".into(), "yes".into())];
    let host = Some("localhost".into());
    let check = Check::Http { host, port: server.port, path: "/ready?x=1".into(), headers };
    assert_eq!(ask(check, LONG).await, Ok(()));
    let asked = server.asked.recv().expect("it was asked").to_lowercase();
    assert!(asked.starts_with("get /ready?x=1 http/1.1\r\n"), "{asked}");
    assert!(asked.contains("host: kv.example.org\r\n") && asked.contains("x-probe: yes\r\n"), "{asked}");
    assert_eq!(asked.matches("host:").count(), 1);
}

#[tokio::test]
async fn http_without_an_answer_is_bad() {
    let why = ask(http(closed(), "/"), LONG).await.expect_err("nobody listens");
    assert!(why.contains("refused"), "{why}");
    let why = ask(http(serve(None).port, "/"), SHORT).await.expect_err("nobody answers");
    assert!(why.ends_with("no answer within 300 ms"), "{why}");
    assert!(ask(http(serve(Some("nonsense\r\n\r\n")).port, "/"), LONG).await.is_err());
    assert!(ask(http(serve(Some("")).port, "/"), LONG).await.is_err());
    assert!(ask(http(serve(Some(&answer(200, ""))).port, "no path"), LONG).await.is_err());
    // Its status is an answer, whatever becomes of the rest.
    assert_eq!(
        ask(http(serve(Some("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")).port, "/"), LONG).await,
        Ok(())
    );
}

#[tokio::test]
async fn tcp_is_good_if_somebody_accepts() {
    let tcp = |port| Check::Tcp { host: None, port };
    assert_eq!(ask(tcp(serve(None).port), LONG).await, Ok(()));
    let why = ask(tcp(closed()), LONG).await.expect_err("nobody listens");
    assert!(why.starts_with("connect to 127.0.0.1:") && why.contains("refused"), "{why}");
    // Whose queue is full does not answer.
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let listener = socket.listen(1).expect("it listens");
    let address = listener.local_addr().expect("an address");
    let mut waiting = Vec::new();
    let why = loop {
        match ask(tcp(address.port()), SHORT).await {
            Ok(()) => waiting.push(tokio::net::TcpStream::connect(address)),
            Err(why) => break why,
        }
        let last = waiting.pop().expect("one");
        if let Ok(Ok(stream)) = tokio::time::timeout(SHORT, last).await {
            std::mem::forget(stream);
        }
    };
    assert!(why.ends_with("not within 300 ms"), "{why}");
}

#[tokio::test]
async fn exec_is_good_if_it_ends_with_0() {
    let _node = Node::new();
    assert_eq!(ask(exec("test $A = 1"), LONG).await, Ok(()));
    let why = ask(exec("echo one; echo 'not ready' >&2; exit 2"), LONG).await.expect_err("it is bad");
    assert_eq!(why, "sh: it ended with exit code 2; its last words: not ready");
    let missing = Check::Exec { command: "/no/such".into(), args: Vec::new(), env: Env::default() };
    let why = ask(missing, LONG).await.expect_err("it is not there");
    assert!(why.ends_with("there is no such file"), "{why}");
}

#[tokio::test]
async fn exec_that_takes_too_long_is_killed_with_its_whole_group() {
    let node = Node::new();
    let (first, child) = (node.file("first"), node.file("child"));
    let script = format!(
        "trap '' TERM; sleep 600 & echo $! > {}; echo $$ > {}; echo busy; while :; do sleep 0.02; done",
        child.display(),
        first.display()
    );
    let asking = tokio::spawn(async move { ask(exec(&script), Duration::from_secs(6)).await });
    let why = asking.await.expect("it ends").expect_err("it takes too long");
    assert_eq!(why, "sh: it was killed, for it had not ended after 6000 ms; its last words: busy");
    for path in [first, child] {
        let pid = number(&path).expect("it ran");
        until("it is dead", || !lives(pid)).await;
    }
}

#[tokio::test]
async fn answers_come_to_an_outcome() {
    let timing = Timing { failure_threshold: 2, ..Timing::default() };
    let mut gauge = Gauge::new(timing, Boottime::now(), true);
    let probe = Probe { check: Check::Tcp { host: None, port: closed() }, timing };
    gauge.note(gauge.due(), gauge.due(), probe.ask().await);
    assert_eq!(gauge.outcome(), &Outcome::Unknown);
    gauge.note(gauge.due(), gauge.due(), probe.ask().await);
    assert!(matches!(gauge.outcome(), Outcome::Unhealthy { why } if why.contains("refused")));
    gauge.note(gauge.due(), gauge.due(), Ok(()));
    assert_eq!(gauge.outcome(), &Outcome::Healthy);
}
