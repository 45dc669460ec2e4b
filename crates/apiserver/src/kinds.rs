//! The kinds that are served: the built-in ones, and those that definitions add.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::crd::Custom;
use crate::document::Counting;
use crate::key::{Key, Resource};

/// One version of a kind.
#[derive(Debug)]
pub(crate) struct Kind {
    /// The group; empty for the core kinds.
    pub group: Box<str>,
    /// The version.
    pub version: Box<str>,
    /// The kind of one object.
    pub kind: Box<str>,
    /// The kind of a list of them.
    pub list_kind: Box<str>,
    /// How its paths call it.
    pub plural: Box<str>,
    /// How people call one.
    pub singular: Box<str>,
    /// How people call it when in a hurry.
    pub short_names: Vec<Box<str>>,
    /// The groups of kinds that it is part of: `all`.
    pub categories: Vec<Box<str>>,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// What can be done with it.
    pub verbs: Vec<Box<str>>,
    /// The parts of an object that have a path of their own.
    pub subresources: Vec<Subresource>,
    /// Where its objects are kept; the same for all versions.
    pub resource: Resource,
    /// What counts a generation.
    pub counting: Counting,
    /// What its definition says, if it is not built in.
    pub custom: Option<Arc<Custom>>,
}

/// A part of an object, or something that can be done with it, with a path of its own.
#[derive(Clone, Debug, serde::Deserialize)]
pub(crate) struct Subresource {
    /// How its path calls it.
    pub name: Box<str>,
    /// The group of what is sent and answered, if it is not that of the kind.
    #[serde(default)]
    pub group: Box<str>,
    /// Its version.
    #[serde(default)]
    pub version: Box<str>,
    /// Its kind.
    pub kind: Box<str>,
    /// What can be done with it.
    pub verbs: Vec<Box<str>>,
}

impl Kind {
    /// Whether its objects are Secrets: what they hold is said to nobody who did not ask for it, also not in errors.
    pub(crate) fn is_secret(&self) -> bool {
        self.resource.as_str() == "/secrets"
    }

    /// `apps/v1`, or `v1` for the core kinds.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_string()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// `deployments.apps`, or `pods` for the core kinds: how messages call it.
    pub(crate) fn qualified(&self) -> String {
        qualified(&self.plural, &self.group)
    }

    /// `Deployment.apps`, or `Pod` for the core kinds: how messages about what is not valid call it.
    pub(crate) fn qualified_kind(&self) -> String {
        qualified(&self.kind, &self.group)
    }

    /// The subresource `name`.
    pub(crate) fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|subresource| &*subresource.name == name)
    }

    /// What a subresource takes, if that is something else than the kind.
    pub(crate) fn taken_by(&self, subresource: &str) -> Option<Kind> {
        let part = self.subresource(subresource)?;
        Some(Kind {
            group: part.group.clone(),
            version: part.version.clone(),
            kind: part.kind.clone(),
            list_kind: format!("{}List", part.kind).into(),
            plural: self.plural.clone(),
            singular: self.singular.clone(),
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced: self.namespaced,
            verbs: part.verbs.clone(),
            subresources: Vec::new(),
            resource: self.resource.clone(),
            counting: Counting::Nothing,
            custom: None,
        })
    }

    /// Where the real server keeps an object: some of its messages say it.
    pub(crate) fn registry_path(&self, namespace: &str, name: &str) -> String {
        let place = match (self.resource.group(), self.resource.plural()) {
            ("", "endpoints") => "services/endpoints".to_owned(),
            ("", "nodes") => "minions".to_owned(),
            ("", "replicationcontrollers") => "controllers".to_owned(),
            ("", "services") => "services/specs".to_owned(),
            ("networking.k8s.io", "ingresses") => "ingress".to_owned(),
            (group @ "apiextensions.k8s.io", plural) => format!("{group}/{plural}"),
            (group, plural) if self.custom.is_some() => format!("{group}/{plural}"),
            (_, plural) => plural.to_owned(),
        };
        let slash = if namespace.is_empty() { "" } else { "/" };
        format!("/registry/{place}/{namespace}{slash}{name}")
    }

    /// Whether `status` has a path of its own, and is not changed by others.
    pub(crate) fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    /// The key of one of its objects.
    pub(crate) fn key(&self, namespace: &str, name: &str) -> Key {
        Key::new(self.resource.clone(), if self.namespaced { namespace } else { "" }, name)
    }

    /// Whether it can be done.
    pub(crate) fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|allowed| &**allowed == verb)
    }
}

fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

/// Group, version and plural name.
type Place = (Box<str>, Box<str>, Box<str>);

/// All kinds that are served at a moment.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    /// By group, version and plural name.
    by_path: BTreeMap<Place, Arc<Kind>>,
    /// By group and kind: where the owner is that a reference names.
    by_kind: BTreeMap<(Box<str>, Box<str>), Arc<Kind>>,
    /// In the order in which discovery lists them.
    order: Vec<Arc<Kind>>,
}

impl Kinds {
    /// These kinds; of two with the same path the first.
    pub(crate) fn new(kinds: impl IntoIterator<Item = Arc<Kind>>) -> Kinds {
        let mut all = Kinds::default();
        for kind in kinds {
            let path = (kind.group.clone(), kind.version.clone(), kind.plural.clone());
            if all.by_path.contains_key(&path) {
                continue;
            }
            all.by_path.insert(path, Arc::clone(&kind));
            all.by_kind.entry((kind.group.clone(), kind.kind.clone())).or_insert_with(|| Arc::clone(&kind));
            all.order.push(kind);
        }
        all
    }

    /// The kind at a path.
    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Kind>> {
        self.by_path.get(&(group.into(), version.into(), plural.into()))
    }

    /// The kind by this name, in some version.
    pub(crate) fn by_kind(&self, group: &str, kind: &str) -> Option<&Arc<Kind>> {
        self.by_kind.get(&(group.into(), kind.into()))
    }

    /// All of them, in the order in which discovery lists them.
    pub(crate) fn all(&self) -> &[Arc<Kind>] {
        &self.order
    }

    /// Where the owner is that a reference names.
    pub(crate) fn owner(&self, api_version: &str, kind: &str, name: &str, namespace: &str) -> Option<Key> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        self.by_kind(group, kind).map(|kind| kind.key(namespace, name))
    }
}
