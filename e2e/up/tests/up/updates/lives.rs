//! A line of versions whose controller is killed again and again: what it submits, and what has to be true at rest.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

use super::server::Server;
use super::team::{Team, map, never_ready, within};

/// What every version has, and what every third has in common.
const SHARED: u64 = 20;
const OWN: u64 = 10;

/// What was there before, of others; one of it is what versions take over.
const OTHERS: [&str; 2] = [ADOPTED, "theirs"];
const ADOPTED: &str = "adopted";

/// Where versions go.
pub(super) enum Target {
    /// A cluster inside the hub, whose server ends and begins with it.
    Embedded,
    /// A server that lives on.
    At(PathBuf),
}

/// A stack on the cluster of its name, and the versions that were submitted to it.
pub(super) struct Line {
    pub(super) name: String,
    target: Target,
    /// The namespace on the cluster.
    namespace: String,
    /// The number in the content, by the name of the update.
    submitted: BTreeMap<String, u64>,
}

/// What becomes of a version.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gets {
    Healthy,
    /// It never does, and is rolled back.
    Stuck,
}

/// When somebody is killed.
pub(super) enum Moment {
    /// After so many decisions.
    Decisions(usize),
    /// When the stack is in this phase.
    Phase(&'static str),
}

impl Line {
    /// Makes the stack, and puts something of others where its versions go.
    pub(super) fn new(place: &Place, name: &str, target: Target, namespace: &str) -> Result<Line> {
        let line =
            Line { name: name.into(), target, namespace: namespace.into(), submitted: BTreeMap::new() };
        Team::on(place, name, "default", name, json!({ "timeoutSeconds": 2, "maxDeletions": 100 }))?;
        let server = line.server(place)?;
        for (name, data) in whole(None) {
            let path = format!("/api/v1/namespaces/{namespace}/configmaps");
            server.make(&path, &within(namespace, map(&name, data)))?;
        }
        Ok(line)
    }

    fn server(&self, place: &Place) -> Result<Server> {
        match &self.target {
            Target::Embedded => Server::of(&super::team::embedded(place, &self.name)?),
            Target::At(kubeconfig) => Server::of(kubeconfig),
        }
    }

