//! The chain from an identity to its account, link by link: what exists where, as far as the hub knows.

use bowline_api::conditions::ConditionType;
use bowline_api::identities::{IamPolicy, IamRole, IamRoleServiceAccount};
use bowline_api::updates::Cluster;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::{Resource, ResourceExt};
use serde::Serialize;

use super::standing::is;
use super::{account, status};
use crate::ago::passed;

/// The annotation by which an account says which role it has.
const ROLE_ARN: &str = "eks.amazonaws.com/role-arn";
/// What the finalizers of Bowline begin with.
const OURS: &str = "bowline.dev/";

/// A link of the chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Link {
    pub(super) link: &'static str,
    pub(super) state: State,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) message: String,
}

/// What there is of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(super) enum State {
    /// It is there, as it should be.
    There,
    /// It is not there, or not as it should be.
    NotYet,
    /// It is there, and is somebody else's.
    Foreign,
    /// It is not to be there.
    NotWanted,
    /// Nobody can tell from here.
    Unknown,
}

impl State {
    pub(super) fn text(self) -> &'static str {
        match self {
            State::There => "there",
            State::NotYet => "not yet",
            State::Foreign => "not its own",
            State::NotWanted => "not wanted",
            State::Unknown => "unknown",
        }
    }
}

impl Link {
    pub(super) fn new(link: &'static str, state: State, name: &str, message: impl Into<String>) -> Link {
        Link { link, state, name: name.to_owned(), message: message.into() }
    }
}

/// What is known of something that may not be shown to everybody.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Seen<T> {
    There(T),
    Missing,
    /// We may not look.
    Hidden,
}

impl<T> Seen<T> {
    /// It, if it is there and may be seen.
    pub(super) fn there(&self) -> Option<&T> {
        match self {
            Seen::There(there) => Some(there),
            Seen::Missing | Seen::Hidden => None,
        }
    }
}

/// What there is on the hub of an identity.
pub(super) struct Objects {
    pub(super) identity: IamRoleServiceAccount,
    /// Its children, which say what there is to be in AWS.
    pub(super) policy: Seen<IamPolicy>,
    pub(super) role: Seen<IamRole>,
    /// The account, if it is to be where the identity is.
    pub(super) account: Seen<ServiceAccount>,
    /// The clusters that it names.
    pub(super) clusters: Vec<(String, Seen<Cluster>)>,
}

impl Objects {
    /// The links, in their order.
    pub(super) fn links(&self) -> Vec<Link> {
        let mut links = vec![self.itself(), self.policy(), self.role(), self.attachment()];
        if self.clusters.is_empty() {
            links.push(self.account_here());
        }
        links.extend(self.clusters.iter().map(|(name, seen)| self.account_on(name, seen)));
        links.push(self.assumable());
        links
    }

    fn itself(&self) -> Link {
        let identity = &self.identity;
        let generation = identity.metadata.generation.unwrap_or_default();
        let is_held = identity.finalizers().iter().any(|finalizer| finalizer.starts_with(OURS));
        let message = match (&identity.metadata.deletion_timestamp, is_held) {
            (Some(at), _) => format!("it is to be deleted since {}", passed(at)),
            (None, true) => format!("generation {generation}"),
            (None, false) => format!("generation {generation}; no controller holds it yet"),
        };
        Link::new("identity", State::There, &identity.name_any(), message)
    }

    fn policy(&self) -> Link {
        let status = status(&self.identity);
        match (&self.identity.spec.policy, &status.policy_arn) {
            (_, Some(arn)) => Link::new("policy", State::There, arn.as_str(), "recorded"),
            (Some(_), None) => {
                let called = self.policy.there().map_or("", |policy| policy.spec.policy_name.as_str());
                Link::new("policy", State::NotYet, called, self.begun())
            }
            (None, None) => {
                Link::new("policy", State::NotWanted, "", "it has the permissions of other policies only")
            }
        }
    }

    fn role(&self) -> Link {
        match &status(&self.identity).role_arn {
            Some(arn) => Link::new("role", State::There, arn.as_str(), "recorded"),
            None => {
                let called = self.role.there().map_or("", |role| role.spec.role_name.as_str());
                Link::new("role", State::NotYet, called, self.begun())
            }
        }
    }

