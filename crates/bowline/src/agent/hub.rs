//! What an agent asks of the hub: its own Member, and what the versions of its group are.

use anyhow::anyhow;
use bowline_api::upgrades::{Member as MemberResource, NodeGroup, Software};
use bowline_controllers::UpgradeWire;
use bowline_runtime::{REQUEST, Wire, sentence};
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Kind, Member, Object, Report};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::PostParams;
use kube::core::{ApiResource, DynamicObject};
use kube::{Api, Client};

use crate::connection::failed;
use crate::exit::Refused;
use crate::output;
use crate::team::answered;

/// By which name the server knows who reports.
const WRITER: &str = "bowline-agent";

/// The hub, as the agent of one member has it.
#[derive(Clone)]
pub(super) struct Hub {
    client: Client,
    namespace: String,
    group: String,
    member: String,
}

/// The Member, as the hub has it.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    raw: DynamicObject,
    pub(super) member: Member<Plain>,
}

/// Why something was not answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    /// The Member has changed since it was read, or is gone.
    Outdated,
    /// Something else, in words.
    Other(String),
}

impl Sight {
    /// What an object says; nothing, if it is nobody's.
    pub(super) fn of(raw: DynamicObject) -> Option<Sight> {
        match UpgradeWire.read(Kind::Member, &raw)? {
            Object::Member(member) => Some(Sight { raw, member }),
            Object::Group(_) | Object::Cluster(_) => None,
        }
    }

    /// Whether it is later than another one, as far as versions tell.
    pub(super) fn is_after(&self, other: &Sight) -> bool {
        self.member.version > other.member.version
    }
}

impl Hub {
    pub(super) fn new(client: Client, namespace: String, group: &str, member: &str) -> Hub {
        Hub { client, namespace, group: group.to_owned(), member: member.to_owned() }
    }

    /// The name of the Member.
    pub(super) fn name(&self) -> String {
        MemberResource::object_name(&self.group, &self.member)
    }

    pub(super) fn members(&self) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), &self.namespace, &ApiResource::erase::<MemberResource>(&()))
    }

    /// Sees that there is such a member, and that nobody else is it. A hub that is away is waited for.
    pub(super) async fn greet(&self, me: &str) -> anyhow::Result<()> {
        let (group, member) = (&self.group, &self.member);
        let again = format!("`bowline join node {group} {member}` prints a kubeconfig for its agent");
        match in_time(self.members().get_opt(&self.name())).await {
            Ok(Some(_)) => {}
            Ok(None) => {
                return Err(anyhow!(Refused(format!(
                    "there is no member {member} of the group {group} in {}: {again}",
                    self.namespace
                ))));
            }
            Err(error) if answered(&error, 401) || answered(&error, 403) => {
                let why = failed(
                    error,
                    &format!("this kubeconfig is not that of the member {member}, or not any more"),
                );
                return Err(anyhow!(Refused(format!("{why}. {again}"))));
            }
            Err(error) => {
                output::note(&format!("The hub does not answer, and is asked again: {}.", sentence(&error)));
                return Ok(());
            }
        }
        let leases: Api<Lease> = Api::namespaced(self.client.clone(), &self.namespace);
        let lease =
            in_time(leases.get_opt(&MemberResource::account_name(group, member))).await.ok().flatten();
        let holder = lease.and_then(|lease| lease.spec).and_then(|spec| spec.holder_identity);
        if let Some(other) = holder.filter(|holder| !holder.is_empty() && holder != me) {
            output::note(&format!(
                "Another agent, {other}, holds the lease of the member {member}. This one waits until that has lapsed: two nodes \
                 must not have one name. If it is the same node with another --data, end the other agent."
            ));
        }
        Ok(())
    }

    /// Reads the Member, at the server.
    pub(super) async fn read(&self) -> Result<Option<Sight>, Trouble> {
        let read = in_time(self.members().get_opt(&self.name())).await;
        Ok(read.map_err(|error| other(&error))?.and_then(Sight::of))
    }

    /// Says how the member is, if it is still as it was seen.
    pub(super) async fn report(
        &self,
        sight: &Sight,
        report: Report<Plain>,
    ) -> Result<Option<Sight>, Trouble> {
        let member = Member { report: Some(report), ..sight.member.clone() };
        let mut raw = sight.raw.clone();
        UpgradeWire.draw_status(&Object::Member(member), &mut raw);
        let params = PostParams { field_manager: Some(WRITER.into()), ..PostParams::default() };
        match in_time(self.members().replace_status(&self.name(), &params, &raw)).await {
            Ok(raw) => Ok(Sight::of(raw)),
            Err(error) if answered(&error, 409) || answered(&error, 404) => Err(Trouble::Outdated),
            Err(error) => Err(other(&error)),
        }
    }

    /// How a version is run.
    pub(super) async fn software(&self, version: &str) -> Result<Software, Trouble> {
        let groups: Api<NodeGroup> = Api::namespaced(self.client.clone(), &self.namespace);
        let group = in_time(groups.get(&self.group)).await.map_err(|error| other(&error))?;
        let found = group.spec.versions.into_iter().find(|software| software.name.as_str() == version);
        found.ok_or_else(|| Trouble::Other(format!("the group {} declares no version {version}", self.group)))
    }
}

fn other(error: &kube::Error) -> Trouble {
    Trouble::Other(sentence(error))
}

async fn in_time<T>(asked: impl Future<Output = Result<T, kube::Error>>) -> Result<T, kube::Error> {
    let asked = tokio::time::timeout(REQUEST, asked).await;
    asked.unwrap_or_else(|late| Err(kube::Error::Service(Box::new(late))))
}
