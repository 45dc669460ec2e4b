//! Backup, restore and new keys with the real binary, under writers: what was acknowledged is there, and no file holds what
//! a Secret says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Hub, Kubectl, Scratch, bowline};
use bowline_realkube::{Client, Request};
use serde_json::{Value, json};

const CANARY: &str = "canary-that-nobody-else-sings";
/// The same as it is in JSON.
const CANARY_BASE64: &str = "Y2FuYXJ5LXRoYXQtbm9ib2R5LWVsc2Utc2luZ3M=";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";

fn run(line: &[&dyn AsRef<std::ffi::OsStr>]) -> Result<Output> {
    Ok(Command::new(bowline()).args(line).env_remove("KUBECONFIG").output()?)
}

fn now_ms() -> Result<u64> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    Ok(u64::try_from(now.as_millis())?)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn ends_with(output: &Output, code: i32, words: &str) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(words), "{said}");
}

/// All files below a directory.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    Ok(found)
}

/// No file has what the Secret says, in whatever form.
fn nobody_sings(path: &Path) -> Result<()> {
    let all = if path.is_dir() { files(path)? } else { vec![path.to_owned()] };
    for file in all {
        let bytes = fs::read(&file)?;
        for song in [CANARY, CANARY_BASE64, CANARY_BASE64.trim_end_matches('=')] {
            let sings = bytes.windows(song.len()).any(|window| window == song.as_bytes());
            ensure!(!sings, "{} holds {song}", file.display());
        }
    }
    Ok(())
}

fn with_secret(hub: &Hub) -> Result<()> {
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "data": { "k": CANARY_BASE64 } });
    let (code, made) = hub.send("POST", SECRETS, &secret)?;
    ensure!(code == 201, "{made}");
    // What it was before is in no file either.
    let patch = Request::new("PATCH", &format!("{SECRETS}/s"))
        .body("application/merge-patch+json", json!({ "stringData": { "second": CANARY } }).to_string());
    ensure!(hub.client().send(&patch)?.status == 200);
    Ok(())
}

fn secret(hub: &Hub) -> Result<Value> {
    Ok(hub.send("GET", &format!("{SECRETS}/s"), &Value::Null)?.1["data"].clone())
}

/// Makes ConfigMaps one after the other, and counts those that were acknowledged.
fn write(client: &Client, writer: usize, acknowledged: &AtomicU64, stop: &AtomicBool) -> Result<()> {
    while !stop.load(Ordering::SeqCst) {
        let number = acknowledged.load(Ordering::SeqCst);
        let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": format!("m-{writer}-{number}") } });
        let response = client.send(&Request::new("POST", MAPS).body("application/json", map.to_string()))?;
        ensure!(response.status == 201, "{}", response.text());
        acknowledged.store(number + 1, Ordering::SeqCst);
    }
    Ok(())
}

