//! How processes end, and what they say of themselves while they run.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::{Home, Kind};
use bowline_e2e_hub::{Hub, Role, Scratch, bowline};
use bowline_e2e_up::{Controllers, Place, run, until};
use bowline_realkube::{Request, client_of_kubeconfig};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

#[test]
fn up_says_how_it_is_and_ends_when_it_is_told() -> Result<()> {
    let scratch = Scratch::new("ends")?;
    for _ in 0..2 {
        let hub = Hub::start_as(bowline(), Role::Up, &scratch.join("data"))?;
        let raw = |path: &str| hub.page(path);
        until("it is ready", || {
            let (status, text) = raw("/readyz?verbose")?;
            Ok(if status == 200 && text.contains("[+]controllers ok") { Ok(()) } else { Err(text) })
        })?;
        ensure!(raw("/livez")?.0 == 200, "it lives");
        let (_, metrics) = raw("/metrics")?;
        for expected in
            ["bowline_hub_requests_total", "workqueue_depth", "controller_runtime_max_concurrent_reconciles"]
        {
            ensure!(metrics.contains(expected), "{expected} is not in {metrics}");
        }
        ensure!(metrics.matches("# EOF").count() == 1 && metrics.ends_with("# EOF\n"), "it has one end");
        let (_, definitions) =
            hub.send("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &Value::Null)?;
        let ours = definitions["items"].as_array().map_or(0, Vec::len);
        ensure!(ours == 14, "all kinds are defined: {ours}");
        let (status, _) =
            hub.send("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/bowline-edit", &Value::Null)?;
        ensure!(status == 200, "the roles are there");
        hub.terminate()?;
    }
    Ok(())
}

#[test]
fn controllers_say_how_they_are_and_end_when_they_are_told() -> Result<()> {
    let home = Home::start(Kind::Embedded)?;
    let mut controllers = Controllers::start(&home.kubeconfig())?;
    until("they are ready", || {
        let said = controllers.page("/readyz")?;
        Ok(if said == "ok" { Ok(()) } else { Err(said) })
    })?;
    ensure!(
        controllers.page("/livez")? == "ok" && controllers.page("/metrics")?.contains("workqueue_depth"),
        "they tell how they are"
    );
    let pid = Pid::from_raw(i32::try_from(controllers.pid())?);
    kill(pid, Signal::SIGINT)?;
    ensure!(controllers.wait()? == Some(0), "they end well");
    Ok(())
}

#[test]
fn who_finds_no_server_says_how_to_start_one() -> Result<()> {
    let scratch = Scratch::new("nowhere")?;
    let directory = scratch.join("");
    for (line, code, expected) in [
        ("cluster list", 5, "`bowline up` starts one here"),
        ("cluster list --kubeconfig nothing", 2, "nothing"),
        ("controllers --kubeconfig nothing", 2, "nothing"),
        ("controllers --only nonsense", 2, "there are: clusters"),
        ("cluster add Toy --embedded", 2, "small letters"),
        ("cluster add toy", 2, "--embedded"),
        ("cluster add toy --embedded --timeout soon", 2, "30s"),
    ] {
        let said = run(line, None, &directory)?;
        ensure!(said.code == code && said.err.contains(expected), "{line}: {said:#?}");
    }
    let unfit = crate::kubeconfig_of("127.0.0.1:1").replace("\"t\"", "\"a\\nb\"");
    std::fs::write(scratch.join("unfit"), unfit)?;
    for line in ["cluster list", "controllers"] {
        let said = run(&format!("{line} --kubeconfig unfit"), None, &directory)?;
        ensure!(said.code == 2 && said.err.contains("has a line break"), "{line}: {said:#?}");
    }
    // In a pod it is the server of the pod's cluster, if the pod may use it.
    let output = Command::new(bowline())
        .args(["controllers"])
        .env_remove("KUBECONFIG")
        .envs([("KUBERNETES_SERVICE_HOST", "127.0.0.1"), ("KUBERNETES_SERVICE_PORT", "1")])
        .current_dir(&directory)
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = "this pod does not say how to reach its server";
    ensure!(output.status.code() == Some(2) && said.contains(expected), "{output:#?}");
    let hub = Hub::start(&scratch.join("data"))?;
    let said = run("cluster list", Some(hub.kubeconfig()), &directory)?;
    ensure!(said.code == 4 && said.err.contains("does not know Bowline's kinds"), "{said:#?}");
    let kubeconfig = hub.kubeconfig().to_owned();
    hub.terminate()?;
    for line in ["cluster list", "controllers"] {
        let said = run(line, Some(&kubeconfig), &directory)?;
        ensure!(said.code == 5 && said.err.contains("cannot be reached"), "{line}: {said:#?}");
    }
    Ok(())
}

#[test]
fn who_is_told_while_it_starts_ends() -> Result<()> {
    // Somebody who accepts, and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0")?;
    let scratch = Scratch::new("silent")?;
    let kubeconfig = scratch.join("kubeconfig");
    std::fs::write(&kubeconfig, crate::kubeconfig_of(&silent.local_addr()?.to_string()))?;
    let mut child = Command::new(bowline())
        .args(["controllers", "--health-listen", "127.0.0.1:0", "--kubeconfig"])
        .arg(&kubeconfig)
        .stderr(Stdio::piped())
        .spawn()?;
    // It has asked.
    let (_stream, _) = silent.accept()?;
    kill(Pid::from_raw(i32::try_from(child.id())?), Signal::SIGTERM)?;
    ensure!(child.wait()?.code() == Some(0), "it ends well");
    let mut said = String::new();
    child.stderr.take().context("its stderr is piped")?.read_to_string(&mut said)?;
    ensure!(said.contains("SIGTERM: it ends before it has begun"), "{said}");
    Ok(())
}

#[test]
fn who_is_told_twice_ends_at_once() -> Result<()> {
    let scratch = Scratch::new("twice")?;
    let data = scratch.join("data");
    let mut child = Command::new(bowline())
        .args(["up", "--listen", "127.0.0.1:0", "--data"])
        .arg(&data)
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = Pid::from_raw(i32::try_from(child.id())?);
    let mut said = BufReader::new(child.stderr.take().context("its stderr is piped")?);
    let mut all = String::new();
    let mut says = |what: &str| {
        while !all.contains(what) {
            ensure!(said.read_line(&mut all)? > 0, "{what:?} is not said: {all}");
        }
        Ok(all.clone())
    };
    says("Ctrl-C ends it.")?;
    // A request whose body never comes, and for which the hub waits: when it ends, for much longer than this test takes.
    let half = Request::new("DELETE", "/api/v1/namespaces/default/configmaps/nothing")
        .header("Content-Type", "application/json")
        .header("Content-Length", "2");
    let _under_way = client_of_kubeconfig(&data.join("admin.kubeconfig"))?.open_half(&half)?;
    // Two that come together are one wish: `timeout` signals the process and, at once, its group.
    kill(pid, Signal::SIGINT)?;
    kill(pid, Signal::SIGTERM)?;
    let heard = says(": what is under way ends; once more, and it ends at once.")?;
    let (again, words) = match heard.contains("Ctrl-C: what") {
        true => (Signal::SIGINT, "Ctrl-C again: it ends at once."),
        false => (Signal::SIGTERM, "SIGTERM again: it ends at once."),
    };
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        // Somebody impatient. Had the other signal counted as one of its own, it would be named.
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                let _ = kill(pid, again);
                thread::sleep(Duration::from_millis(50));
            }
        });
        let said = says(words);
        ended.store(true, Ordering::Relaxed);
        said
    })?;
    ensure!(child.wait()?.code() == Some(0), "it ends well");
    Ok(())
}

#[test]
fn a_hub_that_runs_its_own_controllers_takes_no_others() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    place.says("controllers --health-listen 127.0.0.1:0", 4, &["this hub runs its controllers itself"])?;
    Ok(())
}
