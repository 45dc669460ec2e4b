//! Names as they are where it runs: text.

pub mod devices;

use std::fmt;

use crate::state::Names;

/// Names are text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Plain;

/// A name in a namespace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Named {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

impl Names for Plain {
    type Group = Named;
    type Member = String;
    type Version = String;
    type Device = String;
    type Cluster = String;
    type Uid = String;
    type Ticket = String;
    type Text = String;
}
