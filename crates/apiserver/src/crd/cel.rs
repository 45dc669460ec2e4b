//! Rules of schemas (`x-kubernetes-validations`), written in CEL.
//!
//! Expressions are read, typed, priced and evaluated here, because what Kubernetes lets in depends on types and
//! costs, and because nothing else bounds how long a rule runs; the functions of its libraries are kube-cel's.

mod admission;
mod calls;
mod check;
mod convert;
mod cost;
mod declared;
mod eval;
mod foreign;
mod functions;
mod lexer;
mod library;
mod literals;
mod macros;
mod operators;
mod parser;
mod rules;
mod syntax;
mod types;
mod unify;
mod value;

pub(super) use admission::admit;
pub(super) use rules::{Rules, not_checked};

#[cfg(test)]
mod tests;
