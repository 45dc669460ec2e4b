//! An embedded Kubernetes API server: one process, one file.

mod authorize;
mod builtin;
mod crd;
mod document;
mod field_validation;
mod hub;
mod key;
mod kinds;
mod metadata;
mod path;
mod protobuf;
mod quantity;
mod status;
mod store;
mod time;
mod user;
