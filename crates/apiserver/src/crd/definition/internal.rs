//! A definition as Kubernetes sees it inside: what all versions have alike is moved out of them.
//!
//! Errors name the fields of that form (`spec.validation.openAPIV3Schema`), and some rules hold only in it: a
//! version whose schema was moved out cannot have selectable fields of its own.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::text;
use crate::document::Json;

/// The spec of a definition.
pub(super) struct Spec<'a> {
    pub(super) group: &'a str,
    pub(super) names: &'a Json,
    pub(super) versions: Vec<Version<'a>>,
    /// It does not even say that it has no versions.
    pub(super) is_silent: bool,
    /// What all versions have alike.
    pub(super) shared: Parts<'a>,
}

/// One version.
pub(super) struct Version<'a> {
    pub(super) name: &'a str,
    pub(super) storage: bool,
    pub(super) raw: &'a Json,
    /// What it does not share with the others.
    pub(super) parts: Parts<'a>,
}

/// What a version says, or all of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Parts<'a> {
    pub(super) schema: Option<&'a Value>,
    pub(super) subresources: Option<&'a Value>,
    pub(super) columns: Option<&'a Value>,
    pub(super) selectable: Option<&'a Value>,
}

static NOTHING: LazyLock<Json> = LazyLock::new(Map::new);

impl<'a> Parts<'a> {
    pub(super) fn open_api(&self) -> Option<&'a Value> {
        self.schema?.get("openAPIV3Schema").filter(|schema| schema.is_object())
    }

    pub(super) fn has_status(&self) -> bool {
        self.subresources.and_then(|all| all.get("status")).is_some_and(Value::is_object)
    }
}

impl<'a> Spec<'a> {
    pub(super) fn of(raw: &'a Json) -> Spec<'a> {
        let list = raw.get("versions").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut versions: Vec<Version<'a>> = list.iter().filter_map(Value::as_object).map(version).collect();
        let mut shared = Parts::default();
        let select: [for<'p> fn(&'p mut Parts<'a>) -> &'p mut Option<&'a Value>; 4] = [
            |parts| &mut parts.schema,
            |parts| &mut parts.subresources,
            |parts| &mut parts.columns,
            |parts| &mut parts.selectable,
        ];
        for part in select {
            let all: Vec<_> = versions.iter_mut().map(|version| *part(&mut version.parts)).collect();
            if all.windows(2).all(|pair| pair[0] == pair[1]) {
                *part(&mut shared) = all.first().copied().flatten();
                versions.iter_mut().for_each(|version| *part(&mut version.parts) = None);
            }
        }
        let names = raw.get("names").and_then(Value::as_object).unwrap_or(&NOTHING);
        let is_silent = raw.get("versions").is_none_or(Value::is_null);
        Spec { group: text(raw, "group"), names, versions, is_silent, shared }
    }

    /// Whether the status of a version has a path of its own.
    pub(super) fn has_status(&self, version: &Version<'_>) -> bool {
        let own = self.versions.iter().any(|version| version.parts.subresources.is_some());
        if own { version.parts.has_status() } else { self.shared.has_status() }
    }
}

fn version(raw: &Json) -> Version<'_> {
    let part = |name: &str| raw.get(name).filter(|value| !value.is_null());
    let list = |name: &str| part(name).filter(|value| value.as_array().is_some_and(|list| !list.is_empty()));
    Version {
        name: text(raw, "name"),
        storage: raw.get("storage").and_then(Value::as_bool).unwrap_or(false),
        raw,
        parts: Parts {
            schema: part("schema"),
            subresources: part("subresources"),
            columns: list("additionalPrinterColumns"),
            selectable: list("selectableFields"),
        },
    }
}
