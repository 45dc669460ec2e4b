//! What people are told: what is wrong, where, and what to do.

use crate::aws::Holder;
use crate::decide::{Case, Wait, spots};
use crate::state::{Identity, Names, Spot};

pub(crate) fn well<N: Names>(identity: &Identity<N>) -> N::Text {
    match &identity.status.role {
        Some(arn) => N::Text::from(&format!("the role is {}", N::arn(arn))),
        None => "".into(),
    }
}

/// What a person has to do.
pub(crate) fn stalled<N: Names>(case: &Case<'_, N>, identity: &Identity<N>, wait: Wait) -> N::Text {
    let memory = &case.s.memory;
    let look = memory.look.as_ref();
    let policy = look.and_then(|look| look.policy.as_ref());
    let role = look.and_then(|look| look.role.as_ref());
    let text = match wait {
        Wait::Spec => return bad_spec(case, identity),
        Wait::Refused => match &memory.refused {
            Some(refused) => format!("could not {}: {}", refused.step, refused.why.as_ref()),
            None => format!("waits for {wait}"),
        },
        Wait::Stuck => {
            let stuck = memory.failures.iter().filter(|(_, failures)| failures.times > case.rhythm.tries);
            // Not how often exactly: each try would be news.
            let tries = case.rhythm.tries;
            let told =
                stuck.map(|(step, failures)| format!("{step} (more than {tries} times: {})", failures.why));
            format!("these do not work: {}; it is tried again later", told.collect::<Vec<_>>().join(", "))
        }
        Wait::Clusters => clusters(case, identity),
        Wait::ForeignPolicy => foreign("policy", policy.map(|policy| N::arn(&policy.arn))),
        Wait::ForeignRole => foreign("role", role.map(|role| N::arn(&role.arn))),
        Wait::ForeignAccount => account(case, identity),
        Wait::OtherName => {
            let known = identity.status.role.as_ref().or(identity.status.policy.as_ref());
            format!(
                "{} was made by a hub with another --identity-cluster-name, and would be left behind: start it with that name once more, or set spec.deletionPolicy to Orphan and delete it yourself",
                known.map(N::arn).unwrap_or_default()
            )
        }
        Wait::PolicyFree => {
            let theirs =
                role.filter(|role| !role.is_ours()).map(|role| format!("the role {}", N::arn(&role.arn)));
            let others = policy.iter().flat_map(|policy| &policy.held_by).map(|by| by.as_ref().to_owned());
            held("policy", others.chain(theirs))
        }
        Wait::RoleFree => {
            held("role", role.iter().flat_map(|role| &role.held_by).map(|by| by.as_ref().to_owned()))
        }
        wait => format!("waits for {wait}"),
    };
    N::Text::from(&text)
}

/// The first of its clusters that cannot be trusted by a role.
fn clusters<N: Names>(case: &Case<'_, N>, identity: &Identity<N>) -> String {
    let signs = |name: &N::Cluster| case.cluster(name).is_some_and(|cluster| cluster.issuer.is_some());
    let missing = identity.wish.clusters.iter().find(|name| !signs(name));
    let is_there = missing.is_some_and(|name| case.cluster(name).is_some());
    let name = missing.map(N::cluster).unwrap_or_default();
    if is_there {
        format!(
            "spec.clusters: the cluster {name} does not say who signs its tokens: set its spec.oidc, or take it off the list"
        )
    } else {
        format!(
            "spec.clusters: there is no cluster {name}: add it (`bowline cluster add`), or take it off the list"
        )
    }
}

/// The first of its accounts that is somebody else's.
fn account<N: Names>(case: &Case<'_, N>, identity: &Identity<N>) -> String {
    let taken = |spot: Spot<N>| case.taken(identity, &spot).map(|holder| (spot, holder));
    let Some(((cluster, name), holder)) = spots(identity).into_iter().find_map(taken) else {
        return format!("waits for {}", Wait::ForeignAccount);
    };
    let mut account = N::account(&name);
    if let Some(cluster) = cluster {
        account = format!("{account} on the cluster {}", N::cluster(&cluster));
    }
    match holder {
        Holder::Another(other) => format!(
            "the service account {account} is of the identity {}: name another one in spec.serviceAccountName, or delete that identity",
            N::name(&other)
        ),
        _ => format!(
            "the service account {account} is there, and is not this identity's: delete it, name another one in spec.serviceAccountName, or set spec.adopt"
        ),
    }
}

fn bad_spec<N: Names>(case: &Case<'_, N>, identity: &Identity<N>) -> N::Text {
    let issuers = case.home.and_then(|home| Some((home, case.issuers(home, identity)?)));
    let judged = issuers.map(|(home, issuers)| N::wanted(home, identity, &issuers));
    match judged {
        Some(Err(why)) => why,
        _ => "waits for a spec that can be".into(),
    }
}

fn foreign(what: &str, arn: Option<String>) -> String {
    let arn = arn.unwrap_or_default();
    format!(
        "the {what} {arn} is there in AWS, and its tags do not say that it is this identity's: delete it there, or set spec.adopt to take it over"
    )
}

fn held(what: &str, by: impl Iterator<Item = String>) -> String {
    let by: Vec<_> = by.collect();
    format!("the {what} cannot be deleted in AWS before somebody takes it from: {}", by.join(", "))
}
