//! An IAM in memory that says what it was asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bowline_aws::{
    Action, Attached, Caller, Error, Holder, Iam, Kind, Listed, NewPolicy, NewRole, Policy, PolicyVersion,
    Role, Tags, Term, WebIdentity,
};

/// What is there, and what was asked.
#[derive(Default)]
pub(super) struct World {
    pub(super) heard: Vec<String>,
    pub(super) fails: BTreeMap<Action, Kind>,
    pub(super) policy: Option<Policy>,
    pub(super) versions: BTreeMap<u32, String>,
    pub(super) role: Option<Role>,
    pub(super) attached: BTreeSet<String>,
    pub(super) holders: Vec<Holder>,
    pub(super) profiles: Vec<String>,
    pub(super) inline: Vec<String>,
    /// Other people's policies, by ARN.
    pub(super) others: BTreeSet<String>,
}

/// One account with room for one policy and one role: who asks for others finds nothing.
#[derive(Clone, Default)]
pub(super) struct FakeIam {
    world: Arc<Mutex<World>>,
    term: Option<Term>,
}

impl FakeIam {
    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was asked since the last time.
    pub(super) fn heard(&self) -> Vec<String> {
        std::mem::take(&mut self.world().heard)
    }

    /// A call, unless whoever asks may not any more, or it is to fail.
    fn asked(&self, action: Action, about: &str) -> Result<MutexGuard<'_, World>, Error> {
        let may = self.term.as_ref().is_none_or(|term| term(Duration::from_secs(1)).is_some());
        let mut world = self.world();
        if !may {
            return Err(failed(action, Kind::Withheld));
        }
        world.heard.push(format!("{} {about}", action.name()));
        match world.fails.get(&action).cloned() {
            Some(kind) => Err(failed(action, kind)),
            None => Ok(world),
        }
    }

    fn on_policy(&self, action: Action, arn: &str, about: &str) -> Result<MutexGuard<'_, World>, Error> {
        let world = self.asked(action, about)?;
        let is_there = world.policy.as_ref().is_some_and(|policy| policy.arn == arn);
        if is_there { Ok(world) } else { Err(failed(action, Kind::NotFound)) }
    }

    fn on_role(&self, action: Action, name: &str, about: &str) -> Result<MutexGuard<'_, World>, Error> {
        let world = self.asked(action, about)?;
        let is_there = world.role.as_ref().is_some_and(|role| role.name == name);
        if is_there { Ok(world) } else { Err(failed(action, Kind::NotFound)) }
    }
}

fn failed(action: Action, kind: Kind) -> Error {
    Error { action, kind, code: None, message: "no".to_owned(), request_id: None }
}

fn version(world: &World, number: u32, is_told: bool) -> PolicyVersion {
    let id = format!("v{number}");
    PolicyVersion {
        is_default: world.policy.as_ref().is_some_and(|policy| policy.default_version == id),
        id,
        created: 0,
        document: is_told.then(|| world.versions.get(&number).cloned()).flatten(),
    }
}

/// Somebody else's policy.
fn others(arn: &str) -> Policy {
    Policy {
        arn: arn.to_owned(),
        name: String::new(),
        id: String::new(),
        path: String::new(),
        default_version: String::new(),
        attachments: 0,
        tags: Tags::new(),
    }
}

impl Iam for FakeIam {
    fn within(&self, term: Term) -> FakeIam {
        FakeIam { term: Some(term), ..self.clone() }
    }

    async fn create_policy(&self, new: &NewPolicy) -> Result<Policy, Error> {
        let mut world = self.asked(Action::CreatePolicy, &new.name)?;
        let policy = Policy {
            arn: format!("arn:aws:iam::123456789012:policy{}{}", new.path, new.name),
            name: new.name.clone(),
            id: "ANPA1".to_owned(),
            path: new.path.clone(),
            default_version: "v1".to_owned(),
            attachments: 0,
            tags: new.tags.clone(),
        };
        world.versions = BTreeMap::from([(1, new.document.clone())]);
        world.policy = Some(policy.clone());
        Ok(policy)
    }

    async fn create_policy_version(&self, arn: &str, document: &str) -> Result<PolicyVersion, Error> {
        let mut world = self.on_policy(Action::CreatePolicyVersion, arn, document)?;
        let number = world.versions.keys().max().copied().unwrap_or(0) + 1;
        world.versions.insert(number, document.to_owned());
        if let Some(policy) = &mut world.policy {
            policy.default_version = format!("v{number}");
        }
        Ok(version(&world, number, true))
    }

    async fn delete_policy_version(&self, arn: &str, version: &str) -> Result<(), Error> {
        let mut world = self.on_policy(Action::DeletePolicyVersion, arn, version)?;
        world.versions.retain(|number, _| format!("v{number}") != version);
        Ok(())
    }

    async fn delete_policy(&self, arn: &str) -> Result<(), Error> {
        self.on_policy(Action::DeletePolicy, arn, "")?.policy = None;
        Ok(())
    }

    async fn tag_policy(&self, arn: &str, tags: &Tags) -> Result<(), Error> {
        let mut world = self.on_policy(Action::TagPolicy, arn, "")?;
        if let Some(policy) = &mut world.policy {
            policy.tags.extend(tags.clone());
        }
        Ok(())
    }

