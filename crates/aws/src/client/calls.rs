//! Each call as the SDK has it.

use aws_sdk_iam::types::{PolicyScopeType, Tag};

use super::{Client, convert};
use crate::action::Action;
use crate::error::{Arrival, Error, Kind};
use crate::iam::{Iam, Term};
use crate::model::{
    Attached, Caller, Holder, Listed, NewPolicy, NewRole, Policy, PolicyVersion, Role, Tags, WebIdentity,
};

/// The shortest session that AWS gives, in seconds: it is not used.
const SESSION_SECONDS: i32 = 900;

impl Iam for Client {
    fn within(&self, term: Term) -> Client {
        Client { term: Some(term), ..self.clone() }
    }

    async fn create_policy(&self, policy: &NewPolicy) -> Result<Policy, Error> {
        let action = Action::CreatePolicy;
        let call = self.iam.create_policy().policy_name(&policy.name).path(&policy.path);
        let call = call.description(&policy.description).policy_document(&policy.document);
        let call = call.set_tags(Some(tags(action, &policy.tags)?));
        let made = self.carry(action, call.send()).await?;
        given(action, made.policy()).map(convert::policy)
    }

    async fn create_policy_version(&self, arn: &str, document: &str) -> Result<PolicyVersion, Error> {
        let action = Action::CreatePolicyVersion;
        let call = self.iam.create_policy_version().policy_arn(arn).policy_document(document);
        let made = self.carry(action, call.set_as_default(true).send()).await?;
        given(action, made.policy_version()).map(convert::version)
    }

    async fn delete_policy_version(&self, arn: &str, version: &str) -> Result<(), Error> {
        let call = self.iam.delete_policy_version().policy_arn(arn).version_id(version);
        self.carry(Action::DeletePolicyVersion, call.send()).await.map(drop)
    }

    async fn delete_policy(&self, arn: &str) -> Result<(), Error> {
        let call = self.iam.delete_policy().policy_arn(arn);
        self.carry(Action::DeletePolicy, call.send()).await.map(drop)
    }

    async fn tag_policy(&self, arn: &str, wanted: &Tags) -> Result<(), Error> {
        let action = Action::TagPolicy;
        let call = self.iam.tag_policy().policy_arn(arn).set_tags(Some(tags(action, wanted)?));
        self.carry(action, call.send()).await.map(drop)
    }

    async fn create_role(&self, role: &NewRole) -> Result<Role, Error> {
        let action = Action::CreateRole;
        let call = self.iam.create_role().role_name(&role.name).path(&role.path);
        let call = call.description(&role.description).assume_role_policy_document(&role.trust);
        let call = call.set_permissions_boundary(role.boundary.clone());
        let call = call.set_tags(Some(tags(action, &role.tags)?));
        let made = self.carry(action, call.send()).await?;
        given(action, made.role()).map(convert::role)
    }

    async fn update_assume_role_policy(&self, name: &str, trust: &str) -> Result<(), Error> {
        let call = self.iam.update_assume_role_policy().role_name(name).policy_document(trust);
        self.carry(Action::UpdateAssumeRolePolicy, call.send()).await.map(drop)
    }

    async fn put_role_permissions_boundary(&self, name: &str, boundary: &str) -> Result<(), Error> {
        let call = self.iam.put_role_permissions_boundary().role_name(name).permissions_boundary(boundary);
        self.carry(Action::PutRolePermissionsBoundary, call.send()).await.map(drop)
    }

    async fn delete_role_permissions_boundary(&self, name: &str) -> Result<(), Error> {
        let call = self.iam.delete_role_permissions_boundary().role_name(name);
        self.carry(Action::DeleteRolePermissionsBoundary, call.send()).await.map(drop)
    }

    async fn tag_role(&self, name: &str, wanted: &Tags) -> Result<(), Error> {
        let action = Action::TagRole;
        let call = self.iam.tag_role().role_name(name).set_tags(Some(tags(action, wanted)?));
        self.carry(action, call.send()).await.map(drop)
    }

    async fn attach_role_policy(&self, name: &str, policy: &str) -> Result<(), Error> {
        let call = self.iam.attach_role_policy().role_name(name).policy_arn(policy);
        self.carry(Action::AttachRolePolicy, call.send()).await.map(drop)
    }

