use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::discovery::Catalogue;
use crate::discovery::tests::{ask, custom, declared};

fn gadget() -> Arc<Kind> {
    let real: Value = serde_json::from_str(include_str!("../table/gadgets.json")).expect("the definition");
    let mut kind = custom("a.discovery.test", "v2beta1", "Gadget", true);
    Arc::get_mut(&mut kind).expect("nobody else has it").custom = Some(declared(real["version"].clone()));
    kind
}

fn catalogue(more: Vec<Arc<Kind>>) -> Catalogue {
    let kinds = crate::builtin_table::kinds().into_iter().chain(more);
    Catalogue::new(Arc::new(Kinds::new(kinds)), "127.0.0.1:6443")
}

fn get(catalogue: &Catalogue, path: &str, headers: &[(&str, &str)]) -> Response<Bytes> {
    ask(catalogue, path, headers).unwrap_or_else(|| panic!("{path}"))
}

fn json(response: Response<Bytes>) -> Value {
    serde_json::from_slice(response.body()).expect("JSON")
}

fn url_of(catalogue: &Catalogue, path: &str) -> String {
    let root = json(get(catalogue, "/openapi/v3", &[]));
    root["paths"][path]["serverRelativeURL"].as_str().unwrap_or_else(|| panic!("{path}")).to_owned()
}

#[test]
fn the_schema_of_a_definition_is_that_of_the_real_server() {
    let expected: Value = serde_json::from_str(include_str!("gadget.json")).expect("the real schemas");
    let catalogue = catalogue(vec![gadget()]);
    let document = json(get(&catalogue, &url_of(&catalogue, "apis/a.discovery.test/v2beta1"), &[]));
    for (name, schema) in expected.as_object().into_iter().flatten() {
        assert_eq!(document["components"]["schemas"][name], *schema, "{name}");
    }
}

#[test]
fn clients_find_that_the_server_validates() {
    let catalogue = catalogue(vec![gadget()]);
    for (path, object, types) in [
        ("api/v1", "/api/v1/namespaces/{namespace}/configmaps/{name}", 4),
        ("apis/apps/v1", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", 4),
        ("apis/rbac.authorization.k8s.io/v1", "/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}", 4),
        (
            "apis/a.discovery.test/v2beta1",
            "/apis/a.discovery.test/v2beta1/namespaces/{namespace}/gadgets/{name}",
            3,
        ),
    ] {
        let document = json(get(&catalogue, &url_of(&catalogue, path), &[]));
        let patch = &document["paths"][object]["patch"];
        let parameters = patch["parameters"].as_array().cloned().unwrap_or_default();
        assert!(parameters.iter().any(|parameter| parameter["name"] == "fieldValidation"), "{object}");
        assert!(patch["x-kubernetes-group-version-kind"]["kind"].is_string(), "{object}");
        let content = patch["requestBody"]["content"].as_object().map(serde_json::Map::len);
        assert_eq!(content, Some(types), "{object}");
        assert!(document["paths"][object]["get"].is_object(), "{object}");
    }
}

#[test]
fn references_lead_somewhere() {
    let catalogue = catalogue(vec![gadget()]);
    let root = json(get(&catalogue, "/openapi/v3", &[]));
    for (path, entry) in root["paths"].as_object().into_iter().flatten() {
        let document = json(get(&catalogue, entry["serverRelativeURL"].as_str().unwrap_or_default(), &[]));
        let mut references = Vec::new();
        schema::references(&document, &mut references);
        assert!(!references.is_empty(), "{path}");
        for reference in references {
            let name = reference.strip_prefix("#/components/schemas/").unwrap_or_default();
            assert!(document["components"]["schemas"][name].is_object(), "{path}: {reference}");
        }
    }
}

#[test]
fn a_document_is_kept_by_its_hash() {
    let first = catalogue(vec![gadget()]);
    let path = "apis/a.discovery.test/v2beta1";
    let url = url_of(&first, path);
    let answer = get(&first, &format!("{url}&timeout=32s"), &[("accept", "application/json")]);
    assert_eq!(answer.headers()[header::CACHE_CONTROL], "public, immutable");
    assert!(answer.headers()[header::EXPIRES].to_str().is_ok_and(|expires| expires.ends_with(" UTC")));
    let tag = answer.headers()[header::ETAG].to_str().expect("a tag").to_owned();
    let again = get(&first, &url, &[("if-none-match", &tag)]);
    assert_eq!((again.status(), again.body().len()), (StatusCode::NOT_MODIFIED, 0));
    let wrong = get(&first, &format!("/openapi/v3/{path}?hash=ABC"), &[]);
    assert_eq!(wrong.status(), StatusCode::MOVED_PERMANENTLY);
    assert_eq!(wrong.headers()[header::LOCATION], *url);
    let unasked = get(&first, &format!("/openapi/v3/{path}"), &[]);
    assert_eq!(unasked.headers()[header::CACHE_CONTROL], "no-cache, private");

    let second = catalogue(vec![custom("a.discovery.test", "v2beta1", "Gadget", true)]);
    assert_ne!(url_of(&second, path), url, "another definition");
    assert_eq!(url_of(&second, "apis/apps/v1"), url_of(&first, "apis/apps/v1"));
}

#[test]
fn what_cannot_be_had_is_refused_without_words() {
    let catalogue = catalogue(vec![]);
    let check = |path: &str, accept: &str, code: u16| {
        let answer = get(&catalogue, path, &[("accept", accept)]);
        assert_eq!((answer.status().as_u16(), answer.body().len()), (code, 0), "{path}");
    };
    check("/openapi/v3/apis/nope/v1", "*/*", 404);
    check("/openapi/v3/", "*/*", 404);
    check("/openapi/v3/apis/apps/v1", "text/plain", 406);
    check("/openapi/v2", "text/plain", 406);
}

#[test]
fn the_second_version_has_all_kinds_in_both_encodings() {
    let catalogue = catalogue(vec![gadget()]);
    let document = json(get(&catalogue, "/openapi/v2", &[]));
    let kind = &document["definitions"]["test.discovery.a.v2beta1.Gadget"];
    // As the real server has it: an open object is anything.
    let spec =
        serde_json::json!({"description": "What is wanted.", "x-kubernetes-preserve-unknown-fields": true});
    assert_eq!(kind["properties"]["spec"], spec);
    assert_eq!(kind["x-kubernetes-group-version-kind"][0]["kind"], "Gadget");
    assert!(document["definitions"]["io.k8s.api.core.v1.Pod"].is_object());
    let protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    let answer = get(&catalogue, "/openapi/v2", &[("accept", protobuf)]);
    let media_type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    assert_eq!(answer.headers()[header::CONTENT_TYPE], media_type);
    // The version, and the length of the information.
    assert!(answer.body().starts_with(b"\x0a\x032.0\x12\x12\x0a\x0aKubernetes\x12\x041.34\x42"));
}
