//! What AWS has of an identity. It is only read.

use bowline_api::identities::IamRoleServiceAccount;
use bowline_aws::{Error, Iam, Policy, PolicyVersion, Role, Tags};
use bowline_identities::plain::{Named, may_be_of};

use super::aws::{self, Sort, marked, patiently, perhaps};
use super::chain::{Link, Objects, State};
use super::{named, status};

/// What is there, as links of the chain.
pub(super) async fn look(aws: &impl Iam, hub: &str, objects: &Objects) -> anyhow::Result<Vec<Link>> {
    let links = links(aws, hub, objects).await;
    links.map_err(|error| aws::failed(&error, "cannot look at what there is in AWS"))
}

async fn links(aws: &impl Iam, hub: &str, objects: &Objects) -> Result<Vec<Link>, Error> {
    let (identity, name) = (&objects.identity, named(&objects.identity));
    let (policy, role) = (policy_arn(aws, hub, objects).await?, role_name(aws, hub, objects).await?);
    let policy = match policy {
        Some(arn) => perhaps(patiently(|| aws.get_policy(&arn)).await)?,
        None => None,
    };
    let versions = match &policy {
        Some(policy) => {
            perhaps(patiently(|| aws.list_policy_versions(&policy.arn)).await)?.unwrap_or_default()
        }
        None => Vec::new(),
    };
    let role = match role {
        Some(called) => perhaps(patiently(|| aws.get_role(&called)).await)?,
        None => None,
    };
    let attached = match &role {
        Some(role) => {
            perhaps(patiently(|| aws.list_attached_role_policies(&role.name)).await)?.unwrap_or_default()
        }
        None => Vec::new(),
    };
    let attached: Vec<_> = attached.into_iter().map(|policy| policy.arn).collect();
    let inline = match &role {
        Some(role) => perhaps(patiently(|| aws.list_role_policies(&role.name)).await)?.unwrap_or_default(),
        None => Vec::new(),
    };
    let mine = |tags: &Tags| aws::marks(tags).is_some_and(|marks| marks.hub == hub && marks.name == name);
    let wants_policy = identity.spec.policy.is_some();
    Ok(vec![
        of_policy(policy.as_ref(), &versions, wants_policy, mine),
        of_role(role.as_ref(), mine),
        of_attachment(identity, policy.as_ref(), role.is_some(), (&attached, &inline)),
    ])
}

/// What AWS calls the policy: as it is recorded; else by the name that it is to have; else what carries the identity's tags.
async fn policy_arn(aws: &impl Iam, hub: &str, objects: &Objects) -> Result<Option<String>, Error> {
    if let Some(arn) = status(&objects.identity).policy_arn {
        return Ok(Some(arn.to_string()));
    }
    let Some(policy) = objects.policy.there() else {
        let found = find(aws, hub, &named(&objects.identity), Sort::Policy).await?;
        return Ok(found.map(|(_, arn)| arn));
    };
    let caller = patiently(|| aws.get_caller_identity()).await?;
    let partition = caller.arn.split(':').nth(1).unwrap_or("aws");
    Ok(Some(format!("arn:{partition}:iam::{}:policy/{}", caller.account, policy.spec.policy_name)))
}

/// What the role is called, likewise.
async fn role_name(aws: &impl Iam, hub: &str, objects: &Objects) -> Result<Option<String>, Error> {
    let recorded = status(&objects.identity).role_arn;
    if let Some((_, called)) = recorded.as_ref().and_then(|arn| arn.as_str().rsplit_once('/')) {
        return Ok(Some(called.to_owned()));
    }
    if let Some(role) = objects.role.there() {
        return Ok(Some(role.spec.role_name.clone()));
    }
    let found = find(aws, hub, &named(&objects.identity), Sort::Role).await?;
    Ok(found.map(|(called, _)| called))
}

/// What carries the tags of an identity whose ARN is not recorded: what it is called in AWS, and its ARN.
async fn find(
    aws: &impl Iam,
    hub: &str,
    name: &Named,
    sort: Sort,
) -> Result<Option<(String, String)>, Error> {
    let found = marked(aws, sort, |called| may_be_of(called, name)).await?;
    let found = found.into_iter().find(|one| one.marks.hub == hub && one.marks.name == *name);
    Ok(found.map(|one| (one.called, one.arn)))
}

fn of_policy(
    policy: Option<&Policy>,
    versions: &[PolicyVersion],
    is_wanted: bool,
    mine: impl Fn(&Tags) -> bool,
) -> Link {
    let Some(policy) = policy else {
        let state = if is_wanted { State::NotYet } else { State::NotWanted };
        return Link::new("policy", state, "", "it is not there");
    };
    let message = format!("{} counts, of {} that AWS keeps", policy.default_version, versions.len());
    link("policy", &policy.arn, mine(&policy.tags), message)
}

