//! `kill -9` at any moment, under writers and watchers: what was acknowledged is there, what a watcher saw is
//! true, and the count of versions never goes back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_e2e_hub::{Hub, Scratch, bowline, parse};
use bowline_realkube::{Client, Line, Request};
use serde_json::{Value, json};

const ROUNDS: u64 = 50;
const WRITERS: u64 = 4;
const WATCHERS: usize = 2;
const KEYS: u64 = 8;
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// What is known of one object: only its writer changes it, so its states have an order.
#[derive(Clone, Default, Debug)]
struct Known {
    /// The last write that was acknowledged, and what is there since; `None`: nothing.
    acknowledged: (u64, Option<String>),
    /// The last write that was sent. It may have happened.
    sent: (u64, Option<String>),
    /// The last state that a watcher saw.
    seen: (u64, Option<String>),
    /// The last state that a watcher saw go.
    gone: u64,
}

impl Known {
    /// What is there after a kill agrees with what anybody was told of it.
    fn check(&self, name: &str, found: Option<&(u64, String)>) -> Result<()> {
        let text = found.map(|(_, text)| text);
        let as_acknowledged = text == self.acknowledged.1.as_ref();
        let as_sent = self.sent.0 > self.acknowledged.0 && text == self.sent.1.as_ref();
        ensure!(as_acknowledged || as_sent, "{name} is {text:?}, which nobody was told: {self:?}");
        // A watcher that saw the write that was not acknowledged saw something that is there.
        if self.seen.0 > self.acknowledged.0 {
            ensure!(as_sent, "a watcher saw {:?} of {name}, and it is not there: {text:?}", self.seen);
        }
        // What was made after it is newer.
        if let Some((count, _)) = found {
            ensure!(*count > self.gone, "a watcher saw {name} go at {}, and {count} is there", self.gone);
        }
        Ok(())
    }
}

#[derive(Default)]
struct Ledger {
    objects: Mutex<BTreeMap<String, Known>>,
    /// The greatest version that anybody was told.
    version: AtomicU64,
    acknowledged: AtomicU64,
}

impl Ledger {
    fn with<T>(&self, name: &str, change: impl FnOnce(&mut Known) -> T) -> T {
        let mut objects = self.objects.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        change(objects.entry(name.to_owned()).or_default())
    }

