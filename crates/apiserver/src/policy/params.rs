//! What a policy is told beside the request: objects that a binding names.

use std::sync::Arc;

use bowline_kernel::Object;
use serde_json::Value;

use super::{Attempt, labels};
use crate::builtin::{self, fields};
use crate::document::Json;
use crate::kinds::Kind;
use crate::versions;

/// The kind of what a policy is told.
#[derive(Debug)]
pub(super) struct ParamKind {
    api_version: String,
    kind: String,
}

impl ParamKind {
    pub(super) fn of(json: &Json) -> ParamKind {
        let text = |name: &str| fields::text(json, name).to_owned();
        ParamKind { api_version: text("apiVersion"), kind: text("kind") }
    }

    /// The kind that is served by this name.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn find(&self, kinds: &[Arc<Kind>]) -> Result<Arc<Kind>, String> {
        let found =
            kinds.iter().find(|kind| kind.api_version() == self.api_version && *kind.kind == *self.kind);
        found.cloned().ok_or_else(|| {
            let (group, version) = self.api_version.split_once('/').unwrap_or(("", &self.api_version));
            let name = format!("{group}/{version}, Kind={}", self.kind);
            format!("failed to find resource referenced by paramKind: '{name}'")
        })
    }
}

/// The objects that a binding names. Without any there is nothing to evaluate; without a reference it is evaluated
/// once, with none.
///
/// # Errors
/// If there should be some.
pub(super) fn collect(
    attempt: &Attempt<'_>,
    kind: &Kind,
    reference: Option<&Json>,
) -> Result<Vec<Option<Value>>, String> {
    let Some(reference) = reference else { return Ok(vec![None]) };
    let (namespace, name) = (fields::text(reference, "namespace"), fields::text(reference, "name"));
    let home = match (kind.namespaced, namespace) {
        (true, "") => attempt.home(),
        (true, namespace) => namespace,
        (false, "") => "",
        (false, _) => {
            return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned());
        }
    };
    if kind.namespaced && home.is_empty() {
        let why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
        return Err(why.to_owned());
    }
    let view = attempt.api.hub.view();
    let shown = |document: &_| Some(Value::Object(versions::shown(kind, document)));
    let found: Vec<_> = if name.is_empty() {
        let selector = reference.get("selector");
        let objects = view.collection(&kind.resource).into_iter().flat_map(|all| all.objects().values());
        objects
            .filter(|object| &*object.key().namespace == home)
            .filter(|object| {
                let json = object.json();
                builtin::selects(selector, labels(&json).unwrap_or(&Json::new()))
            })
            .map(|object| shown(object))
            .collect()
    } else {
        view.get(&kind.key(home, name)).map(|object| shown(object)).into_iter().collect()
    };
    if found.is_empty() && fields::text(reference, "parameterNotFoundAction") == "Deny" {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    Ok(found)
}
