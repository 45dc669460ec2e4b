//! The messages of the API as a table, from which a protobuf body can be turned into its JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::files_ending;
use super::proto::{self, Count, Field, Type};
use super::tags::{self, Tag, Tags};

/// Messages whose JSON is not an object with their fields. What each means, the decoder knows.
const SPECIAL: &[(&str, &str)] = &[
    ("io.k8s.api.authentication.v1.ExtraValue", "StringList"),
    ("io.k8s.api.authorization.v1.ExtraValue", "StringList"),
    ("io.k8s.api.certificates.v1.ExtraValue", "StringList"),
    ("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", "JSON"),
    (
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray",
        "JSONSchemaPropsOrArray",
    ),
    (
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool",
        "JSONSchemaPropsOrBool",
    ),
    (
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray",
        "JSONSchemaPropsOrStringArray",
    ),
    ("io.k8s.apimachinery.pkg.api.resource.Quantity", "Quantity"),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.Duration", "Duration"),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", "FieldsV1"),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", "MicroTime"),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.Time", "Time"),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.Verbs", "StringList"),
    ("io.k8s.apimachinery.pkg.runtime.RawExtension", "RawExtension"),
    ("io.k8s.apimachinery.pkg.util.intstr.IntOrString", "IntOrString"),
];

/// Messages that bodies can be and that the OpenAPI does not define.
const MORE: &[&str] = &[
    "io.k8s.apimachinery.pkg.apis.meta.v1.List",
    "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata",
    "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadataList",
];

/// Definitions that are never sent as protobuf.
const WITHOUT: &[&str] = &["io.k8s.apimachinery.pkg.version.Info"];

/// What was read of the API's sources.
#[derive(Default)]
pub(super) struct Sources {
    messages: BTreeMap<String, Vec<Field>>,
    tags: BTreeMap<String, Tags>,
}

impl Sources {
    /// Reads all packages of a module that have messages.
    pub(super) fn read(&mut self, module: &Path, below: &str) -> Result<()> {
        let mut protos = Vec::new();
        files_ending(&module.join(below), "generated.proto", &mut protos)?;
        ensure!(!protos.is_empty(), "{} has no messages", module.display());
        for path in protos {
            let read = |path: &Path| {
                fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
            };
            let file = proto::parse(&read(&path)?).with_context(|| path.display().to_string())?;
            let package = definition_name(&file.package);
            let mut tags = Tags::new();
            let mut go = Vec::new();
            files_ending(path.parent().unwrap_or(module), ".go", &mut go)?;
            // Only the package itself, not those in folders below it.
            for source in go.iter().filter(|source| source.parent() == path.parent()) {
                tags::parse(&read(source)?, &mut tags);
            }
            self.tags.insert(package.clone(), tags);
            for (name, fields) in file.messages {
                self.messages.insert(format!("{package}.{name}"), fields);
            }
        }
        Ok(())
    }
}

/// `k8s.io.api.core.v1.Pod` is `io.k8s.api.core.v1.Pod` in the OpenAPI, and no name there has an underscore.
fn definition_name(proto: &str) -> String {
    let name =
        proto.strip_prefix("k8s.io.").map_or_else(|| proto.to_owned(), |rest| format!("io.k8s.{rest}"));
    name.replace('_', "-")
}

/// All messages that a served kind can be, or that are part of one.
pub(super) fn all(
    sources: &Sources,
    definitions: &BTreeMap<String, Value>,
) -> Result<BTreeMap<String, Value>> {
    let kinds = definitions.keys().map(String::as_str).filter(|name| !WITHOUT.contains(name));
    let mut wanted: BTreeSet<_> = kinds.chain(MORE.iter().copied()).map(str::to_owned).collect();
    let mut all = BTreeMap::new();
    while let Some(name) = wanted.pop_first() {
        let fields =
            sources.messages.get(&name).with_context(|| format!("there is no message for {name}"))?;
        let message =
            message(sources, definitions.get(&name), &name, fields).with_context(|| name.clone())?;
        for field in fields {
            if let Type::Message(full) = &field.kind {
                let part = definition_name(full);
                if !all.contains_key(&part) && part != name {
                    wanted.insert(part);
                }
            }
        }
        all.insert(name, message);
    }
    Ok(all)
}

