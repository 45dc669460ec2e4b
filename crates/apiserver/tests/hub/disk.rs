//! A disk that is full. The limit of this process on the size of files stands for it: it says no at the same place.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use bowline_apiserver::audit_log::verify;
use bowline_apiserver::{Server, Service};
use http::Request;
use http_body_util::Full;
use nix::libc::SIGABRT;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::support::{Alone, admin, alone, ask, expect, get, passed, said};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[test]
fn when_the_disk_is_full_writes_are_refused_and_all_else_goes_on() {
    // The limit holds for all files of a process, so it has one of its own.
    match alone("disk::when_the_disk_is_full_writes_are_refused_and_all_else_goes_on") {
        Alone::Here(path) => tokio::runtime::Runtime::new().expect("threads").block_on(fill(&path)),
        Alone::Ended(output, _) => passed(&output),
    }
}

fn limit(bytes: u64) {
    let (_, hard) = getrlimit(Resource::RLIMIT_FSIZE).expect("there is one");
    setrlimit(Resource::RLIMIT_FSIZE, bytes.min(hard), hard).expect("it can be set");
}

fn map(number: usize) -> Value {
    json!({ "metadata": { "name": format!("m{number}") }, "data": { "text": "x".repeat(200_000) } })
}

async fn version(service: &Service) -> u64 {
    let list = expect(200, get(service, &format!("{MAPS}?limit=1")).await);
    list["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok()).expect("it has one")
}

async fn ready(service: &Service) -> String {
    let (code, said) = get(service, "/readyz?verbose").await;
    assert_eq!(code, 200);
    said.as_str().expect("a text").to_owned()
}

/// Whether it counts itself as one that only reads.
async fn reads_only(service: &Service) -> bool {
    let (_, counted) = get(service, "/metrics").await;
    let counted = counted.as_str().expect("a text");
    let is = |value: &str| counted.contains(&format!("\nbowline_hub_reads_only {value}\n"));
    assert!(is("0") != is("1"), "{counted}");
    is("1")
}

async fn fill(path: &Path) {
    let server = Server::start(path).await.expect("it starts");
    let service = admin(&server);
    for number in 0..5 {
        expect(201, ask(&service, "POST", MAPS, &map(number)).await);
    }
    let full = fs::metadata(path.join("hub.redb")).expect("a file").len();
    assert!(!reads_only(&service).await);
    limit(full);
    let mut number = 5;
    // There is some room left in the file.
    let said = loop {
        let before = version(&service).await;
        let (code, said) = ask(&service, "POST", MAPS, &map(number)).await;
        if code != 201 {
            assert_eq!(version(&service).await, before, "versions do not jump");
            break expect(507, (code, said));
        }
        number += 1;
    };
    assert_eq!((&said["kind"], &said["reason"]), (&json!("Status"), &json!("InsufficientStorage")));
    let message = said["message"].as_str().expect("it has one");
    assert!(message.starts_with("the hub cannot write to its disk, nothing was changed: "), "{message}");
    // It is ready for those who read, and does not hide what it refuses.
    let refused = "[+]store ok, for reads only; the last write was refused: ";
    assert!(ready(&service).await.contains(refused), "{}", ready(&service).await);
    assert!(reads_only(&service).await);
    let stuck = version(&service).await;
    for method in ["POST", "PUT", "DELETE"] {
        let path = if method == "POST" { MAPS.to_owned() } else { format!("{MAPS}/m0") };
        let body = if method == "POST" { map(number) } else { json!({ "metadata": { "name": "m0" } }) };
        let (code, said) = ask(&service, method, &path, &body).await;
        // What makes it smaller may fit.
        assert!(code == 507 || method != "POST", "{method}: {code} {said}");
    }
    expect(404, get(&service, &format!("{MAPS}/m{number}")).await);
    expect(200, get(&service, &format!("{MAPS}/m1")).await);
    expect(200, get(&service, "/readyz").await);
    let before = version(&service).await;
    assert!(before >= stuck);
    // There is room again.
    limit(u64::MAX);
    let made = expect(201, ask(&service, "POST", MAPS, &map(number)).await);
    assert_eq!(made["metadata"]["resourceVersion"], (before + 1).to_string());
    assert!(ready(&service).await.contains("[+]store ok\n"), "{}", ready(&service).await);
    assert!(!reads_only(&service).await, "it writes again");
    let all = expect(200, get(&service, MAPS).await);
    server.stop().await;
    let server = Server::start(path).await.expect("it starts again");
    assert_eq!(expect(200, get(&admin(&server), MAPS).await), all);
    server.stop().await;
}

/// Asks for a Secret that nobody has: that takes a line, and no room in the store.
async fn ask_for_nothing(service: &Service) {
    let request = Request::get(format!("/api/v1/namespaces/default/secrets/{}", "x".repeat(400)))
        .header("user-agent", "y".repeat(500))
        .body(Full::<bytes::Bytes>::default())
        .expect("a request");
    assert_eq!(service.answer(request).await.status(), 404);
}

/// Writes until it is ended, and says what was acknowledged.
async fn write_until_the_log_is_full(path: &Path) {
    let server = Server::start(path).await.expect("it starts");
    let service = admin(&server);
    let length = |name: &str| fs::metadata(path.join(name)).expect("a file").len();
    // The limit is on all files: the log has to be the one that meets it.
    while length("audit.log") < length("hub.redb") + (64 << 10) {
        let asking: Vec<_> = (0..50)
            .map(|_| {
                let service = service.clone();
                tokio::spawn(async move { ask_for_nothing(&service).await })
            })
            .collect();
        for asked in asking {
            asked.await.expect("it does not panic");
        }
    }
    limit(length("audit.log") + 10_000);
    for number in 0.. {
        let map = json!({ "metadata": { "name": format!("m{number}") } });
        let made = expect(201, ask(&service, "POST", MAPS, &map).await);
        println!("acknowledged {}", made["metadata"]["resourceVersion"].as_str().expect("it has one"));
    }
}

/// The versions of which lines tell.
fn told(path: &Path) -> Vec<u64> {
    let text = fs::read_to_string(path.join("audit.log")).expect("there is a log");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let spans = lines.flat_map(|line| line["chain"]["versions"].as_array().cloned().unwrap_or_default());
    let number = |value: &Value| value.as_u64().expect("a number");
    spans.flat_map(|span| number(&span[0])..=number(&span[1])).collect()
}

/// The room that is kept for lines is of no use here: a file may not get longer, wherever there is room.
#[test]
fn when_the_audit_log_cannot_be_written_the_process_stops_and_nothing_was_acknowledged_without_a_line() {
    let name = "disk::when_the_audit_log_cannot_be_written_the_process_stops_and_nothing_was_acknowledged_without_a_line";
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let (output, scratch) = match alone(name) {
        Alone::Here(path) => return runtime.block_on(write_until_the_log_is_full(&path)),
        Alone::Ended(output, scratch) => (output, scratch),
    };
    let said = said(&output);
    assert_eq!(output.status.signal(), Some(SIGABRT), "{}: {said}", output.status);
    let acknowledged: BTreeSet<u64> =
        said.lines().filter_map(|line| line.split_once("acknowledged ")?.1.trim().parse().ok()).collect();
    assert!(acknowledged.len() > 2, "{said}");
    let before: BTreeSet<u64> = told(scratch.path()).into_iter().collect();
    assert!(acknowledged.is_subset(&before), "{acknowledged:?}: {before:?}");
    let verdict = verify(&[scratch.join("audit.log")], None).expect("it can be read");
    assert_eq!((&verdict.flaw, verdict.torn), (&None, 0), "no half a line");
    // There is room again: it goes on, and says what nobody was told of.
    let version = runtime.block_on(async {
        let server = Server::start(scratch.path()).await.expect("it starts");
        let version = version(&admin(&server)).await;
        server.stop().await;
        version
    });
    assert!(acknowledged.iter().all(|made| *made <= version));
    let mut all = told(scratch.path());
    all.sort_unstable();
    assert_eq!(all, (1..=version).collect::<Vec<_>>(), "each version has one line");
    let text = fs::read_to_string(scratch.join("audit.log")).expect("there is a log");
    assert_eq!(
        text.matches("no line says who made them").count(),
        usize::from(before.last() < Some(&version))
    );
}
