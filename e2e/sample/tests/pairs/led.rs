//! Two controllers, one of which leads: it is killed, stopped, and told to end.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_fixtures::proxy::{Mark, Matcher, Proxy, Record};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::ListParams;
use kube::{Api, ResourceExt};
use nix::sys::signal::Signal;

use crate::world::{HALVES, PAIRS, Process, World};

const LEASES: &str = "leases.coordination.k8s.io";

/// A short term, which tests wait out; and one that no test could wait out.
const SHORT: &str = "1";
const LONG: &str = "3600";

/// The controller, with a way to the home of its own: what it asks for can be told from what others do.
struct Candidate {
    process: Process,
    proxy: Proxy,
}

/// Who holds the lease.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Holder {
    name: String,
    epoch: i32,
}

impl Candidate {
    async fn start(world: &mut World, more: &[&str]) -> Result<Candidate> {
        let proxy = Proxy::start(&world.home.kubeconfig()).await?;
        let process = world.process(&proxy.kubeconfig(), more)?;
        Ok(Candidate { process, proxy })
    }

    /// One that leads.
    async fn leads(world: &mut World, more: &[&str]) -> Result<Candidate> {
        let this = Candidate::start(world, more).await?;
        let leads = |record: &Record| writes_lease(record) && succeeded(record);
        let written = async || Ok(this.since(Mark::START).iter().any(leads));
        world.until("it leads", written).await?;
        Ok(this)
    }

    /// One that knows who leads, and waits.
    async fn waits(world: &mut World, more: &[&str]) -> Result<Candidate> {
        let this = Candidate::start(world, more).await?;
        let looks = || this.proxy.since(Mark::START, Matcher::lists_by_name().of(LEASES));
        world.until("it has looked", async || Ok(looks().iter().any(succeeded))).await?;
        Ok(this)
    }

    fn since(&self, mark: Mark) -> Vec<Record> {
        self.proxy.since(mark, Matcher::writes())
    }

    /// The writes to pairs and halves.
    fn made(&self, since: Mark) -> usize {
        self.since(since).iter().filter(|record| acts(record)).count()
    }

    /// The epochs in which it has decided anything; it decides nothing outside of one.
    fn epochs(&self) -> Result<BTreeSet<i64>> {
        let lines = self.process.journal()?;
        lines.iter().map(|line| line["epoch"].as_i64().with_context(|| line.to_string())).collect()
    }
}

fn is_of(record: &Record, resource: &str) -> bool {
    Matcher::writes().of(resource).fits(&record.request)
}

/// Whoever takes it, renews it or gives it back replaces it: who installs makes one that nobody holds.
fn writes_lease(record: &Record) -> bool {
    is_of(record, LEASES) && record.request.method == "PUT"
}

fn acts(record: &Record) -> bool {
    is_of(record, PAIRS) || is_of(record, HALVES)
}

fn succeeded(record: &Record) -> bool {
    record.outcome.as_ref().and_then(|outcome| outcome.status()).is_some_and(|status| status < 300)
}

/// Who holds the lease, if anybody does.
async fn holder(world: &World) -> Result<Option<Holder>> {
    let api: Api<Lease> = Api::namespaced(world.client.clone(), "bowline-system");
    let spec = api.get_opt("pairs").await?.and_then(|lease| lease.spec).unwrap_or_default();
    let name = spec.holder_identity.filter(|name| !name.is_empty());
    Ok(name.map(|name| Holder { name, epoch: spec.lease_transitions.unwrap_or(0) }))
}

async fn held(world: &World) -> Result<Holder> {
    holder(world).await?.context("somebody holds the lease")
}

async fn make(world: &World, names: std::ops::Range<usize>) -> Result<()> {
    for pair in names {
        world.make(&format!("p{pair}"), 1).await?;
    }
    Ok(())
}

/// What halves there are: one that was made anew is another.
async fn uids(world: &World) -> Result<BTreeSet<String>> {
    let halves = world.halves().list(&ListParams::default()).await?;
    Ok(halves.iter().filter_map(ResourceExt::uid).collect())
}