    async fn detach_role_policy(&self, name: &str, policy: &str) -> Result<(), Error> {
        let call = self.iam.detach_role_policy().role_name(name).policy_arn(policy);
        self.carry(Action::DetachRolePolicy, call.send()).await.map(drop)
    }

    async fn delete_role_policy(&self, name: &str, policy: &str) -> Result<(), Error> {
        let call = self.iam.delete_role_policy().role_name(name).policy_name(policy);
        self.carry(Action::DeleteRolePolicy, call.send()).await.map(drop)
    }

    async fn delete_role(&self, name: &str) -> Result<(), Error> {
        let call = self.iam.delete_role().role_name(name);
        self.carry(Action::DeleteRole, call.send()).await.map(drop)
    }

    async fn get_policy(&self, arn: &str) -> Result<Policy, Error> {
        let action = Action::GetPolicy;
        let found = self.carry(action, self.iam.get_policy().policy_arn(arn).send()).await?;
        given(action, found.policy()).map(convert::policy)
    }

    async fn get_policy_version(&self, arn: &str, version: &str) -> Result<PolicyVersion, Error> {
        let action = Action::GetPolicyVersion;
        let call = self.iam.get_policy_version().policy_arn(arn).version_id(version);
        let found = self.carry(action, call.send()).await?;
        given(action, found.policy_version()).map(convert::version)
    }

    async fn list_policy_versions(&self, arn: &str) -> Result<Vec<PolicyVersion>, Error> {
        let mut pages = Pages::new(Action::ListPolicyVersions);
        while let Some(marker) = pages.next() {
            let call = self.iam.list_policy_versions().policy_arn(arn).set_marker(marker);
            let page = self.carry(pages.action, call.send()).await?;
            pages.add(page.versions().iter().map(convert::version), page.is_truncated(), page.marker())?;
        }
        Ok(pages.all)
    }

    async fn get_role(&self, name: &str) -> Result<Role, Error> {
        let action = Action::GetRole;
        let found = self.carry(action, self.iam.get_role().role_name(name).send()).await?;
        given(action, found.role()).map(convert::role)
    }

    async fn list_attached_role_policies(&self, name: &str) -> Result<Vec<Attached>, Error> {
        let mut pages = Pages::new(Action::ListAttachedRolePolicies);
        while let Some(marker) = pages.next() {
            let call = self.iam.list_attached_role_policies().role_name(name).set_marker(marker);
            let page = self.carry(pages.action, call.send()).await?;
            let attached = page.attached_policies().iter().map(convert::attached);
            pages.add(attached, page.is_truncated(), page.marker())?;
        }
        Ok(pages.all)
    }

    async fn list_entities_for_policy(&self, arn: &str) -> Result<Vec<Holder>, Error> {
        let mut pages = Pages::new(Action::ListEntitiesForPolicy);
        while let Some(marker) = pages.next() {
            let call = self.iam.list_entities_for_policy().policy_arn(arn).set_marker(marker);
            let page = self.carry(pages.action, call.send()).await?;
            let holders = convert::holders(&page);
            pages.add(holders.into_iter(), page.is_truncated(), page.marker())?;
        }
        Ok(pages.all)
    }

    async fn list_instance_profiles_for_role(&self, name: &str) -> Result<Vec<String>, Error> {
        let mut pages = Pages::new(Action::ListInstanceProfilesForRole);
        while let Some(marker) = pages.next() {
            let call = self.iam.list_instance_profiles_for_role().role_name(name).set_marker(marker);
            let page = self.carry(pages.action, call.send()).await?;
            let names = page.instance_profiles().iter().map(|one| one.instance_profile_name().to_owned());
            pages.add(names, page.is_truncated(), page.marker())?;
        }
        Ok(pages.all)
    }

    async fn list_role_policies(&self, name: &str) -> Result<Vec<String>, Error> {
        let mut pages = Pages::new(Action::ListRolePolicies);
        while let Some(marker) = pages.next() {
            let call = self.iam.list_role_policies().role_name(name).set_marker(marker);
            let page = self.carry(pages.action, call.send()).await?;
            pages.add(page.policy_names().iter().cloned(), page.is_truncated(), page.marker())?;
        }
        Ok(pages.all)
    }

