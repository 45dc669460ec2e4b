//! What a syncer has to remember beside what is on the objects of the cluster: it outlives namespaces, and so it has one of its own.
//!
//! What was given up is noted with the uid of its grant's object: one that is made again under its name counts its epochs anew.

use std::collections::BTreeMap;

use bowline_placements::syncer::Held;
use bowline_placements::{Epoch, Thing, ThingOf, plain::Plain};
use bowline_runtime::sentence;
use kube::core::DynamicObject;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::asks::{Done, Server, Undone, change, create, get, list};
use crate::kinds::{Kind, namespaces};
use crate::marks::{self, PLACEMENT, TARGET};

/// The namespace of all that is remembered, in the cluster.
pub(crate) const HOME: &str = "bowline-syncer";

/// What is remembered of a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    raw: Option<DynamicObject>,
    pub(crate) said: Said,
}

/// What stands in a record.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Said {
    /// Of which SyncTarget, of all that had its name.
    pub(crate) uid: String,
    /// The greatest fence epoch that was accepted.
    pub(crate) accepted: u64,
    /// Its volumes enforce epochs, as far as was read.
    pub(crate) enforces: bool,
}

/// What is remembered of a namespace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Note {
    raw: Option<DynamicObject>,
    pub(crate) kept: Kept,
}

/// What stands in a note.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// When the namespace was given up last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    space: Option<Given>,
    /// When volumes were, by their claims.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    claims: BTreeMap<String, Given>,
    /// By which grants the data of volumes is being deleted, or was, by their claims.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    doomed: BTreeMap<String, Doomed>,
}

/// That something is not taken any more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Given {
    /// By a grant of this object.
    uid: String,
    /// In this epoch, or a smaller one.
    epoch: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Doomed {
    epoch: u64,
    fence: u64,
}

impl Kept {
    /// In which epoch something was given up, if it was by a grant of this object.
    pub(crate) fn given(&self, thing: &ThingOf<Plain>, uid: &str) -> Option<Epoch> {
        let given = match thing {
            Thing::Namespace(_) => self.space.as_ref(),
            Thing::Volume(volume) => self.claims.get(marks::parts(volume).1),
        };
        given.filter(|given| given.uid == uid).map(|given| Epoch(given.epoch))
    }

    /// The same after something was given up.
    pub(crate) fn giving(mut self, thing: &ThingOf<Plain>, uid: &str, epoch: Epoch) -> Kept {
        let given = Given { uid: uid.to_owned(), epoch: epoch.0 };
        match thing {
            Thing::Namespace(_) => self.space = Some(given),
            Thing::Volume(volume) => drop(self.claims.insert(marks::parts(volume).1.to_owned(), given)),
        }
        self
    }

    /// By which grant the data of a claim's volume is being deleted, or was.
    pub(crate) fn doomed(&self, claim: &str) -> Option<Held> {
        let Doomed { epoch, fence } = *self.doomed.get(claim)?;
        Some(Held { epoch: Epoch(epoch), fence: Epoch(fence) })
    }

    /// All claims whose volumes are.
    pub(crate) fn all_doomed(&self) -> impl Iterator<Item = &String> {
        self.doomed.keys()
    }

    /// The same with the data of a claim's volume being deleted, or with nothing known of that any more.
    pub(crate) fn dooming(mut self, claim: &str, held: Option<Held>) -> Kept {
        match held {
            Some(Held { epoch, fence }) => {
                self.doomed.insert(claim.to_owned(), Doomed { epoch: epoch.0, fence: fence.0 });
            }
            None => drop(self.doomed.remove(claim)),
        }
        self
    }
}

/// Where all of it is, for a target.
#[derive(Clone)]
pub(crate) struct Memory {
    server: Server,
    target: String,
}

impl Memory {
    pub(crate) fn new(server: Server, target: &str) -> Memory {
        Memory { server, target: target.to_owned() }
    }

    fn name(&self, namespace: &str) -> String {
        if namespace.is_empty() { self.target.clone() } else { format!("{}.{namespace}", self.target) }
    }

    /// Makes its namespace, if it is not there.
    pub(crate) async fn prepare(&self) -> Done {
        let spaces = self.server.all(&namespaces());
        if get(&spaces, HOME).await?.is_some() {
            return Ok(());
        }
        let space = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": HOME } });
        match create(&spaces, &space).await {
            Err(Undone::Outdated) => Ok(()),
            done => done.map(drop),
        }
    }

