//! The objects of all kinds, in one shape: what a workload's decisions read and write.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use bowline_control::{Millis, Version};
use serde_json::{Value, json};

/// The kinds that are simulated, and what they are made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Kind {
    Deployment,
    ReplicaSet,
    StatefulSet,
    DaemonSet,
    Job,
    Pod,
    Claim,
    Volume,
    Service,
    Revision,
}

impl Kind {
    pub(crate) const ALL: [Kind; 10] = [
        Kind::Deployment,
        Kind::ReplicaSet,
        Kind::StatefulSet,
        Kind::DaemonSet,
        Kind::Job,
        Kind::Pod,
        Kind::Claim,
        Kind::Volume,
        Kind::Service,
        Kind::Revision,
    ];

    /// What the API calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Deployment => "Deployment",
            Kind::ReplicaSet => "ReplicaSet",
            Kind::StatefulSet => "StatefulSet",
            Kind::DaemonSet => "DaemonSet",
            Kind::Job => "Job",
            Kind::Pod => "Pod",
            Kind::Claim => "PersistentVolumeClaim",
            Kind::Volume => "PersistentVolume",
            Kind::Service => "Service",
            Kind::Revision => "ControllerRevision",
        }
    }

    /// The group and version that it is served at.
    pub(crate) fn api_version(self) -> &'static str {
        match self {
            Kind::Deployment | Kind::ReplicaSet | Kind::StatefulSet | Kind::DaemonSet | Kind::Revision => {
                "apps/v1"
            }
            Kind::Job => "batch/v1",
            Kind::Pod | Kind::Claim | Kind::Volume | Kind::Service => "v1",
        }
    }

    /// The kind of an owner, if it is one that is simulated.
    fn owning(api_version: &str, name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name && kind.api_version() == api_version)
    }
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Id {
    pub(crate) kind: Kind,
    /// Empty for what lives in none.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Id {
    pub(crate) fn new(kind: Kind, namespace: &str, name: &str) -> Id {
        Id { kind, namespace: namespace.to_owned(), name: name.to_owned() }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if !self.namespace.is_empty() {
            write!(f, " {}/{}", self.namespace, self.name)
        } else {
            write!(f, " {}", self.name)
        }
    }
}

impl bowline_control::Id for Id {
    type Kind = Kind;

    fn kind(&self) -> Kind {
        self.kind
    }
}

/// The one owner that controls an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) uid: String,
}

/// An object, as far as workloads are concerned: it is drawn again as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Item {
    pub(crate) id: Id,
    pub(crate) uid: String,
    pub(crate) version: Version,
    pub(crate) generation: u64,
    /// When it was made, by the clock on the wall.
    pub(crate) created: Millis,
    pub(crate) deleting: bool,
    /// The seconds that it has to end, if it is being deleted.
    pub(crate) grace_s: i64,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) finalizers: Vec<String>,
    pub(crate) owner: Option<Owner>,
    /// All but type, metadata and status.
    pub(crate) body: Value,
    pub(crate) status: Value,
}

/// An object that is cheap to hand around.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Thing(Arc<Item>);

impl Thing {
    /// An object that was read.
    pub(crate) fn read(item: Item) -> Thing {
        Thing(Arc::new(item))
    }

    /// A new object, that somebody controls.
    pub(crate) fn child(owner: &Thing, kind: Kind, name: &str, body: Value) -> Thing {
        Thing::blank(Id::new(kind, &owner.id.namespace, name), body).edit(|child| {
            child.owner = Some(owner.as_owner());
        })
    }

    /// A new object, that nobody controls.
    pub(crate) fn blank(id: Id, body: Value) -> Thing {
        Thing::read(Item {
            id,
            uid: String::new(),
            version: Version(0),
            generation: 0,
            created: Millis(0),
            deleting: false,
            grace_s: 0,
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            finalizers: Vec::new(),
            owner: None,
            body,
            status: Value::Null,
        })
    }

    /// The object, changed.
    pub(crate) fn edit(&self, edit: impl FnOnce(&mut Item)) -> Thing {
        let mut item = Item::clone(&self.0);
        edit(&mut item);
        Thing(Arc::new(item))
    }

