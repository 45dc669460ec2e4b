//! `bowline upgrade status`.

use bowline_api::upgrades::{Member, NodeGroup};
use kube::ResourceExt;
use kube::api::ListParams;
use serde_json::json;

use super::drawing::draw;
use super::watch::watch;
use crate::connection::failed;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::team::{Scope, Team};

/// Shows a group with its members; whenever they change, if it `watches`.
pub(crate) async fn status(scope: &Scope, name: &str, watches: bool, format: Format) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let group = team.group(name).await?;
    if watches {
        return watch(&team, name, format).await;
    }
    let members = team.members_of(name).await?;
    output::print(&picture(&group, &members, format)?)?;
    Ok(Exit::Done)
}

/// A group and its members, as they are printed.
pub(super) fn picture(group: &NodeGroup, members: &[Member], format: Format) -> anyhow::Result<String> {
    if format.is_text() {
        return Ok(draw(group, members, format == Format::Wide));
    }
    output::document(format, &json!({ "group": group, "members": members }))
}

impl Team {
    /// The members of a group, by name.
    async fn members_of(&self, group: &str) -> anyhow::Result<Vec<Member>> {
        let found = self.members().list(&ListParams::default()).await;
        let mut found = found.map_err(|error| failed(error, "cannot list members"))?.items;
        found.retain(|member| member.spec.group.as_str() == group);
        found.sort_by_key(ResourceExt::name_any);
        Ok(found)
    }
}
