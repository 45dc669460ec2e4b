use std::sync::Arc;

use super::*;
use crate::document::Counting;
use crate::key::{Key, Resource};

fn kinds() -> Vec<Arc<Kind>> {
    crate::builtin_table::kinds()
}

fn moment(value: &Value) -> Moment {
    value.as_str().and_then(Moment::parse).unwrap_or_else(|| panic!("{value}"))
}

fn object(value: &Value) -> Json {
    value.as_object().cloned().unwrap_or_default()
}

/// Objects and their cells, as the real server printed them: a line of the file each.
#[test]
fn cells_are_those_of_the_real_server() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("rows.json")).expect("the rows");
    let kinds = kinds();
    let mut printed = 0;
    for entry in &rows {
        let kind =
            kinds.iter().find(|kind| entry["kind"] == format!("{}/{}", kind.api_version(), kind.plural));
        let kind = kind.unwrap_or_else(|| panic!("{}", entry["kind"]));
        let json = object(&entry["object"]);
        let cells = row(kind, &json, moment(&entry["now"]));
        assert_eq!(json!(cells), entry["cells"], "{} {}", entry["kind"], entry["object"]["metadata"]["name"]);
        let condition = cells::condition(kind, &json).map_or(Value::Null, |condition| json!([condition]));
        assert_eq!(condition, entry["conditions"], "{}", entry["object"]["metadata"]["name"]);
        let columns: Vec<Value> = serde_json::from_str(&columns(kind)).expect("the columns");
        let is_address = &*kind.plural == "ipaddresses";
        assert!(columns.len() == cells.len() || is_address, "{}", kind.plural);
        printed += 1;
    }
    assert!(printed > 100);
}

#[test]
fn every_kind_that_is_listed_has_columns() {
    for kind in kinds().iter().filter(|kind| kind.allows("list")) {
        let columns: Vec<Value> = serde_json::from_str(&columns(kind)).expect("the columns");
        let names: Vec<_> = columns.iter().filter_map(|column| column["name"].as_str()).collect();
        assert!(names.contains(&"Name"), "{}: {names:?}", kind.plural);
    }
}

fn gadget(version: Value) -> Kind {
    Kind {
        group: "a.discovery.test".into(),
        version: "v2beta1".into(),
        kind: "Gadget".into(),
        list_kind: "GadgetList".into(),
        plural: "gadgets".into(),
        singular: "gadget".into(),
        short_names: vec![],
        categories: vec![],
        namespaced: true,
        verbs: vec![],
        subresources: vec![],
        resource: Resource::new("a.discovery.test", "gadgets"),
        counting: Counting::Spec,
        custom: Some(crate::discovery::tests::declared(version)),
    }
}

#[test]
fn a_definition_says_what_its_columns_are() {
    let real: Value = serde_json::from_str(include_str!("gadgets.json")).expect("the real answer");
    let kind = gadget(real["version"].clone());
    let columns: Value = serde_json::from_str(&columns(&kind)).expect("the columns");
    assert_eq!(columns, real["columns"]);
    for entry in real["rows"].as_array().into_iter().flatten() {
        let cells = row(&kind, &object(&entry["object"]), moment(&real["now"]));
        assert_eq!(json!(cells), entry["cells"], "{}", entry["object"]["metadata"]["name"]);
    }
}

#[test]
fn without_columns_there_is_the_age() {
    let kind = gadget(json!({}));
    let names: Vec<Value> = serde_json::from_str(&columns(&kind)).expect("the columns");
    assert_eq!(names.iter().map(|column| &column["name"]).collect::<Vec<_>>(), ["Name", "Age"]);
    let made = json!({"metadata": {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}});
    let now = moment(&json!("2026-01-06T04:00:00Z"));
    assert_eq!(row(&kind, &object(&made), now), ["a", "5d4h"]);
    assert_eq!(row(&kind, &object(&json!({"metadata": {}})), now), ["", "<unknown>"]);
}

