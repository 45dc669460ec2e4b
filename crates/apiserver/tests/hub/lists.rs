//! Lists in chunks.

use bowline_apiserver::{Server, Service};
use serde_json::{Value, json};

use crate::support::{Scratch, admin, ask, expect, get};

const MAPS: &str = "/api/v1/namespaces/chunks/configmaps";
/// History is bounded by 64 MiB; so much of it is more.
const WRITES: usize = 70;
const BYTES: usize = 1_000_000;

async fn start(scratch: &Scratch) -> (Server, Service) {
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let namespace = json!({ "metadata": { "name": "chunks" } });
    expect(201, ask(&service, "POST", "/api/v1/namespaces", &namespace).await);
    for name in ["a", "b", "c", "d", "e"] {
        let parity = if "bd".contains(name) { "even" } else { "odd" };
        let map = json!({ "metadata": { "name": name, "labels": { "parity": parity } } });
        expect(201, ask(&service, "POST", MAPS, &map).await);
    }
    (server, service)
}

/// The namespace has one map that every namespace has.
fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().expect("a list");
    let names = items.iter().filter_map(|item| item["metadata"]["name"].as_str());
    names.filter(|name| *name != "kube-root-ca.crt").collect()
}

#[tokio::test]
async fn what_remains_is_counted_only_if_nothing_is_selected() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    while get(&service, &format!("{MAPS}/kube-root-ca.crt")).await.0 != 200 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let list = expect(200, get(&service, &format!("{MAPS}?limit=2")).await);
    assert_eq!((names(&list), &list["metadata"]["remainingItemCount"]), (vec!["a", "b"], &json!(4)));
    let all = expect(200, get(&service, &format!("{MAPS}?limit=6")).await);
    assert_eq!(all["metadata"]["remainingItemCount"], Value::Null);
    assert_eq!(all["metadata"]["continue"], Value::Null);
    let mut path = format!("{MAPS}?limit=2&labelSelector=parity%3Dodd");
    let list = expect(200, get(&service, &path).await);
    assert_eq!((names(&list), &list["metadata"]["remainingItemCount"]), (vec!["a", "c"], &Value::Null));
    path += &format!("&continue={}", list["metadata"]["continue"].as_str().expect("there is more"));
    let list = expect(200, get(&service, &path).await);
    assert_eq!((names(&list), &list["metadata"]["continue"]), (vec!["e"], &Value::Null));
    // Exactly so many are all of them.
    let list = expect(200, get(&service, &format!("{MAPS}?limit=3&labelSelector=parity%3Dodd")).await);
    assert_eq!((names(&list).len(), &list["metadata"]["continue"]), (3, &Value::Null));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_on_too_late_is_told_how_to_go_on_all_the_same() {
    let scratch = Scratch::new();
    let (server, service) = start(&scratch).await;
    let first = expect(200, get(&service, &format!("{MAPS}?limit=2")).await);
    assert_eq!(names(&first), ["a", "b"]);
    let token = first["metadata"]["continue"].as_str().expect("there is more");
    // At once, what has gone since is still there.
    expect(200, ask(&service, "DELETE", &format!("{MAPS}/c"), &Value::Null).await);
    let rest = expect(200, get(&service, &format!("{MAPS}?limit=9&continue={token}")).await);
    assert_eq!(names(&rest), ["c", "d", "e"]);
    assert_eq!(rest["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    for number in 0..WRITES {
        let data = json!({ "number": number.to_string(), "text": "x".repeat(BYTES) });
        let map = json!({ "metadata": { "name": "e" }, "data": data });
        expect(200, ask(&service, "PUT", &format!("{MAPS}/e"), &map).await);
    }
    let small = json!({ "metadata": { "name": "e" } });
    let last = expect(200, ask(&service, "PUT", &format!("{MAPS}/e"), &small).await);
    let late = expect(410, get(&service, &format!("{MAPS}?limit=1&continue={token}")).await);
    assert_eq!((&late["kind"], &late["reason"]), (&json!("Status"), &json!("Expired")));
    let said = late["message"].as_str().expect("a message");
    assert!(said.starts_with("The provided continue parameter is too old to display a consistent"), "{said}");
    // What it is given goes on behind the same object, as of now.
    let token = late["metadata"]["continue"].as_str().expect("a token");
    let rest = expect(200, get(&service, &format!("{MAPS}?limit=1&continue={token}")).await);
    assert_eq!(names(&rest), ["d"]);
    let number =
        |object: &Value| object["metadata"]["resourceVersion"].as_str().and_then(|it| it.parse().ok());
    assert!(number(&rest) >= number(&last) && number(&last) > Some(0_u64), "{rest}");
    // From there on it is consistent again.
    let token = rest["metadata"]["continue"].as_str().expect("there is more");
    let rest = expect(200, get(&service, &format!("{MAPS}?limit=9&continue={token}")).await);
    assert_eq!(names(&rest), ["e"]);
    server.stop().await;
}
