//! `bowline upgrade preflight`: what may become of an upgrade, before anything is touched.

mod picture;

use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Instant;

use anyhow::anyhow;
use bowline_api::updates::Cluster;
use bowline_controllers::UpgradeWire;
use bowline_explorer::{End, Options, Progress, Walks};
use bowline_models::preflight::{Flight, Obstacle, Outcome, Preflight, Storm};
use bowline_runtime::Wire;
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Kind, Memory, Object, Snapshot};
use kube::Api;
use kube::api::{DynamicObject, ListParams};
use serde::Serialize;

use self::picture::{Picture, document, draw};
use super::stays;
use crate::connection::failed;
use crate::exit::{BadUsage, Exit, Refused};
use crate::nearest::there_are;
use crate::output::{self, Format};
use crate::progress::ProgressLine;
use crate::signals;
use crate::team::{Scope, Team};

/// What is asked of a preflight.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) group: String,
    pub(crate) to: String,
    pub(crate) crashes: u8,
    /// Who crashed stays away.
    pub(crate) for_good: bool,
    /// As `upgrade start` would do it, whatever the group's mode is.
    pub(crate) automatic: bool,
    /// What so many crashes explain is no excuse.
    pub(crate) strict: bool,
    pub(crate) max_states: u64,
    pub(crate) threads: Option<u16>,
    pub(crate) quiet: bool,
}

/// Walks through a group that is too large to be explored as a whole; always the same ones.
const WALKS: Walks = Walks { count: 400, steps: 2_000, seed: 1 };

/// Explores what may become of an upgrade of a group as it stands, and tells.
pub(crate) async fn preflight(scope: &Scope, question: &Question, format: Format) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let mut snapshot = team.as_it_stands(&question.group).await?;
    if let Some(group) = &mut snapshot.group {
        group.wish.automatic |= question.automatic;
    }
    let storm = Storm { crashes: question.crashes, returns: !question.for_good, rollbacks: 1 };
    let plan = Preflight::new(&snapshot, &question.to, storm)
        .map_err(|obstacle| against(&question.group, &obstacle))?;
    let (flight, seconds) = fly(&plan, question)?;
    let serving = snapshot.group.and_then(|group| group.status.serving).unwrap_or_default();
    let picture = Picture { question, from: &serving, plan: &plan, flight: &flight, seconds };
    let text = if format.is_text() { draw(&picture) } else { output::document(format, &document(&picture))? };
    output::print(&text)?;
    Ok(match flight.outcome {
        Outcome::Safe => Exit::Done,
        Outcome::Unsafe => Exit::EndedBadly,
        Outcome::Incomplete => Exit::NotFinished,
    })
}

/// Why there is nothing to explore.
fn against(group: &str, obstacle: &Obstacle) -> anyhow::Error {
    match obstacle {
        Obstacle::Unknown { wanted, known } => {
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            let hint = there_are(wanted, &known);
            anyhow!(BadUsage(format!(
                "the group {group} has no version {wanted}: declare it in spec.versions{hint}"
            )))
        }
        Obstacle::Skips { wanted, serving, next } => {
            let instead = next.as_ref().map_or_else(
                || "which is the last of spec.versions".to_owned(),
                |next| format!("and the next one is {next}"),
            );
            anyhow!(BadUsage(format!("{wanted} is not the next version: {serving} serves, {instead}")))
        }
        Obstacle::Refused(why) => anyhow!(Refused(why.clone())),
    }
}

fn fly(plan: &Preflight, question: &Question) -> anyhow::Result<(Flight, f64)> {
    let line = ProgressLine::start(None, question.quiet);
    let tell = |progress: &Progress<'_>| line.show(progress);
    let asked = question.threads.and_then(|threads| NonZeroUsize::new(threads.into()));
    let options = Options {
        threads: asked.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
        max_states: Some(question.max_states),
        stop: Some(signals::stop_flag()?),
        progress: line.is_visible().then_some(&tell),
        ..Options::default()
    };
    let started = Instant::now();
    let flight = plan.fly(&options, WALKS, question.strict);
    line.clear();
    let flight = flight.map_err(|refused| anyhow!("the explorer does not do that: {refused}"))?;
    for report in &flight.reports {
        if let End::Panicked { message, .. } = &report.end {
            return Err(anyhow!("the decisions themselves failed, which is a bug of bowline: {message}"));
        }
    }
    Ok((flight, started.elapsed().as_secs_f64()))
}

impl Team {
    /// A group with its members and its cluster, as the controllers would see it.
    async fn as_it_stands(&self, name: &str) -> anyhow::Result<Snapshot<Plain>> {
        let group = self.group(name).await?;
        stays(&group)?;
        let found = self.members().list(&ListParams::default()).await;
        let found = found.map_err(|error| failed(error, "cannot list members"))?.items;
        let its = found.into_iter().filter(|member| member.spec.group.as_str() == name);
        let mut members = std::collections::BTreeMap::new();
        for member in its {
            if let Some(Object::Member(member)) = known(Kind::Member, &member)? {
                members.insert(member.name.clone(), member);
            }
        }
        let cluster = match &group.spec.cluster {
            None => None,
            Some(cluster) => {
                let clusters: Api<Cluster> = Api::all(self.client.clone());
                let found = clusters.get_opt(cluster.as_str()).await;
                found.map_err(|error| failed(error, "cannot read the cluster"))?
            }
        };
        let cluster = match cluster {
            Some(cluster) => match known(Kind::Cluster, &cluster)? {
                Some(Object::Cluster(cluster)) => Some(cluster),
                _ => None,
            },
            None => None,
        };
        let group = match known(Kind::Group, &group)? {
            Some(Object::Group(group)) => group,
            _ => anyhow::bail!(Refused(format!(
                "the group {name} cannot be read by this Bowline: is it of a newer one?"
            ))),
        };
        Ok(Snapshot { group: Some(group), members, cluster, memory: Memory::default() })
    }
}

/// An object as the protocol knows it; nothing, if it makes no sense.
fn known(kind: Kind, object: &impl Serialize) -> anyhow::Result<Option<Object<Plain>>> {
    let raw: DynamicObject = serde_json::from_value(serde_json::to_value(object)?)?;
    Ok(UpgradeWire.read(kind, &raw))
}
