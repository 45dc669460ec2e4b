use std::sync::Arc;

use super::*;
use crate::builtin_table;
use crate::crd::Custom;
use crate::document::Counting;
use crate::key::Resource;
use crate::kinds::{Kind, Subresource};

/// What a definition says of a version: `spec.versions[i]`.
pub(crate) fn declared(version: Value) -> Arc<Custom> {
    Arc::new(Custom::compile(&serde_json::Map::new(), version.as_object().expect("a version")))
}

pub(crate) fn custom(group: &str, version: &str, kind: &str, stored: bool) -> Arc<Kind> {
    let plural = format!("{}s", kind.to_lowercase());
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}});
    let part = |name: &str, group: &str, version: &str, kind: &str| Subresource {
        name: name.into(),
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        verbs: ["get", "patch", "update"].map(Box::from).into(),
    };
    Arc::new(Kind {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        list_kind: format!("{kind}List").into(),
        singular: kind.to_lowercase().into(),
        short_names: vec![],
        categories: vec!["all".into()],
        namespaced: true,
        verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
            .map(Box::from)
            .into(),
        subresources: vec![part("status", group, version, kind), part("scale", "autoscaling", "v1", "Scale")],
        resource: Resource::new(group, &plural),
        plural: plural.into(),
        counting: Counting::Spec,
        custom: Some(declared(json!({"name": version, "storage": stored, "schema": schema}))),
    })
}

fn catalogue(more: Vec<Arc<Kind>>) -> Catalogue {
    Catalogue::new(Arc::new(Kinds::new(builtin_table::kinds().into_iter().chain(more))), "127.0.0.1:6443")
}

pub(crate) fn ask(catalogue: &Catalogue, path: &str, headers: &[(&str, &str)]) -> Option<Response<Bytes>> {
    let mut request = http::Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, ()) = request.body(()).expect("a request").into_parts();
    catalogue.answer(&parts)
}

fn json(response: Option<Response<Bytes>>) -> Value {
    let body = response.unwrap_or_else(page_not_found).into_body();
    serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into_owned().into())
}

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                          application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

fn is_served(group: &str, version: &str, plural: &str) -> bool {
    !builtin_table::NOT_SERVED.iter().any(|not| {
        not.group == group
            && (not.version.is_empty() || not.version == version)
            && (not.plural.is_empty() || not.plural == plural)
    })
}

fn real() -> Value {
    serde_json::from_str(include_str!("real.json")).expect("what the real server says")
}

fn each<'a>(value: &'a mut Value, name: &str) -> &'a mut Vec<Value> {
    value[name].as_array_mut().expect("a list")
}

/// Takes out of a real document what is not served here.
fn prune_aggregated(document: &mut Value) {
    for group in each(document, "items") {
        let name = group["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        for version in each(group, "versions") {
            let of = version["version"].as_str().unwrap_or_default().to_owned();
            each(version, "resources")
                .retain(|kind| is_served(&name, &of, kind["resource"].as_str().unwrap_or_default()));
        }
        each(group, "versions").retain(|version| version["resources"] != json!([]));
    }
    each(document, "items").retain(|group| group["versions"] != json!([]));
}

#[test]
fn aggregated_discovery_is_that_of_the_real_server() {
    let mut real = real();
    let catalogue = catalogue(vec![]);
    for path in ["/api", "/apis"] {
        let mut expected = real[path].take();
        prune_aggregated(&mut expected);
        assert_eq!(json(ask(&catalogue, path, &[("accept", AGGREGATED)])), expected, "{path}");
    }
}

#[test]
fn legacy_discovery_is_that_of_the_real_server() {
    let mut real = real();
    let catalogue = catalogue(vec![]);
    for (name, mut expected) in real["resources"].as_object().cloned().unwrap_or_default() {
        let (group, version) = name.rsplit_once('_').unwrap_or_default();
        let group = if group == "core" { "" } else { group };
        each(&mut expected, "resources").retain(|resource| {
            let plural = resource["name"].as_str().unwrap_or_default().split('/').next().unwrap_or_default();
            is_served(group, version, plural)
        });
        if expected["resources"] == json!([]) {
            continue;
        }
        let path =
            if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        assert_eq!(json(ask(&catalogue, &path, &[])), expected, "{path}");
    }
    let mut expected = real["groups"].take();
    each(&mut expected, "groups")
        .retain(|group| is_served(group["name"].as_str().unwrap_or_default(), "", "?"));
    for group in each(&mut expected, "groups").iter_mut().filter(|group| group["name"] == "autoscaling") {
        each(group, "versions").retain(|version| version["version"] == "v2");
    }
    assert_eq!(json(ask(&catalogue, "/apis", &[])), expected);
    // What kubectl before 1.30 asks for is gone from the real server too.
    let beta = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
    assert_eq!(json(ask(&catalogue, "/apis", &[("accept", beta)])), expected);
    let apps = each(&mut expected, "groups").iter().find(|group| group["name"] == "apps").cloned();
    let mut apps = apps.unwrap_or_default();
    apps["kind"] = "APIGroup".into();
    apps["apiVersion"] = "v1".into();
    assert_eq!(json(ask(&catalogue, "/apis/apps", &[])), apps);
}

