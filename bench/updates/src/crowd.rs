//! Updates as a watch shows them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use bowline_api::updates::{Update, UpdatePhase};
use futures::{StreamExt, TryStreamExt};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::fleet::LIMIT;

/// What has become of all updates, until this is dropped.
pub(crate) struct Crowd {
    seen: watch::Receiver<Seen>,
    _watcher: JoinSet<()>,
}

#[derive(Default)]
struct Seen {
    succeeded: BTreeSet<String>,
    /// Those that ended in another way, and why.
    failed: BTreeMap<String, String>,
}

impl Crowd {
    /// Watches from now on.
    pub(crate) fn watch(hub: Client) -> Crowd {
        let (show, seen) = watch::channel(Seen::default());
        let mut watcher_ = JoinSet::new();
        let updates: Api<Update> = Api::all(hub);
        let shown = watcher(updates, watcher::Config::default()).default_backoff().applied_objects();
        watcher_.spawn(async move {
            let mut shown =
                std::pin::pin!(shown.into_stream().filter_map(|update| std::future::ready(update.ok())));
            while let Some(update) = shown.next().await {
                show.send_modify(|seen| seen.show(&update));
            }
        });
        Crowd { seen, _watcher: watcher_ }
    }

    /// Waits until so many updates have succeeded.
    pub(crate) async fn succeeded(&self, count: usize) -> Result<()> {
        self.until(|seen| seen.succeeded.len() >= count).await
    }

    /// Waits until this one has.
    pub(crate) async fn has_succeeded(&self, update: &str) -> Result<()> {
        self.until(|seen| seen.succeeded.contains(update)).await
    }

    async fn until(&self, is: impl Fn(&Seen) -> bool) -> Result<()> {
        let mut seen = self.seen.clone();
        let waited = tokio::time::timeout(LIMIT, seen.wait_for(|seen| is(seen) || !seen.failed.is_empty()));
        let seen = waited.await.context("updates do not end")??;
        if let Some((update, why)) = seen.failed.first_key_value() {
            bail!("{update} did not succeed: {why}");
        }
        Ok(())
    }
}

impl Seen {
    fn show(&mut self, update: &Update) {
        let Some(status) = &update.status else { return };
        match status.phase {
            UpdatePhase::Succeeded => drop(self.succeeded.insert(update.name_any())),
            UpdatePhase::Submitted | UpdatePhase::Queued | UpdatePhase::Processing | UpdatePhase::Partial => {
            }
            _ => drop(self.failed.insert(update.name_any(), status.message.clone())),
        }
    }
}
