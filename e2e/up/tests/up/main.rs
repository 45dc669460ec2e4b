//! `bowline up`, `controllers` and `cluster`, with real clients and real processes.

mod clusters;
mod demo;
mod embedded;
mod ends;
mod joins;
mod kept;
mod killed;
mod led;
mod pods;
mod rests;
mod unwell;
mod updates;

use serde_json::{Value, json};

/// A kubeconfig of this cluster and this user.
fn kubeconfig(cluster: &Value, user: &Value) -> String {
    let text = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "contexts": [{ "name": "c", "context": { "cluster": "c", "user": "u" } }],
        "clusters": [{ "name": "c", "cluster": cluster }],
        "users": [{ "name": "u", "user": user }],
    });
    text.to_string()
}

/// The kubeconfig of a server that speaks plain HTTP.
fn kubeconfig_of(address: &str) -> String {
    kubeconfig(&json!({ "server": format!("http://{address}") }), &json!({ "token": "t" }))
}
