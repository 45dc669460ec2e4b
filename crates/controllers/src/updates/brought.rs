//! What a content brings that others of its objects need: kinds and namespaces. Before these are there no server tries such an object,
//! and yet most of what is wrong with it can be known.

use std::collections::{BTreeMap, BTreeSet};

use bowline_merge::Schema;
use bowline_updates::{Content, Fit, Sights};
use http::Method;
use serde_json::Value;

use super::kinds::Served;
use super::look::{Eyes, api_version};
use super::marks::MANAGER;
use super::names::{Place, Text};
use super::request::{Asked, Trouble};

/// A namespace that every cluster has.
const ELSEWHERE: &str = "default";
/// What webhooks and policies say no with, which may know other rules for other namespaces.
const DENIED: [&str; 2] = ["denied the request", "denied request"];
/// How many mistakes are told of one object.
const MISTAKES: usize = 5;

/// What a content brings.
#[derive(Default)]
pub(crate) struct Brought<'a> {
    /// The definitions of kinds, by group and name.
    pub(crate) kinds: BTreeMap<(String, String), &'a Value>,
    /// Those of them that are there as they should be.
    pub(crate) settled: BTreeSet<(String, String)>,
    pub(crate) namespaces: BTreeSet<String>,
}

impl<'a> Brought<'a> {
    pub(crate) fn by(content: &'a Content<Text>) -> Brought<'a> {
        let mut brought = Brought::default();
        for (place, wanted) in &content.0 {
            match (place.group.as_str(), place.kind.as_str()) {
                _ if is_definition(place) => drop(brought.kinds.insert(defines(&wanted.body), &wanted.body)),
                ("", "Namespace") => drop(brought.namespaces.insert(place.name.clone())),
                _ => {}
            }
        }
        brought
    }

    /// The definition of the kind of a place, if it is among what is brought.
    pub(crate) fn kind(&self, place: &Place) -> Option<&'a Value> {
        self.kinds.get(&(place.group.clone(), place.kind.clone())).copied()
    }

    /// The definition of the kind of a place, if it is not there yet as it should be.
    pub(crate) fn comes(&self, place: &Place) -> Option<&'a Value> {
        self.kind(place).filter(|_| !self.settled.contains(&(place.group.clone(), place.kind.clone())))
    }

    /// The definitions were looked at.
    pub(crate) fn are_seen(&mut self, sights: &Sights<Text>) {
        let is_same = |name: &str| {
            let found = sights.iter().find(|(place, _)| is_definition(place) && place.name == name);
            found.is_some_and(|(_, sight)| sight.fit == Fit::Same)
        };
        let settled = self
            .kinds
            .iter()
            .filter(|(_, definition)| definition["metadata"]["name"].as_str().is_some_and(is_same));
        self.settled = settled.map(|(kind, _)| kind.clone()).collect();
    }
}

/// Whether a kind is defined there.
pub(crate) fn is_definition(place: &Place) -> bool {
    place.group == "apiextensions.k8s.io" && place.kind == "CustomResourceDefinition"
}

/// The group and the kind that a definition defines.
fn defines(definition: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let spec = &definition["spec"];
    (text(&spec["group"]), text(&spec["names"]["kind"]))
}

