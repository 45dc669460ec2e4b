//! A home, a proxy before it, and the controller as a process behind that.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use bowline_e2e_homes::{Home, Kind};
use bowline_e2e_sample::{Half, Pair, PairSpec, crds, make_ready};
use bowline_fixtures::proxy::{Mark, Matcher, Proxy};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// How long anything may take, before a test is taken to have failed.
const LIMIT: Duration = Duration::from_secs(120);

/// The resources, as the proxy knows them.
pub(crate) const PAIRS: &str = "pairs.sample.bowline.dev";
pub(crate) const HALVES: &str = "halves.sample.bowline.dev";

/// A home with pairs in it.
pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) proxy: Proxy,
    pub(crate) home: Home,
    runner: Option<JoinHandle<()>>,
    journals: u32,
}

/// The controller. It is killed when this is dropped.
pub(crate) struct Process {
    child: Child,
    journal: PathBuf,
}

impl World {
    /// With somebody who makes halves ready.
    pub(crate) async fn start(kind: Kind) -> Result<World> {
        let mut world = World::bare(kind).await?;
        world.runner = Some(tokio::spawn(make_ready(world.client.clone())));
        Ok(world)
    }

    pub(crate) async fn bare(kind: Kind) -> Result<World> {
        let home = Home::start(kind)?;
        let client = home.client().await?;
        bowline_runtime::install(&client, &crds()).await?;
        let proxy = Proxy::start(&home.kubeconfig()).await?;
        Ok(World { client, proxy, home, runner: None, journals: 0 })
    }

    /// The controller, which reaches the home through the proxy only.
    pub(crate) fn controller(&mut self) -> Result<Process> {
        let kubeconfig = self.proxy.kubeconfig();
        self.process(&kubeconfig, &[])
    }

    /// The controller, which reaches the home in its own way.
    pub(crate) fn process(&mut self, kubeconfig: &Path, more: &[&str]) -> Result<Process> {
        self.journals += 1;
        let journal = self.home.path(&format!("journal-{}", self.journals));
        let binary = Path::new(env!("CARGO_BIN_EXE_bowline-e2e-sample"));
        let child = Command::new(binary).arg(kubeconfig).arg(&journal).args(more).spawn()?;
        Ok(Process { child, journal })
    }

    pub(crate) fn pairs(&self) -> Api<Pair> {
        Api::namespaced(self.client.clone(), "default")
    }

    pub(crate) fn halves(&self) -> Api<Half> {
        Api::namespaced(self.client.clone(), "default")
    }

    pub(crate) async fn make(&self, name: &str, value: u32) -> Result<()> {
        self.pairs().create(&PostParams::default(), &Pair::new(name, PairSpec { value })).await?;
        Ok(())
    }

    pub(crate) async fn edit(&self, name: &str, value: u32) -> Result<()> {
        let patch = Patch::Merge(json!({ "spec": { "value": value } }));
        self.pairs().patch(name, &PatchParams::default(), &patch).await?;
        Ok(())
    }

    pub(crate) async fn delete(&self, name: &str) -> Result<()> {
        self.pairs().delete(name, &DeleteParams::default()).await?;
        Ok(())
    }

    /// Waits until so many pairs, and no others, are complete, and each has two halves, and no more, with its value.
    pub(crate) async fn complete(&self, count: usize) -> Result<()> {
        self.until(&format!("{count} pairs are complete"), async || {
            let (pairs, halves) = self.all().await?;
            let good = |pair: &Pair| {
                let status = pair.status.clone().unwrap_or_default();
                let generation = pair.metadata.generation.unwrap_or(0);
                status.reason == "Ready" && i64::try_from(status.observed_generation) == Ok(generation)
            };
            let mut expected: Vec<_> = pairs
                .iter()
                .flat_map(|pair| {
                    ["left", "right"].map(|side| (format!("{}-{side}", pair.name_any()), pair.spec.value))
                })
                .collect();
            expected.sort();
            let mut found: Vec<_> = halves.iter().map(|half| (half.name_any(), half.spec.value)).collect();
            found.sort();
            Ok(pairs.len() == count && pairs.iter().all(good) && expected == found)
        })
        .await
    }

