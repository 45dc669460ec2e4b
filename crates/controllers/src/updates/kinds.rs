//! The kinds that a cluster serves.

use std::collections::BTreeMap;

use kube::Client;
use kube::discovery::{Discovery, Scope, verbs};

use super::names::Place;
use super::request::segment;

/// A kind as a cluster serves it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Served {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) is_namespaced: bool,
    pub(crate) is_listed: bool,
    /// What cannot be deleted is no object: it is made of others when it is asked for.
    pub(crate) is_deleted: bool,
}

/// The kinds that a cluster serves, by group and name: the version that it prefers first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds(BTreeMap<(String, String), Vec<Served>>);

impl Kinds {
    pub(crate) async fn of(client: &Client) -> Result<Kinds, kube::Error> {
        let found = match Discovery::new(client.clone()).run_aggregated().await {
            Ok(found) => found,
            // Old servers answer in another form.
            Err(_) => Discovery::new(client.clone()).run().await?,
        };
        let mut kinds = Kinds::default();
        for group in found.groups() {
            let preferred = group.preferred_version_or_latest().to_owned();
            let others = group.versions().filter(|version| *version != preferred).map(ToOwned::to_owned);
            for version in [preferred.clone()].into_iter().chain(others) {
                for (resource, can) in group.versioned_resources(&version) {
                    let served = Served {
                        api_version: resource.api_version,
                        kind: resource.kind.clone(),
                        plural: resource.plural,
                        is_namespaced: can.scope == Scope::Namespaced,
                        is_listed: can.supports_operation(verbs::LIST),
                        is_deleted: can.supports_operation(verbs::DELETE),
                    };
                    kinds.0.entry((resource.group, resource.kind)).or_default().push(served);
                }
            }
        }
        Ok(kinds)
    }

    /// The kind of a place, in the version that is preferred.
    pub(crate) fn preferred(&self, place: &Place) -> Option<&Served> {
        self.0.get(&(place.group.clone(), place.kind.clone()))?.first()
    }

    /// The kind of a place, in this version.
    pub(crate) fn exact(&self, place: &Place, api_version: &str) -> Option<&Served> {
        let all = self.0.get(&(place.group.clone(), place.kind.clone()))?;
        all.iter().find(|served| served.api_version == api_version)
    }

    /// Everything that goes with a namespace and can be listed, once.
    pub(crate) fn in_namespaces(&self) -> impl Iterator<Item = &Served> {
        let first = self.0.values().filter_map(|all| all.first());
        first.filter(|served| served.is_namespaced && served.is_listed && served.is_deleted)
    }
}

impl Served {
    /// Whether both are one kind, in whatever version.
    pub(crate) fn is_kind_of(&self, other: &Served) -> bool {
        let group = |served: &Served| served.api_version.split_once('/').map(|(group, _)| group.to_owned());
        self.kind == other.kind && group(self) == group(other)
    }

    /// Where an object of the kind is.
    pub(crate) fn object(&self, place: &Place) -> String {
        format!("{}/{}", self.collection(&self.namespace(place)), segment(&place.name))
    }

    /// Where the objects of a namespace are; all of them, if it is empty.
    pub(crate) fn collection(&self, namespace: &str) -> String {
        let root = if self.api_version.contains('/') { "apis" } else { "api" };
        let Served { api_version, plural, .. } = self;
        if namespace.is_empty() {
            format!("/{root}/{api_version}/{plural}")
        } else {
            format!("/{root}/{api_version}/namespaces/{}/{plural}", segment(namespace))
        }
    }

    /// The namespace that an object is in, if it has not said: as with kubectl, what lives in none is in none.
    fn namespace(&self, place: &Place) -> String {
        match (self.is_namespaced, place.namespace.as_str()) {
            (false, _) => String::new(),
            (true, "") => "default".into(),
            (true, namespace) => namespace.into(),
        }
    }

    /// The place as the server says it.
    pub(crate) fn settled(&self, place: &Place) -> Place {
        Place { namespace: self.namespace(place), ..place.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(api_version: &str, is_namespaced: bool) -> Served {
        Served {
            api_version: api_version.into(),
            kind: "Thing".into(),
            plural: "things".into(),
            is_namespaced,
            is_listed: true,
            is_deleted: true,
        }
    }

    #[test]
    fn objects_are_where_servers_have_them() {
        let place = |namespace: &str| Place {
            group: String::new(),
            kind: "Thing".into(),
            namespace: namespace.into(),
            name: "a/b".into(),
        };
        for (api_version, is_namespaced, namespace, path) in [
            ("v1", true, "x", "/api/v1/namespaces/x/things/a%2Fb"),
            ("v1", true, "", "/api/v1/namespaces/default/things/a%2Fb"),
            ("g/v1", false, "", "/apis/g/v1/things/a%2Fb"),
            ("g/v1", false, "x", "/apis/g/v1/things/a%2Fb"),
        ] {
            assert_eq!(served(api_version, is_namespaced).object(&place(namespace)), path);
        }
        assert_eq!(served("g/v1", true).collection(""), "/apis/g/v1/things");
        assert_eq!(served("v1", true).settled(&place("")), place("default"));
    }
}
