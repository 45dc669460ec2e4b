//! `bowline identity`: cloud permissions of service accounts.

mod audit;
mod aws;
mod chain;
mod explain;
mod hub_id;
mod iam_policy;
mod import;
mod list;
mod look;
mod old;
mod show;
mod standing;
mod tombstones;

use bowline_api::identities::{IamRoleServiceAccount, IamRoleServiceAccountStatus};
use bowline_identities::plain::Named;
use kube::{Api, ResourceExt};

pub(crate) use self::audit::audit;
pub(crate) use self::explain::explain;
pub(crate) use self::iam_policy::{Account, iam_policy};
pub(crate) use self::import::{Import, import};
pub(crate) use self::list::list;
pub(crate) use self::show::show;
use crate::connection::failed;
use crate::exit::Refused;
use crate::team::Team;

/// The identity of a name.
async fn get(team: &Team, name: &str) -> anyhow::Result<IamRoleServiceAccount> {
    let identities: Api<IamRoleServiceAccount> = Api::namespaced(team.client.clone(), &team.namespace);
    let found = identities.get_opt(name).await.map_err(|error| failed(error, "cannot read the identity"))?;
    found.ok_or_else(|| {
        let why =
            format!("there is no identity {name} in {}: see `bowline identity list -A`", team.namespace);
        Refused(why).into()
    })
}

/// What an identity says of itself; a new one has said nothing yet.
fn status(identity: &IamRoleServiceAccount) -> IamRoleServiceAccountStatus {
    identity.status.clone().unwrap_or_default()
}

/// What an identity is called, with its namespace.
fn named(identity: &IamRoleServiceAccount) -> Named {
    Named { namespace: identity.namespace().unwrap_or_default(), name: identity.name_any() }
}

/// The service account that has the permissions.
fn account(identity: &IamRoleServiceAccount) -> String {
    identity.spec.service_account_name.as_ref().map_or_else(|| identity.name_any(), ToString::to_string)
}

/// The clusters that it names, in words.
fn clusters(identity: &IamRoleServiceAccount) -> String {
    let names: Vec<_> = identity.spec.clusters.iter().map(|cluster| cluster.as_str()).collect();
    if names.is_empty() { "where it is itself".to_owned() } else { names.join(", ") }
}
