//! Copies of what people have on the hub: put, kept, removed, and what becomes of them shown there.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use kube::core::DynamicObject;
use kube::runtime::watcher::Event;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::acts::Hands;
use crate::asks::{Done, Undone, apply, change_status, delete, get};
use crate::copies::{Mark, copy, is_copied, shown, touched};
use crate::kinds::Kind;
use crate::marks::{RESTORE, annotation, is_of};
use crate::upstream::{Followed, Shown};

/// How long it is waited before something is tried again that was refused.
const AGAIN: Duration = Duration::from_secs(5);

/// Where a copy is: its namespace, its kind, its name.
pub(crate) type At = (String, Kind, String);

/// All copies, as the cluster's watches show them, and what was written.
#[derive(Debug, Default)]
pub(crate) struct Mirror {
    copies: BTreeMap<At, DynamicObject>,
    coming: BTreeMap<Kind, BTreeSet<At>>,
    whole: BTreeSet<Kind>,
    /// What was written, and how it was then: as long as both are as they were, nothing is to be done.
    settled: BTreeMap<At, (u64, u64)>,
    /// What was refused, and when it is tried again.
    refused: BTreeMap<At, (u64, Instant)>,
}

/// One thing to do.
#[derive(Clone, Debug)]
pub(crate) enum Todo {
    /// Write a copy: over this one, or where there is none.
    Put(Value, Option<Over>),
    /// Remove what is not on the hub any more, as that was read after this restore of it.
    Remove(DynamicObject, String),
    /// Show on the hub how it stands.
    Show(DynamicObject, Value),
}

/// Which copy is written over: none that was made since, and none that has changed.
#[derive(Clone, Debug)]
pub(crate) struct Over {
    uid: Option<String>,
    version: Option<String>,
}

impl Over {
    fn of(copy: &DynamicObject) -> Over {
        Over { uid: copy.metadata.uid.clone(), version: copy.metadata.resource_version.clone() }
    }

    /// What is to be, of that copy only. One that is gone is not made again by it.
    fn guards(&self, wanted: &Value) -> Value {
        let mut guarded = wanted.clone();
        guarded["metadata"]["uid"] = json!(self.uid);
        guarded["metadata"]["resourceVersion"] = json!(self.version);
        guarded
    }
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Did {
    Put(DynamicObject),
    /// It has changed, and is so now; or is gone.
    Seen(Option<DynamicObject>),
    Removed,
    Shown(DynamicObject),
}

fn digest(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    hasher.finish()
}

fn version(object: &DynamicObject) -> Option<u64> {
    object.metadata.resource_version.as_deref()?.parse().ok()
}

fn at(kind: Kind, object: &DynamicObject) -> At {
    let meta = &object.metadata;
    (meta.namespace.clone().unwrap_or_default(), kind, meta.name.clone().unwrap_or_default())
}

impl Mirror {
    /// Takes in what a watch shows of copies. Says which namespaces that concerns.
    pub(crate) fn see(&mut self, kind: Kind, event: Shown) -> Vec<String> {
        match event {
            Event::Init => {
                self.coming.insert(kind, BTreeSet::new());
                Vec::new()
            }
            Event::InitApply(object) => {
                let at = at(kind, &object);
                self.coming.entry(kind).or_default().insert(at);
                vec![self.keep(kind, object)]
            }
            Event::InitDone => {
                let there = self.coming.remove(&kind).unwrap_or_default();
                self.copies.retain(|at, _| at.1 != kind || there.contains(at));
                self.whole.insert(kind);
                self.copies.keys().map(|(namespace, ..)| namespace.clone()).collect()
            }
            Event::Apply(object) => vec![self.keep(kind, object)],
            Event::Delete(object) => {
                let at = at(kind, &object);
                self.copies.remove(&at);
                self.settled.remove(&at);
                vec![at.0]
            }
        }
    }

    fn keep(&mut self, kind: Kind, object: DynamicObject) -> String {
        let at = at(kind, &object);
        let namespace = at.0.clone();
        let is_late = |known: &DynamicObject| {
            known.metadata.uid == object.metadata.uid && version(known) > version(&object)
        };
        if !self.copies.get(&at).is_some_and(is_late) {
            self.copies.insert(at, object);
        }
        namespace
    }

    /// Forgets what is known of a namespace that is not up any more.
    pub(crate) fn forget(&mut self, namespace: &str) {
        self.settled.retain(|at, _| at.0 != namespace);
        self.refused.retain(|at, _| at.0 != namespace);
    }

    /// When the first of what was refused is tried again.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.refused.values().map(|(_, due)| *due).min()
    }

    /// The namespaces in which something is to be tried again by now.
    pub(crate) fn overdue(&self, now: Instant) -> Vec<String> {
        self.refused.iter().filter(|(_, (_, due))| *due <= now).map(|(at, _)| at.0.clone()).collect()
    }

