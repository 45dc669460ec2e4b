//! A holder that is stopped in the middle of an update, and wakes after another one has taken over.

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::{Home, Kind};
use bowline_e2e_hub::Hub;
use bowline_e2e_up::{Controllers, Place, until};
use bowline_fixtures::proxy::{Mark, Matcher, Proxy, Record, Rule, Verb, Weather};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use tokio::runtime::Runtime;

use super::server::Server;
use super::team::{Team, map};

const LEADS: &str = "leader_election_master_status{name=\"bowline-controllers\"} ";
const LEASES: &str = "leases.coordination.k8s.io";
const MAPS: &str = "configmaps";

#[test]
fn nothing_survives_of_a_holder_that_wakes_after_takeover() -> Result<()> {
    // The lease is waited out on both homes at once.
    std::thread::scope(|scope| {
        let stories =
            Kind::ALL.map(|kind| scope.spawn(move || story(kind).with_context(|| kind.to_string())));
        let ended = stories.map(|story| story.join().map_err(|_| anyhow::anyhow!("a story panicked"))?);
        ended.into_iter().collect()
    })
}

fn story(kind: Kind) -> Result<()> {
    let runtime = Runtime::new()?;
    let home = Home::start(kind)?;
    // The way home of the first alone, and the way to the cluster of both.
    let alone = runtime.block_on(Proxy::start(&home.kubeconfig()))?;
    let first = Controllers::start(&alone.kubeconfig())?;
    until("the first leads", || leads(&first, true))?;
    let second = Controllers::start(&home.kubeconfig())?;
    let place = Place::of(home, second)?;
    let target = Hub::start(&place.path("target"))?;
    let way = runtime.block_on(Proxy::start(target.kubeconfig()))?;
    place.says(
        &format!("cluster add far --kubeconfig {}", way.kubeconfig().display()),
        0,
        &["It is ready"],
    )?;
    let team = Team::on(&place, "far", "default", "shop", json!({}))?;
    team.ends(&team.submit(&[map("settings", json!({ "v": "1" }))])?, "Succeeded")?;

    // It is stopped while an object is on its way that the next version does not want.
    let held = way.rule(Rule::every(Matcher::from(Verb::Create).of(MAPS).named("late"), Weather::Hold));
    let stopped = team.submit(&[map("settings", json!({ "v": "2" })), map("late", json!({}))])?;
    let late = runtime.block_on(way.next_request(Matcher::from(Verb::Create).of(MAPS)));
    signal(&first, Signal::SIGSTOP)?;
    way.lift(held);
    let before = team.stack()?["status"]["epoch"].clone();
    let next = team.submit(&[map("settings", json!({ "v": "3" }))])?;
    team.ends(&next, "Succeeded")?;
    team.ends(&stopped, "Superseded")?;
    let after = team.stack()?["status"]["epoch"].clone();
    ensure!(after.as_u64() > before.as_u64(), "the other has taken over: {before} {after}");
    let server = Server::of(target.kubeconfig())?;
    let wanted = [("settings".to_owned(), json!({ "v": "3" }))].into();
    ensure!(server.maps("default")? == wanted, "{:?}", server.maps("default")?);

    // What it has sent arrives now; nothing guards what is new.
    let arrived = runtime.block_on(late.pass());
    ensure!(arrived.status() == Some(201), "{arrived:?}");
    let (mark, at_home) = (way.mark(), alone.mark());
    signal(&first, Signal::SIGCONT)?;
    until("the first knows that it does not lead", || leads(&first, false))?;
    until("nothing of it is left", || {
        let maps = server.maps("default")?;
        Ok(if maps == wanted { Ok(()) } else { Err(format!("{maps:?}")) })
    })?;
    // What it was about to send when it was stopped is refused: it is guarded by what was read. The other takes away what is new.
    let written = way.since(mark, Matcher::writes());
    let done: Vec<_> = written.iter().filter(|record| status(record) != Some(409)).collect();
    ensure!(done.len() == 1 && done[0].request.verb == Verb::Delete, "{}", way.journal());
    ensure!(has_written_nothing(&alone, at_home), "{}", alone.journal());
    let last = team.submit(&[map("settings", json!({ "v": "4" }))])?;
    team.ends(&last, "Succeeded")?;
    ensure!(has_written_nothing(&alone, at_home), "{}", alone.journal());
    Ok(())
}

/// It may try to renew its lease, which is how it learns: that is refused.
fn has_written_nothing(way: &Proxy, since: Mark) -> bool {
    let of_lease = |record: &Record| Matcher::any().of(LEASES).fits(&record.request);
    way.since(since, Matcher::writes()).iter().all(|record| of_lease(record) && status(record) == Some(409))
}

fn status(record: &Record) -> Option<u16> {
    record.outcome.as_ref().and_then(|outcome| outcome.status())
}

fn signal(controllers: &Controllers, signal: Signal) -> Result<()> {
    Ok(kill(Pid::from_raw(i32::try_from(controllers.pid())?), signal)?)
}

fn leads(controllers: &Controllers, wanted: bool) -> Result<Result<(), String>> {
    let metrics = controllers.page("/metrics")?;
    let expected = format!("{LEADS}{}", u8::from(wanted));
    Ok(if metrics.contains(&expected) { Ok(()) } else { Err(metrics) })
}
