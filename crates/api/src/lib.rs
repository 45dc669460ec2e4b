//! Bowline's kinds, `bowline.dev/v1alpha1`: what users write, what controllers say, and what is refused at the
//! door.
//!
//! One module per system, one file per kind. Descriptions, defaults, bounds and rules stand at the fields, and
//! become the schema: [`crds`] gives the definitions that a server is given, [`cluster_roles`] the roles of teams.
//!
//! - A value that was left out, `null` and an empty list or map are the same, and are written as nothing.
//! - A default is in the schema and in `Default`, and is the same in both.
//! - What a wrong object can be known by without looking at another one, is refused by the schema or by a rule
//!   in CEL; the message says what to do. The rest is for controllers, who say it in `status`.
//! - Epochs and numbers of versions never fall; rules see to that too.

pub mod conditions;
pub mod identities;
pub mod placements;
pub mod updates;
pub mod upgrades;

mod definitions;
mod roles;
mod scalars;
mod selector;

pub use definitions::{crds, definition};
pub use roles::cluster_roles;
pub use scalars::{Arn, Digest, Epoch, Name, Namespace, ShortName, Version, VersionName};

/// The API group of all kinds.
pub const GROUP: &str = "bowline.dev";
/// The version of all kinds.
pub const VERSION: &str = "v1alpha1";
/// The namespace of what belongs to Bowline itself.
pub const SYSTEM_NAMESPACE: &str = "bowline-system";
/// The type of the Secrets that hold parts of bundles and of inventories.
pub const PART_SECRET_TYPE: &str = "bowline.dev/part";

/// The label by which what is installed says which Bowline it is of: an older one leaves it as it is.
pub(crate) fn version() -> (String, String) {
    ("app.kubernetes.io/version".to_owned(), env!("CARGO_PKG_VERSION").to_owned())
}

/// For fields whose `false` is written as nothing.
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}