    async fn create_role(&self, new: &NewRole) -> Result<Role, Error> {
        let mut world = self.asked(Action::CreateRole, &new.name)?;
        let role = Role {
            arn: format!("arn:aws:iam::123456789012:role{}{}", new.path, new.name),
            name: new.name.clone(),
            id: "AROA1".to_owned(),
            path: new.path.clone(),
            trust: new.trust.clone(),
            boundary: new.boundary.clone(),
            tags: new.tags.clone(),
        };
        world.role = Some(role.clone());
        Ok(role)
    }

    async fn update_assume_role_policy(&self, name: &str, trust: &str) -> Result<(), Error> {
        let mut world = self.on_role(Action::UpdateAssumeRolePolicy, name, trust)?;
        if let Some(role) = &mut world.role {
            trust.clone_into(&mut role.trust);
        }
        Ok(())
    }

    async fn put_role_permissions_boundary(&self, name: &str, boundary: &str) -> Result<(), Error> {
        let mut world = self.on_role(Action::PutRolePermissionsBoundary, name, boundary)?;
        if let Some(role) = &mut world.role {
            role.boundary = Some(boundary.to_owned());
        }
        Ok(())
    }

    async fn delete_role_permissions_boundary(&self, name: &str) -> Result<(), Error> {
        let mut world = self.on_role(Action::DeleteRolePermissionsBoundary, name, "")?;
        if let Some(role) = &mut world.role {
            role.boundary = None;
        }
        Ok(())
    }

    async fn tag_role(&self, name: &str, tags: &Tags) -> Result<(), Error> {
        let mut world = self.on_role(Action::TagRole, name, "")?;
        if let Some(role) = &mut world.role {
            role.tags.extend(tags.clone());
        }
        Ok(())
    }

    async fn attach_role_policy(&self, name: &str, policy: &str) -> Result<(), Error> {
        self.on_role(Action::AttachRolePolicy, name, policy)?.attached.insert(policy.to_owned());
        Ok(())
    }

    async fn detach_role_policy(&self, name: &str, policy: &str) -> Result<(), Error> {
        self.on_role(Action::DetachRolePolicy, name, policy)?.attached.remove(policy);
        Ok(())
    }

    async fn delete_role_policy(&self, name: &str, policy: &str) -> Result<(), Error> {
        self.on_role(Action::DeleteRolePolicy, name, policy)?.inline.retain(|inline| inline != policy);
        Ok(())
    }

    async fn delete_role(&self, name: &str) -> Result<(), Error> {
        self.on_role(Action::DeleteRole, name, "")?.role = None;
        Ok(())
    }

    async fn get_policy(&self, arn: &str) -> Result<Policy, Error> {
        if self.world().others.contains(arn) {
            return self.asked(Action::GetPolicy, arn).map(|_| others(arn));
        }
        let world = self.on_policy(Action::GetPolicy, arn, "")?;
        world.policy.clone().ok_or_else(|| failed(Action::GetPolicy, Kind::NotFound))
    }

    async fn get_policy_version(&self, arn: &str, id: &str) -> Result<PolicyVersion, Error> {
        let world = self.on_policy(Action::GetPolicyVersion, arn, id)?;
        let number = world.versions.keys().find(|number| format!("v{number}") == id).copied();
        let number = number.ok_or_else(|| failed(Action::GetPolicyVersion, Kind::NotFound))?;
        Ok(version(&world, number, true))
    }

    async fn list_policy_versions(&self, arn: &str) -> Result<Vec<PolicyVersion>, Error> {
        let world = self.on_policy(Action::ListPolicyVersions, arn, "")?;
        Ok(world.versions.keys().rev().map(|number| version(&world, *number, false)).collect())
    }

    async fn get_role(&self, name: &str) -> Result<Role, Error> {
        let world = self.on_role(Action::GetRole, name, "")?;
        world.role.clone().ok_or_else(|| failed(Action::GetRole, Kind::NotFound))
    }

    async fn list_attached_role_policies(&self, name: &str) -> Result<Vec<Attached>, Error> {
        let world = self.on_role(Action::ListAttachedRolePolicies, name, "")?;
        // AWS keeps no order.
        let all = world.attached.iter().rev();
        Ok(all.map(|arn| Attached { arn: arn.clone(), name: String::new() }).collect())
    }

    async fn list_entities_for_policy(&self, arn: &str) -> Result<Vec<Holder>, Error> {
        Ok(self.on_policy(Action::ListEntitiesForPolicy, arn, "")?.holders.clone())
    }

    async fn list_instance_profiles_for_role(&self, name: &str) -> Result<Vec<String>, Error> {
        Ok(self.on_role(Action::ListInstanceProfilesForRole, name, "")?.profiles.clone())
    }

    async fn list_role_policies(&self, name: &str) -> Result<Vec<String>, Error> {
        Ok(self.on_role(Action::ListRolePolicies, name, "")?.inline.clone())
    }

    async fn list_roles(&self, below: &str) -> Result<Vec<Listed>, Error> {
        self.asked(Action::ListRoles, below).map(|_| Vec::new())
    }

    async fn list_policies(&self, below: &str) -> Result<Vec<Listed>, Error> {
        self.asked(Action::ListPolicies, below).map(|_| Vec::new())
    }

    async fn get_caller_identity(&self) -> Result<Caller, Error> {
        let caller = |_| Caller { account: "123456789012".to_owned(), arn: String::new() };
        self.asked(Action::GetCallerIdentity, "").map(caller)
    }

    async fn assume_role_with_web_identity(&self, identity: &WebIdentity) -> Result<(), Error> {
        self.asked(Action::AssumeRoleWithWebIdentity, &identity.role_arn).map(drop)
    }
}
