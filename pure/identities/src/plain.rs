//! Names, documents and wishes as they are where it runs: text, JSON, and what AWS takes.

pub mod children;
mod document;
mod naming;
mod validate;

use std::collections::BTreeMap;
use std::fmt;

pub use self::document::Document;
pub use self::naming::{BadProvider, Home, Marks, PREFIX, beginning, may_be_of};
pub use self::validate::Problem;
use crate::state::{Identity, Names, Wanted};

/// Names are text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Plain;

/// A name in a namespace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Named {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// What a person wants of the policy and the role.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Grant {
    /// The statements of the policy.
    pub statements: Vec<Statement>,
    /// Other people's policies that the role has.
    pub managed: Vec<String>,
    /// What the role may do at most.
    pub boundary: Option<String>,
}

/// A statement of a policy.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Statement {
    /// What it is called in the policy.
    pub sid: Option<String>,
    /// `Allow` or `Deny`.
    pub effect: String,
    /// What is allowed or denied.
    pub actions: Vec<String>,
    /// On what.
    pub resources: Vec<String>,
    /// When: by operator, then by key.
    pub condition: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

/// Who signs the tokens of a cluster's service accounts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Issuer {
    /// Its address, without `https://`.
    pub url: String,
    /// What AWS calls it.
    pub provider: String,
}

impl Names for Plain {
    type Name = Named;
    type Account = Named;
    type Cluster = String;
    type Uid = String;
    type Arn = String;
    type Document = Document;
    type Grant = Grant;
    type Issuer = Issuer;
    type Text = String;
    type Home = Home;

    fn wanted(_: &Home, identity: &Identity<Plain>, issuers: &[Issuer]) -> Result<Wanted<Plain>, String> {
        let grant = &identity.wish.grant;
        let policy = (!grant.statements.is_empty()).then(|| Document::policy(&grant.statements));
        let trust = Document::trust(issuers, &identity.wish.account);
        let problems = validate::problems(grant, policy.as_ref(), &trust);
        if !problems.is_empty() {
            return Err(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
        }
        let mut managed = grant.managed.clone();
        managed.sort_unstable();
        managed.dedup();
        Ok(Wanted { policy, trust, boundary: grant.boundary.clone(), managed })
    }

    fn issuer(home: &Home) -> Issuer {
        home.issuer.clone()
    }

    fn policy_arn(home: &Home, name: &Named) -> String {
        home.policy_arn(name)
    }

    fn is_called(home: &Home, name: &Named, arn: &String) -> bool {
        arn.rsplit('/').next() == Some(&home.aws_name(name))
    }

    fn name(name: &Named) -> String {
        name.to_string()
    }

    fn arn(arn: &String) -> String {
        arn.clone()
    }

    fn cluster(cluster: &String) -> String {
        cluster.clone()
    }

    fn account(account: &Named) -> String {
        account.to_string()
    }
}
