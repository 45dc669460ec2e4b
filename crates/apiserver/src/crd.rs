//! Definitions of kinds (CustomResourceDefinitions), and what they say of their objects.
//!
//! - [`definition`] admits a definition: defaults, validation on create, update and update of the status.
//! - [`lifecycle`] decides what becomes of it afterwards: names, conditions, deletion.
//! - [`Custom`] is one served version, compiled once; [`Compiled`] keeps the kinds that definitions add.

mod cel;
mod compiled;
mod custom;
pub(crate) mod definition;
mod embedded;
pub(crate) mod lifecycle;
mod scale;
pub(crate) mod served;

pub(crate) use cel::policy;
pub(crate) use cel::{Decision, Question, Subject};
pub(crate) use compiled::Compiled;
pub(crate) use custom::{Custom, Part, Verdict, finalizer_warnings};

use crate::key::Resource;

/// The resource of definitions.
pub(crate) fn definitions() -> Resource {
    Resource::new("apiextensions.k8s.io", "customresourcedefinitions")
}
