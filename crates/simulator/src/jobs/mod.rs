//! Jobs: pods that end, until enough have ended well or too many badly.

mod status;
#[cfg(test)]
mod tests;

use bowline_control::{Decision, Millis, Moment};

pub(crate) use status::status;

use crate::conditions;
use crate::controller::Snapshot;
use crate::pods::{Seen, Template, free_name, make};
use crate::step::{Choice, create, delete, wait, wait_until};
use crate::thing::{Kind, Thing};
use crate::time::{by_the_clock, parsed, seconds};

/// Where the pod of a job with indices says which it is.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// How a job stands.
struct Tally<'a> {
    all: Vec<&'a Thing>,
    active: Vec<Seen<'a>>,
    /// Of a job with indices: those that are done, each once.
    done: Vec<i64>,
    succeeded: i64,
    failed: i64,
}

impl<'a> Tally<'a> {
    fn of(job: &'a Thing, snapshot: &'a Snapshot) -> Tally<'a> {
        let all: Vec<_> = snapshot.owned(job, Kind::Pod).collect();
        let seen: Vec<_> = all.iter().map(|pod| Seen::of(pod)).collect();
        let ended = |phase| seen.iter().filter(move |seen| seen.has_ended(phase));
        let mut done: Vec<_> = ended("Succeeded").filter_map(|seen| index(seen.pod)).collect();
        done.sort_unstable();
        done.dedup();
        let count = if is_indexed(job) { done.len() } else { ended("Succeeded").count() };
        Tally {
            succeeded: i64::try_from(count).unwrap_or(i64::MAX),
            failed: i64::try_from(ended("Failed").count()).unwrap_or(i64::MAX),
            done,
            active: seen.iter().filter(|seen| seen.active).copied().collect(),
            all,
        }
    }

    fn has_failed(&self, job: &Thing) -> bool {
        self.failed > job.wanted("backoffLimit", 6)
    }

    fn is_complete(&self, job: &Thing) -> bool {
        match job.spec()["completions"].as_i64() {
            Some(completions) => self.succeeded >= completions,
            // Pods that share a queue: when one says that it is empty, the others end.
            None => self.succeeded > 0 && self.active.is_empty(),
        }
    }
}

fn is_indexed(job: &Thing) -> bool {
    job.spec()["completionMode"] == "Indexed"
}

fn index(pod: &Thing) -> Option<i64> {
    pod.annotations.get(INDEX)?.parse().ok()
}

/// Whether it is over, and people have been told.
fn is_over(job: &Thing) -> bool {
    conditions::holds(&job.status, "Complete") || conditions::holds(&job.status, "Failed")
}

/// What is to be done about a job.
pub(crate) fn decide(job: &Thing, snapshot: &Snapshot, now: Moment) -> Choice {
    if is_over(job) {
        return expire(job, now);
    }
    let tally = Tally::of(job, snapshot);
    let active = i64::try_from(tally.active.len()).unwrap_or(i64::MAX);
    let wanted = wanted(job, &tally);
    if active > wanted {
        return tally.active.last().map_or(Decision::Converged, |seen| delete(seen.pod));
    }
    if active < wanted {
        return create(pod(job, &tally));
    }
    if tally.has_failed(job) || tally.is_complete(job) {
        Decision::Converged
    } else {
        wait("its pods to end")
    }
}

/// How many pods should be at work.
fn wanted(job: &Thing, tally: &Tally<'_>) -> i64 {
    if job.spec()["suspend"] == true || tally.has_failed(job) || tally.is_complete(job) {
        return 0;
    }
    let parallelism = job.wanted("parallelism", 1);
    match job.spec()["completions"].as_i64() {
        Some(completions) => parallelism.min(completions - tally.succeeded),
        None if tally.succeeded > 0 => i64::try_from(tally.active.len()).unwrap_or(i64::MAX).min(parallelism),
        None => parallelism,
    }
}

fn pod(job: &Thing, tally: &Tally<'_>) -> Thing {
    let named = |stem: &str| free_name(job, stem, &tally.all);
    let template = |name: &str| make(&Template { owner: job, template: job.template(), name, labels: &[] });
    if !is_indexed(job) {
        return template(&named(&job.id.name));
    }
    let at_work = |wanted: i64| tally.active.iter().any(|seen| index(seen.pod) == Some(wanted));
    let next = (0..).find(|index| !tally.done.contains(index) && !at_work(*index)).unwrap_or(0);
    template(&named(&format!("{}-{next}", job.id.name))).edit(|pod| {
        pod.annotations.insert(INDEX.into(), next.to_string());
        pod.labels.insert(INDEX.into(), next.to_string());
    })
}

/// What is over is removed when its time has come, if it has one.
fn expire(job: &Thing, now: Moment) -> Choice {
    match expires(job) {
        None => Decision::Converged,
        Some(time) if time <= now.wall => delete(job),
        Some(time) => wait_until("the time after which the job is removed", Some(by_the_clock(time, now))),
    }
}

fn expires(job: &Thing) -> Option<Millis> {
    let ttl_s = job.spec()["ttlSecondsAfterFinished"].as_i64()?;
    let over = ["Complete", "Failed"].iter().find_map(|kind| {
        conditions::find(&job.status, kind).filter(|condition| condition["status"] == "True")
    })?;
    Some(parsed(over["lastTransitionTime"].as_str()?)?.plus(seconds(ttl_s)))
}
