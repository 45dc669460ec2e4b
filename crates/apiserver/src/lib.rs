//! An embedded Kubernetes API server: one process, one file.

mod auth;
mod authorize;
mod builtin_table;
mod crd;
mod discovery;
mod document;
mod hub;
mod key;
mod kinds;
mod negotiate;
mod openapi;
mod path;
mod status;
mod store;
mod table;
mod time;
mod user;
