//! The calls about roles.

use std::collections::{BTreeMap, BTreeSet};

use super::documents::{Purpose, check};
use super::lists;
use super::names;
use super::query::{Form, Xml};
use super::refusal::Refusal;
use super::wire;
use super::world::{ACCOUNT, Role, World, now};

type Outcome = Result<Xml, Refusal>;

const LONGEST_NAME: usize = 64;
/// Of a policy that is written into a role.
const LONGEST_INLINE: usize = 128;
/// Policies of a role.
const MOST_POLICIES: usize = 10;

pub(super) fn create(world: &mut World, form: &Form) -> Outcome {
    let (name, trust) = (form.need("RoleName")?, form.need("AssumeRolePolicyDocument")?);
    let (path, description) = (form.get("Path").unwrap_or("/"), form.get("Description").unwrap_or_default());
    names::name("RoleName", name, LONGEST_NAME)?;
    names::path(path)?;
    names::description(description)?;
    let tags = names::tagged(&BTreeMap::new(), &form.tags())?;
    check(trust, Purpose::Trust)?;
    let boundary = form.get("PermissionsBoundary").map(|arn| boundary(world, arn)).transpose()?;
    let has_name = |role: &Role| role.name.eq_ignore_ascii_case(name);
    if world.roles.values().any(|slot| slot.truth().is_some_and(has_name)) {
        return Err(Refusal::exists(format!("Role with name {name} already exists.")));
    }
    let role = Role {
        arn: format!("arn:aws:iam::{ACCOUNT}:role{path}{name}"),
        name: name.to_owned(),
        path: path.to_owned(),
        id: world.id("AROA"),
        description: description.to_owned(),
        trust: trust.to_owned(),
        boundary,
        tags,
        attached: BTreeSet::new(),
        inline: BTreeMap::new(),
        created: now(),
    };
    let mut xml = Xml::default();
    wire::role(&mut xml, "Role", &role);
    world.set_role(name, Some(role));
    Ok(xml)
}

pub(super) fn update_trust(world: &mut World, form: &Form) -> Outcome {
    let trust = form.need("PolicyDocument")?;
    change(world, form, |_, role| {
        check(trust, Purpose::Trust)?;
        trust.clone_into(&mut role.trust);
        Ok(())
    })
}

pub(super) fn put_boundary(world: &mut World, form: &Form) -> Outcome {
    let arn = form.need("PermissionsBoundary")?;
    change(world, form, |world, role| {
        role.boundary = Some(boundary(world, arn)?);
        Ok(())
    })
}

pub(super) fn delete_boundary(world: &mut World, form: &Form) -> Outcome {
    change(world, form, |_, role| {
        role.boundary = None;
        Ok(())
    })
}

pub(super) fn tag(world: &mut World, form: &Form) -> Outcome {
    change(world, form, |_, role| {
        role.tags = names::tagged(&role.tags, &form.tags())?;
        Ok(())
    })
}

pub(super) fn attach(world: &mut World, form: &Form) -> Outcome {
    let arn = form.need("PolicyArn")?;
    change(world, form, |world, role| {
        if !world.is_attachable(arn) {
            let message = format!("Policy {arn} does not exist or is not attachable.");
            return Err(Refusal::not_found(message));
        }
        if !role.attached.contains(arn) && role.attached.len() >= MOST_POLICIES {
            return Err(Refusal::limit(format!("Cannot exceed quota for PoliciesPerRole: {MOST_POLICIES}")));
        }
        role.attached.insert(arn.to_owned());
        Ok(())
    })
}

pub(super) fn detach(world: &mut World, form: &Form) -> Outcome {
    let arn = form.need("PolicyArn")?;
    change(world, form, |_, role| {
        let had = role.attached.remove(arn);
        if had { Ok(()) } else { Err(Refusal::not_found(format!("Policy {arn} was not found."))) }
    })
}

