//! Watches that say where to look: at the hub, and in the cluster. What is decided by is read, except for what the hub's watches show
//! of the protocol's objects, which is later than what was read of them.

use std::time::Duration;

use bowline_placements::Kind as HubKind;
use futures::StreamExt;
use kube::Api;
use kube::core::DynamicObject;
use kube::runtime::watcher;
use tokio::sync::mpsc::UnboundedSender;

use crate::hub::{Hub, resource};
use crate::kinds::{self, Kind};
use crate::marks::{PLACEMENT, TARGET, is_of, label};
use crate::site::Cluster;
use crate::upstream::{Shown, Task, task};

/// How long it is waited before something is listed again that could not be seen.
const AGAIN: Duration = Duration::from_millis(500);

/// What was seen.
#[derive(Debug)]
pub(crate) enum News {
    /// An object of the protocol, on the hub.
    Hub(HubKind, Box<DynamicObject>),
    /// One that is gone.
    HubGone(HubKind, Box<DynamicObject>),
    /// A watch of the hub begins anew: what was deleted meanwhile is not shown.
    HubAnew,
    /// What people have in a namespace of the hub, by a watch of this tenure.
    Upstream(String, u64, Kind, Box<Shown>),
    /// A copy in the cluster.
    Copy(Kind, Box<Shown>),
    /// Something has changed in a namespace of the cluster; and whether it is something of ours.
    Rings(String, bool),
    /// Something has changed that may concern any namespace of the cluster.
    RingsAll,
}

fn follow(
    api: Api<DynamicObject>,
    config: watcher::Config,
    mut tell: impl FnMut(Shown) -> bool + Send + 'static,
) -> Task {
    task(async move {
        let mut shown = watcher(api, config).boxed();
        while let Some(event) = shown.next().await {
            match event {
                Ok(event) => {
                    if !tell(event) {
                        return;
                    }
                }
                // Whether a server is there is found by who asks it.
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
    })
}

/// Watches the target, all placements and all grants.
pub(crate) fn of_hub(hub: &Hub, news: &UnboundedSender<News>) -> Vec<Task> {
    let kinds = [HubKind::Target, HubKind::Placement, HubKind::Volume];
    let watch = |kind: HubKind| {
        let config = match kind {
            HubKind::Target => watcher::Config::default().fields(&format!("metadata.name={}", hub.target)),
            _ => watcher::Config::default(),
        };
        let news = news.clone();
        let mut began = false;
        follow(hub.server.all(&resource(kind)), config, move |event| {
            let one = match event {
                watcher::Event::Apply(raw) | watcher::Event::InitApply(raw) => News::Hub(kind, Box::new(raw)),
                watcher::Event::Delete(raw) => News::HubGone(kind, Box::new(raw)),
                watcher::Event::Init if std::mem::replace(&mut began, true) => News::HubAnew,
                watcher::Event::Init | watcher::Event::InitDone => return true,
            };
            news.send(one).is_ok()
        })
    };
    kinds.map(watch).into()
}

/// The namespace that an object of the cluster concerns.
fn concerns(object: &DynamicObject) -> Option<String> {
    let claimed = object.data.pointer("/spec/claimRef/namespace").and_then(|name| name.as_str());
    let meta = &object.metadata;
    let named = label(object, PLACEMENT).or(meta.namespace.as_deref()).or(claimed);
    named.map(str::to_owned)
}

/// Watches what is in the cluster, as far as it has to do with volumes and namespaces; and all copies.
pub(crate) fn of_cluster(cluster: &Cluster, news: &UnboundedSender<News>) -> Vec<Task> {
    let rings = |resource: kube::core::ApiResource, config: watcher::Config| {
        let (news, target) = (news.clone(), cluster.target.clone());
        follow(cluster.server.all(&resource), config, move |event| match event {
            watcher::Event::Apply(one) | watcher::Event::InitApply(one) | watcher::Event::Delete(one) => {
                let rings = |name| News::Rings(name, is_of(&one, &target));
                concerns(&one).is_none_or(|name| news.send(rings(name)).is_ok())
            }
            watcher::Event::Init => true,
            // What has gone while nobody watched is not shown.
            watcher::Event::InitDone => news.send(News::RingsAll).is_ok(),
        })
    };
    let ours = || watcher::Config::default().labels(&format!("{TARGET}={}", cluster.target));
    let mut tasks = vec![
        rings(kinds::namespaces(), ours()),
        rings(kinds::volumes(), watcher::Config::default()),
        rings(Kind::Claim.resource(), watcher::Config::default()),
    ];
    let ringer = news.clone();
    tasks.push(follow(cluster.server.all(&kinds::attachments()), watcher::Config::default(), move |_| {
        ringer.send(News::RingsAll).is_ok()
    }));
    for kind in Kind::ALL {
        let news = news.clone();
        tasks.push(follow(cluster.server.all(&kind.resource()), ours(), move |event| {
            news.send(News::Copy(kind, Box::new(event))).is_ok()
        }));
    }
    tasks
}
