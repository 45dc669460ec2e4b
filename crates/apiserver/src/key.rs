//! Where an object is.

use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, LazyLock};

use bowline_kernel as kernel;

/// A group and the plural name of a kind in it, in all its versions: `apps/deployments`, `/pods`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Resource(Arc<str>);

impl Resource {
    /// The resource of a group, which is empty for the core kinds.
    pub(crate) fn new(group: &str, plural: &str) -> Resource {
        Resource(format!("{group}/{plural}").into())
    }

    /// As it is written to the store.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The group; empty for the core kinds.
    pub(crate) fn group(&self) -> &str {
        self.0.split_once('/').map_or("", |(group, _)| group)
    }

    /// The plural name of the kind.
    pub(crate) fn plural(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(_, plural)| plural)
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The resource of namespaces themselves.
pub(crate) static NAMESPACES: LazyLock<Resource> = LazyLock::new(|| Resource::new("", "namespaces"));

/// The resource of pods: the one kind that somebody runs.
pub(crate) static PODS: LazyLock<Resource> = LazyLock::new(|| Resource::new("", "pods"));

/// Where an object is.
///
/// Keys are ordered as etcd orders the paths of Kubernetes' objects, `namespace/name`: lists are in this order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    /// What it is listed with.
    pub resource: Resource,
    /// Its namespace; empty if it has none.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

impl Key {
    /// The key of the object `name` in `namespace`, or of one without a namespace if that is empty.
    pub(crate) fn new(resource: Resource, namespace: &str, name: &str) -> Key {
        Key { resource, namespace: namespace.into(), name: name.into() }
    }

    /// The key of a namespace.
    pub(crate) fn namespace(name: &str) -> Key {
        Key::new(NAMESPACES.clone(), "", name)
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        // The slash comes after the hyphen: what is in `a-b` comes before what is in `a`.
        let namespaces = || match self.namespace == other.namespace {
            true => Ordering::Equal,
            false => slashed(&self.namespace).cmp(slashed(&other.namespace)),
        };
        self.resource.cmp(&other.resource).then_with(namespaces).then_with(|| self.name.cmp(&other.name))
    }
}

fn slashed(namespace: &str) -> impl Iterator<Item = u8> {
    namespace.bytes().chain([b'/'])
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl kernel::Key for Key {
    type Resource = Resource;

    fn resource(&self) -> &Resource {
        &self.resource
    }

    fn home(&self) -> Option<Key> {
        (!self.namespace.is_empty()).then(|| Key {
            resource: NAMESPACES.clone(),
            namespace: "".into(),
            name: Arc::clone(&self.namespace),
        })
    }
}
