//! Definitions of kinds, and what they say of their objects.

/// What a definition says of one version of its kind.
#[derive(Debug)]
pub struct Custom {
    /// The JSON of the version: `spec.versions[i]`.
    pub version: serde_json::Value,
}
