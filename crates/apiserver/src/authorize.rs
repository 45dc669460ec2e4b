//! Whether a user may do what is asked.

use crate::user::User;

/// What is asked, as it was parsed: what is authorised is what is served.
#[derive(Clone, Debug)]
pub struct Attributes<'a> {
    /// Who asks.
    pub user: &'a User,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method.
    pub verb: &'a str,
    /// Of what.
    pub what: What<'a>,
}

/// Of what something is asked.
#[derive(Clone, Debug)]
pub enum What<'a> {
    /// A resource, or an object of it.
    Resource {
        /// Empty for the core kinds.
        group: &'a str,
        /// The plural name of the kind.
        plural: &'a str,
        /// Empty for the object itself.
        subresource: &'a str,
        /// Empty for all namespaces, and for what has none.
        namespace: &'a str,
        /// Empty for all objects.
        name: &'a str,
    },
    /// Another path.
    Path(&'a str),
}
