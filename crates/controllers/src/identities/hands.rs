//! Each ask as the call of IAM that it is. A look is several: see [`super::look`].

use bowline_aws::{Error, Iam, NewPolicy, NewRole, Tags};
use bowline_identities::plain::{Document, Home, Named, Plain};
use bowline_identities::{Ask, Said};

/// Policies and roles have no path: their ARNs are known before they are made.
const PATH: &str = "/";

/// What asks AWS for one identity.
pub(super) struct Hands<'a, I> {
    pub(super) iam: &'a I,
    pub(super) home: &'a Home,
    pub(super) name: &'a Named,
    pub(super) uid: &'a str,
}

impl<I: Iam> Hands<'_, I> {
    pub(super) async fn ask(&self, what: &Ask<Plain>) -> Result<Said<Plain>, Error> {
        let (iam, role, policy) = (self.iam, self.role_name(), self.policy_arn());
        let done = match what {
            Ask::Look { goes } => return self.look(*goes).await,
            Ask::Check(others) => return self.check(others).await,
            Ask::CreatePolicy(document) => {
                let made = iam.create_policy(&self.new_policy(document)).await?;
                return Ok(Said::Made(made.arn));
            }
            Ask::CreatePolicyVersion(document) => {
                let made = iam.create_policy_version(&policy, document.text()).await?;
                let strange = || Said::Failed(format!("AWS calls a version of the policy {:?}", made.id));
                return Ok(number(&made.id).map_or_else(strange, Said::Version));
            }
            Ask::CreateRole { trust, boundary } => {
                let made = iam.create_role(&self.new_role(trust, boundary.as_deref())).await?;
                return Ok(Said::Made(made.arn));
            }
            Ask::DeletePolicyVersion(version) => {
                iam.delete_policy_version(&policy, &format!("v{version}")).await
            }
            Ask::TagPolicy => iam.tag_policy(&policy, &self.tags()).await,
            Ask::DeletePolicy => iam.delete_policy(&policy).await,
            Ask::UpdateAssumeRolePolicy(trust) => iam.update_assume_role_policy(&role, trust.text()).await,
            Ask::PutRolePermissionsBoundary(arn) => iam.put_role_permissions_boundary(&role, arn).await,
            Ask::DeleteRolePermissionsBoundary => iam.delete_role_permissions_boundary(&role).await,
            Ask::TagRole => iam.tag_role(&role, &self.tags()).await,
            Ask::AttachRolePolicy(arn) => iam.attach_role_policy(&role, arn).await,
            Ask::DetachRolePolicy(arn) => iam.detach_role_policy(&role, arn).await,
            Ask::DeleteRolePolicy(name) => iam.delete_role_policy(&role, name).await,
            Ask::DeleteRole => iam.delete_role(&role).await,
            Ask::Assume | Ask::LookAtAccount(..) | Ask::Publish { .. } | Ask::Withdraw(..) => {
                unreachable!("{what:?} is not asked of IAM")
            }
        };
        done.map(|()| Said::Done)
    }

    pub(super) fn role_name(&self) -> String {
        self.home.aws_name(self.name)
    }

    pub(super) fn policy_arn(&self) -> String {
        self.home.policy_arn(self.name)
    }

    fn tags(&self) -> Tags {
        self.home.tags(self.name, self.uid).into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn new_policy(&self, document: &Document) -> NewPolicy {
        NewPolicy {
            name: self.home.aws_name(self.name),
            path: PATH.to_owned(),
            description: format!("What the identity {} may do; kept so by Bowline", self.name),
            document: document.text().to_owned(),
            tags: self.tags(),
        }
    }

    fn new_role(&self, trust: &Document, boundary: Option<&str>) -> NewRole {
        NewRole {
            name: self.role_name(),
            path: PATH.to_owned(),
            description: format!("The role of the identity {}; kept so by Bowline", self.name),
            trust: trust.text().to_owned(),
            boundary: boundary.map(str::to_owned),
            tags: self.tags(),
        }
    }
}

/// The number of a version that AWS calls `v3`.
pub(super) fn number(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.parse().ok()
}
