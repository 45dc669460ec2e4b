//! Watchers in both of their modes, stores, and clients that leave in the middle.

use std::collections::BTreeMap;
use std::pin::pin;

use anyhow::{Context, Result, bail};
use bowline_e2e_kube::Cluster;
use futures::{AsyncBufReadExt, Stream, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::runtime::watcher::{self, Event, watcher};
use kube::runtime::{WatchStreamExt, predicates};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use crate::clients::{both, eventually, in_process, in_time, over_tls, refused};
use crate::widget::{widget, widgets};

fn map(name: &str, value: usize) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            labels: Some(BTreeMap::from([("test".to_owned(), "watch".to_owned())])),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("value".to_owned(), value.to_string())])),
        ..ConfigMap::default()
    }
}

/// Both ways to begin; the first in pages of two.
fn modes() -> [watcher::Config; 2] {
    let config = watcher::Config::default().labels("test=watch");
    [config.clone().page_size(2), config.streaming_lists()]
}

/// The next event, in short.
async fn next(
    events: &mut (impl Stream<Item = watcher::Result<Event<ConfigMap>>> + Unpin),
) -> Result<String> {
    let event = events.try_next().await?.context("a watch does not end")?;
    Ok(event.to_string())
}

#[tokio::test]
async fn both_modes_begin_with_what_is_there_and_go_on() -> Result<()> {
    both(async |client: Client| {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        for (round, mode) in modes().into_iter().enumerate() {
            for name in ["a", "b", "c", "d", "e"] {
                maps.create(&PostParams::default(), &map(name, round)).await?;
            }
            let mut events = pin!(watcher(maps.clone(), mode));
            assert_eq!(next(&mut events).await?, "Init");
            for name in ["a", "b", "c", "d", "e"] {
                assert_eq!(next(&mut events).await?, format!("InitApply({name})"));
            }
            assert_eq!(next(&mut events).await?, "InitDone");
            maps.create(&PostParams::default(), &map("f", round)).await?;
            assert_eq!(next(&mut events).await?, "Apply(f)");
            // What leaves the selection is gone for who selects, and comes back as new.
            for (label, expected) in [("other", "Delete(f)"), ("watch", "Apply(f)")] {
                let relabel = Patch::Merge(json!({ "metadata": { "labels": { "test": label } } }));
                maps.patch("f", &PatchParams::default(), &relabel).await?;
                assert_eq!(next(&mut events).await?, expected);
            }
            maps.delete_collection(&DeleteParams::default(), &ListParams::default().labels("test=watch"))
                .await?;
            for name in ["a", "b", "c", "d", "e", "f"] {
                assert_eq!(next(&mut events).await?, format!("Delete({name})"));
            }
        }
        Ok(())
    })
    .await
}

/// What a store has, in short.
fn held(store: &Store<ConfigMap>) -> BTreeMap<String, Option<String>> {
    store.state().iter().map(|map| (map.name_any(), map.resource_version())).collect()
}

