//! Many at one object: who was overtaken waits for its turn, and nobody waits for ever.

use std::time::Duration;

use bowline_apiserver::{Server, Service};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{Scratch, admin, ask, get, send};

/// Long enough for a machine that does much else; what is stuck is stuck for good.
const PATIENCE: Duration = Duration::from_secs(120);

/// Applies or deletes one object, over and over.
async fn fight(service: Service, path: String, object: Value, applies: bool) {
    let apply = format!("{path}?fieldManager=fighter&force=true");
    for round in 0..150 {
        let (code, answer) = if applies {
            let mut object = object.clone();
            object["metadata"]["annotations"] = json!({ "round": round.to_string() });
            send(&service, "PATCH", &apply, "application/apply-patch+yaml", Bytes::from(object.to_string()))
                .await
        } else {
            ask(&service, "DELETE", &format!("{path}?gracePeriodSeconds=0"), &Value::Null).await
        };
        assert!(matches!(code, 200 | 201 | 202 | 404 | 409), "{code}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_made_and_deleted_by_many_at_once_ends() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let map =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x" }, "data": { "a": "b" } });
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "x" },
        "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    // The hub makes it in its own time, and no pod is made without it.
    let account = async {
        while get(&admin(&server), "/api/v1/namespaces/default/serviceaccounts/default").await.0 != 200 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, account).await.expect("it is made");
    let mut fighters = JoinSet::new();
    for (plural, object) in [("configmaps", map), ("pods", pod)] {
        let path = format!("/api/v1/namespaces/default/{plural}/x");
        for fighter in 0..12 {
            fighters.spawn(fight(admin(&server), path.clone(), object.clone(), fighter % 2 == 0));
        }
    }
    let ended = tokio::time::timeout(PATIENCE, fighters.join_all()).await;
    assert!(ended.is_ok(), "somebody waits for ever");
}
