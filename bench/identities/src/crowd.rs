//! Identities as a watch shows them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bowline_api::conditions::ConditionType;
use bowline_api::identities::IamRoleServiceAccount;
use futures::StreamExt;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long all may take.
const LIMIT: Duration = Duration::from_secs(900);
const SYNCED: ConditionType = ConditionType::new("Synced");
const STALLED: ConditionType = ConditionType::new("Stalled");

/// What has become of all identities, until this is dropped.
pub(crate) struct Crowd {
    seen: watch::Receiver<Seen>,
    _watcher: JoinSet<()>,
}

#[derive(Default)]
struct Seen {
    ready: BTreeSet<String>,
    /// Those that need a person, and why.
    stalled: BTreeMap<String, String>,
}

impl Crowd {
    /// Watches from now on.
    pub(crate) fn watch(hub: Client) -> Crowd {
        let (show, seen) = watch::channel(Seen::default());
        let mut tasks = JoinSet::new();
        let identities: Api<IamRoleServiceAccount> = Api::all(hub);
        let shown = watcher(identities, watcher::Config::default()).default_backoff().applied_objects();
        tasks.spawn(async move {
            let mut shown = std::pin::pin!(shown.filter_map(|one| std::future::ready(one.ok())));
            while let Some(identity) = shown.next().await {
                show.send_modify(|seen| seen.show(&identity));
            }
        });
        Crowd { seen, _watcher: tasks }
    }

    /// Waits until so many are ready.
    pub(crate) async fn ready(&self, count: usize) -> Result<()> {
        let mut seen = self.seen.clone();
        let is_over = |seen: &Seen| seen.ready.len() >= count || !seen.stalled.is_empty();
        let waited = tokio::time::timeout(LIMIT, seen.wait_for(is_over));
        let seen = waited.await.context("identities do not become ready")??;
        if let Some((identity, why)) = seen.stalled.first_key_value() {
            bail!("{identity} needs a person: {why}");
        }
        Ok(())
    }
}

impl Seen {
    fn show(&mut self, identity: &IamRoleServiceAccount) {
        let Some(status) = &identity.status else { return };
        let is = |kind: &ConditionType| status.conditions.is_true(kind);
        if is(&ConditionType::READY) && is(&SYNCED) {
            self.ready.insert(identity.name_any());
        }
        if is(&STALLED) {
            self.stalled.insert(identity.name_any(), status.message.clone());
        }
    }
}
