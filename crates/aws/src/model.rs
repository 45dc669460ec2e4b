//! What is sent to IAM and what comes back, as plain data.

use std::collections::BTreeMap;
use std::fmt;

/// Tags by their key.
pub type Tags = BTreeMap<String, String>;

/// A policy to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewPolicy {
    /// Unique in the account, whatever its path.
    pub name: String,
    /// Begins and ends with `/`.
    pub path: String,
    /// What people read in the console. AWS never lets it be changed.
    pub description: String,
    /// What it allows, as JSON.
    pub document: String,
    /// Whose it is.
    pub tags: Tags,
}

/// A managed policy as AWS has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Its name in all of AWS.
    pub arn: String,
    /// Unique in the account.
    pub name: String,
    /// Another one for each policy, also for one made again under the same name.
    pub id: String,
    /// Begins and ends with `/`.
    pub path: String,
    /// The version that counts, like `v3`.
    pub default_version: String,
    /// How many roles, users and groups have it.
    pub attachments: u32,
    /// Whose it is.
    pub tags: Tags,
}

/// A version of a policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyVersion {
    /// Like `v3`. A number is never used again.
    pub id: String,
    /// It is the one that counts.
    pub is_default: bool,
    /// When it was made, in seconds since 1970.
    pub created: i64,
    /// What it allows, as JSON. Lists do not say it.
    pub document: Option<String>,
}

/// A role to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewRole {
    /// Unique in the account, whatever its path.
    pub name: String,
    /// Begins and ends with `/`.
    pub path: String,
    /// What people read in the console.
    pub description: String,
    /// Who may assume it, as JSON.
    pub trust: String,
    /// The policy that it can never exceed.
    pub boundary: Option<String>,
    /// Whose it is.
    pub tags: Tags,
}

/// A role as AWS has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Role {
    /// Its name in all of AWS.
    pub arn: String,
    /// Unique in the account.
    pub name: String,
    /// Another one for each role, also for one made again under the same name.
    pub id: String,
    /// Begins and ends with `/`.
    pub path: String,
    /// Who may assume it, as JSON.
    pub trust: String,
    /// The policy that it can never exceed.
    pub boundary: Option<String>,
    /// Whose it is.
    pub tags: Tags,
}

/// A policy that a role has.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Attached {
    /// Of the policy.
    pub arn: String,
    /// Of the policy.
    pub name: String,
}

/// Who has a policy, by name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Holder {
    /// A role.
    Role(String),
    /// A user.
    User(String),
    /// A group of users.
    Group(String),
}

/// A role or policy in a list. Lists of AWS say nothing of tags: `get_role` and `get_policy` do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Its name in all of AWS.
    pub arn: String,
    /// Unique in the account.
    pub name: String,
    /// Begins and ends with `/`.
    pub path: String,
}

/// Whom AWS takes us for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// Twelve digits.
    pub account: String,
    /// The user, or the role and its session.
    pub arn: String,
}

/// The try to be a role by a service account's token.
#[derive(Clone, Debug)]
pub struct WebIdentity {
    /// The role.
    pub role_arn: String,
    /// What the session is called in AWS's records.
    pub session: String,
    /// The token.
    pub token: Secret,
}

/// What must not be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes what is to be kept.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// What is kept, for the one that it is sent to.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(not shown)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_printed() {
        let identity = WebIdentity {
            role_arn: "arn".to_owned(),
            session: "s".to_owned(),
            token: Secret::new("eyJhbGciOi"),
        };
        let printed = format!("{identity:?}");
        assert!(printed.contains("(not shown)") && !printed.contains("eyJ"), "{printed}");
    }
}
