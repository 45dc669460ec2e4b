//! Servers that go and come back: watchers find their way by themselves.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use bowline_e2e_kube::Cluster;
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ObjectMeta, PostParams};
use kube::runtime::WatchStreamExt;
use kube::runtime::reflector::{self, Store};
use kube::runtime::utils::Backoff;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, ResourceExt};

use crate::clients::{eventually, in_process, in_time, over_tls};

/// Tries again soon, for ever.
struct Soon;

impl Iterator for Soon {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(Duration::from_millis(10))
    }
}

impl Backoff for Soon {
    fn reset(&mut self) {}
}

fn map(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn names(store: &Store<ConfigMap>) -> BTreeSet<String> {
    store.state().iter().map(|map| map.name_any()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_right_again_after_history_is_gone() -> Result<()> {
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let mut cluster = Cluster::start().await?;
        let address = cluster.address()?;
        let far: Api<ConfigMap> = Api::namespaced(over_tls(&cluster).await?, "default");
        let (store, writer) = reflector::store();
        let begins = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&begins);
        let stream = watcher(far.clone(), config).backoff(Soon).reflect(writer);
        let follow = tokio::spawn(stream.for_each(move |event| {
            if matches!(event, Ok(Event::Init)) {
                count.fetch_add(1, Ordering::SeqCst);
            }
            std::future::ready(())
        }));
        in_time(async {
            store.wait_until_ready().await?;
            for name in ["kept", "goes"] {
                far.create(&PostParams::default(), &map(name)).await?;
            }
            eventually(async || {
                Ok(names(&store).is_superset(&["kept".into(), "goes".into()].into()).then_some(()))
            })
            .await?;
            // While it is elsewhere, nobody sees what happens; and then nothing remembers it.
            cluster.start_again(([127, 0, 0, 1], 0).into()).await?;
            let near: Api<ConfigMap> = Api::default_namespaced(in_process(&cluster)?);
            near.delete("goes", &DeleteParams::default()).await?;
            near.create(&PostParams::default(), &map("comes")).await?;
            cluster.start_again(address).await?;
            eventually(async || {
                let names = names(&store);
                Ok((names.contains("comes") && names.contains("kept") && !names.contains("goes"))
                    .then_some(()))
            })
            .await?;
            assert!(begins.load(Ordering::SeqCst) >= 2, "it has listed anew");
            // And it goes on from there.
            far.create(&PostParams::default(), &map("later")).await?;
            eventually(async || Ok(names(&store).contains("later").then_some(()))).await
        })
        .await?;
        follow.abort();
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_ends_when_the_server_stops_and_goes_on_where_nothing_happened() -> Result<()> {
    let mut cluster = Cluster::start().await?;
    let address = cluster.address()?;
    let far: Api<ConfigMap> = Api::namespaced(over_tls(&cluster).await?, "default");
    let (store, writer) = reflector::store();
    let stream = watcher(far.clone(), watcher::Config::default()).backoff(Soon).reflect(writer);
    let follow = tokio::spawn(stream.for_each(async |_| ()));
    in_time(async {
        store.wait_until_ready().await?;
        for round in 0..3 {
            let name = format!("round-{round}");
            far.create(&PostParams::default(), &map(&name)).await?;
            eventually(async || Ok(names(&store).contains(&name).then_some(()))).await?;
            cluster.start_again(address).await?;
        }
        Ok(())
    })
    .await?;
    follow.abort();
    Ok(())
}
