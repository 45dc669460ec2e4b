//! What AWS calls the policy and the role of an identity, and whose they say they are.

use std::fmt;

use sha2::{Digest, Sha256};

use super::{Issuer, Named};
use crate::aws::Whose;

/// The longest name of a role in AWS.
const LONGEST: usize = 64;
/// How many bytes of the hash a name ends with.
const HASH: usize = 8;

/// What the names of all policies and roles of ours begin with.
pub const PREFIX: &str = "bowline-";

const HUB: &str = "bowline.dev/hub";
const NAMESPACE: &str = "bowline.dev/namespace";
const NAME: &str = "bowline.dev/name";
const UID: &str = "bowline.dev/uid";

/// What the hub knows of itself and of AWS.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Home {
    hub: String,
    cluster: String,
    partition: String,
    account: String,
    pub(super) issuer: Issuer,
}

/// What is no ARN of an OIDC provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadProvider(String);

impl fmt::Display for BadProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no ARN of an OIDC provider: it looks like arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X",
            self.0
        )
    }
}

impl std::error::Error for BadProvider {}

impl Issuer {
    /// The issuer that AWS knows by this ARN.
    ///
    /// # Errors
    /// If it is none.
    pub fn of(provider: &str) -> Result<Issuer, BadProvider> {
        let url = parts(provider).map(|(_, _, url)| url.to_owned());
        let url = url.ok_or_else(|| BadProvider(provider.to_owned()))?;
        Ok(Issuer { url, provider: provider.to_owned() })
    }
}

/// Partition, account and address.
fn parts(provider: &str) -> Option<(&str, &str, &str)> {
    let mut parts = provider.splitn(6, ':');
    let (arn, partition, service) = (parts.next()?, parts.next()?, parts.next()?);
    let (region, account, resource) = (parts.next()?, parts.next()?, parts.next()?);
    let url = resource.strip_prefix("oidc-provider/").filter(|url| !url.is_empty())?;
    let is_number = account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit());
    let is_arn = arn == "arn" && service == "iam" && region.is_empty() && !partition.is_empty();
    (is_arn && is_number).then_some((partition, account, url))
}

impl Home {
    /// The hub with this id, whose identities are called after this cluster, and whose accounts' tokens are signed by this
    /// provider.
    ///
    /// # Errors
    /// If it is none.
    pub fn new(hub: &str, cluster: &str, provider: &str) -> Result<Home, BadProvider> {
        let issuer = Issuer::of(provider)?;
        let (partition, account, _) = parts(provider).ok_or_else(|| BadProvider(provider.to_owned()))?;
        let (partition, account) = (partition.to_owned(), account.to_owned());
        Ok(Home { hub: hub.to_owned(), cluster: cluster.to_owned(), partition, account, issuer })
    }

    /// What the policy and the role of an identity are called in AWS: as much of the name as there is room for, and a hash of
    /// all of it, since `a-b` in `c` and `a` in `b-c` would be one else.
    pub fn aws_name(&self, name: &Named) -> String {
        let begin = cut(&format!("{PREFIX}{}-{}-{}", self.cluster, name.namespace, name.name));
        let mut hasher = Sha256::new();
        for part in [&self.hub, &self.cluster, &name.namespace, &name.name] {
            hasher.update(part.as_bytes());
            hasher.update([0]);
        }
        let hash: String = hasher.finalize().iter().take(HASH).map(|byte| format!("{byte:02x}")).collect();
        format!("{begin}-{hash}")
    }

    /// What AWS calls, or will call, the policy of an identity.
    pub fn policy_arn(&self, name: &Named) -> String {
        format!("arn:{}:iam::{}:policy/{}", self.partition, self.account, self.aws_name(name))
    }

    /// The tags by which something in AWS is an identity's.
    pub fn tags(&self, name: &Named, uid: &str) -> [(&'static str, String); 4] {
        [
            (HUB, self.hub.clone()),
            (NAMESPACE, name.namespace.clone()),
            (NAME, name.name.clone()),
            (UID, uid.to_owned()),
        ]
    }

    /// Whose something with these tags is, of an identity with this name.
    pub fn whose<'a>(
        &self,
        name: &Named,
        tags: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    ) -> Whose<String> {
        match Marks::read(tags) {
            Some(marks) if marks.hub == self.hub && marks.name == *name => Whose::Ours(marks.uid),
            _ => Whose::Theirs,
        }
    }
}

/// Whose something in AWS is, as its tags say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marks {
    /// The hub.
    pub hub: String,
    /// The identity.
    pub name: Named,
    /// Which of those that had that name; empty if it does not say.
    pub uid: String,
}

impl Marks {
    /// What these tags say; `None` if they do not say that it is an identity's.
    pub fn read<'a>(tags: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Option<Marks> {
        let tag = |key: &str| tags.clone().find(|(name, _)| *name == key).map(|(_, value)| value.to_owned());
        let name = Named { namespace: tag(NAMESPACE)?, name: tag(NAME)? };
        Some(Marks { hub: tag(HUB)?, name, uid: tag(UID).unwrap_or_default() })
    }
}

/// What the names of all policies and roles begin with that are called after this cluster.
pub fn beginning(cluster: &str) -> String {
    cut(&format!("{PREFIX}{cluster}-"))
}

/// As much of a name as there is room for before the hash, in characters that AWS takes.
fn cut(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "+=,.@_-".contains(c);
    name.chars().map(|c| if allowed(c) { c } else { '-' }).take(LONGEST - 1 - 2 * HASH).collect()
}

/// Whether something that AWS calls like this may be of the identity: by its name alone, from which the hub and the cluster
/// cannot be read, and which may have been cut.
pub fn may_be_of(called: &str, name: &Named) -> bool {
    let whole = called.len().checked_sub(1 + 2 * HASH).and_then(|end| called.get(..end));
    let is_it = |begin: &str| begin.ends_with(&format!("-{}-{}", name.namespace, name.name));
    whole.is_some_and(|begin| begin.starts_with(PREFIX) && (called.len() == LONGEST || is_it(begin)))
}