/// What can be said of an object whose kind comes with it, by the definition of its kind. Rules in CEL are its server's to judge.
pub(crate) fn by_schema(definition: &Value, place: &Place, body: &Value) -> Fit<Text> {
    let version = api_version(body).rsplit('/').next().unwrap_or_default();
    let versions = definition["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let served = |one: &&Value| one["name"] == version && one["served"] != false;
    let Some(declared) = versions.iter().find(served) else {
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        return Fit::Refused(format!(
            "{place}: its definition {name}, which the bundle brings, does not serve version {version:?}"
        ));
    };
    let schema = declared.pointer("/schema/openAPIV3Schema").map_or_else(Schema::anything, Schema::stored);
    let mut object = body.clone();
    let unknown = schema.prune(&mut object);
    let mut mistakes: Vec<_> = unknown.iter().map(|field| format!("unknown field \"{field}\"")).collect();
    schema.default(&mut object);
    // A status that has a path of its own is dropped by whoever writes the object.
    if let (Some(_), Some(fields)) = (declared.pointer("/subresources/status"), object.as_object_mut()) {
        fields.remove("status");
    }
    mistakes.extend(schema.validate(&object).iter().map(ToString::to_string));
    if mistakes.is_empty() {
        return Fit::Later;
    }
    let more = mistakes.len().saturating_sub(MISTAKES);
    mistakes.truncate(MISTAKES);
    let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
    Fit::Refused(format!("{place}: {}{more}", mistakes.join(", ")))
}

impl Eyes<'_> {
    /// What can be said of an object whose namespace comes with it: its server tries it in another one. What it says there of who may
    /// do what, and of how much there may be, says nothing of the namespace that comes.
    pub(crate) async fn elsewhere(&self, served: &Served, place: &Place, body: &Value) -> Fit<Text> {
        let mut body = self.actor.marked(body, place, None);
        body["metadata"]["namespace"] = ELSEWHERE.into();
        let tried = Asked::new(Method::POST, served.collection(ELSEWHERE))
            .with("dryRun", "All")
            .with("fieldManager", MANAGER)
            .with("fieldValidation", "Strict")
            .body("application/json", &body);
        match tried.send(self.client).await {
            Err(Trouble::Said { code: 400 | 422, words, .. })
                if !DENIED.iter().any(|it| words.contains(it)) =>
            {
                Fit::Refused(format!("{place}: {words}"))
            }
            _ => Fit::Later,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fake::{ALL, Fake, Has, actor, kinds};
    use super::super::keeping::Keeping;
    use super::*;

    fn definition() -> Value {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "things.g" },
            "spec": { "group": "g", "names": { "kind": "Thing" }, "versions": [
                { "name": "v0", "served": false },
                { "name": "v1", "served": true, "subresources": { "status": {} }, "schema": { "openAPIV3Schema": {
                    "type": "object", "properties": {
                        "spec": { "type": "object", "required": ["size"], "properties": {
                            "size": { "type": "integer", "minimum": 1 },
                            "colour": { "type": "string", "default": "red", "enum": ["red", "blue"] },
                        } },
                        "status": { "type": "object", "required": ["phase"] },
                    },
                } } },
                { "name": "v2", "served": true },
            ] },
        })
    }

    fn judged(version: &str, spec: &Value) -> Fit<Text> {
        let body = json!({
            "apiVersion": format!("g/{version}"), "kind": "Thing", "metadata": { "name": "x", "namespace": "a" },
            "spec": spec, "status": {},
        });
        by_schema(&definition(), &Place::of(&body).expect("a place"), &body)
    }

    #[test]
    fn an_object_whose_kind_comes_with_it_is_judged_by_its_definition() {
        assert_eq!(judged("v1", &json!({ "size": 1 })), Fit::Later);
        assert_eq!(judged("v2", &json!({ "anything": [1] })), Fit::Later, "it has no schema");
        for (version, spec, why) in [
            ("v1", json!({ "size": 0 }), "spec.size: Invalid value: 0"),
            ("v1", json!({}), "spec.size: Required value"),
            ("v1", json!({ "size": 1, "odd": 1 }), "unknown field \"spec.odd\""),
            ("v1", json!({ "size": 1, "colour": "green" }), "spec.colour: Unsupported value: \"green\""),
            (
                "v0",
                json!({}),
                "its definition things.g, which the bundle brings, does not serve version \"v0\"",
            ),
            ("v3", json!({}), "does not serve version \"v3\""),
        ] {
            let Fit::Refused(said) = judged(version, &spec) else { panic!("{version} {spec} is taken") };
            assert!(said.starts_with("Thing a/x: ") && said.contains(why), "{said}");
        }
        let many: serde_json::Map<_, _> = (0..9).map(|odd| (format!("odd{odd}"), json!(1))).collect();
        let Fit::Refused(said) = judged("v1", &Value::Object(many)) else { panic!("it is taken") };
        assert!(said.ends_with("(and 5 more)"), "{said}");
    }

    #[tokio::test]
    async fn an_object_whose_namespace_comes_with_it_is_tried_in_another() {
        const MAP: Has<'_> = ("v1", "ConfigMap", "configmaps", true, ALL);
        let body = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x", "namespace": "new" } });
        let place = Place::of(&body).expect("a place");
        let (kinds, actor) = (kinds(&[MAP]).await, actor());
        let served = kinds.exact(&place, "v1").expect("a kind");
        for (code, words, is_refused) in [
            (201, "", false),
            (400, "strict decoding error: unknown field \"dat\"", true),
            (422, "ConfigMap \"x\" is invalid: data: no", true),
            (422, "admission webhook \"w\" denied the request: not in default", false),
            (400, "admission webhook \"w\" denied the request: not in default", false),
            (422, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: not in default", false),
            (403, "exceeded quota", false),
            (409, "it is there already", false),
            (500, "a webhook does not answer", false),
        ] {
            let server = Fake::new(move |asked| {
                assert_eq!(asked.what, "POST /api/v1/namespaces/default/configmaps");
                assert!(asked.query.contains("dryRun=All"), "{}", asked.query);
                (code, json!({ "message": words }))
            });
            let keeping = Keeping::new(server.client.clone());
            let eyes =
                Eyes { client: server.way(), kinds: &kinds, actor: &actor, keeping: &keeping, album: None };
            let fit = eyes.elsewhere(served, &place, &body).await;
            let refused = Fit::Refused(format!("ConfigMap new/x: {words}"));
            assert_eq!(fit, if is_refused { refused } else { Fit::Later }, "{code} {words}");
            assert_eq!(server.heard().len(), 1);
        }
    }
}
