//! The clients and controllers of kube-rs, unchanged, on the hub: over TLS and in process.

mod clients;
mod controllers;
mod discovery;
mod fleet;
mod leases;
mod metadata;
mod objects;
mod patches;
mod restarts;
mod subresources;
mod watchers;
mod widget;
