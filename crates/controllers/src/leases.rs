//! Who watches over leases: of members of groups, and of syncers. What controllers ask before they believe that somebody is lost.
//!
//! A watch shows renewals as they come, so that nothing is asked as long as all is well. Who is silent by the watch is asked for at
//! the server, and only what that says is believed. All leases of a hub are on one docket: it suspects itself if too many of them,
//! of whatever kind, are silent together.

pub(crate) mod paper;
mod word;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bowline_control::Millis;
use bowline_runtime::{now, sentence};
use bowline_upgrades::Pulse;
use bowline_upgrades::leases::Docket;
use bowline_upgrades::plain::Named;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};

/// So many leases are asked for at once.
const AT_ONCE: usize = 16;

/// The docket of all leases of a hub.
#[derive(Clone)]
pub(crate) struct Court(Arc<Mutex<Docket<Named>>>);

impl Court {
    /// Nothing is known, and somebody begins to look.
    pub(crate) fn new(now: Millis) -> Court {
        Court(Arc::new(Mutex::new(Docket::new(now))))
    }

    pub(crate) fn docket(&self) -> MutexGuard<'_, Docket<Named>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who watches over the leases with a label.
#[derive(Clone)]
pub(crate) struct Leases {
    client: Client,
    label: &'static str,
    court: Court,
}

impl Leases {
    pub(crate) fn new(client: &Client, label: &'static str, court: &Court) -> Leases {
        Leases { client: client.clone(), label, court: court.clone() }
    }

    /// Sees renewals, until somebody has enough. Who cannot see them asks for each lease.
    pub(crate) async fn watch(self, stop: impl Future<Output = ()>) {
        let leases: Api<Lease> = Api::all(self.client.clone());
        let labelled = watcher::Config::default().labels(self.label);
        let mut shown = watcher(leases, labelled).default_backoff().boxed();
        let mut stop = std::pin::pin!(stop);
        loop {
            let event = tokio::select! {
                () = &mut stop => return,
                event = shown.next() => event,
            };
            match event {
                Some(Ok(watcher::Event::Apply(lease) | watcher::Event::InitApply(lease))) => {
                    if let Some((name, paper)) = paper::read(&lease) {
                        self.court.docket().see(name, paper, now().clock);
                    }
                }
                Some(Ok(watcher::Event::Delete(lease))) => {
                    if let Some((name, _)) = paper::read(&lease) {
                        self.court.docket().gone(&name, now().clock);
                    }
                }
                Some(Ok(watcher::Event::Init | watcher::Event::InitDone)) => {}
                Some(Err(error)) => {
                    let why = sentence(&error);
                    tracing::debug!(why, label = self.label, "the watch of leases begins again");
                }
                None => return,
            }
        }
    }

    /// How leases stand. Those that are doubtful are asked for at the server, for so long.
    pub(crate) async fn look(
        &self,
        names: &[Named],
        most: Duration,
    ) -> Result<BTreeMap<Named, Pulse>, String> {
        let began = now().clock;
        let doubtful: Vec<_> = {
            let docket = self.court.docket();
            names.iter().filter(|name| docket.is_doubtful(name, began)).cloned().collect()
        };
        let asked = futures::stream::iter(doubtful.clone()).map(|name| self.ask(name));
        let asked: Result<Vec<()>, _> =
            match tokio::time::timeout(most, asked.buffer_unordered(AT_ONCE).try_collect()).await {
                Ok(asked) => asked,
                Err(_) => return Err(format!("no answer within {} ms", most.as_millis())),
            };
        asked.map_err(|error| sentence(&error))?;
        let now = now().clock;
        let mut docket = self.court.docket();
        docket.judge(now);
        let pulse = |name: &Named| docket.pulse(name, doubtful.contains(name), now);
        Ok(names.iter().map(|name| (name.clone(), pulse(name))).collect())
    }

    /// Whether so many are silent together that none is believed to have lapsed.
    pub(crate) fn is_suspect(&self) -> bool {
        self.court.docket().is_suspect()
    }

    /// Asks the server for a lease.
    async fn ask(&self, name: Named) -> Result<(), kube::Error> {
        let leases: Api<Lease> = Api::namespaced(self.client.clone(), &name.namespace);
        let found = leases.get_opt(&name.name).await?;
        let now = now().clock;
        match found.as_ref().and_then(paper::read) {
            Some((name, paper)) => self.court.docket().see(name, paper, now),
            None => self.court.docket().gone(&name, now),
        }
        Ok(())
    }
}