fn document() -> (Kind, Document) {
    let kind = gadget(json!({}));
    let json = json!({
        "metadata": {"name": "a\"}", "namespace": "n", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z",
                     "labels": {"a": "b"}},
        "spec": {"x": 1},
    });
    let key = Key::new(kind.resource.clone(), "n", "a");
    let document = Document::new(key, &object(&json), Counting::Spec, &|_, _, _, _| None);
    (kind, document.expect("a document"))
}

fn read(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(text)))
}

#[test]
fn a_row_carries_what_is_asked_for() {
    let (kind, document) = document();
    let table = |include| {
        let now = moment(&json!("2026-01-01T00:00:05Z"));
        let table = Table { kind: &kind, version: MetaVersion::V1, include, now };
        let meta = ListMeta { resource_version: "7".into(), next: "next", remaining: Some(3) };
        read(&table.list(&meta, [&document]))
    };
    let all = table(Include::Metadata);
    assert_eq!(all["kind"], "Table");
    assert_eq!(all["apiVersion"], "meta.k8s.io/v1");
    let meta = json!({"resourceVersion": "7", "continue": "next", "remainingItemCount": 3});
    assert_eq!(all["metadata"], meta);
    let row = &all["rows"][0];
    assert_eq!(row["cells"], json!(["a\"}", "5s"]));
    assert_eq!(row["object"]["kind"], "PartialObjectMetadata");
    assert_eq!(row["object"]["metadata"]["labels"], json!({"a": "b"}));
    assert_eq!(row["object"]["spec"], Value::Null);
    assert_eq!(table(Include::None)["rows"][0]["object"], Value::Null);
    let whole = table(Include::Object)["rows"][0]["object"].clone();
    assert_eq!(
        (&whole["apiVersion"], &whole["spec"]),
        (&json!("a.discovery.test/v2beta1"), &json!({"x": 1}))
    );
}

#[test]
fn only_the_first_event_says_what_the_columns_are() {
    let (kind, document) = document();
    let now = moment(&json!("2026-01-01T00:00:05Z"));
    let table = Table { kind: &kind, version: MetaVersion::V1Beta1, include: Include::None, now };
    assert!(read(&table.event(&document, true))["columnDefinitions"].is_array());
    let second = read(&table.event(&document, false));
    assert_eq!(second["columnDefinitions"], Value::Null);
    assert_eq!(second["apiVersion"], "meta.k8s.io/v1beta1");
    let bookmark = read(&table.bookmark(Version(9), true, false));
    let expected = json!({
        "cells": ["", "<unknown>"],
        "object": {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1beta1", "metadata": {
            "resourceVersion": "9", "annotations": {"k8s.io/initial-events-end": "true"}}},
    });
    assert_eq!(bookmark["rows"], json!([expected]));
    assert_eq!(bookmark["metadata"], json!({"resourceVersion": "9"}));
}

#[test]
fn metadata_alone_are_cut_out() {
    let (_, document) = document();
    let one = read(&metadata(&document, MetaVersion::V1));
    assert_eq!(one["metadata"]["name"], "a\"}");
    assert_eq!(one.as_object().map(|fields| fields.len()), Some(3));
    let meta = ListMeta { resource_version: "7".into(), ..ListMeta::default() };
    let list = read(&metadata_list(&meta, [&document, &document], MetaVersion::V1));
    assert_eq!(list["kind"], "PartialObjectMetadataList");
    assert_eq!(list["items"], json!([one, one]));
}

#[test]
fn what_to_include_is_one_of_three() {
    assert_eq!(Include::parse(None).ok(), Some(Include::Metadata));
    assert_eq!(Include::parse(Some("Object")).ok(), Some(Include::Object));
    let wrong = Include::parse(Some("Nope")).err().map(|status| status.message);
    let expected = "Unable to convert to Table as requested: includeObject: Invalid value: \"Nope\": must be \
                    'Metadata', 'Object', 'None', or empty";
    assert_eq!(wrong.as_deref(), Some(expected));
}
