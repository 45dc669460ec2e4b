//! How TLA+ writes values.

use std::fmt::Display;

pub(super) fn boolean(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

/// The value, or `NULL`.
pub(super) fn or_null(value: Option<impl Display>) -> String {
    value.map_or_else(|| "NULL".into(), |value| value.to_string())
}

/// The name of the `index`-th part: `w1`, `w2`, …
pub(super) fn indexed(prefix: &str, index: u8) -> String {
    format!("{prefix}{}", u32::from(index) + 1)
}

/// A set: `{n1, n2}`.
pub(super) fn set(members: impl IntoIterator<Item = String>) -> String {
    format!("{{{}}}", members.into_iter().collect::<Vec<_>>().join(", "))
}

/// A sequence: `<<irsa, policy>>`.
pub(super) fn sequence(items: impl IntoIterator<Item = String>) -> String {
    format!("<<{}>>", items.into_iter().collect::<Vec<_>>().join(", "))
}
