//! `bowline join node`.

use std::time::Duration;

use anyhow::anyhow;
use bowline_api::upgrades::{Member, MemberSpec, NodeGroup};
use bowline_runtime::Manner;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::kubeconfig::{Bearer, given_to};
use super::rights::Rights;
use crate::connection::failed;
use crate::exit::{BadUsage, Exit, Refused};
use crate::output::{self, Format};
use crate::team::{Scope, Team, WRITER, answered};
use crate::upgrade::stays;

/// Who joins.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) group: String,
    pub(crate) member: String,
    /// How long its token is good for.
    pub(crate) ttl: Duration,
    /// The address of the hub as seen from the node.
    pub(crate) server: Option<String>,
}

/// Lets a node join a group: prints the kubeconfig of its agent.
pub(crate) async fn node(scope: &Scope, node: &Node) -> anyhow::Result<Exit> {
    // What cannot be given to anybody is known before anything is made.
    let (kubeconfig, file) = scope.server.kubeconfig()?.ok_or_else(|| {
        anyhow!(BadUsage(
            "a node needs the address of the server, which only a kubeconfig says: give one by --kubeconfig"
                .to_owned()
        ))
    })?;
    let client = bowline_runtime::client_of(kubeconfig.clone(), &file, Manner::Patiently).await;
    let client = client.map_err(|error| anyhow!(BadUsage(error.to_string())))?;
    let namespace = scope.namespace.clone().unwrap_or_else(|| client.default_namespace().to_owned());
    let team = Team { client, namespace };
    team.is_there().await?;
    let name = Member::object_name(&node.group, &node.member);
    let give = |token: String| {
        let bearer =
            Bearer { name: &name, token, namespace: &team.namespace, server: node.server.as_deref() };
        given_to(&kubeconfig, bearer)
            .map_err(|why| anyhow!(BadUsage(format!("{file} cannot be used: {why}"))))
    };
    give("none yet".to_owned())?;
    let group = team.group(&node.group).await?;
    stays(&group)?;
    let member = team.member(&group, node).await?;
    let rights = Rights {
        namespace: &team.namespace,
        group: &node.group,
        member: &node.member,
        owner: owned_by(&member)?,
    };
    team.allow(&rights).await?;
    let (token, ends) = team.token(&rights.name(), node.ttl).await?;
    output::print(&output::document(Format::Yaml, &give(token)?)?)?;
    output::note(&format!(
        "The node {} may act for itself in the group {} until {ends}. To give it a new kubeconfig, join it again; to take it away: \
         kubectl delete member {name} -n {}",
        node.member, node.group, team.namespace
    ));
    Ok(Exit::Done)
}

/// A member as the owner of what belongs to it.
fn owned_by(member: &Member) -> anyhow::Result<OwnerReference> {
    member.owner_ref(&()).ok_or_else(|| anyhow!("the server has given {} no uid", member.name_any()))
}

impl Team {
    /// The Member, made if it is not there. It goes with its group.
    async fn member(&self, group: &NodeGroup, node: &Node) -> anyhow::Result<Member> {
        let name = Member::object_name(&node.group, &node.member);
        let metadata = ObjectMeta {
            name: Some(name.clone()),
            owner_references: group.owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        };
        let spec = MemberSpec { group: node.group.as_str().into(), desired: None };
        let params = PostParams { field_manager: Some(WRITER.into()), ..PostParams::default() };
        let made = self.members().create(&params, &Member { metadata, spec, status: None }).await;
        let found = match made {
            Ok(made) => return Ok(made),
            Err(error) if answered(&error, 409) => self.members().get(&name).await,
            Err(error) => Err(error),
        };
        let found = found.map_err(|error| failed(error, &format!("cannot make the member {name}")))?;
        if found.spec.group.as_str() != node.group {
            anyhow::bail!(Refused(format!(
                "the Member {name} is in the group {}: take another name for this one",
                found.spec.group
            )));
        }
        let is_of_this =
            found.owner_references().iter().any(|owner| Some(&owner.uid) == group.metadata.uid.as_ref());
        if found.meta().deletion_timestamp.is_some() || !is_of_this {
            anyhow::bail!(Refused(format!(
                "the Member {name} is being deleted, or is of a group that had this name before: try again when it is gone"
            )));
        }
        Ok(found)
    }

    /// Makes the account, what it is allowed, and its lease; what is there is put right.
    async fn allow(&self, rights: &Rights<'_>) -> anyhow::Result<()> {
        self.put(&rights.account()).await?;
        self.put(&rights.role()).await?;
        self.put(&rights.binding()).await?;
        let lease = Lease { metadata: rights.metadata(), spec: None };
        match self.of::<Lease>().create(&PostParams::default(), &lease).await {
            Err(error) if !answered(&error, 409) => Err(failed(error, "cannot make the lease of the node")),
            _ => Ok(()),
        }
    }

    pub(super) fn of<K>(&self) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    async fn put<K>(&self, object: &K) -> anyhow::Result<()>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
            + Clone
            + std::fmt::Debug
            + Serialize
            + DeserializeOwned,
    {
        let (name, kind) = (object.name_any(), K::kind(&()));
        let put =
            self.of::<K>().patch(&name, &PatchParams::apply(WRITER).force(), &Patch::Apply(object)).await;
        put.map(drop).map_err(|error| {
            let also = if answered(&error, 403) {
                ". Who lets nodes join needs what they get: the role admin in this namespace, with bowline-admin in it (`bowline crds \
                 --with-roles`)"
            } else {
                ""
            };
            failed(error, &format!("cannot make the {kind} {name}{also}"))
        })
    }

    /// A token of the account, and until when it is good.
    pub(super) async fn token(&self, account: &str, ttl: Duration) -> anyhow::Result<(String, String)> {
        let accounts: Api<ServiceAccount> = self.of();
        let seconds = i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX);
        let request = TokenRequest {
            spec: TokenRequestSpec { expiration_seconds: Some(seconds), ..TokenRequestSpec::default() },
            ..TokenRequest::default()
        };
        let given = accounts.create_token_request(account, &PostParams::default(), &request).await;
        let given = given.map_err(|error| failed(error, &format!("cannot get a token for {account}")))?;
        let given = given.status.ok_or_else(|| anyhow!("the server has given no token"))?;
        Ok((given.token, given.expiration_timestamp.0.to_string()))
    }
}
