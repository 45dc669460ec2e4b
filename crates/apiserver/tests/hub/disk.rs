//! A disk that is full. The limit of this process on the size of files stands for it: it says no at the same place.

use std::process::Command;

use bowline_apiserver::{Server, Service};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect, get};

/// Says to the test that the limit is its own.
const CHILD: &str = "BOWLINE_TEST_DISK";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[test]
fn when_the_disk_is_full_writes_are_refused_and_all_else_goes_on() {
    if std::env::var_os(CHILD).is_some() {
        let runtime = tokio::runtime::Runtime::new().expect("threads");
        return runtime.block_on(fill());
    }
    // The limit holds for all files of a process, so it has one of its own. Who exceeds it is sent a signal, which
    // would end it; a shell can have it ignored.
    let program = std::env::current_exe().expect("this is a program");
    let name = "disk::when_the_disk_is_full_writes_are_refused_and_all_else_goes_on";
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"])
        .arg(program)
        .args([name, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("it can be started once more");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
    assert!(said.contains("1 passed"), "{said}");
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

async fn fill() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    for number in 0..5 {
        expect(201, ask(&service, "POST", MAPS, &map(number)).await);
    }
    let full = std::fs::metadata(scratch.join("hub.redb")).expect("a file").len();
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
    let all = expect(200, get(&service, MAPS).await);
    server.stop().await;
    let server = Server::start(scratch.path()).await.expect("it starts again");
    assert_eq!(expect(200, get(&admin(&server), MAPS).await), all);
    server.stop().await;
}