async fn listed(maps: &Api<ConfigMap>) -> Result<BTreeMap<String, Option<String>>> {
    let list = maps.list(&ListParams::default().labels("test=watch")).await?;
    Ok(list.iter().map(|map| (map.name_any(), map.resource_version())).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_come_to_hold_what_the_server_has() -> Result<()> {
    both(async |client: Client| {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        for mode in modes() {
            let (store, writer) = reflector::store();
            let stream = watcher(maps.clone(), mode).default_backoff().reflect(writer).touched_objects();
            let follow = tokio::spawn(stream.for_each(async |_| ()));
            store.wait_until_ready().await?;
            let writers = (0..4).map(async |writer| {
                for number in 0..10 {
                    let name = format!("w{writer}-{}", number % 3);
                    match number % 3 {
                        0 if number == 3 => drop(maps.delete(&name, &DeleteParams::default()).await?),
                        _ => drop(
                            maps.patch(&name, &PatchParams::apply("test"), &Patch::Apply(map(&name, number)))
                                .await?,
                        ),
                    }
                }
                anyhow::Ok(())
            });
            futures::future::try_join_all(writers).await?;
            let expected = listed(&maps).await?;
            assert!(!expected.is_empty());
            eventually(async || Ok((held(&store) == expected).then_some(()))).await?;
            let key = ObjectRef::new("w0-1").within("default");
            assert_eq!(store.get(&key).context("it is there")?.name_any(), "w0-1");
            follow.abort();
            maps.delete_collection(&DeleteParams::default(), &ListParams::default()).await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn changes_of_status_pass_a_filter_by_generation_unseen() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        widgets.create(&PostParams::default(), &widget("a")).await?;
        let changed = watcher(widgets.clone(), watcher::Config::default().fields("spec.colour=red"))
            .applied_objects()
            .predicate_filter(predicates::generation, Default::default());
        let mut changed = pin!(changed);
        assert_eq!(changed.try_next().await?.context("it is there")?.metadata.generation, Some(1));
        let ready = Patch::Merge(json!({ "status": { "ready": true } }));
        widgets.patch_status("a", &PatchParams::default(), &ready).await?;
        let more = Patch::Merge(json!({ "spec": { "replicas": 2 } }));
        widgets.patch("a", &PatchParams::default(), &more).await?;
        let seen = changed.try_next().await?.context("it has changed")?;
        assert_eq!((seen.metadata.generation, seen.spec.replicas), (Some(2), 2));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn history_that_is_not_there_is_gone_and_a_version_to_come_is_waited_for() -> Result<()> {
    both(async |client: Client| {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let far = ListParams::default().at("1000000");
        assert_eq!(refused(maps.list(&far).await)?, (504, "Timeout".to_owned()));
        let made = maps.create(&PostParams::default(), &map("a", 0)).await?;
        let version = made.resource_version().context("it has one")?;
        let at = ListParams::default().at(&version).matching(kube::api::VersionMatch::Exact);
        maps.delete("a", &DeleteParams::default()).await?;
        let then = maps.list(&at).await?;
        assert!(then.items.iter().any(|map| map.name_any() == "a"), "{then:?}");
        Ok(())
    })
    .await
}

/// How many watches the server has open.
async fn open_watches(client: &Client) -> Result<u64> {
    let text = client.request_text(http::Request::get("/metrics").body(Vec::new())?).await?;
    let line = text.lines().find(|line| line.contains("watch") && !line.starts_with('#'));
    let Some(line) = line else { bail!("no watches are counted: {text}") };
    Ok(line.rsplit(' ').next().unwrap_or_default().parse()?)
}

#[tokio::test]
async fn clients_that_leave_in_the_middle_leave_nothing_behind() -> Result<()> {
    let cluster = Cluster::start().await?;
    let quiet = in_process(&cluster)?;
    let before = open_watches(&quiet).await?;
    for tls in [true, false] {
        in_time(async {
            let client = if tls { over_tls(&cluster).await? } else { in_process(&cluster)? };
            let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
            let mut watches = Vec::new();
            for _ in 0..20 {
                let request = http::Request::get("/api/v1/namespaces/default/configmaps?watch=true");
                let mut lines = client.request_stream(request.body(Vec::new())?).await?.lines();
                // It has begun: the certificate of the authority is in every namespace.
                watches.push((lines.next().await.context("it begins")??, lines));
            }
            eventually(async || Ok((open_watches(&quiet).await? >= before + 20).then_some(()))).await?;
            drop(watches);
            eventually(async || Ok((open_watches(&quiet).await? == before).then_some(()))).await?;
            maps.create(&PostParams::default(), &map("a", 0)).await?;
            maps.delete("a", &DeleteParams::default()).await?;
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_write_that_nobody_waits_for_is_whole_or_not_at_all() -> Result<()> {
    let cluster = Cluster::start().await?;
    let client = over_tls(&cluster).await?;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    in_time(async {
        for number in 0..50 {
            let name = format!("left-{number}");
            let object = map(&name, number);
            let params = PostParams::default();
            let write = maps.create(&params, &object);
            // Given up at any moment: before it is sent, under way, or just answered.
            let patience = std::time::Duration::from_micros(number as u64 * 40);
            let _ = tokio::time::timeout(patience, write).await;
        }
        maps.create(&PostParams::default(), &map("last", 0)).await?;
        for found in maps.list(&ListParams::default().labels("test=watch")).await? {
            assert!(found.data.is_some_and(|data| data.contains_key("value")));
        }
        Ok(())
    })
    .await
}
