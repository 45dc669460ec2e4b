//! Who is about beside the contestant: who makes pairs and edits them, who makes halves ready, and who watches.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bowline_e2e_sample::{Half, Pair, PairSpec, make_ready};
use futures::{StreamExt, TryStreamExt};
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::tally::name;

/// The watches of all who are in here: pairs, halves, and halves again for who makes them ready.
pub(super) const WATCHES: u64 = 3;
/// How long anything may take, before it is taken to have failed.
const LIMIT: Duration = Duration::from_secs(900);
/// Pairs that are made together.
const MADE_TOGETHER: usize = 32;

pub(super) struct World {
    client: Client,
    seen: watch::Receiver<Seen>,
    // They end with the world.
    _watchers: JoinSet<()>,
}

/// What the watches have shown.
#[derive(Default)]
struct Seen {
    /// Pairs that say that they are ready, by what is wanted of them now.
    ready: BTreeSet<String>,
    /// What halves carry.
    values: BTreeMap<String, u32>,
}

impl World {
    pub(super) fn watch(client: Client) -> World {
        let (sender, seen) = watch::channel(Seen::default());
        let mut watchers = JoinSet::new();
        let show = sender.clone();
        let events = watcher(Api::<Pair>::all(client.clone()), watcher::Config::default());
        watchers.spawn(events.default_backoff().applied_objects().for_each(move |pair| {
            if let Ok(pair) = pair {
                show.send_modify(|seen| seen.show(&pair));
            }
            std::future::ready(())
        }));
        let events = watcher(Api::<Half>::all(client.clone()), watcher::Config::default());
        watchers.spawn(events.default_backoff().applied_objects().for_each(move |half| {
            if let Ok(half) = half {
                let (name, value) = (half.name_any(), half.spec.value);
                sender.send_modify(|seen| {
                    seen.values.insert(name, value);
                });
            }
            std::future::ready(())
        }));
        watchers.spawn(make_ready(client.clone()));
        World { client, seen, _watchers: watchers }
    }

    /// Makes so many pairs.
    pub(super) async fn fill(&self, pairs: usize) -> Result<()> {
        let (api, params) = (self.pairs(), PostParams::default());
        let all = futures::stream::iter(0..pairs).map(|number| {
            let (api, params) = (&api, &params);
            async move { api.create(params, &Pair::new(&name(number), PairSpec { value: 1 })).await }
        });
        all.buffer_unordered(MADE_TOGETHER).try_for_each(|_| std::future::ready(Ok(()))).await?;
        Ok(())
    }

    /// Waits until so many pairs say that they are ready.
    pub(super) async fn complete(&self, pairs: usize) -> Result<()> {
        self.until(|seen| seen.ready.len() == pairs).await.context("not all pairs became ready")
    }

    /// Edits a pair, and says how long it took until both halves carried the value. It is ready again then.
    pub(super) async fn edit(&self, number: usize, value: u32) -> Result<Duration> {
        let name = name(number);
        let halves = ["left", "right"].map(|side| format!("{name}-{side}"));
        let patch = Patch::Merge(json!({ "spec": { "value": value } }));
        let begun = Instant::now();
        let edited = self.pairs().patch(&name, &PatchParams::default(), &patch).await?;
        ensure!(edited.spec.value == value, "{name} was not edited");
        self.until(|seen| halves.iter().all(|half| seen.values.get(half) == Some(&value)))
            .await
            .with_context(|| format!("{name} was not mended"))?;
        let took = begun.elapsed();
        self.until(|seen| seen.ready.contains(&name))
            .await
            .with_context(|| format!("{name} is not ready"))?;
        Ok(took)
    }

    /// Sees that every pair is ready and has its two halves, with its value, and that there are no others.
    pub(super) async fn check(&self, pairs: usize) -> Result<()> {
        let halves: Api<Half> = Api::default_namespaced(self.client.clone());
        let halves = halves.list(&ListParams::default()).await?.items;
        let found: BTreeMap<_, _> = halves.iter().map(|half| (half.name_any(), half.spec.value)).collect();
        let there = self.pairs().list(&ListParams::default()).await?.items;
        ensure!(there.len() == pairs && found.len() == 2 * pairs, "objects are missing, or too many");
        for pair in there {
            for side in ["left", "right"] {
                let half = format!("{}-{side}", pair.name_any());
                ensure!(found.get(&half) == Some(&pair.spec.value), "{half} does not carry the pair's value");
            }
            ensure!(is_ready(&pair), "{} is not ready", pair.name_any());
        }
        Ok(())
    }

    fn pairs(&self) -> Api<Pair> {
        Api::default_namespaced(self.client.clone())
    }

    async fn until(&self, is: impl FnMut(&Seen) -> bool) -> Result<()> {
        let mut seen = self.seen.clone();
        tokio::time::timeout(LIMIT, seen.wait_for(is)).await??;
        Ok(())
    }
}

impl Seen {
    fn show(&mut self, pair: &Pair) {
        let name = pair.name_any();
        if is_ready(pair) {
            self.ready.insert(name)
        } else {
            self.ready.remove(&name)
        };
    }
}

fn is_ready(pair: &Pair) -> bool {
    pair.status.as_ref().is_some_and(|status| {
        status.reason == "Ready"
            && Some(status.observed_generation)
                == pair.metadata.generation.and_then(|generation| u64::try_from(generation).ok())
    })
}