#[test]
fn a_hub_comes_back_from_a_backup_that_was_made_under_writers() -> Result<()> {
    let scratch = Scratch::new("backup")?;
    let (data, file, back) = (scratch.join("hub"), scratch.join("hub.backup"), scratch.join("back"));
    let hub = Hub::start(&data)?;
    with_secret(&hub)?;
    let old = hub.send("GET", MAPS, &Value::Null)?.1["metadata"]["resourceVersion"].clone();
    let stop = Arc::new(AtomicBool::new(false));
    let counts: Vec<_> = (0..4).map(|_| Arc::new(AtomicU64::new(0))).collect();
    let writers = counts.iter().enumerate().map(|(writer, count)| {
        let (client, count, stop) = (hub.client().clone(), Arc::clone(count), Arc::clone(&stop));
        thread::spawn(move || write(&client, writer, &count, &stop))
    });
    let writers: Vec<_> = writers.collect();
    while counts.iter().any(|count| count.load(Ordering::SeqCst) < 20) {
        ensure!(writers.iter().all(|writer| !writer.is_finished()), "a writer gave up");
        thread::yield_now();
    }
    let before: Vec<u64> = counts.iter().map(|count| count.load(Ordering::SeqCst)).collect();
    let output = run(&[&"backup", &file, &"--kubeconfig", &hub.kubeconfig()])?;
    ends_with(&output, 0, "secrets.key");
    stop.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.join().map_err(|_| anyhow::anyhow!("a writer panicked"))??;
    }
    let after: Vec<u64> = counts.iter().map(|count| count.load(Ordering::SeqCst)).collect();
    let last = hub.send("GET", MAPS, &Value::Null)?.1["metadata"]["resourceVersion"].clone();
    hub.kill()?;

    let before_ms = now_ms()?;
    let restored = run(&[&"restore", &file, &"--data", &back, &"--keys", &data])?;
    ends_with(&restored, 0, "versions go on from ");
    let said = said(&restored);
    let from = said.split("versions go on from ").nth(1).and_then(|rest| rest.split('.').next());
    let from: u64 = from.context("it is said")?.parse()?;
    // By the clock, in microseconds.
    ensure!((before_ms * 1000..=now_ms()? * 1000).contains(&from), "{from}");
    let hub = Hub::start(&back)?;
    ensure!(!hub.greeting().contains(" WARN "), "there is nothing to warn of: {}", hub.greeting());
    is_back(&hub, &before, &after, from)?;
    for version in [&old, &last] {
        let version = version.as_str().context("a version")?;
        let path = format!("{MAPS}?watch=true&timeoutSeconds=5&resourceVersion={version}");
        let response = hub.client().send(&Request::new("GET", &path))?;
        ensure!(response.text().contains("\"code\":410"), "{version}: {}", response.text());
    }
    let kubectl = Kubectl::new(&hub, scratch.join("cache"))?;
    let said = kubectl.run("get configmaps", "")?;
    ensure!(said.code == 0 && said.out.contains("m-0-0"), "{said:?}");
    // Its authority is the one that clients know.
    ensure!(fs::read(data.join("ca.crt"))? == fs::read(back.join("ca.crt"))?);
    hub.terminate()?;
    [&data, &file, &back].into_iter().try_for_each(|path| nobody_sings(path))
}