pub(super) fn delete(world: &mut World, form: &Form) -> Outcome {
    let role = existing(world, form)?;
    if !role.attached.is_empty() {
        return Err(Refusal::conflict("Cannot delete entity, must detach all policies first."));
    }
    if !role.inline.is_empty() {
        return Err(Refusal::conflict("Cannot delete entity, must delete policies first."));
    }
    world.set_role(&role.name, None);
    Ok(Xml::default())
}

pub(super) fn get(world: &mut World, form: &Form) -> Outcome {
    let role = seen(world, form)?;
    let mut xml = Xml::default();
    wire::role(&mut xml, "Role", &role);
    Ok(xml)
}

pub(super) fn list_attached(world: &mut World, form: &Form) -> Outcome {
    let role = seen(world, form)?;
    let attached: Vec<_> = role.attached.iter().collect();
    lists::page(world.page, form, "AttachedPolicies", &attached, |xml, arn| {
        xml.within("member", |xml| {
            xml.text("PolicyName", arn.rsplit('/').next().unwrap_or_default());
            xml.text("PolicyArn", arn);
        });
    })
}

/// Writes a policy into a role, as people do.
pub(super) fn write_into(world: &mut World, form: &Form) -> Outcome {
    let (name, document) = (form.need("PolicyName")?, form.need("PolicyDocument")?);
    names::name("PolicyName", name, LONGEST_INLINE)?;
    change(world, form, |_, role| {
        check(document, Purpose::Permissions)?;
        role.inline.insert(name.to_owned(), document.to_owned());
        Ok(())
    })
}

pub(super) fn delete_inline(world: &mut World, form: &Form) -> Outcome {
    let name = form.need("PolicyName")?;
    change(world, form, |_, role| {
        let had = role.inline.remove(name).is_some();
        let message = || format!("The role policy with name {name} cannot be found.");
        if had { Ok(()) } else { Err(Refusal::not_found(message())) }
    })
}

pub(super) fn list_inline(world: &mut World, form: &Form) -> Outcome {
    let role = seen(world, form)?;
    let names: Vec<_> = role.inline.keys().collect();
    lists::page(world.page, form, "PolicyNames", &names, |xml, name| xml.text("member", name))
}

/// A list of what roles here never have: nobody can put them into instance profiles.
pub(super) fn list_none(world: &mut World, form: &Form, tag: &str) -> Outcome {
    seen(world, form)?;
    lists::page(world.page, form, tag, &[(); 0], |_, ()| {})
}

pub(super) fn list(world: &mut World, form: &Form) -> Outcome {
    let below = form.get("PathPrefix").unwrap_or("/");
    let all = world.roles.values_mut().filter_map(|slot| slot.read().cloned());
    let all: Vec<_> = all.filter(|role| role.path.starts_with(below)).collect();
    lists::page(world.page, form, "Roles", &all, |xml, role| {
        // Lists say nothing of tags and boundaries.
        let bare = Role { tags: BTreeMap::new(), boundary: None, ..role.clone() };
        wire::role(xml, "member", &bare);
    })
}

/// Changes a role that is there, or leaves it as it was.
fn change(
    world: &mut World,
    form: &Form,
    change: impl FnOnce(&World, &mut Role) -> Result<(), Refusal>,
) -> Outcome {
    let mut role = existing(world, form)?;
    change(world, &mut role)?;
    world.set_role(&role.name.clone(), Some(role));
    Ok(Xml::default())
}

fn boundary(world: &World, arn: &str) -> Result<String, Refusal> {
    if world.is_attachable(arn) {
        return Ok(arn.to_owned());
    }
    Err(Refusal::not_found(format!("Scope ARN: {arn} does not exist or is not attachable.")))
}

fn existing(world: &World, form: &Form) -> Result<Role, Refusal> {
    let name = form.need("RoleName")?;
    world.role(name).cloned().ok_or_else(|| not_found(name))
}

fn seen(world: &mut World, form: &Form) -> Result<Role, Refusal> {
    let name = form.need("RoleName")?;
    world.read_role(name).ok_or_else(|| not_found(name))
}

fn not_found(name: &str) -> Refusal {
    Refusal::not_found(format!("The role with name {name} cannot be found."))
}
