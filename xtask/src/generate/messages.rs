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
            let mut go = Vec::new();
            files_ending(path.parent().unwrap_or(module), ".go", &mut go)?;
            // Only the package itself, not those in folders below it.
            go.retain(|source| source.parent() == path.parent());
            let go: Vec<_> = go.iter().map(|source| read(source)).collect::<Result<_>>()?;
            self.add(&read(&path)?, &go).with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// Adds a package: its proto file and its Go files.
    fn add(&mut self, proto: &str, go: &[String]) -> Result<()> {
        let file = proto::parse(proto)?;
        let package = definition_name(&file.package);
        let mut tags = Tags::new();
        for source in go {
            tags::parse(source, &mut tags);
        }
        self.tags.insert(package.clone(), tags);
        for (name, fields) in file.messages {
            self.messages.insert(format!("{package}.{name}"), fields);
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

#[cfg(test)]
mod tests {
    use super::*;

    const PROTO: &str = "package k8s.io.api.x.v1;\nmessage Thing {\n  optional Handler handler = 1;\n  \
        optional int32 replicas = 2;\n  map<string, .k8s.io.apimachinery.pkg.api.resource.Quantity> limits = 3;\n}\n\
        message Handler {\n  optional string path = 1;\n}\n";
    const GO: &str = "type Thing struct {\n\tHandler `json:\",inline\" protobuf:\"bytes,1,opt,name=handler\"`\n\
        \tReplicas *int32 `json:\"replicas,omitempty\" protobuf:\"varint,2,opt,name=replicas\"`\n\
        \tLimits map[string]Quantity `json:\"limits\" protobuf:\"bytes,3,rep,name=limits\"`\n}\n\
        type Handler struct {\n\tPath string `json:\"path,omitempty\" protobuf:\"bytes,1,opt,name=path\"`\n}\n";
    const QUANTITY: &str = "package k8s.io.apimachinery.pkg.api.resource;\nmessage Quantity {\n  optional string string = 1;\n}\n";

    fn sources(go: &str) -> Result<Sources> {
        let mut sources = Sources::default();
        sources.add(PROTO, &[go.to_owned()])?;
        sources.add(QUANTITY, &[])?;
        Ok(sources)
    }

    fn thing(go: &str, properties: &[&str]) -> Result<BTreeMap<String, Value>> {
        let properties: Map<_, _> = properties.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        let definition = ("io.k8s.api.x.v1.Thing".to_owned(), json!({"properties": properties}));
        let sources = sources(go)?;
        let mut all = BTreeMap::new();
        for (name, fields) in &sources.messages {
            let definition = (*name == definition.0).then_some(&definition.1);
            all.insert(name.clone(), message(&sources, definition, name, fields)?);
        }
        Ok(all)
    }

    #[test]
    fn a_message_is_joined_with_its_go_type() -> Result<()> {
        let all = thing(GO, &["apiVersion", "kind", "path", "replicas", "limits"])?;
        let expected = json!({"fields": [
            {"number": 1, "name": "handler", "type": "message", "message": "io.k8s.api.x.v1.Handler", "inline": true},
            {"number": 2, "name": "replicas", "type": "int32", "pointer": true},
            {"number": 3, "name": "limits", "type": "message", "map": true, "always": true,
                "message": "io.k8s.apimachinery.pkg.api.resource.Quantity"},
        ]});
        assert_eq!(all["io.k8s.api.x.v1.Thing"], expected);
        let quantity = &all["io.k8s.apimachinery.pkg.api.resource.Quantity"];
        assert_eq!(
            (&quantity["special"], &quantity["fields"][0]["name"]),
            (&json!("Quantity"), &json!("string"))
        );
        Ok(())
    }

    #[test]
    fn a_field_that_one_side_lacks_is_an_error() {
        assert!(thing(GO, &["path", "replicas"]).is_err());
        assert!(thing(GO, &["path", "replicas", "limits", "more"]).is_err());
        assert!(thing(&GO.replace("varint,2", "varint,9"), &["path", "replicas", "limits"]).is_err());
    }
}
