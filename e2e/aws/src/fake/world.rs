//! What there is in the account.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

use super::signed::Provider;
use super::slot::{Lag, Slot};

/// The account.
pub(super) const ACCOUNT: &str = "123456789012";
/// Policies that AWS itself has: some of its many.
const AWS_POLICIES: &[&str] =
    &["AdministratorAccess", "AmazonS3ReadOnlyAccess", "PowerUserAccess", "ReadOnlyAccess", "ViewOnlyAccess"];

/// A policy.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    pub(super) arn: String,
    pub(super) name: String,
    pub(super) path: String,
    pub(super) id: String,
    pub(super) description: String,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) created: u64,
    /// By their numbers, of which none is used twice.
    pub(super) versions: BTreeMap<u32, Version>,
    pub(super) default: u32,
    pub(super) last: u32,
}

/// A version of one.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) document: String,
    pub(super) created: u64,
}

/// A role.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) arn: String,
    pub(super) name: String,
    pub(super) path: String,
    pub(super) id: String,
    pub(super) description: String,
    pub(super) trust: String,
    pub(super) boundary: Option<String>,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) attached: BTreeSet<String>,
    /// The documents that are written into it, by name.
    pub(super) inline: BTreeMap<String, String>,
    pub(super) created: u64,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct World {
    /// By ARN.
    pub(super) policies: BTreeMap<String, Slot<Policy>>,
    /// By name.
    pub(super) roles: BTreeMap<String, Slot<Role>>,
    /// By the address of their issuer, without `https://`.
    pub(super) providers: BTreeMap<String, Provider>,
    /// How long reads show what was.
    pub(super) lag: Lag,
    /// Things in a page of a list.
    pub(super) page: usize,
    serial: u64,
}

impl World {
    /// An empty one.
    pub(super) fn in_pages_of(page: usize) -> World {
        World { page, ..World::default() }
    }

    /// An id that nothing else has.
    pub(super) fn id(&mut self, prefix: &str) -> String {
        self.serial += 1;
        format!("{prefix}{:017}", self.serial)
    }

    /// The policy, if there is one now.
    pub(super) fn policy(&self, arn: &str) -> Option<&Policy> {
        self.policies.get(arn)?.truth()
    }

    /// The role, if there is one now.
    pub(super) fn role(&self, name: &str) -> Option<&Role> {
        self.roles.get(name)?.truth()
    }

    /// Puts a policy there, or takes it away.
    pub(super) fn set_policy(&mut self, arn: &str, policy: Option<Policy>) {
        let lag = self.lag;
        self.policies.entry(arn.to_owned()).or_insert_with(Slot::empty).set(policy, lag);
    }

    /// Puts a role there, or takes it away.
    pub(super) fn set_role(&mut self, name: &str, role: Option<Role>) {
        let lag = self.lag;
        self.roles.entry(name.to_owned()).or_insert_with(Slot::empty).set(role, lag);
    }

    /// What a read shows of a policy.
    pub(super) fn read_policy(&mut self, arn: &str) -> Option<Policy> {
        if let Some(name) = of_aws(arn) {
            return Some(Policy { arn: arn.to_owned(), name: name.to_owned(), ..Policy::default() });
        }
        self.policies.get_mut(arn)?.read().cloned()
    }

    /// What a read shows of a role.
    pub(super) fn read_role(&mut self, name: &str) -> Option<Role> {
        self.roles.get_mut(name)?.read().cloned()
    }

    /// Whether a policy can be attached: one of the account's, or one of AWS's own.
    pub(super) fn is_attachable(&self, arn: &str) -> bool {
        self.policy(arn).is_some() || of_aws(arn).is_some()
    }

    /// How many roles have a policy.
    pub(super) fn attachments(&self, arn: &str) -> usize {
        self.roles.values().filter_map(Slot::truth).filter(|role| role.attached.contains(arn)).count()
    }

    /// How many roles have a policy for their boundary.
    pub(super) fn bounds(&self, arn: &str) -> usize {
        let bounded = |role: &&Role| role.boundary.as_deref() == Some(arn);
        self.roles.values().filter_map(Slot::truth).filter(bounded).count()
    }
}

/// What a policy is called that AWS itself has.
fn of_aws(arn: &str) -> Option<&str> {
    arn.strip_prefix("arn:aws:iam::aws:policy/").filter(|name| AWS_POLICIES.contains(name))
}

/// Now, in seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