    fn told(&self, object: &Value) {
        let version = object["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse().ok());
        self.version.fetch_max(version.unwrap_or(0), Ordering::SeqCst);
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_seen_is_untrue() -> Result<()> {
    let scratch = Scratch::new("crash")?;
    let data = scratch.join("hub");
    let ledger = Arc::new(Ledger::default());
    let mut dice = 0x5eed_u64;
    for round in 0..ROUNDS {
        let hub = Hub::start(&data).with_context(|| format!("start {round}"))?;
        compare(&hub, &ledger).with_context(|| format!("after kill {round}"))?;
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for writer in 0..WRITERS {
            let (client, ledger, stop) = (hub.client().clone(), Arc::clone(&ledger), Arc::clone(&stop));
            threads.push(thread::spawn(move || write(&client, &ledger, writer, round, &stop)));
        }
        for _ in 0..WATCHERS {
            let (client, ledger, stop) = (hub.client().clone(), Arc::clone(&ledger), Arc::clone(&stop));
            threads.push(thread::spawn(move || watch(&client, &ledger, &stop)));
        }
        // Some writes have been acknowledged, then at any moment.
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let enough = ledger.acknowledged.load(Ordering::SeqCst) + 1 + (dice >> 58);
        while ledger.acknowledged.load(Ordering::SeqCst) < enough {
            ensure!(
                threads.iter().all(|thread| !thread.is_finished()),
                "a client gave up while the hub lived"
            );
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_micros((dice >> 32) % 5_000));
        hub.kill()?;
        stop.store(true, Ordering::SeqCst);
        for thread in threads {
            thread.join().map_err(|_| anyhow::anyhow!("a client panicked"))?;
        }
    }
    let hub = Hub::start(&data)?;
    compare(&hub, &ledger)?;
    let acknowledged = ledger.acknowledged.load(Ordering::SeqCst);
    ensure!(acknowledged > ROUNDS * 10, "hardly anything was written: {acknowledged}");
    let seen = ledger.objects.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    ensure!(seen.values().any(|known| known.seen.0 > 0), "no watcher saw anything");
    ensure!(seen.values().any(|known| known.gone > 0), "no watcher saw anything go");
    Ok(())
}

/// Creates, changes and deletes its own objects, one after the other, until the hub is gone.
fn write(client: &Client, ledger: &Ledger, writer: u64, round: u64, stop: &AtomicBool) {
    let mut count = round * 1_000_000;
    while !stop.load(Ordering::SeqCst) {
        count += 1;
        let name = format!("w{writer}-k{}", count % KEYS);
        let there = ledger.with(&name, |known| known.acknowledged.1.is_some());
        let text = format!("{count}:{}", "x".repeat(usize::try_from(count * 7919 % 3000).unwrap_or(0)));
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name },
            "data": { "count": count.to_string(), "text": text },
        });
        let (request, after) = if !there {
            let request = Request::new("POST", MAPS).body("application/json", object.to_string());
            (request, Some(text))
        } else if count.is_multiple_of(5) {
            (Request::new("DELETE", &format!("{MAPS}/{name}")), None)
        } else {
            let request = Request::new("PUT", &format!("{MAPS}/{name}"));
            (request.body("application/json", object.to_string()), Some(text))
        };
        ledger.with(&name, |known| known.sent = (count, after.clone()));
        let Ok(response) = client.send(&request) else { return };
        assert!(matches!(response.status, 200 | 201), "{} {}: {}", request.method, name, response.text());
        ledger.with(&name, |known| known.acknowledged = (count, after));
        if let Ok((_, object)) = parse(&response) {
            ledger.told(&object);
        }
        ledger.acknowledged.fetch_add(1, Ordering::SeqCst);
    }
}

/// Follows all objects until the hub is gone.
fn watch(client: &Client, ledger: &Ledger, stop: &AtomicBool) {
    let Ok(mut stream) = client.open(&Request::new("GET", &format!("{MAPS}?watch=true"))) else { return };
    while !stop.load(Ordering::SeqCst) {
        let line = match stream.line(Duration::from_millis(50)) {
            Ok(Line::Text(line)) => line,
            Ok(Line::Quiet) => continue,
            Ok(Line::End) | Err(_) => return,
        };
        // The last line may have been cut off by the kill.
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        let object = &event["object"];
        ledger.told(object);
        let (Some(name), Some(count)) =
            (object["metadata"]["name"].as_str(), object["data"]["count"].as_str())
        else {
            continue;
        };
        let count: u64 = count.parse().unwrap_or(0);
        let state = object["data"]["text"].as_str().map(str::to_owned);
        ledger.with(name, |known| {
            // The state at the end; the deletion itself has a number of its own, which only its writer knows.
            if event["type"] == "DELETED" {
                known.gone = known.gone.max(count);
            } else if count > known.seen.0 {
                known.seen = (count, state);
            }
        });
    }
}

/// What is there after a kill agrees with what anybody was told before.
fn compare(hub: &Hub, ledger: &Ledger) -> Result<()> {
    let (status, list) = hub.send("GET", MAPS, &Value::Null)?;
    ensure!(status == 200, "{list}");
    let version: u64 = list["metadata"]["resourceVersion"].as_str().unwrap_or_default().parse()?;
    let told = ledger.version.load(Ordering::SeqCst);
    ensure!(version >= told, "the version went back from {told} to {version}");
    let mut there = BTreeMap::new();
    for object in list["items"].as_array().context("a list has items")? {
        let name = object["metadata"]["name"].as_str().context("an object has a name")?;
        if let (Some(count), Some(text)) = (object["data"]["count"].as_str(), object["data"]["text"].as_str())
        {
            ensure!(text.starts_with(&format!("{count}:")), "{name} is half written: {text}");
            there.insert(name.to_owned(), (count.parse::<u64>()?, text.to_owned()));
        }
    }
    let mut objects = ledger.objects.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for (name, known) in objects.iter_mut() {
        known.check(name, there.get(name))?;
        let found = there.get(name).map(|(_, text)| text.clone());
        known.acknowledged = (known.sent.0.max(known.acknowledged.0), found);
        known.sent = known.acknowledged.clone();
    }
    Ok(())
}

