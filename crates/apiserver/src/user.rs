//! Who asks.

use std::collections::BTreeMap;

/// Who asks. In-process clients put one into the extensions of their requests.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct User {
    /// The name.
    pub name: String,
    /// What tells the user from one that had the name before; may be empty.
    pub uid: String,
    /// The groups that the user is in.
    pub groups: Vec<String>,
    /// What else the authenticator knows.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The group of those who may do everything.
pub(crate) const MASTERS: &str = "system:masters";
/// The group of all whom somebody knows.
pub(crate) const AUTHENTICATED: &str = "system:authenticated";
/// The group of all whom nobody knows.
pub(crate) const UNAUTHENTICATED: &str = "system:unauthenticated";
/// Somebody that nobody knows.
pub(crate) const ANONYMOUS: &str = "system:anonymous";

impl User {
    /// Somebody that nobody knows.
    pub fn anonymous() -> User {
        User { name: ANONYMOUS.into(), groups: vec![UNAUTHENTICATED.into()], ..User::default() }
    }

    /// A service account; `uid` may be empty.
    pub fn service_account(namespace: &str, name: &str, uid: &str) -> User {
        User {
            name: format!("system:serviceaccount:{namespace}:{name}"),
            uid: uid.into(),
            groups: service_account_groups(namespace).into(),
            ..User::default()
        }
    }

    /// The server itself: who makes what a fresh server has, and does the chores.
    pub fn server() -> User {
        User {
            name: "system:apiserver".into(),
            groups: vec![MASTERS.into(), AUTHENTICATED.into()],
            ..User::default()
        }
    }

    /// Whether the user is in the group.
    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|other| other == group)
    }
}

/// The groups of all service accounts of a namespace.
pub(crate) fn service_account_groups(namespace: &str) -> [String; 2] {
    ["system:serviceaccounts".into(), format!("system:serviceaccounts:{namespace}")]
}