    /// What is to be done in a namespace that is up.
    pub(crate) fn plan(
        &self,
        namespace: &str,
        hub: &Followed,
        mark: Mark<'_>,
        now: Instant,
    ) -> Vec<(At, Todo)> {
        let mut all = Vec::new();
        for kind in Kind::ALL.into_iter().filter(|kind| self.whole.contains(kind)) {
            // What was not shown whole may be there all the same.
            let Some(wanted) = hub.all(kind) else { continue };
            let mut names = BTreeSet::new();
            for object in wanted {
                let name = object.metadata.name.clone().unwrap_or_default();
                let at = (namespace.to_owned(), kind, name.clone());
                names.insert(name);
                let todo = self.of(&at, object, mark, now);
                all.extend(todo.map(|todo| (at, todo)));
            }
            let copies = self.copies.iter().filter(|(at, _)| at.0 == namespace && at.1 == kind);
            let gone = copies
                .filter(|(at, copy)| kind != Kind::Claim && !names.contains(&at.2) && may_go(copy, mark));
            all.extend(
                gone.map(|(at, copy)| (at.clone(), Todo::Remove(copy.clone(), mark.restore.to_owned()))),
            );
        }
        all
    }

    /// What is to be done about one object of the hub.
    fn of(&self, at: &At, object: &DynamicObject, mark: Mark<'_>, now: Instant) -> Option<Todo> {
        let kind = at.1;
        let here = self.copies.get(at);
        let mut is_settled = true;
        if is_copied(kind, object) {
            let wanted = copy(kind, object, mark);
            let as_it_is = here.map_or(0, |here| digest(&touched(here)));
            is_settled = here.is_some() && self.settled.get(at) == Some(&(digest(&wanted), as_it_is));
            let goes = here.is_some_and(|here| here.metadata.deletion_timestamp.is_some());
            let was_refused =
                self.refused.get(at).is_some_and(|(what, due)| *what == digest(&wanted) && *due > now);
            if !is_settled && !goes && !was_refused {
                return Some(Todo::Put(wanted, here.map(Over::of)));
            }
        }
        let status = shown(kind, object, here?, is_settled)?;
        Some(Todo::Show(object.clone(), status))
    }

    /// Takes in what came of something. What did not work is told, in words.
    pub(crate) fn did(
        &mut self,
        at: &At,
        todo: &Todo,
        done: Done<Did>,
    ) -> Result<Option<DynamicObject>, String> {
        match (todo, done) {
            (Todo::Put(wanted, _), Ok(Did::Put(object))) => {
                self.refused.remove(at);
                self.settled.insert(at.clone(), (digest(wanted), digest(&touched(&object))));
                self.keep(at.1, object);
                Ok(None)
            }
            (_, Ok(Did::Seen(Some(object)))) => {
                self.keep(at.1, object);
                Ok(None)
            }
            (_, Ok(Did::Seen(None))) => {
                self.copies.remove(at);
                self.settled.remove(at);
                Ok(None)
            }
            (_, Ok(Did::Shown(object))) => Ok(Some(object)),
            (_, Ok(Did::Put(_) | Did::Removed) | Err(Undone::Outdated)) => Ok(None),
            (todo, Err(Undone::Waits(why) | Undone::Failed(why))) => {
                let what = if let Todo::Put(wanted, _) = todo { digest(wanted) } else { 0 };
                self.refused.insert(at.clone(), (what, Instant::now() + AGAIN));
                let (_, kind, name) = at;
                Err(format!("the {} {name}: {why}", kind.name()))
            }
        }
    }
}

/// Whether a copy goes because it is not on the hub: not if the hub was restored since it was copied, and may have forgotten it.
fn may_go(copy: &DynamicObject, mark: Mark<'_>) -> bool {
    let is_owned =
        copy.metadata.owner_references.iter().flatten().any(|owner| owner.controller == Some(true));
    is_of(copy, mark.target)
        && annotation(copy, RESTORE) == Some(mark.restore)
        && !is_owned
        && copy.metadata.deletion_timestamp.is_none()
}