/// A deletion that nobody was told of has happened all the same, once a watcher saw it.
#[test]
fn what_a_watcher_saw_go_is_gone() -> Result<()> {
    let state = |count: u64| (count, format!("{count}:"));
    let known = |gone| Known {
        acknowledged: (4, Some("4:".to_owned())),
        sent: (5, None),
        seen: (4, Some("4:".to_owned())),
        gone,
    };
    known(0).check("m", Some(&state(4)))?;
    known(4).check("m", None)?;
    ensure!(known(4).check("m", Some(&state(4))).is_err(), "it came back");
    let remade = Known { sent: (6, Some("6:".to_owned())), ..known(4) };
    remade.check("m", Some(&state(6)))
}

#[test]
fn a_second_hub_on_the_same_data_is_refused() -> Result<()> {
    let scratch = Scratch::new("second")?;
    let data = scratch.join("hub");
    let first = Hub::start(&data)?;
    let second = std::process::Command::new(bowline())
        .arg("hub")
        .arg("--data")
        .arg(&data)
        .args(["--listen", "127.0.0.1:0"])
        .output()?;
    ensure!(second.status.code() == Some(1), "{second:?}");
    let said = String::from_utf8_lossy(&second.stderr);
    ensure!(said.contains("is in use by another hub"), "{said}");
    first.terminate()?;
    Hub::start(&data)?.terminate()
}

/// A shell gives its programs few files to have open. Every client is one.
#[test]
fn it_takes_as_many_open_files_as_it_may_have() -> Result<()> {
    let scratch = Scratch::new("files")?;
    let hub = Hub::start_in_shell("ulimit -S -n 100; exec \"$@\"", &scratch.join("hub"))?;
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", hub.pid()))?;
    let line =
        limits.lines().find_map(|line| line.strip_prefix("Max open files")).context("it is limited")?;
    let limits: Vec<_> = line.split_whitespace().collect();
    ensure!(limits[0] == limits[1] && limits[0] != "100", "{limits:?}");
    Ok(())
}

/// A shell may say how long a file gets. The system ends a program that has not said otherwise.
#[test]
fn where_files_may_not_grow_writes_are_refused_and_reads_go_on() -> Result<()> {
    let scratch = Scratch::new("grown")?;
    let hub = Hub::start_in_shell("ulimit -f 8000; exec \"$@\"", &scratch.join("hub"))?;
    let maps = "/api/v1/namespaces/default/configmaps";
    let map = |number: usize| json!({ "metadata": { "name": format!("m{number}") }, "data": { "a": "x".repeat(50_000) } });
    let refused = (0..1_000).find_map(|number| match hub.send("POST", maps, &map(number)) {
        Ok((201, _)) => None,
        other => Some((number, other)),
    });
    let (made, answer) = refused.context("nothing is refused")?;
    let (code, said) = answer?;
    ensure!(code == 507 && made > 0, "{made} were made, then: {code} {said}");
    let (code, all) = hub.send("GET", maps, &Value::Null)?;
    let found = all["items"].as_array().map_or(0, |items| {
        items
            .iter()
            .filter(|map| map["metadata"]["name"].as_str().is_some_and(|name| name.starts_with('m')))
            .count()
    });
    ensure!(code == 200 && found == made, "{found} of {made}");
    hub.terminate()
}