    /// Removes what is not a pair's, makes halves ready, and waits until every pair that is there is complete.
    pub(crate) async fn settles(&mut self) -> Result<()> {
        for half in self.halves().list(&ListParams::default()).await? {
            if half.owner_references().is_empty() {
                self.halves().delete(&half.name_any(), &DeleteParams::default()).await?;
            }
        }
        self.runner = Some(tokio::spawn(make_ready(self.client.clone())));
        // One that is being deleted goes.
        self.until("none goes", async || {
            let (pairs, _) = self.all().await?;
            Ok(pairs.iter().all(|pair| pair.metadata.deletion_timestamp.is_none()))
        })
        .await?;
        let (pairs, _) = self.all().await?;
        self.complete(pairs.len()).await
    }

    /// Waits until nothing is left.
    pub(crate) async fn empty(&self) -> Result<()> {
        self.until("nothing is left", async || {
            let (pairs, halves) = self.all().await?;
            Ok(pairs.is_empty() && halves.is_empty())
        })
        .await
    }

    async fn all(&self) -> Result<(Vec<Pair>, Vec<Half>)> {
        let all = ListParams::default();
        Ok((self.pairs().list(&all).await?.items, self.halves().list(&all).await?.items))
    }

    /// Every object, and its version.
    pub(crate) async fn versions(&self) -> Result<Vec<(String, String)>> {
        let (pairs, halves) = self.all().await?;
        let pairs = pairs.iter().map(|pair| (pair.name_any(), pair.resource_version().unwrap_or_default()));
        let halves = halves.iter().map(|half| (half.name_any(), half.resource_version().unwrap_or_default()));
        Ok(pairs.chain(halves).collect())
    }

    /// Waits until something is so; says what was not, and how things stood.
    pub(crate) async fn until(&self, what: &str, is: impl AsyncFn() -> Result<bool>) -> Result<()> {
        let waited = tokio::time::timeout(LIMIT, async {
            while !is().await? {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            anyhow::Ok(())
        });
        match waited.await {
            Ok(result) => result,
            Err(_) => {
                let (pairs, halves) = self.all().await?;
                bail!("it did not come about that {what}: {pairs:#?} {halves:#?}")
            }
        }
    }

    /// Waits until a pair says this.
    pub(crate) async fn says(&self, name: &str, reason: &str) -> Result<()> {
        self.until(&format!("{name} says {reason}"), async || {
            let pair = self.pairs().get(name).await?;
            Ok(pair.status.is_some_and(|status| status.reason == reason))
        })
        .await
    }

    /// The writes to pairs and halves that have gone through the proxy since a mark.
    pub(crate) fn made(&self, since: Mark) -> usize {
        [PAIRS, HALVES]
            .map(|resource| self.proxy.since(since, Matcher::writes().of(resource)).len())
            .iter()
            .sum()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(runner) = &self.runner {
            runner.abort();
        }
    }
}

impl Process {
    /// The lines of its journal.
    pub(crate) fn journal(&self) -> Result<Vec<Value>> {
        let text = std::fs::read_to_string(&self.journal).unwrap_or_default();
        // The last line may be half written.
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) -> Result<()> {
        let id = Pid::from_raw(self.child.id().try_into()?);
        nix::sys::signal::kill(id, signal)?;
        Ok(())
    }

    /// Tells it to end, and waits until it has, in good order.
    pub(crate) async fn end(&mut self) -> Result<()> {
        self.signal(Signal::SIGTERM)?;
        let ended = async {
            loop {
                if let Some(status) = self.child.try_wait()? {
                    return anyhow::Ok(status);
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let status = tokio::time::timeout(LIMIT, ended).await.context("it does not end")??;
        ensure!(status.success(), "{status}");
        Ok(())
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
