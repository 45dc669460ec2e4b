//! What a probe says is what the hub is told. That of HTTP is asked in all other stories.

use std::fs;
use std::net::TcpListener;

use anyhow::Result;
use bowline_e2e_homes::Kind;
use bowline_e2e_upgrades::{Bed, scripted};
use serde_json::{Value, json};

/// One version, with this as its probe.
fn probed(name: &str, check: &str, how: &Value) -> Value {
    let probe = json!({ check: how, "periodSeconds": 1, "failureThreshold": 1 });
    scripted(name, &[("v1", "exec sleep 600", json!({ "probe": probe }))], &json!({}))
}

#[test]
fn commands_and_connections_say_whether_software_works() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let works = bed.path("works");
    bed.apply(&probed("exec", "exec", &json!({ "command": ["test", "-e", works] })))?;
    let at = bed.address("tcp", "n1").ip();
    let listener = TcpListener::bind((at, 0))?;
    let listens = listener.local_addr()?;
    bed.apply(&probed("tcp", "tcp", &json!({ "port": listens.port() })))?;
    bed.join("exec", &["n1"])?;
    bed.join("tcp", &["n1"])?;
    bed.is_in("exec", "n1", "Unhealthy")?;
    bed.is_in("tcp", "n1", "Running")?;
    fs::write(&works, "")?;
    drop(listener);
    bed.is_in("exec", "n1", "Running")?;
    bed.is_in("tcp", "n1", "Unhealthy")?;
    // Who is unhealthy is not started anew for that, and may get well.
    fs::remove_file(&works)?;
    let _listener = TcpListener::bind(listens)?;
    bed.is_in("exec", "n1", "Unhealthy")?;
    bed.is_in("tcp", "n1", "Running")?;
    for group in ["exec", "tcp"] {
        let shim = bed.agent(group, "n1").shim()?;
        anyhow::ensure!(shim["run"]["restarts"] == 0 && !shim["run"]["pid"].is_null(), "{group}: {shim}");
    }
    Ok(())
}
