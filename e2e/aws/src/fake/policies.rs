//! The calls about policies.

use std::collections::BTreeMap;

use super::documents::{Purpose, check};
use super::lists;
use super::names;
use super::query::{Form, Xml};
use super::refusal::Refusal;
use super::wire;
use super::world::{ACCOUNT, Policy, Role, Version, World, now};

type Outcome = Result<Xml, Refusal>;

const LONGEST_NAME: usize = 128;
/// Versions of a policy.
const MOST_VERSIONS: usize = 5;

pub(super) fn create(world: &mut World, form: &Form) -> Outcome {
    let (name, document) = (form.need("PolicyName")?, form.need("PolicyDocument")?);
    let (path, description) = (form.get("Path").unwrap_or("/"), form.get("Description").unwrap_or_default());
    names::name("PolicyName", name, LONGEST_NAME)?;
    names::path(path)?;
    names::description(description)?;
    let tags = names::tagged(&BTreeMap::new(), &form.tags())?;
    check(document, Purpose::Permissions)?;
    // The path makes another ARN, but not another name.
    let has_name = |policy: &Policy| policy.name.eq_ignore_ascii_case(name);
    if world.policies.values().any(|slot| slot.truth().is_some_and(has_name)) {
        let message = format!("A policy called {name} already exists. Duplicate names are not allowed.");
        return Err(Refusal::exists(message));
    }
    let version = Version { document: document.to_owned(), created: now() };
    let policy = Policy {
        arn: format!("arn:aws:iam::{ACCOUNT}:policy{path}{name}"),
        name: name.to_owned(),
        path: path.to_owned(),
        id: world.id("ANPA"),
        description: description.to_owned(),
        tags,
        created: now(),
        versions: BTreeMap::from([(1, version)]),
        default: 1,
        last: 1,
    };
    let mut xml = Xml::default();
    wire::policy(&mut xml, "Policy", &policy, 0);
    world.set_policy(&policy.arn.clone(), Some(policy));
    Ok(xml)
}

pub(super) fn create_version(world: &mut World, form: &Form) -> Outcome {
    let document = form.need("PolicyDocument")?;
    let mut policy = existing(world, form)?;
    check(document, Purpose::Permissions)?;
    if policy.versions.len() >= MOST_VERSIONS {
        return Err(Refusal::limit(format!(
            "A managed policy can have up to {MOST_VERSIONS} versions. Before you create a new version, you must \
             delete an existing version."
        )));
    }
    policy.last += 1;
    policy.versions.insert(policy.last, Version { document: document.to_owned(), created: now() });
    if form.get("SetAsDefault") == Some("true") {
        policy.default = policy.last;
    }
    let mut xml = Xml::default();
    wire::version(&mut xml, "PolicyVersion", &policy, policy.last, false);
    world.set_policy(&policy.arn.clone(), Some(policy));
    Ok(xml)
}

pub(super) fn delete_version(world: &mut World, form: &Form) -> Outcome {
    let mut policy = existing(world, form)?;
    let number = version_of(&policy, form)?;
    if number == policy.default {
        return Err(Refusal::conflict("Cannot delete the default version of a policy."));
    }
    policy.versions.remove(&number);
    world.set_policy(&policy.arn.clone(), Some(policy));
    Ok(Xml::default())
}

pub(super) fn delete(world: &mut World, form: &Form) -> Outcome {
    let policy = existing(world, form)?;
    if world.attachments(&policy.arn) > 0 || world.bounds(&policy.arn) > 0 {
        return Err(Refusal::conflict("Cannot delete a policy attached to entities."));
    }
    if policy.versions.len() > 1 {
        return Err(Refusal::conflict(
            "This policy has more than one version. Before you delete a policy, you must delete the policy's \
             versions. The default version is deleted with the policy.",
        ));
    }
    world.set_policy(&policy.arn, None);
    Ok(Xml::default())
}

pub(super) fn tag(world: &mut World, form: &Form) -> Outcome {
    let mut policy = existing(world, form)?;
    policy.tags = names::tagged(&policy.tags, &form.tags())?;
    world.set_policy(&policy.arn.clone(), Some(policy));
    Ok(Xml::default())
}

pub(super) fn get(world: &mut World, form: &Form) -> Outcome {
    let policy = seen(world, form)?;
    let mut xml = Xml::default();
    wire::policy(&mut xml, "Policy", &policy, world.attachments(&policy.arn));
    Ok(xml)
}

pub(super) fn get_version(world: &mut World, form: &Form) -> Outcome {
    let policy = seen(world, form)?;
    let number = version_of(&policy, form)?;
    let mut xml = Xml::default();
    wire::version(&mut xml, "PolicyVersion", &policy, number, true);
    Ok(xml)
}

pub(super) fn list_versions(world: &mut World, form: &Form) -> Outcome {
    let policy = seen(world, form)?;
    let newest_first: Vec<_> = policy.versions.keys().rev().copied().collect();
    lists::page(world.page, form, "Versions", &newest_first, |xml, number| {
        wire::version(xml, "member", &policy, *number, false);
    })
}

/// Who has a policy, or has it as a boundary. There are no users and groups here.
pub(super) fn list_holders(world: &mut World, form: &Form) -> Outcome {
    let arn = seen(world, form)?.arn;
    let roles = world.roles.values_mut().filter_map(|slot| slot.read().cloned());
    let has_it = |role: &Role| role.attached.contains(&arn) || role.boundary.as_ref() == Some(&arn);
    let roles: Vec<_> = roles.filter(has_it).collect();
    lists::page(world.page, form, "PolicyRoles", &roles, |xml, role| {
        xml.within("member", |xml| {
            xml.text("RoleName", &role.name);
            xml.text("RoleId", &role.id);
        });
    })
}

pub(super) fn list(world: &mut World, form: &Form) -> Outcome {
    let below = form.get("PathPrefix").unwrap_or("/");
    if form.get("Scope") != Some("Local") {
        return Err(Refusal::validation("AWS's own policies are not listed here: ask for Scope=Local"));
    }
    let all = world.policies.values_mut().filter_map(|slot| slot.read().cloned());
    let all: Vec<_> = all.filter(|policy| policy.path.starts_with(below)).collect();
    let counted: Vec<_> = all.into_iter().map(|policy| (world.attachments(&policy.arn), policy)).collect();
    lists::page(world.page, form, "Policies", &counted, |xml, (attachments, policy)| {
        // Lists say nothing of tags and descriptions.
        let bare = Policy { tags: BTreeMap::new(), description: String::new(), ..policy.clone() };
        wire::policy(xml, "member", &bare, *attachments);
    })
}

fn existing(world: &World, form: &Form) -> Result<Policy, Refusal> {
    let arn = form.need("PolicyArn")?;
    world.policy(arn).cloned().ok_or_else(|| not_found(arn))
}

fn seen(world: &mut World, form: &Form) -> Result<Policy, Refusal> {
    let arn = form.need("PolicyArn")?;
    world.read_policy(arn).ok_or_else(|| not_found(arn))
}

fn not_found(arn: &str) -> Refusal {
    Refusal::not_found(format!("Policy {arn} was not found."))
}

fn version_of(policy: &Policy, form: &Form) -> Result<u32, Refusal> {
    let version = form.need("VersionId")?;
    let number = version.strip_prefix('v').and_then(|number| number.parse().ok());
    number.filter(|number| policy.versions.contains_key(number)).ok_or_else(|| {
        let arn = &policy.arn;
        Refusal::not_found(format!("Policy {arn} version {version} does not exist or is not attachable."))
    })
}