    fn team<'a>(&self, place: &'a Place) -> Team<'a> {
        Team::again_on(place, &self.name, "default", &self.name)
    }

    /// Submits another version.
    pub(super) fn submit(&mut self, place: &Place, gets: Gets) -> Result<()> {
        let number = u64::try_from(self.submitted.len())? + 1;
        let mut objects: Vec<_> = wanted(number).into_iter().map(|(name, data)| map(&name, data)).collect();
        if gets == Gets::Stuck {
            objects.push(never_ready("web"));
        }
        let objects: Vec<_> = objects.into_iter().map(|object| within(&self.namespace, object)).collect();
        let update = self.team(place).submit(&objects)?;
        self.submitted.insert(update, number);
        Ok(())
    }

    /// Waits until that moment has come, or everything is at rest before.
    pub(super) fn comes_to(&self, place: &Place, moment: &Moment, before: usize) -> Result<()> {
        let team = self.team(place);
        until("it is time to kill", || {
            let has_come = match moment {
                Moment::Decisions(more) => decisions(place) >= before + more,
                Moment::Phase(phase) => team.stack()?["status"]["phase"] == *phase,
            };
            Ok(if has_come || self.is_over(&team)? { Ok(()) } else { Err("something goes on".into()) })
        })
    }

    /// Waits until every update has ended.
    pub(super) fn is_decided(&self, place: &Place) -> Result<()> {
        let team = self.team(place);
        until("every update has ended", || {
            Ok(if self.is_over(&team)? { Ok(()) } else { Err(format!("{:#}", team.stack()?)) })
        })
    }

    /// Every update has ended.
    fn is_over(&self, team: &Team<'_>) -> Result<bool> {
        Ok(team.updates()?.iter().all(|update| update["status"]["finishedAt"].is_string()))
    }

    /// If the stack says that it is at rest, the cluster is exactly as the last good version wants it.
    pub(super) fn is_whole_at_rest(&self, place: &Place) -> Result<()> {
        let team = self.team(place);
        let stack = team.stack()?;
        let is = match (self.server(place).and_then(|server| self.sight(&server)), &self.target) {
            // It may not have begun to serve in this life: it shows nothing then.
            (Err(_), Target::Embedded) => return Ok(()),
            (is, _) => is?,
        };
        let is_at_rest = stack["status"]["phase"] == "Idle"
            && team.stack()?["metadata"]["resourceVersion"] == stack["metadata"]["resourceVersion"];
        if is_at_rest { is_as_good(&stack, &is) } else { Ok(()) }
    }

    /// What is on the cluster, of us and of others.
    fn sight(&self, server: &Server) -> Result<BTreeMap<String, Value>> {
        let mut all = server.maps(&self.namespace)?;
        // No version with one gets healthy: at rest there is none.
        let stuck = server.items(&format!("/apis/apps/v1/namespaces/{}/deployments", self.namespace))?;
        all.extend(stuck.into_iter().map(|it| (format!("deployment {}", it["metadata"]["name"]), it)));
        Ok(all)
    }

    /// Waits until everything has ended, and the cluster was left; what has to be true then.
    pub(super) fn ends_well(&self, place: &Place) -> Result<()> {
        self.is_decided(place)?;
        let team = self.team(place);
        team.leaves()?;
        let (stack, updates) = (team.stack()?, team.updates()?);
        ensure!(stack["status"]["phase"] == "Idle", "{stack:#}");
        let count = self.submitted.len();
        ensure!(updates.len() == count, "{} updates of {count}", updates.len());
        for update in &updates {
            let (name, status) = (update["metadata"]["name"].as_str().unwrap_or_default(), &update["status"]);
            let number = self.submitted.get(name).copied();
            ensure!(
                number.is_some() && status["version"].as_u64() == number,
                "in order: {number:?}: {update}"
            );
        }
        let succeeded = updates.iter().filter(|update| update["status"]["phase"] == "Succeeded");
        let newest = succeeded.filter_map(|update| update["status"]["version"].as_u64()).max();
        ensure!(stack["status"]["lastGood"]["version"].as_u64() == newest, "{newest:?}: {stack:#}");
        is_as_good(&stack, &self.sight(&self.server(place)?)?)?;
        let phases = updates.iter().map(|update| &update["status"]["phase"]);
        eprintln!("{}: {} versions: {:?}", self.name, updates.len(), phases.collect::<Vec<_>>());
        Ok(())
    }
}

/// The cluster is exactly as the last good version wants it. They are numbered in the order in which they are submitted.
fn is_as_good(stack: &Value, is: &BTreeMap<String, Value>) -> Result<()> {
    let good = stack["status"]["lastGood"]["version"].as_u64();
    ensure!(*is == whole(good), "last good is {good:?}, and there is {is:#?}; the stack: {stack:#}");
    Ok(())
}

/// What a version wants; every second one something that others have.
fn wanted(number: u64) -> BTreeMap<String, Value> {
    let said = json!({ "v": number.to_string() });
    let shared = (0..SHARED).map(|index| format!("shared-{index}"));
    let own = (0..OWN).map(|index| format!("own-{}-{index}", number % 3));
    let adopted = number.is_multiple_of(2).then(|| ADOPTED.to_owned());
    shared.chain(own).chain(adopted).map(|name| (name, said.clone())).collect()
}

/// What is on the cluster when a version is, of it and of others; without one, what was there before.
fn whole(number: Option<u64>) -> BTreeMap<String, Value> {
    let mut all: BTreeMap<_, _> = OTHERS.map(|name| (name.to_owned(), json!({ "v": "before" }))).into();
    all.extend(number.map(wanted).unwrap_or_default());
    all
}

/// How many decisions the journal has.
pub(super) fn decisions(place: &Place) -> usize {
    let journal = std::fs::read_to_string(place.path("data/journal.jsonl"));
    journal.map_or(0, |journal| journal.lines().count())
}