/// All is there that was acknowledged before the backup, and nothing that was not written in that order.
fn is_back(hub: &Hub, before: &[u64], after: &[u64], from: u64) -> Result<()> {
    let maps = hub.send("GET", MAPS, &Value::Null)?.1;
    let items = maps["items"].as_array().context("a list")?;
    let names: Vec<&str> = items.iter().filter_map(|map| map["metadata"]["name"].as_str()).collect();
    for (writer, (before, after)) in before.iter().zip(after).enumerate() {
        let is_there = |number: &u64| names.contains(&format!("m-{writer}-{number}").as_str());
        let there = (0..).take_while(is_there).count() as u64;
        let all = names.iter().filter(|name| name.starts_with(&format!("m-{writer}-"))).count() as u64;
        ensure!(
            there == all && *before <= there && there <= *after,
            "{writer}: {before} <= {there} <= {after}, {all}"
        );
    }
    ensure!(secret(hub)? == json!({ "k": CANARY_BASE64, "second": CANARY_BASE64 }));
    let version = maps["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse::<u64>().ok());
    ensure!(version >= Some(from), "{version:?} {from}");
    let marked =
        hub.send("GET", "/api/v1/namespaces/kube-system/configmaps/bowline-restored", &Value::Null)?.1;
    let expected = (json!("1"), json!(from.to_string()));
    ensure!((&marked["data"]["times"], &marked["data"]["version"]) == (&expected.0, &expected.1), "{marked}");
    Ok(())
}

#[test]
fn nothing_is_written_over_and_nothing_damaged_is_taken() -> Result<()> {
    let scratch = Scratch::new("refused")?;
    let (data, file, back) = (scratch.join("hub"), scratch.join("hub.backup"), scratch.join("back"));
    let hub = Hub::start(&data)?;
    with_secret(&hub)?;
    let kubeconfig = hub.kubeconfig();
    ends_with(&run(&[&"backup", &file, &"--kubeconfig", &kubeconfig])?, 0, "");
    let whole = fs::read(&file)?;
    ends_with(&run(&[&"backup", &file, &"--kubeconfig", &kubeconfig])?, 2, "is there already");
    ensure!(fs::read(&file)? == whole);
    ends_with(&run(&[&"backup", &file, &"--kubeconfig", &kubeconfig, &"--force"])?, 0, "");
    ensure!(fs::read_dir(scratch.join(""))?.count() == 2, "something is left behind");
    // To standard output goes the backup, and nothing else; no file is called that.
    let piped = run(&[&"backup", &"-", &"--kubeconfig", &kubeconfig])?;
    ends_with(&piped, 0, "What was written to standard output holds");
    ensure!(!Path::new("-").exists(), "there is a file of that name");
    let (copy, from_pipe) = (scratch.join("piped"), scratch.join("from-pipe"));
    fs::write(&copy, &piped.stdout)?;
    ends_with(&run(&[&"restore", &copy, &"--data", &from_pipe, &"--keys", &data])?, 0, "versions go on from");
    // Who may not read everything gets nothing.
    let nobody = Request::new("GET", "/hub/backup").header("impersonate-user", "somebody");
    let refused = hub.client().send(&nobody)?;
    ensure!(refused.status == 403, "{}", refused.text());
    ends_with(&run(&[&"restore", &file, &"--data", &data, &"--keys", &data])?, 4, "holds a hub already");
    hub.kill()?;
    ends_with(&run(&[&"restore", &file, &"--data", &back])?, 2, "--keys");
    ends_with(
        &run(&[&"restore", &file, &"--data", &back, &"--keys", &scratch.join("none")])?,
        2,
        "no keys of a hub",
    );
    let bytes = fs::read(&file)?;
    let damaged = scratch.join("damaged");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    for wrong in [&bytes[..bytes.len() - 1], &bytes[..bytes.len() / 2], &flipped] {
        fs::write(&damaged, wrong)?;
        ends_with(
            &run(&[&"restore", &damaged, &"--data", &back, &"--keys", &data])?,
            2,
            "damaged or cut off",
        );
    }
    fs::write(&damaged, "something else")?;
    ends_with(&run(&[&"restore", &damaged, &"--data", &back, &"--keys", &data])?, 2, "not a backup");
    ensure!(!back.exists(), "nothing was made");
    Ok(())
}

#[test]
fn a_new_key_takes_the_place_of_the_old_one() -> Result<()> {
    let scratch = Scratch::new("rotate")?;
    let data = scratch.join("hub");
    let hub = Hub::start(&data)?;
    with_secret(&hub)?;
    ends_with(&run(&[&"hub", &"rotate-key", &"--data", &data])?, 4, "is in use by another hub");
    hub.terminate()?;
    let old = fs::read_to_string(data.join("secrets.key"))?;
    ends_with(&run(&[&"hub", &"rotate-key", &"--data", &data])?, 0, "1 Secrets are encrypted with a new key");
    let new = fs::read_to_string(data.join("secrets.key"))?;
    let keys = |text: &str| {
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
    };
    ensure!(keys(&old).len() == 1 && keys(&new).len() == 1 && keys(&old) != keys(&new));
    nobody_sings(&data)?;
    let hub = Hub::start(&data)?;
    ensure!(secret(&hub)? == json!({ "k": CANARY_BASE64, "second": CANARY_BASE64 }));
    hub.kill()?;
    // Without its key, or with another one, it says what is missing; and goes on when that is back.
    for wrong in [None, Some(&old)] {
        match wrong {
            None => fs::remove_file(data.join("secrets.key"))?,
            Some(old) => fs::write(data.join("secrets.key"), old)?,
        }
        let refused = run(&[&"hub", &"--data", &data, &"--listen", &"127.0.0.1:0"])?;
        ends_with(&refused, 1, "which is not in secrets.key");
    }
    fs::write(data.join("secrets.key"), new)?;
    ensure!(secret(&Hub::start(&data)?)? == json!({ "k": CANARY_BASE64, "second": CANARY_BASE64 }));
    ends_with(&run(&[&"hub", &"rotate-key", &"--data", &scratch.join("nothing")])?, 4, "there is no hub");
    Ok(())
}
