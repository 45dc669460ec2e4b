//! Several `controllers` on one home: one leads, and hands over when it ends.

use std::net::TcpListener;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::{Home, Kind};
use bowline_e2e_hub::{Hub, Role, Scratch, bowline};
use bowline_e2e_up::{Controllers, run, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/bowline-system/leases/bowline-controllers";
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

/// `controllers` lead a hub that then becomes one of `up`: nobody starts its embedded clusters until they end, and it says so.
#[test]
fn up_says_whom_it_waits_for() -> Result<()> {
    let scratch = Scratch::new("waits")?;
    let data = scratch.join("data");
    let hub = Hub::start(&data)?;
    let address = hub.client().authority().to_owned();
    let mut controllers = Controllers::start(hub.kubeconfig())?;
    until("they lead", || controllers.page("/metrics").map(|said| leads(&said)))?;
    hub.terminate()?;

    let up = Hub::start_at(bowline(), Role::Up, &data, &address)?;
    let (_, lease) = up.send("GET", LEASE, &Value::Null)?;
    let leader = lease["spec"]["holderIdentity"].as_str().context("somebody leads")?.to_owned();
    until("it says so", || {
        let (status, said) = up.page("/readyz")?;
        let expected = format!("{leader} leads, and they wait until it ends");
        Ok(if status == 500 && said.contains(&expected) { Ok(()) } else { Err(said) })
    })?;
    ensure!(up.greeting().contains(&format!("wait: {leader} leads")), "{}", up.greeting());
    let add = |line: &str| run(line, Some(up.kubeconfig()), &scratch.join(""));
    let said = add("cluster add toy --embedded")?;
    ensure!(said.code == 1 && said.err.contains("end the others (`bowline controllers`)"), "{said:#?}");
    // It has controllers of its own, also while these wait.
    let said = run("controllers --health-listen 127.0.0.1:0", Some(up.kubeconfig()), &scratch.join(""))?;
    ensure!(said.code == 4 && said.err.contains("this hub runs its controllers itself"), "{said:#?}");

    kill(Pid::from_raw(i32::try_from(controllers.pid())?), Signal::SIGTERM)?;
    ensure!(controllers.wait()? == Some(0), "they end well");
    until("it is ready", || {
        let (status, said) = up.page("/readyz")?;
        Ok(if status == 200 { Ok(()) } else { Err(said) })
    })?;
    until("its clusters are started", || {
        let said = add("cluster show toy")?;
        Ok(if said.out.contains("simulated") && said.out.contains("Server:") {
            Ok(())
        } else {
            Err(said.out)
        })
    })
}

/// What is under way when a leader is told to end only looks: the lease is given back, and nobody has to wait for it to lapse.
#[test]
fn a_look_that_hangs_keeps_nobody_waiting() -> Result<()> {
    let silent = TcpListener::bind("127.0.0.1:0")?;
    let home = Home::start(Kind::Embedded)?;
    let mut first = Controllers::start(&home.kubeconfig())?;
    until("the first leads", || first.page("/metrics").map(|said| leads(&said)))?;
    let file = home.path("silent.kubeconfig");
    std::fs::write(&file, crate::kubeconfig_of(&silent.local_addr()?.to_string()))?;
    let add = format!("cluster add silent --no-wait --kubeconfig {}", file.display());
    let said = run(&add, Some(&home.kubeconfig()), &home.path(""))?;
    ensure!(said.code == 0, "{said:#?}");
    // It is looked at.
    let (_stream, _) = silent.accept()?;
    kill(Pid::from_raw(i32::try_from(first.pid())?), Signal::SIGTERM)?;
    ensure!(first.wait()? == Some(0), "it ends well");
    let lease = home.kubectl()?.ok(&format!("get --raw {LEASE}"), "")?;
    let lease: Value = serde_json::from_str(&lease)?;
    ensure!(lease["spec"]["holderIdentity"].as_str().is_none_or(str::is_empty), "it is given back: {lease}");
    ensure!(!first.said().contains("WARN"), "that is no trouble: {}", first.said());
    Ok(())
}

fn leads(metrics: &str) -> Result<(), String> {
    if metrics.contains(LEADS) { Ok(()) } else { Err(metrics.to_owned()) }
}