    /// The namespaces of which something is remembered.
    pub(crate) async fn namespaces(&self) -> Done<Vec<String>> {
        let maps = self.server.within(&Kind::Config.resource(), HOME);
        let all = list(&maps, &format!("{TARGET}={}", self.target)).await?;
        Ok(all.iter().filter_map(|one| marks::label(one, PLACEMENT)).map(str::to_owned).collect())
    }

    pub(crate) async fn record(&self) -> Done<Record> {
        let raw = self.read("").await?;
        Ok(Record { said: stands(raw.as_ref())?, raw })
    }

    pub(crate) async fn note(&self, namespace: &str) -> Done<Note> {
        let raw = self.read(namespace).await?;
        Ok(Note { kept: stands(raw.as_ref())?, raw })
    }

    /// Writes a record that was read.
    pub(crate) async fn put_record(&self, read: &Record, said: Said) -> Done<Record> {
        let raw = self.write("", read.raw.as_ref(), json!(said).to_string()).await?;
        Ok(Record { raw: Some(raw), said })
    }

    /// Writes a note that was read.
    pub(crate) async fn put_note(&self, namespace: &str, read: &Note, kept: Kept) -> Done {
        if read.kept == kept {
            return Ok(());
        }
        self.write(namespace, read.raw.as_ref(), json!(kept).to_string()).await.map(drop)
    }

    async fn read(&self, namespace: &str) -> Done<Option<DynamicObject>> {
        get(&self.server.within(&Kind::Config.resource(), HOME), &self.name(namespace)).await
    }

    async fn write(
        &self,
        namespace: &str,
        read: Option<&DynamicObject>,
        text: String,
    ) -> Done<DynamicObject> {
        let maps = self.server.within(&Kind::Config.resource(), HOME);
        if let Some(read) = read {
            return change(&maps, read, json!({ "data": { "known": text } })).await;
        }
        let mut labels = marks::labels(&self.target, namespace);
        labels.retain(|_, value| !value.is_empty());
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": self.name(namespace), "namespace": HOME, "labels": labels },
            "data": { "known": text },
        });
        create(&maps, &map).await
    }
}

/// What stands in an object. Who cannot read what it has noted must not begin anew.
fn stands<T: DeserializeOwned + Default>(raw: Option<&DynamicObject>) -> Done<T> {
    let Some(raw) = raw else { return Ok(T::default()) };
    let text = raw.data.pointer("/data/known").and_then(Value::as_str).unwrap_or_default();
    serde_json::from_str(text).map_err(|error| {
        let name = raw.metadata.name.as_deref().unwrap_or_default();
        Undone::Failed(format!(
            "the ConfigMap {HOME}/{name} of the cluster cannot be read: {}",
            sentence(&error)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_again_under_its_name_was_never_given_up() {
        let shop = Thing::Namespace("shop".to_owned());
        let data = Thing::Volume("shop.data".to_owned());
        let kept = Kept::default().giving(&shop, "a", Epoch(3)).giving(&data, "b", Epoch(4));
        assert_eq!((kept.given(&shop, "a"), kept.given(&shop, "b")), (Some(Epoch(3)), None));
        assert_eq!((kept.given(&data, "b"), kept.given(&data, "a")), (Some(Epoch(4)), None));
        let read: Kept = serde_json::from_value(json!(kept)).expect("it is read");
        assert_eq!(read, kept);
    }

    #[test]
    fn that_data_is_deleted_is_known_until_it_is_forgotten() {
        let held = Held { epoch: Epoch(2), fence: Epoch(1) };
        let kept = Kept::default().dooming("data", Some(held));
        assert_eq!(kept.doomed("data"), Some(held));
        assert_eq!(kept.dooming("data", None), Kept::default());
    }

    #[test]
    fn what_cannot_be_read_is_no_beginning() {
        let raw = |text: &str| {
            let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "east" }, "data": { "known": text } });
            serde_json::from_value::<DynamicObject>(map).expect("an object")
        };
        assert!(stands::<Said>(Some(&raw("{"))).is_err());
        assert!(stands::<Said>(Some(&raw(""))).is_err());
        assert_eq!(stands::<Said>(None), Ok(Said::default()));
    }
}
