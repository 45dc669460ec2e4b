//! A hub that is started on a full disk. The limit of this process on the size of files stands for it: there is no room for what
//! the audit log keeps for itself, and all else is as it was.

use std::fs;
use std::path::Path;
use std::time::Duration;

use bowline_apiserver::Server;
use bowline_apiserver::audit_log::verify;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::json;

use crate::support::{Alone, admin, alone, ask, expect, get, passed};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";

fn limit(bytes: u64) {
    let (_, hard) = getrlimit(Resource::RLIMIT_FSIZE).expect("there is one");
    setrlimit(Resource::RLIMIT_FSIZE, bytes.min(hard), hard).expect("it can be set");
}

async fn start_full(path: &Path) {
    let (log, reserve) = (path.join("audit.log"), path.join("audit.reserve"));
    let text = || fs::read_to_string(&log).expect("there is a log");
    let server = Server::start(path).await.expect("it starts");
    let map = |name: &str| json!({ "metadata": { "name": name } });
    expect(201, ask(&admin(&server), "POST", MAPS, &map("before")).await);
    server.stop().await;
    let before = text();
    // It was given away when the disk got full.
    fs::remove_file(&reserve).expect("it is kept");
    let stored = fs::metadata(path.join("hub.redb")).expect("a file").len();
    let room = 3 << 19;
    assert!(stored < room, "the store itself has room");
    limit(room);

    let server = Server::start(path).await.expect("it starts all the same");
    let service = admin(&server);
    expect(200, get(&service, &format!("{MAPS}/before")).await);
    expect(200, get(&service, "/readyz").await);
    for (method, at) in [("POST", MAPS.to_owned()), ("DELETE", format!("{MAPS}/before"))] {
        let said = expect(507, ask(&service, method, &at, &map("during")).await);
        let message = said["message"].as_str().expect("it has one");
        assert!(message.contains("the audit log cannot be written: "), "{message}");
    }
    expect(507, get(&service, SECRETS).await);
    let (code, said) = get(&service, "/readyz?verbose").await;
    assert_eq!(code, 200);
    let reads_only = "for reads only; the last write was refused: the audit log cannot be written: ";
    assert!(said.to_string().contains(reads_only), "{said}");
    let (_, counted) = get(&service, "/metrics").await;
    assert!(counted.to_string().contains("bowline_hub_reads_only 1"), "{counted}");
    server.stop().await;
    assert_eq!((text(), reserve.exists()), (before, false), "nothing is half written");

    let server = Server::start(path).await.expect("it starts once more");
    let service = admin(&server);
    expect(507, get(&service, SECRETS).await);
    // There is room again, and somebody who asks.
    limit(u64::MAX);
    let made = async {
        while ask(&service, "POST", MAPS, &map("after")).await.0 != 201 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), made).await.expect("it is taken");
    let (_, counted) = get(&service, "/metrics").await;
    assert!(counted.to_string().contains("bowline_hub_reads_only 0"), "{counted}");
    server.stop().await;
    let said = text();
    // What was to be said at the start comes first.
    let order = ["the hub starts; the store is at version", "the disk was full: ", "\"name\":\"after\""];
    let places: Vec<_> =
        order.iter().map(|words| said.find(words).unwrap_or_else(|| panic!("{words}: {said}"))).collect();
    assert!(places.is_sorted(), "{said}");
    assert_eq!(said.matches(order[0]).count(), 1, "who did nothing has left nothing: {said}");
    let verdict = verify(&[log], None).expect("it can be read");
    assert_eq!((&verdict.flaw, verdict.torn), (&None, 0));
}

#[test]
fn a_hub_starts_on_a_full_disk_and_refuses_what_it_could_not_write_down() {
    match alone("full::a_hub_starts_on_a_full_disk_and_refuses_what_it_could_not_write_down") {
        Alone::Here(path) => tokio::runtime::Runtime::new().expect("threads").block_on(start_full(&path)),
        Alone::Ended(output, _) => passed(&output),
    }
}
