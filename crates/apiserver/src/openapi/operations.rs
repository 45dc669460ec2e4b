//! What can be done at which path, for both versions of OpenAPI.

use serde_json::{Value, json};

use super::custom;
use super::parameters::{self, Parameter};
use crate::builtin_table::definition_name;
use crate::kinds::{Kind, Subresource};

/// A path.
pub(super) struct Path {
    /// `/apis/apps/v1/namespaces/{namespace}/deployments/{name}`
    pub(super) path: String,
    /// The parts in braces.
    pub(super) variables: Vec<&'static str>,
    pub(super) operations: Vec<Operation>,
}

/// Something that can be done.
pub(super) struct Operation {
    pub(super) method: &'static str,
    /// What the API calls it: `list`, `deletecollection`.
    pub(super) action: &'static str,
    pub(super) id: String,
    pub(super) tag: String,
    pub(super) description: String,
    pub(super) parameters: &'static [Parameter],
    /// What it takes: media types, and a definition.
    pub(super) body: Option<(&'static [&'static str], String)>,
    /// What it answers: codes, and a definition.
    pub(super) answers: (&'static [u16], String),
    /// The kind that it is about.
    pub(super) about: Value,
}

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";
const OBJECTS: &[&str] = &["application/json", "application/yaml"];
const PATCHES: &[&str] = &[
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
];

/// The definition of a kind of object.
pub(super) fn definition(kind: &Kind, of: &str) -> String {
    match kind.custom {
        Some(_) => custom::name(kind, of),
        None => definition_name(&kind.group, &kind.version, of),
    }
}

/// All paths of a kind.
pub(super) fn paths(kind: &Kind) -> Vec<Path> {
    let base = format!("/{}", super::path_of(kind));
    let home = if kind.namespaced { "/namespaces/{namespace}" } else { "" };
    let mut paths = Vec::new();
    if kind.namespaced && kind.allows("list") {
        let all = Naming { kind, scope: "", end: "ForAllNamespaces", what: "", of: None };
        let list = all.operation("get", "list");
        paths.push(Path {
            path: format!("{base}/{}", kind.plural),
            variables: vec![],
            operations: vec![list],
        });
    }
    let collection = format!("{base}{home}/{}", kind.plural);
    let whole = Naming::of(kind, None);
    paths.extend(whole.path(collection.clone(), OF_COLLECTION));
    paths.extend(whole.path(format!("{collection}/{{name}}"), OF_OBJECT));
    for part in &kind.subresources {
        // They take and answer streams, not objects.
        if matches!(&*part.name, "proxy" | "exec" | "attach" | "portforward" | "log") {
            continue;
        }
        let naming = Naming::of(kind, Some(part));
        paths.extend(naming.path(format!("{collection}/{{name}}/{}", part.name), OF_PART));
    }
    paths
}

/// A verb, the method that asks for it, and what OpenAPI calls it.
type Verb = (&'static str, &'static str, &'static str);
const OF_COLLECTION: &[Verb] = &[
    ("list", "get", "list"),
    ("create", "post", "post"),
    ("deletecollection", "delete", "deletecollection"),
];
const OF_OBJECT: &[Verb] = &[
    ("get", "get", "get"),
    ("update", "put", "put"),
    ("delete", "delete", "delete"),
    ("patch", "patch", "patch"),
];
const OF_PART: &[Verb] = &[
    ("get", "get", "get"),
    ("create", "post", "post"),
    ("update", "put", "put"),
    ("patch", "patch", "patch"),
];

/// How the operations at a path are called.
struct Naming<'a> {
    kind: &'a Kind,
    scope: &'static str,
    end: &'static str,
    what: &'a str,
    /// What is taken and answered, if it is not an object of the kind.
    of: Option<&'a Subresource>,
}

