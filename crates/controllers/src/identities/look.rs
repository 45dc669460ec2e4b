//! What is in AWS under the names of an identity.

use bowline_aws::{Error, Holder, Iam, Kind, PolicyVersion};
use bowline_identities::plain::{Document, Plain};
use bowline_identities::{Others, Policy, Role, Said};
use futures::future::join_all;
use futures::try_join;

use super::hands::{Hands, number};

impl<I: Iam> Hands<'_, I> {
    /// Policy and role, at the same time; if they are to go, also what keeps them.
    pub(super) async fn look(&self, goes: bool) -> Result<Said<Plain>, Error> {
        let (policy, role) = try_join!(self.policy(goes), self.role(goes))?;
        match policy.transpose() {
            Ok(policy) => Ok(Said::Seen { policy, role }),
            Err(strange) => Ok(Said::Failed(strange)),
        }
    }

    /// Whether other people's policies are there, all at the same time; if not, by the first field that names one.
    pub(super) async fn check(&self, others: &Others<Plain>) -> Result<Said<Plain>, Error> {
        let boundary = others.boundary.iter().map(|arn| ("spec.permissionsBoundary", arn));
        let managed = others.managed.iter().map(|arn| ("spec.managedPolicyArns", arn));
        let looks = boundary
            .chain(managed)
            .map(|(field, arn)| async move { (field, arn, self.iam.get_policy(arn).await) });
        let mut failed = None;
        for (field, arn, found) in join_all(looks).await {
            match found {
                Ok(_) => {}
                // Whether it is there is seen when it is used.
                Err(error) if matches!(error.kind, Kind::AccessDenied { .. }) => {}
                Err(error) if error.kind == Kind::NotFound => {
                    let action = error.action;
                    return Ok(Said::Refused(format!(
                        "{field}: there is no policy {arn} ({action} does not find it); name one that is there"
                    )));
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(Said::Done), Err)
    }

    /// The policy, if it is there; or what is strange about it.
    async fn policy(&self, goes: bool) -> Result<Option<Result<Policy<Plain>, String>>, Error> {
        let arn = self.policy_arn();
        let Some(found) = there(self.iam.get_policy(&arn).await)? else { return Ok(None) };
        let (versions, default, held_by) = try_join!(
            self.iam.list_policy_versions(&arn),
            self.iam.get_policy_version(&arn, &found.default_version),
            self.holders(goes),
        )?;
        let tags = found.tags.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let whose = self.home.whose(self.name, tags);
        let document = Document::read(default.document.as_deref().unwrap_or_default());
        let numbers = numbers(&found.default_version, &versions);
        let policy = numbers.map(|(default, others)| Policy {
            arn: found.arn.clone(),
            whose,
            document,
            default,
            others,
            held_by,
        });
        Ok(Some(policy))
    }

    /// The role, if it is there.
    async fn role(&self, goes: bool) -> Result<Option<Role<Plain>>, Error> {
        let name = self.role_name();
        let Some(found) = there(self.iam.get_role(&name).await)? else { return Ok(None) };
        let (attached, mut inline, held_by) = try_join!(
            self.iam.list_attached_role_policies(&name),
            self.iam.list_role_policies(&name),
            self.keepers(&name, goes),
        )?;
        inline.sort_unstable();
        let tags = found.tags.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let whose = self.home.whose(self.name, tags);
        let mut attached: Vec<_> = attached.into_iter().map(|policy| policy.arn).collect();
        attached.sort_unstable();
        attached.dedup();
        let (trust, boundary) = (Document::read(&found.trust), found.boundary);
        Ok(Some(Role { arn: found.arn, whose, trust, boundary, attached, inline, held_by }))
    }

    /// What the policy is attached to, beside the role of that name.
    async fn holders(&self, goes: bool) -> Result<Vec<String>, Error> {
        if !goes {
            return Ok(Vec::new());
        }
        let ours = Holder::Role(self.role_name());
        let holders = self.iam.list_entities_for_policy(&self.policy_arn()).await?;
        let told = holders.into_iter().filter(|holder| *holder != ours).map(|holder| match holder {
            Holder::Role(name) => format!("the role {name}"),
            Holder::User(name) => format!("the user {name}"),
            Holder::Group(name) => format!("the group {name}"),
        });
        Ok(told.collect())
    }

    /// What keeps the role from going, and is not ours.
    async fn keepers(&self, name: &str, goes: bool) -> Result<Vec<String>, Error> {
        if !goes {
            return Ok(Vec::new());
        }
        let profiles = self.iam.list_instance_profiles_for_role(name).await?;
        Ok(profiles.into_iter().map(|name| format!("the instance profile {name}")).collect())
    }
}

/// That it is not there is an answer.
fn there<T>(found: Result<T, Error>) -> Result<Option<T>, Error> {
    match found {
        Err(error) if error.kind == Kind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// The number of the version that counts, and of the others, the oldest first.
fn numbers(default: &str, versions: &[PolicyVersion]) -> Result<(u32, Vec<u32>), String> {
    let read = |id: &str| number(id).ok_or_else(|| format!("AWS calls a version of the policy {id:?}"));
    let others = versions.iter().filter(|version| version.id != default);
    let mut others = others.map(|version| read(&version.id)).collect::<Result<Vec<_>, _>>()?;
    others.sort_unstable();
    Ok((read(default)?, others))
}
