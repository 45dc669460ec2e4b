//! A run: search, then liveness, then the report.

use std::sync::atomic::Ordering;

use crate::expand::Sighting;
use crate::graph::Graph;
use crate::liveness::{Claim, Liveness, Stopped};
use crate::model::Model;
use crate::options::{Options, Phase, Refused, Storage};
use crate::parallel::in_pool;
use crate::plan::Plan;
use crate::property::{Formula, Kind, Property};
use crate::replay::Replay;
use crate::report::{End, Judged, Report, Trace, Verdict};
use crate::search::{Ended, Search};
use crate::shelf::{Exact, Fingerprints, Shelf};

/// Explores a model breadth-first and judges its properties.
///
/// # Errors
/// Says what it does not support instead of passing over it.
pub fn check<M: Model>(model: &M, options: &Options<'_>) -> Result<Report, Refused> {
    let run = || {
        let plan = Plan::new(model, options)?;
        match options.storage {
            Storage::Exact => run::<M, Exact<M::State>>(&plan, options),
            Storage::Fingerprint => run::<M, Fingerprints<M::State>>(&plan, options),
        }
    };
    in_pool(options.threads, run)
}

fn run<M: Model, H: Shelf<M::State>>(plan: &Plan<'_, M>, options: &Options<'_>) -> Result<Report, Refused> {
    let mut search: Search<'_, M, H> = Search::new(plan, options);
    let ended = search.run()?;
    search.free_buffers();
    let explored = matches!(ended, Ended::Complete);
    let mut run = Run { plan, options, search, explored, ended };
    let lassos = run.lassos();
    let replay = Replay { plan, shards: &run.search.shards };
    let verdicts = plan.properties.iter().zip(lassos).enumerate();
    let verdicts =
        verdicts.map(|(index, (property, lasso))| run.judge(&replay, index, property, lasso)).collect();
    let distinct = run.search.distinct();
    Ok(Report {
        distinct,
        generated: run.search.generated,
        depth: run.search.depth,
        peak_bytes: run.search.peak_bytes,
        collision_probability: H::collision_probability(distinct),
        verdicts,
        walked: None,
        end: match run.ended {
            Ended::Complete => End::Complete,
            Ended::MaxStates => End::MaxStates,
            Ended::MaxBytes => End::MaxBytes,
            Ended::OutOfNumbers => End::OutOfNumbers,
            Ended::Stopped => End::Stopped,
            Ended::Panicked(panicked) => {
                let (trace, message) = replay.to_panic(&panicked);
                End::Panicked { message, trace }
            }
        },
    })
}

struct Run<'a, M: Model, H: Shelf<M::State>> {
    plan: &'a Plan<'a, M>,
    options: &'a Options<'a>,
    search: Search<'a, M, H>,
    /// Every state was visited: what is of states and steps is settled, even if liveness is not.
    explored: bool,
    ended: Ended,
}

/// What the liveness check says of a property.
enum Outcome {
    /// It is none of liveness, or was not looked at.
    None,
    Holds,
    Violated(Trace),
}

impl<M: Model, H: Shelf<M::State>> Run<'_, M, H> {
    /// One outcome for each property.
    fn lassos(&mut self) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = self.plan.properties.iter().map(|_| Outcome::None).collect();
        if let (Ended::Complete, Some(graph)) = (&self.ended, &self.search.graph) {
            let bytes = self.search.bytes() + Liveness::worst_bytes(graph);
            if self.options.max_bytes.is_some_and(|max| bytes > max) {
                self.ended = Ended::MaxBytes;
                return outcomes;
            }
            if let Err(Stopped) = self.judge_liveness(graph, bytes, &mut outcomes) {
                self.ended = Ended::Stopped;
            }
            self.search.peak_bytes = self.search.peak_bytes.max(bytes);
        }
        outcomes
    }

    fn judge_liveness(&self, graph: &Graph, bytes: u64, outcomes: &mut [Outcome]) -> Result<(), Stopped> {
        let stopped = || self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let replay = Replay { plan: self.plan, shards: &self.search.shards };
        let liveness = Liveness::new(graph, self.plan.fair_classes, self.search.initial, &stopped)?;
        let claims = claims(&self.plan.properties);
        for ((property, claims), outcome) in self.plan.properties.iter().zip(claims).zip(outcomes) {
            if claims.is_empty() {
                continue;
            }
            if stopped() {
                return Err(Stopped);
            }
            self.search.tell(Phase::Liveness(property.name()), 0, bytes);
            *outcome = Outcome::Holds;
            for claim in claims {
                let violation = liveness.violation(claim).inspect_err(|_| *outcome = Outcome::None)?;
                if let Some(lasso) = violation {
                    *outcome = Outcome::Violated(replay.lasso(graph, &lasso));
                    break;
                }
            }
        }
        Ok(())
    }

    fn judge(
        &self,
        replay: &Replay<'_, M, H>,
        index: usize,
        property: &Property<M>,
        outcome: Outcome,
    ) -> Judged {
        let kind = property.kind();
        let sighting = self.search.sightings[index].map(|sighting| match sighting {
            Sighting::State(id) => replay.to_state(id),
            Sighting::StepFrom(id) => replay.to_step(id, property),
        });
        let all_seen = self.explored && !kind.is_liveness();
        let (verdict, trace) = match (outcome, sighting) {
            (Outcome::Violated(trace), _) => (Verdict::Violated, Some(trace)),
            (Outcome::Holds, _) => (Verdict::Holds, None),
            (Outcome::None, Some(trace)) if kind == Kind::Sometimes => (Verdict::Reached, Some(trace)),
            (Outcome::None, Some(trace)) => (Verdict::Violated, Some(trace)),
            (Outcome::None, None) if !all_seen => (Verdict::Unknown, None),
            (Outcome::None, None) if kind == Kind::Sometimes => (Verdict::Unreached, None),
            (Outcome::None, None) => (Verdict::Holds, None),
        };
        Judged { name: property.name.clone(), kind, verdict, trace }
    }
}

/// The liveness claims of each property, its predicates numbered as the search numbers labels.
fn claims<M: Model>(properties: &[Property<M>]) -> Vec<Vec<Claim>> {
    let mut next = 0;
    let mut label = || {
        next += 1;
        next - 1
    };
    let mut claim = |formula: &Formula<M>| match formula {
        Formula::Eventually(_) => Some(Claim::Eventually(label())),
        Formula::EventuallyAlways(_) => Some(Claim::EventuallyAlways(label())),
        Formula::AlwaysEventually(_) => Some(Claim::AlwaysEventually(label())),
        Formula::LeadsTo(_, _) => Some(Claim::LeadsTo(label(), label())),
        Formula::Always(_) | Formula::AlwaysStep(_) | Formula::NoDeadlock | Formula::Sometimes(_) => None,
    };
    properties.iter().map(|property| property.formulas.iter().filter_map(&mut claim).collect()).collect()
}
