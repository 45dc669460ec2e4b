//! An embedded Kubernetes API server: one process, one file.

mod authorize;
mod crd;
mod document;
mod field_validation;
mod hub;
mod key;
mod kinds;
mod path;
mod status;
mod store;
mod time;
mod user;
