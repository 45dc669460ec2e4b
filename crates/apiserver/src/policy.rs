//! Admission policies (`ValidatingAdmissionPolicy`): what they say of a write, before it is done.
//!
//! They are read when they change, before anybody is told that they have: whoever made one can rely on it.

use std::sync::Arc;

use bowline_kernel::{Object, View};
use serde_json::Value;

use crate::api::Api;
use crate::document::{Document, Json};
use crate::key::Resource;
use crate::kinds::Kind;
use crate::user::User;
use crate::warnings::Warnings;

mod judge;
mod matching;
mod params;
mod policies;
pub(crate) mod readable;
mod remarks;
mod request;

pub(crate) use policies::Policies;
pub(crate) use remarks::remarks;

/// The group of policies.
pub(crate) const GROUP: &str = "admissionregistration.k8s.io";
const POLICIES: &str = "validatingadmissionpolicies";
const BINDINGS: &str = "validatingadmissionpolicybindings";

/// Whether a change to it changes what is allowed.
pub(crate) fn concerns(resource: &Resource) -> bool {
    resource.group() == GROUP
}

/// What is done to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    /// It is made.
    Create,
    /// It is changed.
    Update,
    /// It goes.
    Delete,
}

impl Operation {
    /// As policies call it.
    fn name(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
            Operation::Delete => "DELETE",
        }
    }
}

/// A write that somebody wants to do.
pub(crate) struct Attempt<'a> {
    /// What all requests share.
    pub api: &'a Arc<Api>,
    /// Of what resource.
    pub kind: &'a Kind,
    /// Group, version and kind of the objects, where they are not the resource's own.
    pub of: Option<(&'a str, &'a str, &'a str)>,
    /// Empty for the object itself.
    pub subresource: &'a str,
    /// What is done.
    pub operation: Operation,
    /// Where.
    pub namespace: &'a str,
    /// The name that was asked for; empty if the server finds one.
    pub name: &'a str,
    /// By whom.
    pub user: &'a User,
    /// Whether it is only tried.
    pub dry_run: bool,
    /// The options of the request.
    pub options: Value,
    /// The object as it would be.
    pub object: Option<&'a Json>,
    /// The object as it was.
    pub old: Option<&'a Json>,
    /// What the client is told beside the answer.
    pub warnings: &'a Warnings,
}

impl Attempt<'_> {
    /// The namespace that it is in: one counts as inside itself.
    fn home(&self) -> &str {
        if self.is_namespace() { self.named() } else { self.namespace }
    }

    fn is_namespace(&self) -> bool {
        self.kind.resource == *crate::key::NAMESPACES
    }

    /// The name of the object, whoever gave it.
    fn named(&self) -> &str {
        let given =
            self.object.and_then(|object| object.get("metadata")).and_then(|metadata| metadata.get("name"));
        if self.name.is_empty() { given.and_then(Value::as_str).unwrap_or_default() } else { self.name }
    }
}

/// The labels of an object.
fn labels(object: &Json) -> Option<&Json> {
    object.get("metadata")?.get("labels")?.as_object()
}

/// All objects of a resource of policies.
fn all<'v>(view: &'v View<Document>, plural: &str) -> impl Iterator<Item = (&'v str, Json)> {
    let collection = view.collection(&Resource::new(GROUP, plural));
    let objects = collection.into_iter().flat_map(|all| all.objects().values());
    objects.map(|object| (&*object.key().name, object.json()))
}