impl<'a> Naming<'a> {
    fn of(kind: &'a Kind, part: Option<&'a Subresource>) -> Naming<'a> {
        let scope = if kind.namespaced { "Namespaced" } else { "" };
        let what = part.map_or("", |part| &*part.name);
        let own = |part: &&Subresource| !part.version.is_empty() && *part.kind != *kind.kind;
        Naming { kind, scope, end: "", what, of: part.filter(own) }
    }

    fn allows(&self, verb: &str) -> bool {
        match self.what {
            "" => self.kind.allows(verb),
            what => self
                .kind
                .subresource(what)
                .is_some_and(|part| part.verbs.iter().any(|known| &**known == verb)),
        }
    }

    /// The path, if anything can be done there.
    fn path(&self, path: String, verbs: &[Verb]) -> Option<Path> {
        let verbs = verbs.iter().filter(|(verb, ..)| self.allows(verb));
        let operations: Vec<_> = verbs.map(|(_, method, action)| self.operation(method, action)).collect();
        let variables = [("name", "{name}"), ("namespace", "{namespace}")];
        let variables =
            variables.into_iter().filter(|(_, part)| path.contains(part)).map(|(name, _)| name).collect();
        (!operations.is_empty()).then_some(Path { path, variables, operations })
    }

    fn operation(&self, method: &'static str, action: &'static str) -> Operation {
        let kind = self.kind;
        let name = &kind.kind;
        let object = self.of.map_or_else(
            || definition(kind, name),
            |part| definition_name(&part.group, &part.version, &part.kind),
        );
        let status = || format!("{META}.Status");
        let whose = if self.what.is_empty() { String::new() } else { format!("{} of ", self.what) };
        let (verb, description, parameters) = match action {
            "list" if kind.custom.is_none() => {
                ("list", format!("list or watch objects of kind {name}"), parameters::LIST)
            }
            "list" => ("list", format!("list objects of kind {name}"), parameters::LIST),
            "post" => ("create", format!("create {whose}{} {name}", article(name)), parameters::WRITE),
            "deletecollection" => ("delete", format!("delete collection of {name}"), parameters::LIST),
            "get" => ("read", format!("read {whose}the specified {name}"), &[][..]),
            "put" => ("replace", format!("replace {whose}the specified {name}"), parameters::WRITE),
            "delete" => ("delete", format!("delete {} {name}", article(name)), parameters::DELETE),
            _ => ("patch", format!("partially update {whose}the specified {name}"), parameters::PATCH),
        };
        let patches = if kind.custom.is_some() { &PATCHES[..3] } else { PATCHES };
        let (body, answers) = match action {
            "list" => (None, (&[200][..], definition(kind, &kind.list_kind))),
            "get" => (None, (&[200][..], object)),
            "post" => (Some((OBJECTS, object.clone())), (&[200, 201, 202][..], object)),
            "put" => (Some((OBJECTS, object.clone())), (&[200, 201][..], object)),
            "patch" => (Some((patches, format!("{META}.Patch"))), (&[200, 201][..], object)),
            "delete" => (Some((OBJECTS, format!("{META}.DeleteOptions"))), (&[200, 202][..], status())),
            _ => (None, (&[200][..], status())),
        };
        let group = kind.group.strip_suffix(".k8s.io").unwrap_or(&kind.group);
        let group = camel(if group.is_empty() { "core" } else { group });
        let collection = if action == "deletecollection" { "Collection" } else { "" };
        let id =
            [verb, &group, &camel(&kind.version), collection, self.scope, name, &camel(self.what), self.end];
        Operation {
            method,
            action,
            id: id.concat(),
            tag: format!("{}_{}", lower(&group), kind.version),
            description,
            parameters,
            body,
            answers,
            about: self.about(),
        }
    }

    /// The kind that clients find the operation by. Kinds of definitions keep their own for all of their parts.
    fn about(&self) -> Value {
        match self.of.filter(|_| self.kind.custom.is_none()) {
            Some(part) => json!({"group": part.group, "version": part.version, "kind": part.kind}),
            None => json!({"group": self.kind.group, "version": self.kind.version, "kind": self.kind.kind}),
        }
    }
}

fn article(name: &str) -> &'static str {
    if name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

fn camel(text: &str) -> String {
    let words = text.split(['.', '-']);
    words.map(|word| change_first(word, char::to_ascii_uppercase)).collect()
}

fn lower(text: &str) -> String {
    change_first(text, char::to_ascii_lowercase)
}

fn change_first(text: &str, change: impl Fn(&char) -> char) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| change(&first)).into_iter().chain(characters).collect()
}