#[test]
fn kinds_of_definitions_come_after_the_built_in_ones() {
    let catalogue = catalogue(vec![
        custom("a.test", "v1beta1", "Gadget", false),
        custom("a.test", "v2beta1", "Gadget", true),
        custom("a.test", "v1alpha1", "Gadget", false),
        custom("b.test", "v1", "Zebra", true),
        custom("b.test", "v1", "Ant", true),
    ]);
    let groups = json(ask(&catalogue, "/apis", &[]))["groups"].take();
    let names: Vec<_> = groups.as_array().into_iter().flatten().map(|group| group["name"].clone()).collect();
    assert_eq!(names[names.len() - 3..], ["flowcontrol.apiserver.k8s.io", "b.test", "a.test"]);
    let versions: Vec<_> = groups[names.len() - 1]["versions"].as_array().into_iter().flatten().collect();
    let versions: Vec<_> = versions.iter().map(|version| &version["version"]).collect();
    assert_eq!(versions, ["v2beta1", "v1beta1", "v1alpha1"]);

    let items = json(ask(&catalogue, "/apis", &[("accept", AGGREGATED)]))["items"].take();
    let items = items.as_array().cloned().unwrap_or_default();
    let names: Vec<_> = items.iter().map(|group| &group["metadata"]["name"]).collect();
    assert_eq!(names[names.len() - 2..], ["a.test", "b.test"]);
    let gadget = &items[items.len() - 2]["versions"][0]["resources"][0];
    assert_eq!(gadget["responseKind"], json!({"group": "a.test", "version": "v2beta1", "kind": "Gadget"}));
    let scale = &gadget["subresources"][1]["responseKind"];
    assert_eq!(*scale, json!({"group": "autoscaling", "version": "v1", "kind": "Scale"}));

    // The hash that the real server has for this group, version and kind.
    let catalogue = self::catalogue(vec![
        custom("a.discovery.test", "v1beta1", "Gadget", false),
        custom("a.discovery.test", "v2beta1", "Gadget", true),
    ]);
    let list = json(ask(&catalogue, "/apis/a.discovery.test/v1beta1", &[]));
    assert_eq!(list["resources"][0]["storageVersionHash"], "+zLaITYNRiI=");
}

#[test]
fn who_has_the_document_is_told_so() {
    let catalogue = catalogue(vec![]);
    let first = ask(&catalogue, "/apis", &[("accept", AGGREGATED)]).expect("an answer");
    let tag = first.headers()[header::ETAG].to_str().expect("a tag").to_owned();
    assert_eq!(first.headers()[header::CACHE_CONTROL], "public");
    let media_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    assert_eq!(first.headers()[header::CONTENT_TYPE], media_type);
    let second =
        ask(&catalogue, "/apis", &[("accept", AGGREGATED), ("if-none-match", &tag)]).expect("an answer");
    assert_eq!(second.status(), StatusCode::NOT_MODIFIED);
    assert!(second.body().is_empty());
}

#[test]
fn what_is_not_there_is_refused_in_the_right_words() {
    let catalogue = catalogue(vec![custom("a.test", "v1", "Gadget", true)]);
    let check = |path: &str, accept: &str, expected: &str| {
        let answer = json(ask(&catalogue, path, &[("accept", accept)]));
        let text = answer["message"].as_str().or(answer.as_str()).unwrap_or_default();
        assert_eq!(text.trim(), expected, "{path}");
    };
    let nothing = "the server could not find the requested resource";
    check("/api/v2", "*/*", nothing);
    check("/apis/apps/v9", "*/*", nothing);
    check("/apis/nope", "*/*", "404 page not found");
    check("/apis/nope/v1", "*/*", "404 page not found");
    check("/apis/a.test/v9", "*/*", "404 page not found");
    check("/nope", "*/*", "404 page not found");
    let none = "only the following media types are accepted: application/json, application/yaml, \
                application/vnd.kubernetes.protobuf";
    check("/apis", "text/plain", none);
    check("/apis/apps", "text/plain", none);
    check("/apis/a.test/v1", "text/plain", none);
    check("/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", none);
    let no_route = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
                    application/vnd.kubernetes.protobuf";
    check("/api/v1", "text/plain", no_route);
    check("/version", "text/plain", "406: Not Acceptable\n\nAvailable representations: application/json");
}

#[test]
fn the_version_is_one_that_clients_understand() {
    let version = json(ask(&catalogue(vec![]), "/version?timeout=32s", &[]));
    assert_eq!((&version["minor"], &version["gitVersion"]), (&json!("34"), &json!("v1.34.4+bowline")));
    let paths = json(ask(&catalogue(vec![custom("a.test", "v1", "Gadget", true)]), "/", &[]))["paths"].take();
    for path in ["/api/v1", "/apis/apps/v1", "/apis/a.test", "/openapi/v3", "/readyz"] {
        assert!(paths.as_array().is_some_and(|paths| paths.contains(&path.into())), "{path}");
    }
}
