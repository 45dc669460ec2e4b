//! `bowline upgrade`: the software of groups of nodes.

mod command;
mod drawing;
mod follow;
mod list;
mod preflight;
mod start;
mod status;
mod trust;
mod watch;

use bowline_api::upgrades::{Member, NodeGroup, NodeGroupStatus, UpgradeState};
use kube::{Api, Resource, ResourceExt};

pub(crate) use self::command::{Order, command};
pub(crate) use self::follow::Patience;
pub(crate) use self::list::list;
pub(crate) use self::preflight::{Question, preflight};
pub(crate) use self::start::start;
pub(crate) use self::status::status;
pub(crate) use self::trust::trust;
use crate::connection::failed;
use crate::exit::Refused;
use crate::output::{self, Format};
use crate::palette;
use crate::team::Team;

impl Team {
    pub(crate) fn groups(&self) -> Api<NodeGroup> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    pub(crate) fn members(&self) -> Api<Member> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// The group of a name.
    pub(crate) async fn group(&self, name: &str) -> anyhow::Result<NodeGroup> {
        let found =
            self.groups().get_opt(name).await.map_err(|error| failed(error, "cannot read the group"))?;
        found.ok_or_else(|| {
            let why =
                format!("there is no group {name} in {}: see `bowline upgrade list -A`", self.namespace);
            Refused(why).into()
        })
    }
}

/// Refuses a group that goes away.
pub(crate) fn stays(group: &NodeGroup) -> anyhow::Result<()> {
    if group.meta().deletion_timestamp.is_some() {
        anyhow::bail!(Refused(format!("the group {} is being deleted", group.name_any())));
    }
    Ok(())
}

/// What is known of a group; of a new one nothing is yet.
fn said(group: &NodeGroup) -> NodeGroupStatus {
    group.status.clone().unwrap_or_default()
}

/// The name of a phase.
fn word(state: UpgradeState) -> &'static str {
    match state {
        UpgradeState::Inactive => "Inactive",
        UpgradeState::Initialized => "Initialized",
        UpgradeState::Upgraded => "Upgraded",
        UpgradeState::RolledBack => "RolledBack",
    }
}

/// Good, bad, or neither.
fn style(state: UpgradeState) -> anstyle::Style {
    match state {
        UpgradeState::Inactive => palette::PLAIN,
        UpgradeState::Initialized | UpgradeState::Upgraded => palette::GOOD,
        UpgradeState::RolledBack => palette::BAD,
    }
}

/// How a group stands, in a line.
fn line(group: &NodeGroup) -> String {
    let said = said(group);
    let message = if said.message.is_empty() { String::new() } else { format!(": {}", said.message) };
    format!(
        "{} {}{message}",
        group.name_any(),
        palette::paint(style(said.upgrade_state), word(said.upgrade_state))
    )
}

/// Prints how a group stands.
fn show(group: &NodeGroup, format: Format) -> anyhow::Result<()> {
    let text = if format.is_text() { line(group) + "\n" } else { output::document(format, group)? };
    output::print(&text)
}
