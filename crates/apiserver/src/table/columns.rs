//! The columns of the built-in kinds: a table that is generated from the real server.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::value::RawValue;

use crate::kinds::Kind;

static TABLE: &str = include_str!("../../data/columns.json");

/// By `apps/v1/deployments`.
static COLUMNS: LazyLock<BTreeMap<&'static str, &'static RawValue>> =
    LazyLock::new(|| serde_json::from_str(TABLE).expect("the table is generated"));

/// The columns of a built-in kind. One that is not in the table has those that any has.
pub(super) fn of(kind: &Kind) -> &'static str {
    let name = format!("{}/{}", kind.api_version(), kind.plural);
    let found = COLUMNS.get(&*name).or_else(|| COLUMNS.get("default"));
    found.map_or("[]", |columns| columns.get())
}

/// Whether a built-in kind has no columns of its own.
pub(super) fn are_of_any(kind: &Kind) -> bool {
    COLUMNS.get("default").is_some_and(|columns| columns.get() == of(kind))
}

/// The columns that one of custom kind has, if its definition does not say: the name, and the age.
pub(super) fn of_any(name: &str) -> &'static str {
    COLUMNS.get(name).map_or("{}", |column| column.get())
}