fn apart(one: &Candidate, other: &Candidate) -> Result<()> {
    let (one, other) = (one.epochs()?, other.epochs()?);
    ensure!(!one.is_empty() && !other.is_empty(), "both have led: {one:?} {other:?}");
    ensure!(one.is_disjoint(&other), "both have acted in one epoch: {one:?} {other:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn led_on_by_the_other_when_the_leader_is_killed() -> Result<()> {
    for kind in Kind::ALL {
        let mut world = World::start(kind).await?;
        let mut first = Candidate::leads(&mut world, &["--term", SHORT]).await?;
        let second = Candidate::waits(&mut world, &["--term", SHORT]).await?;
        make(&world, 0..6).await?;
        world.complete(6).await?;
        let (before, old) = (held(&world).await?, uids(&world).await?);

        let mark = first.proxy.mark();
        make(&world, 6..12).await?;
        world.until("it has begun", async || Ok(first.made(mark) >= 2)).await?;
        first.process.kill()?;
        make(&world, 12..15).await?;
        world.complete(15).await?;

        let after = held(&world).await?;
        ensure!(after.name != before.name && after.epoch > before.epoch, "{before:?} {after:?}");
        ensure!(uids(&world).await?.is_superset(&old), "what was there has stayed");
        ensure!(second.made(Mark::START) > 0);
        apart(&first, &second)?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn led_by_nobody_who_was_stopped_until_it_leads_again() -> Result<()> {
    for kind in Kind::ALL {
        let mut world = World::start(kind).await?;
        let first = Candidate::leads(&mut world, &["--term", SHORT]).await?;
        let mut second = Candidate::waits(&mut world, &["--term", SHORT]).await?;
        make(&world, 0..4).await?;
        world.complete(4).await?;

        // It is at rest: nothing is half sent.
        first.process.signal(Signal::SIGSTOP)?;
        let mark = first.proxy.mark();
        world.edit("p0", 2).await?;
        world.complete(4).await?;
        ensure!(second.made(Mark::START) > 0, "the other has done it");
        first.process.signal(Signal::SIGCONT)?;
        for value in 3..8 {
            world.edit("p0", value).await?;
            world.edit("p1", value).await?;
            world.complete(4).await?;
        }
        second.process.end().await?;
        world.edit("p2", 9).await?;
        world.complete(4).await?;

        let writes = first.since(mark);
        let leads = writes.iter().position(|record| writes_lease(record) && succeeded(record));
        let acted = writes.iter().position(acts);
        ensure!(leads.is_some() && leads < acted, "it acts before it leads: {}", first.proxy.journal());
        apart(&first, &second)?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn led_on_at_once_when_the_leader_is_told_to_end() -> Result<()> {
    for kind in Kind::ALL {
        let mut world = World::start(kind).await?;
        let mut first = Candidate::leads(&mut world, &["--term", LONG]).await?;
        let before = held(&world).await?;
        let second = Candidate::waits(&mut world, &["--term", LONG]).await?;
        make(&world, 0..6).await?;
        world.until("it has begun", async || Ok(first.made(Mark::START) >= 2)).await?;
        first.process.end().await?;
        make(&world, 6..8).await?;
        // Nobody could wait for the lease to lapse.
        world.complete(8).await?;
        let after = held(&world).await?;
        ensure!(after.name != before.name && after.epoch == before.epoch + 1, "{before:?} {after:?}");
        ensure!(second.made(Mark::START) > 0);
        apart(&first, &second)?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn led_on_at_once_by_who_is_exclusive_and_comes_back() -> Result<()> {
    let more = ["--term", LONG, "--exclusive", "the-only-one"];
    for kind in Kind::ALL {
        let mut world = World::start(kind).await?;
        let mut first = Candidate::leads(&mut world, &more).await?;
        make(&world, 0..3).await?;
        world.complete(3).await?;
        let before = held(&world).await?;
        ensure!(before.name == "the-only-one", "{before:?}");
        first.process.kill()?;
        let second = Candidate::leads(&mut world, &more).await?;
        let after = held(&world).await?;
        ensure!(after == Holder { epoch: before.epoch + 1, ..before.clone() }, "{before:?} {after:?}");
        make(&world, 3..5).await?;
        world.complete(5).await?;
        apart(&first, &second)?;
    }
    Ok(())
}
