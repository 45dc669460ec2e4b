//! `bowline update`: versions of a cluster's configuration.

mod allowed;
mod content;
mod diff;
mod follow;
mod foresee;
mod list;
mod meter;
mod named;
mod plan;
mod release;
mod rollback;
mod settings;
mod show;
mod stacks;
mod submit;
mod unlock;
mod watch;

use std::path::Path;

use bowline_api::updates::{Bundle, Stack, Update, UpdatePhase, UpdateStatus};
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, ResourceExt};

pub(crate) use self::diff::diff;
pub(crate) use self::follow::Following;
pub(crate) use self::foresee::Question;
pub(crate) use self::list::{Which, list};
pub(crate) use self::named::Named;
pub(crate) use self::plan::plan;
pub(crate) use self::release::release;
pub(crate) use self::rollback::{Line, rollback};
pub(crate) use self::settings::{Settings, set};
pub(crate) use self::show::show;
pub(crate) use self::stacks::pause;
pub(crate) use self::submit::{Submission, submit};
pub(crate) use self::unlock::unlock;
pub(crate) use self::watch::watch;
use crate::team::{Scope, Team, WRITER, answered};

/// How often a write is tried again that somebody else was faster with.
const TRIES: usize = 8;

impl Scope {
    /// What to type for something that is to be looked at, or submitted, as it was now.
    fn command(&self, verb: &str, path: &Path, cluster: &str, stack: Option<&str>) -> String {
        let with = |option: &str, value: Option<&str>| {
            value.map_or_else(String::new, |value| format!(" {option} {value}"))
        };
        let (stack, namespace) = (with("--stack", stack), with("-n", self.namespace.as_deref()));
        format!("bowline update {verb} {} --cluster {cluster}{stack}{namespace}", path.display())
    }
}

impl Team {
    fn updates(&self) -> Api<Update> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn stacks(&self) -> Api<Stack> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn bundles(&self) -> Api<Bundle> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}

/// What an update says of itself; a new one has said nothing yet.
fn status(update: &Update) -> UpdateStatus {
    update.status.clone().unwrap_or_default()
}

/// What people call an update: its stack and its number, as soon as it has one.
fn title(update: &Update) -> String {
    match status(update).version {
        Some(version) => format!("{}/{version}", update.spec.stack),
        None => update.name_any(),
    }
}

/// The name of a phase.
fn word(phase: UpdatePhase) -> &'static str {
    match phase {
        UpdatePhase::Submitted => "Submitted",
        UpdatePhase::Rejected => "Rejected",
        UpdatePhase::Queued => "Queued",
        UpdatePhase::Superseded => "Superseded",
        UpdatePhase::Processing => "Processing",
        UpdatePhase::Failed => "Failed",
        UpdatePhase::Partial => "Partial",
        UpdatePhase::Succeeded => "Succeeded",
        UpdatePhase::PartialFailure => "PartialFailure",
        UpdatePhase::RolledBack => "RolledBack",
    }
}
