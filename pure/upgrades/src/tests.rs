//! What the explorer does not go through: how a group begins and ends, clusters, who joins and leaves; and what people are told.

mod agents;
mod leases;
mod restarts;
mod stories;
mod town;

use crate::Names;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Plain;

impl Names for Plain {
    type Group = &'static str;
    type Member = &'static str;
    type Version = &'static str;
    type Device = &'static str;
    type Cluster = &'static str;
    type Uid = u8;
    type Ticket = u8;
    type Text = String;
}