    fn begun(&self) -> String {
        match &status(&self.identity).intent_at {
            Some(at) => format!("it is being made, first {} ago", passed(at)),
            None => "nothing was asked of AWS yet".to_owned(),
        }
    }

    fn attachment(&self) -> Link {
        let spec = &self.identity.spec;
        let count = spec.managed_policy_arns.len() + usize::from(spec.policy.is_some());
        let count = counted_policies(count);
        if is(&self.identity, &ConditionType::COMPLETE) {
            return Link::new("attachment", State::There, "", format!("the role has {count}"));
        }
        Link::new("attachment", State::NotYet, "", format!("the role is to have {count}"))
    }

    fn account_here(&self) -> Link {
        let name = account(&self.identity);
        let link = |state, message: String| Link::new("account", state, &name, message);
        let there = match &self.account {
            Seen::There(there) => there,
            Seen::Missing => return link(State::NotYet, self.comes()),
            Seen::Hidden => return link(State::Unknown, "you may not look at service accounts".to_owned()),
        };
        let says = there.annotations().get(ROLE_ARN);
        let role = status(&self.identity).role_arn;
        let is_right = role.as_ref().is_some_and(|role| says.is_some_and(|says| says == role.as_str()));
        let owners = owners(there);
        if !owners.contains(&self.identity.name_any()) {
            let message = match (owners.first(), self.identity.spec.adopt) {
                (Some(other), _) => format!(
                    "it is of the identity {other}: name another one in spec.serviceAccountName, or delete that identity"
                ),
                (None, true) => "somebody else has made it; it is to be taken over (spec.adopt)".to_owned(),
                (None, false) => format!(
                    "somebody else has made it: delete it, name another one in spec.serviceAccountName, or set spec.adopt{}",
                    says.map(|says| format!(" (it has the role {says})")).unwrap_or_default()
                ),
            };
            return link(State::Foreign, message);
        }
        match (is_right, says) {
            (true, Some(says)) => link(State::There, format!("it has the role {says}")),
            (_, Some(says)) => link(State::NotYet, format!("it still has the role {says}")),
            (_, None) => link(State::NotYet, "it says no role yet".to_owned()),
        }
    }

    /// When the account is published.
    fn comes(&self) -> String {
        match is(&self.identity, &ConditionType::COMPLETE) {
            true if is(&self.identity, &ConditionType::STALLED) => {
                "the role is complete; a person has to do something first, as is said above".to_owned()
            }
            true => "the role is complete, so it is made next".to_owned(),
            false => "it is made when the role is complete".to_owned(),
        }
    }

    fn account_on(&self, cluster: &str, seen: &Seen<Cluster>) -> Link {
        let name = format!("{} on {cluster}", account(&self.identity));
        let link = |state, message: &str| Link::new("account", state, &name, message);
        match seen {
            Seen::Missing => link(
                State::NotYet,
                "there is no such cluster: see `bowline cluster list`, or take it off spec.clusters",
            ),
            Seen::There(there) if there.spec.oidc.is_none() => {
                link(State::NotYet, "the cluster does not say who signs its tokens: set its spec.oidc")
            }
            Seen::There(_) | Seen::Hidden if is(&self.identity, &ConditionType::SYNCED) => {
                link(State::There, "as the controller has seen it there")
            }
            Seen::There(_) | Seen::Hidden => link(State::Unknown, &self.comes()),
        }
    }

    fn assumable(&self) -> Link {
        let conditions = status(&self.identity).conditions;
        let ready = conditions.get(&ConditionType::READY);
        match ready {
            Some(ready) if is(&self.identity, &ConditionType::READY) => Link::new(
                "assumable",
                State::There,
                "",
                format!("for {}", passed(&ready.last_transition_time)),
            ),
            _ => Link::new("assumable", State::NotYet, "", "nobody can count on the role yet"),
        }
    }
}

/// The identities that an account says it is of.
fn owners(account: &ServiceAccount) -> Vec<String> {
    let is_identity = |owner: &&OwnerReference| {
        let group = owner.api_version.split_once('/').map(|(group, _)| group);
        group == Some(bowline_api::GROUP) && owner.kind == IamRoleServiceAccount::kind(&())
    };
    account.owner_references().iter().filter(is_identity).map(|owner| owner.name.clone()).collect()
}

fn counted_policies(count: usize) -> String {
    match count {
        1 => "1 policy".to_owned(),
        count => format!("{count} policies"),
    }
}
