//! A group of nodes, and how a watch shows it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bowline_api::conditions::ConditionType;
use bowline_api::upgrades::{Member, MemberSpec, NodeGroup, NodeGroupSpec, NodeGroupStatus, UpgradeState};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Patch, PatchParams, PostParams};
use kube::runtime::watcher::{self, watch_object};
use kube::{Api, Client, Resource};
use serde_json::json;

use crate::Size;

/// Where it is.
pub(crate) const NAMESPACE: &str = "default";
/// Requests of ours that may be under way.
const AT_ONCE: usize = 16;
/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(1_800);
/// Members of a partition.
const PARTITION: usize = 3;

/// A group that is there.
pub(crate) struct Group {
    client: Client,
    name: &'static str,
    nodes: usize,
    shown: BoxStream<'static, watcher::Result<Option<NodeGroup>>>,
}

impl Group {
    /// One that is there.
    pub(crate) fn of(client: Client, name: &'static str, nodes: usize) -> Group {
        let groups: Api<NodeGroup> = Api::namespaced(client.clone(), NAMESPACE);
        Group { shown: watch_object(groups, name).boxed(), client, name, nodes }
    }

    /// Makes it, and what `bowline join node` makes for an agent but for its rights: all have those of the administrator.
    pub(crate) async fn make(client: Client, name: &'static str, size: &Size) -> Result<Group> {
        let version = |name: &str| json!({ "name": name, "command": ["true"] });
        let devices: Vec<_> = (0..size.devices).map(|number| format!("d{number}")).collect();
        let spec: NodeGroupSpec = serde_json::from_value(json!({
            "versions": [version("v1"), version("v2")], "version": "v1", "devices": devices,
            "commit": "Automatic", "soakSeconds": 0, "partitions": { "count": 1, "size": PARTITION },
        }))?;
        let groups: Api<NodeGroup> = Api::namespaced(client.clone(), NAMESPACE);
        let group = groups.create(&PostParams::default(), &NodeGroup::new(name, spec)).await?;
        let this = Group::of(client, name, size.nodes);
        let joins: Vec<_> =
            this.members().map(|member| join(this.client.clone(), name, &group, member)).collect();
        stream::iter(joins).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        Ok(this)
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Its members: their names sort as they are numbered.
    pub(crate) fn members(&self) -> impl Iterator<Item = String> + use<> {
        (0..self.nodes).map(|number| format!("n{number:03}"))
    }

    /// Waits until nothing is left to do, with this version everywhere.
    pub(crate) async fn rests_at(&mut self, version: &str) -> Result<()> {
        self.until(version, |_| {}).await
    }

    /// Has it upgraded, and says how long each member was in hand.
    pub(crate) async fn upgrade(&mut self, to: &str) -> Result<BTreeMap<String, Duration>> {
        let groups: Api<NodeGroup> = Api::namespaced(self.client.clone(), NAMESPACE);
        let wish = json!({ "spec": { "mode": "Automatic", "version": to } });
        groups.patch(self.name, &PatchParams::default(), &Patch::Merge(wish)).await?;
        let (mut hand, mut moves) = (None::<(String, Instant)>, BTreeMap::new());
        self.until(to, |status| {
            let now = status.in_hand.as_ref().map(|hand| hand.member.to_string());
            if now.as_ref() == hand.as_ref().map(|(member, _)| member) {
                return;
            }
            if let Some((member, since)) = hand.take() {
                moves.insert(member, since.elapsed());
            }
            hand = now.map(|member| (member, Instant::now()));
        })
        .await?;
        Ok(moves)
    }

    async fn until(&mut self, version: &str, mut see: impl FnMut(&NodeGroupStatus)) -> Result<()> {
        let nodes = self.nodes;
        let shown = async {
            while let Some(group) = self.shown.next().await {
                let status = group?.context("the group is gone")?.status.unwrap_or_default();
                see(&status);
                if status.failed_version.is_some() {
                    bail!("it was rolled back: {}", status.message);
                }
                if rests(&status, version, nodes) {
                    return Ok(());
                }
            }
            bail!("the watch has ended")
        };
        tokio::time::timeout(LIMIT, shown)
            .await
            .with_context(|| format!("it does not come to rest at {version}"))?
    }
}

fn rests(status: &NodeGroupStatus, version: &str, nodes: usize) -> bool {
    let is = |name: &str| name == version;
    let all = status.members.len() == nodes && status.members.iter().all(|one| is(one.version.as_str()));
    let serves = status.serving_version.as_ref().is_some_and(|serving| is(serving.as_str()));
    let is_ready = status.conditions.is_true(&ConditionType::READY);
    status.upgrade_state == UpgradeState::Inactive && all && serves && is_ready
}

async fn join(client: Client, name: &str, group: &NodeGroup, member: String) -> Result<()> {
    let owner = group.owner_ref(&()).context("the group has a uid")?;
    let spec = MemberSpec { group: name.into(), desired: None };
    let mut object = Member::new(&Member::object_name(name, &member), spec);
    object.metadata.owner_references = Some(vec![owner]);
    let members: Api<Member> = Api::namespaced(client.clone(), NAMESPACE);
    members.create(&PostParams::default(), &object).await?;
    let mut lease = Lease::default();
    lease.metadata.name = Some(Member::account_name(name, &member));
    lease.metadata.labels = Some(BTreeMap::from([(Member::LABEL.to_owned(), name.to_owned())]));
    let leases: Api<Lease> = Api::namespaced(client, NAMESPACE);
    leases.create(&PostParams::default(), &lease).await?;
    Ok(())
}
