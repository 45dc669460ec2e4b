//! Walks that the explorer can take are taken again by the real process on real servers; it must decide the same.

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_sample::{FINALIZER, Half, HalfSpec};
use bowline_fixtures::proxy::{Cut, Held, Lag, Late, Mark, Matcher, Rule, Script, Seen, Verb, Weather};
use bowline_models::{Faults, Move, Part, catalogue, rehearsal};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::world::{HALVES, PAIRS, Process, World};

/// Walks on each home, and how long they are.
const WALKS: u64 = 8;
const STEPS: usize = 40;

#[tokio::test(flavor = "multi_thread")]
async fn what_the_explorer_walks_the_real_process_walks_too() -> Result<()> {
    let control = catalogue().iter().find(|entry| entry.name == "control").context("a model of it")?;
    let faults = control
        .budgets("crash=1,conflict=1,lost-request=1,lost-reply=2,relist=1,two-leaders=1,drift=2")
        .map_err(|bad| anyhow::anyhow!("{bad}"))?;
    for kind in Kind::ALL {
        for seed in 0..WALKS {
            replay(kind, seed, &faults).await.with_context(|| format!("walk {seed} on {kind}"))?;
        }
    }
    Ok(())
}

async fn replay(kind: Kind, seed: u64, faults: &Faults) -> Result<()> {
    let mut stage = Stage::set(kind).await?;
    let walk = rehearsal(seed, faults, STEPS);
    for (step, next) in walk.iter().enumerate() {
        let limit = std::time::Duration::from_secs(60);
        let played = tokio::time::timeout(limit, stage.play(next)).await.context("it does not come about");
        let so_far = || format!("step {step} of {walk:#?}\n{}", stage.world.proxy.journal());
        played.and_then(|played| played).with_context(so_far)?;
    }
    stage.end().await
}

/// The real process, and what is in the hands of the test.
struct Stage {
    world: World,
    process: Process,
    /// What it does, and waits for an answer to.
    held: Option<Held>,
    late: Vec<Late>,
}

impl Stage {
    async fn set(kind: Kind) -> Result<Stage> {
        let mut world = World::bare(kind).await?;
        // Its definitions are not part of the play.
        world.proxy.rule(Rule::every(Matcher::any().of(DEFINITIONS), Weather::Fair));
        world.proxy.script(Script::WritesAndListsByName);
        for resource in [PAIRS, HALVES] {
            world.proxy.lag(resource, Lag::Events);
        }
        let mark = world.proxy.mark();
        let process = world.controller()?;
        let stage = Stage { world, process, held: None, late: Vec::new() };
        stage.watches(mark, &[PAIRS, HALVES], 1).await;
        Ok(stage)
    }

    /// Waits until the process has begun so many watches of these: what happens from now on comes to it as events only.
    async fn watches(&self, since: Mark, resources: &[&str], count: usize) {
        for resource in resources {
            self.world.proxy.arrived(since, Matcher::from(Verb::Watch).of(*resource), count).await;
            self.world.proxy.watches(*resource, 1).await;
        }
    }

