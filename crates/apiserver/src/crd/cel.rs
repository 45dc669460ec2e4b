//! Rules of schemas (`x-kubernetes-validations`), written in CEL.
//!
//! Expressions are read, typed, priced and evaluated here: what Kubernetes lets in depends on types and costs, which
//! no library for Rust knows, and nothing else bounds how long a rule runs.

mod admission;
mod calls;
mod check;
mod convert;
mod cost;
mod declared;
mod eval;
mod functions;
mod lexer;
mod library;
mod literals;
mod macros;
mod operators;
mod parser;
pub(crate) mod policy;
mod ratchet;
mod rules;
mod syntax;
mod types;
mod unify;
mod value;

pub(super) use admission::admit;
pub(crate) use library::{Decision, Question, Subject};
pub(super) use rules::{Rules, not_checked};

#[cfg(test)]
mod tests;
