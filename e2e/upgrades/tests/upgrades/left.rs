//! A node that is taken out of its group ends its software, and then its agent ends.

use std::fs;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, masters, scripted};
use nix::sys::signal::kill;
use serde_json::{Value, json};

/// What the software of a member is told, by its file; nothing, if there is none yet.
fn told(bed: &mut Bed, member: &str) -> Result<Value> {
    match fs::read(bed.agent("kv", member).home().join("duties.json")) {
        Ok(file) => Ok(serde_json::from_slice(&file)?),
        Err(_) => Ok(Value::Null),
    }
}

/// Waits until a member is told that it is master of all devices, with what the group says.
fn has_all(bed: &mut Bed, member: &str) -> Result<()> {
    until("it is told of all that it is master of", || {
        let (status, file) = (bed.status("kv")?, told(bed, member)?);
        let all = masters(&status).values().filter(|master| *master == member).count();
        let epochs = |devices: &Value| {
            let devices = devices.as_array().cloned().unwrap_or_default();
            devices.iter().map(|one| (one["name"].clone(), one["epoch"].clone())).collect::<Vec<_>>()
        };
        let is = all == 2 && epochs(&file["devices"]) == epochs(&status["devices"]);
        Ok(if is && file["deadline"].is_u64() { Ok(()) } else { Err(format!("{file} {status}")) })
    })
}

#[test]
fn a_member_that_is_deleted_hands_over_ends_its_software_and_its_agent() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    // Without `notify`: it hears by its file, which has to be right.
    let more = json!({ "devices": ["d0", "d1"], "partitions": { "count": 1, "size": 2 } });
    bed.apply(&scripted("kv", &[("v1", "exec sleep 600", json!({}))], &more))?;
    bed.join("kv", &["n1"])?;
    has_all(&mut bed, "n1")?;
    bed.join("kv", &["n2"])?;
    bed.is("kv", "n2 is master of something", |status| {
        masters(status).len() == 2 && masters(status).values().any(|master| master == "n2")
    })?;
    until("both know who is in their partition", || {
        let lists = [told(&mut bed, "n1")?, told(&mut bed, "n2")?].map(|file| file["partitions"].clone());
        let expected = json!([{ "name": "0", "members": ["n1", "n2"] }]);
        Ok(if lists.iter().all(|list| *list == expected) { Ok(()) } else { Err(format!("{lists:?}")) })
    })?;
    let pid = bed.agent("kv", "n1").pid()?.context("it runs")?;
    bed.kubectl()?.ok("delete member kv-n1 --wait=false", "")?;
    let code = bed.agent("kv", "n1").wait()?;
    let said = bed.agent("kv", "n1").said();
    ensure!(code == Some(0) && said.contains("The node was taken out of its group"), "{code:?} {said}");
    ensure!(kill(pid, None).is_err() && bed.agent("kv", "n1").shim().is_err(), "nothing of it is left");
    has_all(&mut bed, "n2")
}
