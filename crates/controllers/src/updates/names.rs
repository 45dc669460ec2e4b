//! What names, contents and digests are where it runs: text, JSON and SHA-256.

use std::fmt;

use bowline_api::updates::Plan as Tally;
use bowline_updates::{Act, Deed, Inventory, Names, Plan};
use serde_json::{Value, json};

use super::inventory;
use super::spared::{is_claim, is_shared};

/// Names are text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Text;

/// A stack.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StackName {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl fmt::Display for StackName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// Where an object is on a cluster. The version of its kind is no part of it: an object is the same in all of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Place {
    pub(crate) group: String,
    pub(crate) kind: String,
    /// Empty if it lives in none, or if nobody has said.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Place {
    /// Where an object says that it is.
    pub(crate) fn of(body: &Value) -> Option<Place> {
        let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
        let api_version = body["apiVersion"].as_str()?;
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        Some(Place {
            group: group.to_owned(),
            kind: text(&body["kind"])?,
            namespace: text(&body["metadata"]["namespace"]).unwrap_or_default(),
            name: text(&body["metadata"]["name"])?,
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { kind, namespace, name, .. } = self;
        if namespace.is_empty() { write!(f, "{kind} {name}") } else { write!(f, "{kind} {namespace}/{name}") }
    }
}

/// Which object was read, and at which version.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Read {
    pub(crate) uid: String,
    pub(crate) version: String,
    /// The attempt that made it, as it says itself. What is applied says the same, or each attempt would change every object.
    pub(crate) made: Option<String>,
    /// Its fields are not ours as those that are applied are: whoever made it was lost before it had said so.
    pub(crate) is_raw: bool,
}

impl Names for Text {
    type Stack = StackName;
    type Cluster = String;
    type Update = String;
    type Uid = String;
    type Digest = String;
    type Text = String;
    type Place = Place;
    type Body = Value;
    type Read = Read;
    type Tally = Tally;

    fn digest_of(inventory: &Inventory<Text>) -> String {
        digest(&inventory::text(inventory))
    }

    /// What was read is no part of it: a plan is the same when an object has moved on, and the same is to be done to it.
    fn digest_of_plan(deeds: &[Deed<Text>]) -> String {
        let mut all: Vec<_> = deeds.iter().map(|deed| (&deed.place, &deed.act)).collect();
        all.sort_by_key(|(place, _)| *place);
        let told = all.into_iter().map(|(Place { group, kind, namespace, name }, act)| {
            let (act, body) = match act {
                Act::Create(body) => ("create", body),
                Act::Apply(body, _) => ("apply", body),
                Act::Restore(body, _) => ("restore", body),
                Act::Delete(_) => ("delete", &Value::Null),
            };
            json!([group, kind, namespace, name, act, body])
        });
        digest(Value::from_iter(told).to_string().as_bytes())
    }

    fn tally(plan: &Plan<Text>) -> Tally {
        let of = |is: fn(&Act<Text>) -> bool| {
            let count = plan.deeds.iter().filter(|(_, deed)| is(&deed.act)).count();
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        // What has to wait for its kind, or its namespace, is not there yet.
        let later = u32::try_from(plan.later.len()).unwrap_or(u32::MAX);
        Tally {
            hash: plan.digest().into(),
            create: of(|act| matches!(act, Act::Create(_))).saturating_add(later),
            change: of(|act| matches!(act, Act::Apply(..) | Act::Restore(..))),
            delete: of(|act| matches!(act, Act::Delete(_))),
        }
    }

    fn done(tally: &Tally, left: usize) -> u32 {
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        tally.total().saturating_sub(left)
    }

    fn is_shared(place: &Place) -> bool {
        is_shared(place) || is_claim(place)
    }

    fn place(place: &Place) -> String {
        place.to_string()
    }
}

/// What content is known by.
pub(crate) fn digest(bytes: &[u8]) -> String {
    bowline_bundle::digest_of(bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(namespace: &str) -> Place {
        Place {
            group: "apps".into(),
            kind: "Deployment".into(),
            namespace: namespace.into(),
            name: "web".into(),
        }
    }

    fn read(version: &str) -> Read {
        Read { uid: "u".into(), version: version.into(), made: None, is_raw: false }
    }

    #[test]
    fn an_object_is_where_it_says_in_any_version_of_its_kind() {
        let body = |version: &str| json!({ "apiVersion": version, "kind": "Deployment", "metadata": { "name": "web", "namespace": "a" } });
        assert_eq!(Place::of(&body("apps/v1")), Some(place("a")));
        assert_eq!(Place::of(&body("apps/v1beta1")), Some(place("a")));
        assert_eq!(Place::of(&json!({ "kind": "Pod", "metadata": { "name": "a" } })), None);
        assert_eq!(
            (place("a").to_string(), place("").to_string()),
            ("Deployment a/web".into(), "Deployment web".into())
        );
    }

    #[test]
    fn a_plan_is_what_is_done_and_not_what_was_read() {
        let of = |act: Act<Text>| Text::digest_of_plan(&[Deed { place: place("a"), act }]);
        let body = json!({ "data": 1 });
        assert_eq!(of(Act::Apply(body.clone(), read("1"))), of(Act::Apply(body.clone(), read("2"))));
        assert_eq!(of(Act::Delete(read("1"))), of(Act::Delete(read("2"))));
        let all = [
            of(Act::Create(body.clone())),
            of(Act::Apply(body.clone(), read("1"))),
            of(Act::Apply(json!({ "data": 2 }), read("1"))),
            of(Act::Restore(body, read("1"))),
            of(Act::Delete(read("1"))),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(one.starts_with("sha256:") && one.len() == 71 && !all[..index].contains(one), "{one}");
        }
    }

    #[test]
    fn a_digest_is_that_of_everybody_else() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(b""), empty);
    }
}