    async fn play(&mut self, next: &Move) -> Result<()> {
        match next {
            Move::Deed(what, name) => self.deed(what, name).await?,
            Move::Show(part) => drop(self.world.proxy.deliver(resource(*part), 1).await),
            Move::Does(what) => {
                let held = self.world.proxy.next_request(Matcher::any()).await;
                let does = point(&held.request)?;
                ensure!(does == *what, "it should `{what}`, and does `{does}`");
                self.held = Some(held);
            }
            Move::Carry => drop(self.take()?.pass().await),
            Move::LoseRequest => self.take()?.lose_request().await,
            Move::LoseReply => drop(self.take()?.lose_reply().await),
            Move::Delay => {
                let late = self.take()?.late().await;
                self.late.push(late);
            }
            Move::Arrive => drop(self.late.remove(0).send().await),
            // Whoever is told that a request is lost would try again, if it were still there.
            Move::Crash(sent) => {
                self.process.kill()?;
                if let Some(held) = self.held.take() {
                    if *sent {
                        held.lose_reply().await;
                    } else {
                        held.lose_request().await;
                    }
                }
                self.restart().await?;
            }
            Move::Depose => {
                self.process.kill()?;
                if let Some(held) = self.held.take() {
                    self.late.push(held.late().await);
                }
                self.restart().await?;
            }
            Move::Relist(part) => {
                let mark = self.world.proxy.mark();
                self.world.proxy.cut(resource(*part), Cut::Expired);
                // The first one is told that it is too late; then it lists, and watches from there.
                self.watches(mark, &[resource(*part)], 2).await;
            }
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Held> {
        self.held.take().context("it does nothing")
    }

    async fn restart(&mut self) -> Result<()> {
        let mark = self.world.proxy.mark();
        self.process = self.world.controller()?;
        self.watches(mark, &[PAIRS, HALVES], 1).await;
        Ok(())
    }

    /// What somebody else does, past the proxy.
    async fn deed(&self, what: &str, name: &str) -> Result<()> {
        let (pairs, halves) = (self.world.pairs(), self.world.halves());
        let merge = |patch: Value| Patch::Merge(patch);
        let params = PatchParams::default();
        let touch = json!({ "metadata": { "annotations": { "touched": "yes" } } });
        match what {
            "Create" => self.world.make(name, 0).await?,
            "Edit" => {
                let value = 1 - pairs.get(name).await?.spec.value;
                self.world.edit(name, value).await?;
            }
            "Delete" => self.world.delete(name).await?,
            "MakeReady" => {
                let ready = merge(json!({ "status": { "ready": true } }));
                halves.patch_status(name, &params, &ready).await?;
            }
            "Spoil" => {
                let value = 1 - halves.get(name).await?.spec.value;
                halves.patch(name, &params, &merge(json!({ "spec": { "value": value } }))).await?;
            }
            "Steal" => drop(halves.delete(name, &DeleteParams::default()).await?),
            "Squat" => {
                halves.create(&PostParams::default(), &Half::new(name, HalfSpec { value: 0 })).await?;
            }
            "Touch" if name.contains('-') => drop(halves.patch(name, &params, &merge(touch)).await?),
            "Touch" => drop(pairs.patch(name, &params, &merge(touch)).await?),
            other => anyhow::bail!("nobody knows how to {other}"),
        }
        Ok(())
    }

    /// The weather clears up; what was late arrives; and all comes right.
    async fn end(mut self) -> Result<()> {
        for late in std::mem::take(&mut self.late) {
            late.send().await;
        }
        if let Some(held) = self.held.take() {
            held.pass().await;
        }
        self.world.proxy.calm();
        self.world.settles().await
    }
}

const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

fn resource(part: Part) -> &'static str {
    match part {
        Part::Pair => PAIRS,
        Part::Half => HALVES,
    }
}

/// What a request does, in the words of the model.
fn point(request: &Seen) -> Result<&'static str> {
    let side = if request.name.ends_with("-left") { 0 } else { 1 };
    let is_pair = !request.name.contains('-');
    Ok(match request.verb {
        Verb::List => "look",
        Verb::Update if request.subresource == "status" => "report",
        Verb::Update if is_pair => {
            let body: Value = serde_json::from_slice(request.body.as_deref().context("a small body")?)?;
            let held =
                body["metadata"]["finalizers"].as_array().is_some_and(|all| all.contains(&json!(FINALIZER)));
            if held { "hold" } else { "let go" }
        }
        Verb::Create => ["make left", "make right"][side],
        Verb::Update => ["mend left", "mend right"][side],
        Verb::Delete => ["remove left", "remove right"][side],
        other => anyhow::bail!("nobody expects a {other:?}"),
    })
}
