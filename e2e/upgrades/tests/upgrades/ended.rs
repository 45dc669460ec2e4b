//! How software is ended: it drains, is asked, and is killed if it does not hear.

use std::fs;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, scripted};
use nix::sys::signal::kill;
use nix::unistd::{Pid, getpgid};
use serde_json::json;

#[test]
fn software_drains_is_asked_to_end_and_is_killed_with_all_that_it_started_if_it_does_not() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let (diary, child) = (bed.path("diary"), bed.path("child"));
    let note = |what: &str| format!("echo {what} >> {}", diary.display());
    let hears =
        format!("trap '{}; exit 0' TERM; {}; while :; do sleep 0.05; done", note("end-1"), note("start-1"));
    let deaf = format!(
        "trap '' TERM; sleep 600 & echo $! > {}; {}; while :; do sleep 0.05; done",
        child.display(),
        note("start-2")
    );
    let drains =
        |what: &str, grace: u32| json!({ "drain": ["sh", "-c", note(what)], "gracePeriodSeconds": grace });
    let versions =
        [("v1", hears.as_str(), drains("drain-1", 30)), ("v2", deaf.as_str(), drains("drain-2", 2))];
    bed.apply(&scripted("kv", &versions, &json!({ "allowInterruption": true })))?;
    bed.join("kv", &["n1"])?;
    bed.rests_at("kv", "v1")?;
    bed.is_in("kv", "n1", "Running")?;
    let first = bed.agent("kv", "n1").pid()?.context("it runs")?;
    ensure!(getpgid(Some(first))? == first, "it has a process group of its own");
    bed.says("upgrade start kv --to v2 --wait", 0, &["Upgraded"])?;
    until("its child is known", || {
        Ok(fs::read_to_string(&child)
            .map_err(|error| error.to_string())
            .and_then(|text| if text.ends_with('\n') { Ok(()) } else { Err(text) }))
    })?;
    let child = Pid::from_raw(fs::read_to_string(&child)?.trim().parse()?);
    ensure!(kill(child, None).is_ok(), "the child of v2 lives");
    // It goes back by itself, and v2 does not hear that it is to end.
    bed.says("upgrade rollback kv", 0, &["RolledBack"])?;
    bed.rests_at("kv", "v1")?;
    bed.is_in("kv", "n1", "Running")?;
    ensure!(kill(child, None).is_err(), "the child of v2 is gone with it");
    let done: Vec<_> = fs::read_to_string(&diary)?.lines().map(str::to_owned).collect();
    ensure!(done == ["start-1", "drain-1", "end-1", "start-2", "drain-2", "start-1"], "{done:?}");
    let said = bed.agent("kv", "n1").said();
    ensure!(
        said.contains("was asked to end, and did")
            && said.contains("was asked to end, did not in its time, and was killed"),
        "{said}"
    );
    Ok(())
}
