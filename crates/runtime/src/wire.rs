//! What a protocol's objects look like as JSON.

use std::fmt;

use bowline_control::{KindOf, Object};
use kube::core::{ApiResource, DynamicObject};

use crate::herald::Notice;

/// A kind that is watched.
#[derive(Clone, Debug)]
pub struct Watched<Kind> {
    /// What the protocol calls it.
    pub kind: Kind,
    /// What the API calls it.
    pub resource: ApiResource,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
}

/// Where an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Address {
    /// Its namespace; empty if it lives in none.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

/// How a protocol's objects are read and written.
///
/// What is read and drawn again is the same: [`Wire::draw`] changes in the JSON what the protocol knows, and nothing else.
pub trait Wire: Send + Sync + 'static {
    /// The protocol's objects.
    type Object: Object;

    /// The kinds.
    fn watched(&self) -> Vec<Watched<KindOf<Self::Object>>>;

    /// Where an object is.
    fn address(&self, id: &<Self::Object as Object>::Id) -> Address;

    /// An object of a kind; `None` if it has nothing to do with the protocol.
    fn read(&self, kind: KindOf<Self::Object>, raw: &DynamicObject) -> Option<Self::Object>;

    /// Changes the JSON to what the object says, its status aside. It is blank for a new object, but for its type and
    /// address.
    fn draw(&self, object: &Self::Object, raw: &mut DynamicObject);

    /// Changes the status in the JSON to what the object says.
    fn draw_status(&self, object: &Self::Object, raw: &mut DynamicObject);

    /// What people are told beside its status, as an Event, when that was written; `None` if it says nothing new. It repeats
    /// what the status says: nothing is decided here.
    fn notice(&self, _before: &Self::Object, _after: &Self::Object) -> Option<Notice> {
        None
    }

    /// All of it, where one write can say more than one thing.
    fn notices(&self, before: &Self::Object, after: &Self::Object) -> Vec<Notice> {
        self.notice(before, after).into_iter().collect()
    }

    /// The uid as it is written.
    fn uid(&self, uid: &<Self::Object as Object>::Uid) -> String;
}