impl Hands {
    /// Does one thing.
    pub(crate) async fn carry(&self, (namespace, kind, name): &At, todo: &Todo) -> Done<Did> {
        let here = self.cluster.server.within(&kind.resource(), namespace);
        match todo {
            // Nothing guards what is made: what comes too late is found where nothing is to run (`site`), or goes with its namespace.
            Todo::Put(wanted, None) => apply(&here, wanted).await.map(Did::Put),
            Todo::Put(wanted, Some(over)) => match apply(&here, &over.guards(wanted)).await {
                // Watches may be late; without a look the same would be tried again and again until they are not.
                Err(Undone::Outdated) => get(&here, name).await.map(Did::Seen),
                done => done.map(Did::Put),
            },
            Todo::Remove(copy, restore) => {
                // What was listed is what the hub had before this: it has not been restored meanwhile.
                if self.hub.restores().await? != restore.split_once('.').map_or("", |(_, times)| times) {
                    return Err(Undone::Outdated);
                }
                delete(&here, copy).await.map(|()| Did::Removed)
            }
            Todo::Show(object, status) => {
                let hub = self.hub.server.within(&kind.resource(), namespace);
                let patch = serde_json::json!({ "status": status });
                change_status(&hub, object, patch).await.map(Did::Shown)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::{Arc, Mutex};

    use http::{Method, Request};
    use kube::Client;
    use kube::client::Body;

    use super::*;
    use crate::asks::{Server, refusal};
    use crate::hub::Hub;
    use crate::memory::Memory;
    use crate::site::Cluster;

    fn copy_of(restore: &str) -> DynamicObject {
        let meta = json!({
            "name": "a", "namespace": "shop", "labels": { "bowline.dev/target": "east" },
            "annotations": { "bowline.dev/restore": restore },
        });
        serde_json::from_value(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta }))
            .expect("an object")
    }

    #[test]
    fn what_a_restored_hub_does_not_know_stays() {
        let mark = Mark { target: "east", restore: "1.0" };
        assert!(may_go(&copy_of("1.0"), mark));
        assert!(!may_go(&copy_of("0.0"), mark));
        assert!(!may_go(&copy_of("x"), mark));
        assert!(!may_go(&copy_of("1.0"), Mark { target: "west", restore: "1.0" }));
    }

    /// What a server was asked, in its order.
    type Asked = Arc<Mutex<Vec<(Method, Value)>>>;

    /// Both ends are a server that refuses patches, because what they are of has changed, and has nothing. Says what it is asked.
    fn hands() -> (Hands, Asked) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        let serve = move |request: Request<Body>| {
            let noted = Arc::clone(&noted);
            async move {
                let method = request.method().clone();
                let body = request.into_body().collect_bytes().await.unwrap_or_default();
                let is_patch = method == Method::PATCH;
                let (code, reason) = if is_patch { (409, "Conflict") } else { (404, "NotFound") };
                let body = serde_json::from_slice(&body).unwrap_or_default();
                noted.lock().expect("nobody panics").push((method, body));
                Ok::<_, Infallible>(refusal(code, reason))
            }
        };
        let server = Server::new(Client::new(tower::service_fn(serve), "default"));
        let hub = Hub { server: server.clone(), target: "east".to_owned() };
        let memory = Memory::new(server.clone(), "east");
        (Hands { hub, cluster: Cluster { server, memory, target: "east".to_owned() } }, asked)
    }

    #[tokio::test]
    async fn what_was_read_is_written_over_and_no_other() {
        let (hands, asked) = hands();
        let mut read = copy_of("1.0");
        (read.metadata.uid, read.metadata.resource_version) = (Some("u".to_owned()), Some("5".to_owned()));
        let at: At = ("shop".to_owned(), Kind::Config, "a".to_owned());
        let mut mirror = Mirror::default();
        mirror.keep(Kind::Config, read.clone());
        let hub = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "namespace": "shop" }, "data": { "b": "c" } });
        let hub: DynamicObject = serde_json::from_value(hub).expect("an object");
        let mark = Mark { target: "east", restore: "1.0" };
        let todo = mirror.of(&at, &hub, mark, Instant::now()).expect("it is not as it is to be");
        let done = hands.carry(&at, &todo).await;
        assert!(matches!(done, Ok(Did::Seen(None))), "{done:?}");
        let asked: Vec<_> = std::mem::take(&mut *asked.lock().expect("nobody panics"));
        assert_eq!(asked.iter().map(|(method, _)| method).collect::<Vec<_>>(), [Method::PATCH, Method::GET]);
        let meta = &asked[0].1["metadata"];
        assert_eq!(
            (&meta["uid"], &meta["resourceVersion"]),
            (&json!("u"), &json!("5")),
            "it is not made again"
        );
        mirror.did(&at, &todo, done).expect("it is looked again");
        let again = mirror.of(&at, &hub, mark, Instant::now());
        assert!(matches!(again, Some(Todo::Put(_, None))), "it is gone: {again:?}");
    }

    #[test]
    fn what_a_late_watch_shows_is_not_what_was_written() {
        let at_version = |version: &str| {
            let mut object = copy_of("1");
            object.metadata.resource_version = Some(version.to_owned());
            object
        };
        let mut mirror = Mirror::default();
        mirror.keep(Kind::Config, at_version("5"));
        assert_eq!(mirror.see(Kind::Config, Event::Apply(at_version("3"))), ["shop"]);
        let known = mirror.copies.values().next().and_then(version);
        assert_eq!(known, Some(5));
    }
}
