//! `bowline join`: a kubeconfig for an agent, with no more rights than it needs.

mod kubeconfig;
mod node;
mod rights;
mod syncer;
mod syncer_rights;

pub(crate) use self::node::{Node, node};
pub(crate) use self::syncer::{Syncer, syncer};