    async fn list_roles(&self, below: &str) -> Result<Vec<Listed>, Error> {
        let mut pages = Pages::new(Action::ListRoles);
        while let Some(marker) = pages.next() {
            let call = self.iam.list_roles().path_prefix(below).set_marker(marker);
            let page = self.carry(pages.action, call.send()).await?;
            pages.add(page.roles().iter().map(convert::listed_role), page.is_truncated(), page.marker())?;
        }
        Ok(pages.all)
    }

    async fn list_policies(&self, below: &str) -> Result<Vec<Listed>, Error> {
        let mut pages = Pages::new(Action::ListPolicies);
        while let Some(marker) = pages.next() {
            let call = self.iam.list_policies().scope(PolicyScopeType::Local).path_prefix(below);
            let page = self.carry(pages.action, call.set_marker(marker).send()).await?;
            let listed = page.policies().iter().map(convert::listed_policy);
            pages.add(listed, page.is_truncated(), page.marker())?;
        }
        Ok(pages.all)
    }

    async fn get_caller_identity(&self) -> Result<Caller, Error> {
        let caller = self.carry(Action::GetCallerIdentity, self.sts.get_caller_identity().send()).await?;
        Ok(convert::caller(&caller))
    }

    async fn assume_role_with_web_identity(&self, identity: &WebIdentity) -> Result<(), Error> {
        let call = self.sts.assume_role_with_web_identity().role_arn(&identity.role_arn);
        let call = call.role_session_name(&identity.session).web_identity_token(identity.token.reveal());
        let call = call.duration_seconds(SESSION_SECONDS);
        self.carry(Action::AssumeRoleWithWebIdentity, call.send()).await.map(drop)
    }
}

fn tags(action: Action, tags: &Tags) -> Result<Vec<Tag>, Error> {
    convert::tags_to(tags).map_err(|error| Error::unanswered(action, Kind::Malformed, error.to_string()))
}

/// What an answer has to hold. If it does not, it is no answer, and who knows what was done.
fn given<T>(action: Action, part: Option<T>) -> Result<T, Error> {
    part.ok_or_else(|| strange(action, "AWS's answer does not hold what was asked for"))
}

fn strange(action: Action, what: &str) -> Error {
    Error::unanswered(action, Kind::Unavailable(Arrival::MayHaveArrived), what)
}

/// A list that comes in pages.
struct Pages<T> {
    action: Action,
    all: Vec<T>,
    next: Option<Option<String>>,
    /// Where the last page began: a list that comes back there would never end.
    began: Option<String>,
}

impl<T> Pages<T> {
    fn new(action: Action) -> Pages<T> {
        Pages { action, all: Vec::new(), next: Some(None), began: None }
    }

    /// Where the next page begins, if there is one.
    fn next(&mut self) -> Option<Option<String>> {
        let next = self.next.take()?;
        self.began.clone_from(&next);
        Some(next)
    }

    fn add(
        &mut self,
        page: impl Iterator<Item = T>,
        is_truncated: bool,
        marker: Option<&str>,
    ) -> Result<(), Error> {
        self.all.extend(page);
        if !is_truncated {
            return Ok(());
        }
        let marker = given(self.action, marker)?;
        if self.began.as_deref() == Some(marker) {
            return Err(strange(self.action, "AWS's list does not go on"));
        }
        self.next = Some(Some(marker.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_until_the_last() -> Result<(), Error> {
        let mut pages = Pages::new(Action::ListRoles);
        assert_eq!(pages.next(), Some(None));
        pages.add([1, 2].into_iter(), true, Some("a"))?;
        assert_eq!(pages.next(), Some(Some("a".to_owned())));
        pages.add([3].into_iter(), false, Some("left over"))?;
        assert_eq!((pages.next(), pages.all), (None, vec![1, 2, 3]));
        Ok(())
    }

    #[test]
    fn a_list_that_does_not_go_on_is_an_error() -> Result<(), Error> {
        let mut pages = Pages::new(Action::ListRoles);
        pages.next();
        pages.add([1].into_iter(), true, Some("a"))?;
        pages.next();
        assert!(pages.add([1].into_iter(), true, Some("a")).is_err());
        assert!(pages.add([1].into_iter(), true, None).is_err());
        Ok(())
    }
}