    /// This object as somebody's owner.
    pub(crate) fn as_owner(&self) -> Owner {
        Owner {
            api_version: self.id.kind.api_version().to_owned(),
            kind: self.id.kind.name().to_owned(),
            name: self.id.name.clone(),
            uid: self.uid.clone(),
        }
    }
}

impl Deref for Thing {
    type Target = Item;

    fn deref(&self) -> &Item {
        &self.0
    }
}

impl Item {
    /// What is wanted of it.
    pub(crate) fn spec(&self) -> &Value {
        &self.body["spec"]
    }

    /// A number that is wanted, or what it is if nobody says.
    pub(crate) fn wanted(&self, name: &str, unsaid: i64) -> i64 {
        self.spec()[name].as_i64().unwrap_or(unsaid)
    }

    /// A number that its status says; none is 0.
    pub(crate) fn counted(&self, name: &str) -> i64 {
        self.status[name].as_i64().unwrap_or(0)
    }

    /// Its pods' template.
    pub(crate) fn template(&self) -> &Value {
        &self.spec()["template"]
    }

    /// Whether that one controls it.
    pub(crate) fn is_of(&self, owner: &Item) -> bool {
        self.owner.as_ref().is_some_and(|known| known.uid == owner.uid)
    }

    /// The one who controls it, if that is of a kind that is simulated.
    pub(crate) fn owner_id(&self) -> Option<Id> {
        let owner = self.owner.as_ref()?;
        Some(Id::new(Kind::owning(&owner.api_version, &owner.kind)?, &self.id.namespace, &owner.name))
    }

    /// Whether it carries all labels that this selector asks for. (Expressions are not read: who uses them is not
    /// adopted.)
    pub(crate) fn is_selected_by(&self, selector: &Value) -> bool {
        let wanted = selector["matchLabels"].as_object();
        let has =
            |(name, value): (&String, &Value)| self.labels.get(name).map(String::as_str) == value.as_str();
        selector["matchExpressions"].is_null() && wanted.is_some_and(|wanted| wanted.iter().all(has))
    }
}

impl bowline_control::Object for Thing {
    type Id = Id;
    type Uid = String;

    fn id(&self) -> Id {
        self.id.clone()
    }

    fn uid(&self) -> String {
        self.uid.clone()
    }

    fn version(&self) -> Version {
        self.version
    }

    fn wish(&self) -> Option<u64> {
        (self.id.kind != Kind::Pod).then_some(self.generation)
    }
}

/// Labels or annotations of a JSON object.
pub(crate) fn strings(value: &Value) -> BTreeMap<String, String> {
    let entries = value.as_object().into_iter().flatten();
    entries.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// Sets what is not nothing, and takes away what is.
pub(crate) fn put(object: &mut Value, name: &str, value: Value) {
    if !object.is_object() {
        *object = json!({});
    }
    let Some(fields) = object.as_object_mut() else { return };
    if is_nothing(&value) {
        fields.remove(name);
    } else {
        fields.insert(name.to_owned(), value);
    }
}

/// Whether two say the same: a server may leave out, or fill in, what is nothing.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let missing = Value::Null;
            let covers = |one: &serde_json::Map<String, Value>, other: &serde_json::Map<String, Value>| {
                one.iter().all(|(name, value)| same(value, other.get(name).unwrap_or(&missing)))
            };
            covers(one, other) && covers(other, one)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        _ => one == other || (is_nothing(one) && is_nothing(other)),
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is) => !is,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.values().all(is_nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nothing_may_be_left_out() {
        assert!(same(&json!({"replicas": 0, "a": {"b": []}}), &json!({})));
        assert!(same(&json!([{"ready": false}]), &json!([{}])));
        assert!(!same(&json!({"replicas": 1}), &json!({})));
        assert!(!same(&json!([{}]), &json!([])));
    }

    #[test]
    fn an_owner_of_another_group_is_not_ours() {
        let pod = Thing::blank(Id::new(Kind::Pod, "ns", "a"), Value::Null);
        let owned_by = |api_version: &str| {
            let owner = Owner {
                api_version: api_version.into(),
                kind: "Deployment".into(),
                name: "b".into(),
                uid: "u".into(),
            };
            pod.edit(|pod| pod.owner = Some(owner)).owner_id()
        };
        assert_eq!(owned_by("apps/v1"), Some(Id::new(Kind::Deployment, "ns", "b")));
        assert_eq!(owned_by("example.dev/v1"), None);
    }
}
