//! The fake node that kwok plays.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::error::Error;
use crate::http::Request;

const NAME: &str = "fake-0";
const PATIENCE: Duration = Duration::from_secs(60);

/// Makes it, if it is not there, and waits until it is ready.
pub(crate) fn make(client: &Client, log: impl Fn() -> String) -> Result<(), Error> {
    let room = json!({"cpu": "32", "memory": "256Gi", "pods": "500"});
    let node = json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": NAME, "labels": {
            "kubernetes.io/hostname": NAME, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        }},
        "status": {"allocatable": room, "capacity": room},
    });
    let request = Request::new("POST", "/api/v1/nodes").body("application/json", node.to_string());
    let made = client.send(&request)?;
    // 409: it is there from the last time.
    if made.status != 201 && made.status != 409 {
        let what = "making a node".to_owned();
        return Err(Error::Refused { what, status: made.status, body: made.text() });
    }
    let limit = Instant::now() + PATIENCE;
    while !is_ready(&client.send(&Request::new("GET", &format!("/api/v1/nodes/{NAME}")))?.body) {
        if Instant::now() > limit {
            return Err(Error::NotReady { name: "kwok", seconds: PATIENCE.as_secs(), log: log() });
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

fn is_ready(node: &[u8]) -> bool {
    let node: Value = serde_json::from_slice(node).unwrap_or_default();
    let conditions = node["status"]["conditions"].as_array();
    conditions.is_some_and(|conditions| {
        conditions.iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
    })
}
