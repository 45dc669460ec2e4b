//! What a job's status says.

use bowline_control::Moment;
use serde_json::Value;

use super::{Tally, is_indexed, is_over};
use crate::conditions::{self, Condition};
use crate::controller::Snapshot;
use crate::thing::{Thing, put};
use crate::time::written;

/// What a job's status says. Once it is over it stays, whatever becomes of its pods.
pub(crate) fn status(job: &Thing, snapshot: &Snapshot, now: Moment) -> Value {
    let mut status = job.status.clone();
    if is_over(job) {
        return status;
    }
    let tally = Tally::of(job, snapshot);
    let suspended = job.spec()["suspend"] == true;
    put(&mut status, "active", tally.active.len().into());
    status["ready"] = tally.active.iter().filter(|seen| seen.ready).count().into();
    put(&mut status, "succeeded", tally.succeeded.into());
    put(&mut status, "failed", tally.failed.into());
    if is_indexed(job) {
        put(&mut status, "completedIndexes", ranges(&tally.done).into());
    }
    if suspended {
        put(&mut status, "startTime", Value::Null);
    } else if !status["startTime"].is_string() {
        put(&mut status, "startTime", written(now.wall).into());
    }
    if suspended || conditions::find(&status, "Suspended").is_some() {
        let (reason, message) =
            if suspended { ("JobSuspended", "Job suspended") } else { ("JobResumed", "Job resumed") };
        let condition = Condition { reason, message, ..Condition::plain("Suspended", suspended) };
        conditions::say(&mut status, condition, now);
    }
    if tally.active.is_empty() {
        finish(&mut status, job, &tally, now);
    }
    status
}

fn finish(status: &mut Value, job: &Thing, tally: &Tally<'_>, now: Moment) {
    let (before, end, reason, message) = if tally.is_complete(job) {
        put(status, "completionTime", written(now.wall).into());
        let message = "Reached expected number of succeeded pods";
        ("SuccessCriteriaMet", "Complete", "CompletionsReached", message)
    } else if tally.has_failed(job) {
        let message = "Job has reached the specified backoff limit";
        ("FailureTarget", "Failed", "BackoffLimitExceeded", message)
    } else {
        return;
    };
    for kind in [before, end] {
        conditions::say(status, Condition { reason, message, ..Condition::plain(kind, true) }, now);
    }
}

/// Numbers in order, as `0-2,5`.
fn ranges(numbers: &[i64]) -> String {
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    let told = ranges.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    });
    told.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn numbers_are_told_in_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5]), "0-2,5");
        assert_eq!(ranges(&[]), "");
    }
}
