//! The version of the server, and the paths that it serves.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::kinds::Kinds;

/// The paths that do not depend on kinds.
const PATHS: &[&str] = &[
    "/.well-known/openid-configuration",
    "/api",
    "/apis",
    "/apis/",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
];

/// The paths that there are, for people who look around.
pub(super) fn paths(kinds: &Kinds) -> Vec<u8> {
    let mut paths: BTreeSet<String> = PATHS.iter().map(|path| (*path).to_owned()).collect();
    for kind in kinds.all() {
        if kind.group.is_empty() {
            paths.insert(format!("/api/{}", kind.version));
        } else {
            paths.insert(format!("/apis/{}", kind.group));
            paths.insert(format!("/apis/{}/{}", kind.group, kind.version));
        }
    }
    json!({"paths": paths}).to_string().into_bytes()
}

/// The version of Kubernetes that the server is like.
pub(super) fn version() -> Value {
    json!({
        "major": "1",
        "minor": "34",
        "emulationMajor": "1",
        "emulationMinor": "34",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "33",
        "gitVersion": "v1.34.4+bowline",
        "gitCommit": "unknown",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, go_architecture()),
    })
}

fn go_architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}
