//! What watches show: where namespaces are, and what is in clusters.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Context, Result};
use bowline_api::placements::{Placement, Said, UseState};
use futures::{Stream, StreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, ResourceExt};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::content::{SETTING, WEB};
use crate::fleet::{Fleet, LIMIT, name};

/// What has become of all namespaces, until this is dropped.
pub(crate) struct Crowd {
    seen: watch::Receiver<Seen>,
    _watchers: JoinSet<()>,
}

/// What was seen, and when.
#[derive(Default)]
struct Seen {
    /// By namespace: where it is up, and since when.
    up: BTreeMap<String, (String, Instant)>,
    /// By namespace and cluster: since when its workload is there.
    there: BTreeMap<(String, String), Instant>,
    /// By namespace: what its setting is in the cluster that it is in.
    settings: BTreeMap<String, (String, Instant)>,
}

impl Crowd {
    /// Watches from now on.
    pub(crate) fn watch(fleet: &Fleet) -> Crowd {
        let (show, seen) = watch::channel(Seen::default());
        let mut watchers = JoinSet::new();
        let placements = watcher(Api::<Placement>::all(fleet.hub.clone()), watcher::Config::default());
        watchers.spawn(each(
            placements.default_backoff().applied_objects(),
            show.clone(),
            |seen, placement| {
                seen.show(&placement);
            },
        ));
        for (number, cluster) in fleet.clusters.iter().enumerate() {
            let target = name(number);
            let only = |name: &str| watcher::Config::default().fields(&format!("metadata.name={name}"));
            let workloads = watcher(Api::<Deployment>::all(cluster.clone()), only(WEB)).default_backoff();
            watchers.spawn(workload(workloads, show.clone(), target));
            let settings = watcher(Api::<ConfigMap>::all(cluster.clone()), only(SETTING)).default_backoff();
            watchers.spawn(each(settings.applied_objects(), show.clone(), |seen, setting| {
                let number = setting.data.iter().flatten().next().map(|(_, number)| number.clone());
                let namespace = setting.namespace().unwrap_or_default();
                seen.settings.insert(namespace, (number.unwrap_or_default(), Instant::now()));
            }));
        }
        Crowd { seen, _watchers: watchers }
    }

    /// When a namespace was up on a target, with its workload there.
    pub(crate) async fn is_up(&self, namespace: &str, target: &str) -> Result<Instant> {
        let what = format!("{namespace} is not up on {target}");
        self.until(&what, |seen| {
            let (at, up) = seen.up.get(namespace)?;
            let there = seen.there.get(&(namespace.to_owned(), target.to_owned()))?;
            (at == target).then(|| *up.max(there))
        })
        .await
    }

    /// When the setting of a namespace was this one in its cluster.
    pub(crate) async fn is_set(&self, namespace: &str, number: &str) -> Result<Instant> {
        let what = format!("the setting of {namespace} is not {number}");
        self.until(&what, |seen| {
            let (is, when) = seen.settings.get(namespace)?;
            (is == number).then_some(*when)
        })
        .await
    }

    async fn until(&self, what: &str, is: impl Fn(&Seen) -> Option<Instant>) -> Result<Instant> {
        let mut seen = self.seen.clone();
        let waited = tokio::time::timeout(LIMIT, seen.wait_for(|seen| is(seen).is_some())).await;
        let seen = waited.with_context(|| what.to_owned())??;
        is(&seen).with_context(|| what.to_owned())
    }
}

async fn each<T>(
    shown: impl Stream<Item = watcher::Result<T>>,
    show: watch::Sender<Seen>,
    mut see: impl FnMut(&mut Seen, T),
) {
    let mut shown = std::pin::pin!(shown.filter_map(|one| std::future::ready(one.ok())));
    while let Some(one) = shown.next().await {
        show.send_modify(|seen| see(seen, one));
    }
}

async fn workload(
    shown: impl Stream<Item = watcher::Result<watcher::Event<Deployment>>>,
    show: watch::Sender<Seen>,
    target: String,
) {
    each(shown, show, |seen, event| match event {
        watcher::Event::Apply(one) | watcher::Event::InitApply(one) => {
            let key = (one.namespace().unwrap_or_default(), target.clone());
            if one.metadata.deletion_timestamp.is_none() {
                seen.there.entry(key).or_insert_with(Instant::now);
            }
        }
        watcher::Event::Delete(one) => {
            seen.there.remove(&(one.namespace().unwrap_or_default(), target.clone()));
        }
        watcher::Event::Init | watcher::Event::InitDone => {}
    })
    .await;
}

impl Seen {
    fn show(&mut self, placement: &Placement) {
        let namespace = placement.namespace().unwrap_or_default();
        let users = placement.status.iter().flat_map(|status| &status.users);
        let mut up = users.filter(|its| its.state == UseState::Granted && its.said == Some(Said::Ready));
        match up.next() {
            None => drop(self.up.remove(&namespace)),
            Some(its) if self.up.get(&namespace).is_some_and(|(at, _)| at == its.target.as_str()) => {}
            Some(its) => drop(self.up.insert(namespace, (its.target.as_str().to_owned(), Instant::now()))),
        }
    }
}