fn message(sources: &Sources, definition: Option<&Value>, name: &str, fields: &[Field]) -> Result<Value> {
    let special = SPECIAL.iter().find(|(special, _)| *special == name);
    let (package, short) = name.rsplit_once('.').context("a message without a package")?;
    let tags = &sources.tags[package];
    let mut table = Vec::new();
    for field in fields {
        let tag = tags.get(&(short.to_owned(), field.number));
        let mut entry = shape(field);
        match tag {
            None if special.is_some() => drop(entry.insert("name".to_owned(), json!(field.name))),
            None => anyhow::bail!("the Go type has no field with number {}", field.number),
            Some(tag) => about(&mut entry, field, tag),
        }
        table.push(Value::Object(entry));
    }
    if let (None, Some(definition)) = (special, definition) {
        properties_agree(sources, definition, name)?;
    }
    Ok(match special {
        Some((_, special)) => json!({"special": special, "fields": table}),
        None => json!({"fields": table}),
    })
}

fn about(entry: &mut Map<String, Value>, field: &Field, tag: &Tag) {
    entry.insert("name".to_owned(), json!(tag.json.as_deref().unwrap_or(&field.name)));
    if tag.json.is_none() {
        entry.insert("inline".to_owned(), json!(true));
    } else if tag.pointer {
        entry.insert("pointer".to_owned(), json!(true));
    } else if tag.omitzero {
        entry.insert("omitzero".to_owned(), json!(true));
    } else if !tag.omitempty {
        entry.insert("always".to_owned(), json!(true));
    }
}

fn shape(field: &Field) -> Map<String, Value> {
    let mut entry = Map::new();
    entry.insert("number".to_owned(), json!(field.number));
    match &field.kind {
        Type::Scalar(name) => entry.insert("type".to_owned(), json!(name)),
        Type::Message(name) => {
            entry.insert("type".to_owned(), json!("message"));
            entry.insert("message".to_owned(), json!(definition_name(name)))
        }
    };
    match field.count {
        Count::One => {}
        Count::Many => drop(entry.insert("repeated".to_owned(), json!(true))),
        Count::Map => drop(entry.insert("map".to_owned(), json!(true))),
    }
    entry
}

/// The names in JSON are those of the OpenAPI, with those of fields that are inlined; nothing is missing.
fn properties_agree(sources: &Sources, definition: &Value, name: &str) -> Result<()> {
    let mut ours = BTreeSet::new();
    names(sources, name, &mut ours)?;
    // A kind's own are in the envelope, those of a reference are fields like others.
    let other = |key: &&str| !["apiVersion", "kind"].contains(key);
    let theirs = definition["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let theirs: BTreeSet<_> = theirs.filter(other).collect();
    let ours: BTreeSet<_> = ours.iter().map(String::as_str).filter(other).collect();
    let differ: Vec<_> = ours.symmetric_difference(&theirs).collect();
    ensure!(differ.is_empty(), "the message and the OpenAPI have other fields: {differ:?}");
    Ok(())
}

fn names(sources: &Sources, name: &str, found: &mut BTreeSet<String>) -> Result<()> {
    let (package, short) = name.rsplit_once('.').context("a message without a package")?;
    for field in sources.messages.get(name).with_context(|| format!("there is no message for {name}"))? {
        match (&sources.tags[package].get(&(short.to_owned(), field.number)), &field.kind) {
            (Some(Tag { json: Some(json), .. }), _) => drop(found.insert(json.clone())),
            (Some(_), Type::Message(inlined)) => names(sources, &definition_name(inlined), found)?,
            _ => {}
        }
    }
    Ok(())
}
