//! Several `controllers` on one home: one leads, and hands over when it ends.

use anyhow::{Result, ensure};
use bowline_e2e_homes::{Home, Kind};
use bowline_e2e_hub::Hub;
use bowline_e2e_up::{Controllers, run, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const LEADS: &str = "leader_election_master_status{name=\"bowline-controllers\"} 1";

#[test]
fn one_of_two_leads_and_hands_over() -> Result<()> {
    for kind in Kind::ALL {
        let home = Home::start(kind)?;
        let mut first = Controllers::start(&home.kubeconfig())?;
        until("the first leads", || first.page("/metrics").map(|said| leads(&said)))?;
        let second = Controllers::start(&home.kubeconfig())?;
        until("the second is ready", || {
            let said = second.page("/readyz")?;
            Ok(if said == "ok" { Ok(()) } else { Err(said) })
        })?;
        ensure!(leads(&second.page("/metrics")?).is_err(), "there is one leader");

        kill(Pid::from_raw(i32::try_from(first.pid())?), Signal::SIGTERM)?;
        ensure!(first.wait()? == Some(0), "it ends well");
        until("the second leads", || second.page("/metrics").map(|said| leads(&said)))?;

        // And it works: somebody looks at a cluster.
        let target = Hub::start(&home.path("target"))?;
        let line = format!("cluster add prod --kubeconfig {}", target.kubeconfig().display());
        let said = run(&line, Some(&home.kubeconfig()), &home.path(""))?;
        ensure!(said.code == 0 && said.err.contains("It is ready"), "{kind}: {said:#?}");
    }
    Ok(())
}

fn leads(metrics: &str) -> Result<(), String> {
    if metrics.contains(LEADS) { Ok(()) } else { Err(metrics.to_owned()) }
}
