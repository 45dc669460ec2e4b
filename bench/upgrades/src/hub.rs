//! What an agent asks of the hub, as real ones do.

use anyhow::{Context, Result};
use bowline_api::upgrades::Member as MemberResource;
use bowline_controllers::UpgradeWire;
use bowline_runtime::{Election, Identity, Metrics, Wire};
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Kind, Member, Object, Report};
use futures::StreamExt;
use futures::stream::BoxStream;
use kube::api::PostParams;
use kube::core::{ApiResource, DynamicObject};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};

use crate::group::NAMESPACE;

/// The hub, as the agent of one member has it.
pub(crate) struct Hub {
    client: Client,
    group: String,
    pub(crate) member: String,
}

/// The Member, as the hub has it.
#[derive(Clone)]
pub(crate) struct Sight {
    raw: DynamicObject,
    pub(crate) member: Member<Plain>,
}

impl Sight {
    fn of(raw: DynamicObject) -> Option<Sight> {
        match UpgradeWire.read(Kind::Member, &raw)? {
            Object::Member(member) => Some(Sight { raw, member }),
            Object::Group(_) | Object::Cluster(_) => None,
        }
    }
}

impl Hub {
    pub(crate) fn new(client: Client, group: &str, member: &str) -> Hub {
        Hub { client, group: group.to_owned(), member: member.to_owned() }
    }

    fn name(&self) -> String {
        MemberResource::object_name(&self.group, &self.member)
    }

    fn members(&self) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), NAMESPACE, &ApiResource::erase::<MemberResource>(&()))
    }

    /// The lease of the member.
    pub(crate) fn election(&self) -> Election {
        Election {
            client: self.client.clone(),
            namespace: NAMESPACE.into(),
            name: MemberResource::account_name(&self.group, &self.member),
            identity: Identity::Exclusive(self.member.clone()),
            settings: bowline_control::lease::Settings::default(),
            floor: bowline_control::lease::Epoch::default(),
            metrics: Metrics::new(),
        }
    }

    /// The Member, whenever it changes.
    pub(crate) fn watch(&self) -> BoxStream<'static, Sight> {
        let only_this = watcher::Config::default().fields(&format!("metadata.name={}", self.name()));
        let shown = watcher(self.members(), only_this).default_backoff().applied_objects();
        shown.filter_map(|raw| std::future::ready(raw.ok().and_then(Sight::of))).boxed()
    }

    pub(crate) async fn read(&self) -> Result<Sight> {
        Sight::of(self.members().get(&self.name()).await?).context("the Member makes no sense")
    }

    /// Says how the member is; nothing, if it has changed since it was seen.
    pub(crate) async fn report(&self, sight: &Sight, report: Report<Plain>) -> Result<Option<Sight>> {
        let member = Member { report: Some(report), ..sight.member.clone() };
        let mut raw = sight.raw.clone();
        UpgradeWire.draw_status(&Object::Member(member), &mut raw);
        match self.members().replace_status(&self.name(), &PostParams::default(), &raw).await {
            Ok(raw) => Ok(Sight::of(raw)),
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