fn of_role(role: Option<&Role>, mine: impl Fn(&Tags) -> bool) -> Link {
    let Some(role) = role else {
        return Link::new("role", State::NotYet, "", "it is not there");
    };
    let message = role.boundary.as_ref().map(|arn| format!("it may do at most what {arn} allows"));
    link("role", &role.arn, mine(&role.tags), message.unwrap_or_default())
}

fn link(what: &'static str, arn: &str, is_mine: bool, message: String) -> Link {
    match is_mine {
        true => Link::new(what, State::There, arn, message),
        false => Link::new(what, State::Foreign, arn, "its tags do not say that it is this identity's"),
    }
}

fn of_attachment(
    identity: &IamRoleServiceAccount,
    policy: Option<&Policy>,
    has_role: bool,
    (attached, inline): (&[String], &[String]),
) -> Link {
    if !has_role {
        return Link::new("attachment", State::NotYet, "", "there is no role");
    }
    let own = policy.filter(|_| identity.spec.policy.is_some()).map(|policy| policy.arn.clone());
    let is_without_own = identity.spec.policy.is_some() && own.is_none();
    let wanted: Vec<_> =
        own.into_iter().chain(identity.spec.managed_policy_arns.iter().map(ToString::to_string)).collect();
    let missing: Vec<_> = wanted.iter().filter(|arn| !attached.contains(arn)).cloned().collect();
    let others: Vec<_> = attached.iter().filter(|arn| !wanted.contains(arn)).cloned().collect();
    let told = [
        ("it lacks", missing.as_slice()),
        ("others have attached", &others),
        ("others have written into the role", inline),
    ];
    let told: Vec<_> = told
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what} {}", names.join(", ")))
        .collect();
    let is_right = told.is_empty() && !is_without_own;
    let message = if told.is_empty() { format!("{} attached", attached.len()) } else { told.join("; ") };
    Link::new("attachment", if is_right { State::There } else { State::NotYet }, "", message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const OWN: &str = "arn:aws:iam::123456789012:policy/own";
    const MANAGED: &str = "arn:aws:iam::aws:policy/ReadOnlyAccess";

    fn identity() -> IamRoleServiceAccount {
        serde_json::from_value(json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "IamRoleServiceAccount",
            "metadata": {"name": "reader", "namespace": "team"},
            "spec": {
                "policy": {"statement": [{"action": ["s3:GetObject"], "resource": ["*"]}]},
                "managedPolicyArns": [MANAGED],
            },
        }))
        .expect("an identity")
    }

    fn policy() -> Policy {
        Policy {
            arn: OWN.to_owned(),
            name: "own".to_owned(),
            id: "A".to_owned(),
            path: "/".to_owned(),
            default_version: "v3".to_owned(),
            attachments: 1,
            tags: Tags::new(),
        }
    }

    #[test]
    fn attachments_are_right_if_they_are_those_that_are_wanted() {
        let told = |policy: Option<&Policy>, attached: &[&str]| {
            let attached: Vec<_> = attached.iter().map(ToString::to_string).collect();
            let link = of_attachment(&identity(), policy, true, (&attached, &[]));
            (link.state, link.message)
        };
        let own = policy();
        assert_eq!(told(Some(&own), &[MANAGED, OWN]), (State::There, "2 attached".to_owned()));
        assert_eq!(told(Some(&own), &[MANAGED]), (State::NotYet, format!("it lacks {OWN}")));
        let (state, message) = told(Some(&own), &[MANAGED, OWN, "arn:theirs"]);
        assert_eq!((state, message.as_str()), (State::NotYet, "others have attached arn:theirs"));
        assert_eq!(told(None, &[MANAGED]).0, State::NotYet, "there is no policy to attach");
        assert_eq!(of_attachment(&identity(), None, false, (&[], &[])).message, "there is no role");
        let attached = [MANAGED.to_owned(), OWN.to_owned()];
        let link = of_attachment(&identity(), Some(&own), true, (&attached, &["backdoor".to_owned()]));
        assert_eq!(
            (link.state, link.message.as_str()),
            (State::NotYet, "others have written into the role backdoor")
        );
    }

    #[test]
    fn what_has_other_tags_is_somebody_elses() {
        let own = policy();
        let link = of_policy(Some(&own), &[], true, |_| true);
        assert_eq!((link.state, link.name.as_str()), (State::There, OWN));
        assert!(link.message.starts_with("v3 counts"), "{link:?}");
        assert_eq!(of_policy(Some(&own), &[], true, |_| false).state, State::Foreign);
        assert_eq!(of_policy(None, &[], true, |_| true).state, State::NotYet);
        assert_eq!(of_policy(None, &[], false, |_| true).state, State::NotWanted);
        assert_eq!(of_role(None, |_| true).state, State::NotYet);
    }
}
