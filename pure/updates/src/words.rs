//! What people are told: what is wrong, where, and what to do.

use crate::decide::{Aim, Case, Fault, Objection, View};
use crate::plan::{Health, Plan};
use crate::state::{Names, Number, Request, Stage};

/// What an update says when it comes to a stage.
pub(crate) fn shown<N: Names>(request: &Request<N>) -> N::Text {
    match request.stage {
        Stage::Submitted => "it is going to be checked".into(),
        Stage::Queued => "it is valid, and waits for its turn".into(),
        Stage::Processing => "it is planned; nothing was changed yet".into(),
        Stage::Partial => "it is being applied".into(),
        _ => request.why.clone(),
    }
}

pub(crate) fn superseded<N: Names>(by: Number, when: &str) -> N::Text {
    N::Text::from(&format!("version {by} took its place {when}"))
}

pub(crate) fn quarantined<N: Names>(number: Number, why: &N::Text) -> N::Text {
    let why = why.as_ref();
    N::Text::from(&format!(
        "version {number} failed with the same content ({why}); submit something else, or release version {number}"
    ))
}

pub(crate) fn forgotten<N: Names>() -> N::Text {
    "somebody has changed what it showed, or its stack is another one now: how it ended is not known any more"
        .into()
}

pub(crate) fn stalled<N: Names>(failed: &N::Text, why: &N::Text) -> N::Text {
    let (failed, why) = (failed.as_ref(), why.as_ref());
    N::Text::from(&format!("{failed}; and what was there before could not be put back: {why}"))
}

pub(crate) fn objection<N: Names>(case: &Case<'_, N>, number: Number, objection: Objection) -> N::Text {
    let digest = case.stack.digest(Aim::Version(number));
    match objection {
        Objection::NoCluster => "its cluster is not there; see `bowline cluster list`".into(),
        Objection::NotAllowed => {
            "its namespace may not use the cluster; an administrator can add it to the cluster's allowedNamespaces".into()
        }
        Objection::Waiting => {
            let most = case.s.cluster.as_ref().map_or(0, |cluster| cluster.quota.waiting);
            let text = format!(
                "more than {most} stacks of its namespace have a version that waits on the cluster, and no more may: submit it again when they have ended, or ask for a larger quota.maxQueuedPerNamespace"
            );
            N::Text::from(&text)
        }
        Objection::Hourly => {
            let most = case.s.cluster.as_ref().map_or(0, |cluster| cluster.quota.hourly);
            let text = format!(
                "more than {most} versions were submitted for the cluster within an hour, and no more may be: submit it again later, or ask for a larger quota.maxPerHour"
            );
            N::Text::from(&text)
        }
        Objection::Quarantined => {
            let bad = digest.and_then(|digest| case.stack.quarantine(digest));
            bad.map_or("".into(), |bad| quarantined::<N>(bad.number, &bad.why))
        }
        Objection::BadContent => unusable(case, Aim::Version(number)),
    }
}

fn unusable<N: Names>(case: &Case<'_, N>, aim: Aim) -> N::Text {
    match case.s.content(case.stack.digest(aim)) {
        Some(Err(why)) => why,
        _ => "its content cannot be read".into(),
    }
}

/// Why something failed that was to be on the cluster.
pub(crate) fn fault<N: Names>(case: &Case<'_, N>, aim: Aim, fault: Fault) -> N::Text {
    let plan = || match case.plan(aim) {
        View::Plan(look, plan) => Some((look, plan)),
        _ => None,
    };
    match fault {
        Fault::BadContent => unusable(case, aim),
        Fault::Refused => {
            let by_plan = || plan().and_then(|(_, plan)| plan.refusal().cloned());
            case.s.memory.refused.clone().or_else(by_plan).unwrap_or_else(|| "an object is refused".into())
        }
        Fault::OtherPlan => {
            "its plan is not the one that was asked for: look at the new one, and submit again".into()
        }
        Fault::Deletions => {
            let count = plan().map_or(0, |(_, plan)| plan.deletions());
            let most = case.stack.wish.deletions;
            let text = format!(
                "it would delete {count} objects, and at most {most} may go at once; if that is meant, raise maxDeletions of the stack"
            );
            N::Text::from(&text)
        }
        Fault::Timeout | Fault::Ill => {
            let first = plan().and_then(|(look, plan)| unhealthy(look, &plan));
            first.unwrap_or_else(|| "something did not become healthy in time".into())
        }
        Fault::Tries => "writes to the cluster failed again and again".into(),
        Fault::Lost => "whoever applied it was lost, twice".into(),
        Fault::Deleted => "its stack is deleted".into(),
        Fault::NoCluster => "its cluster is gone".into(),
    }
}

/// The first object that is not healthy, and why.
pub(crate) fn unhealthy<N: Names>(look: &crate::Look<N>, plan: &Plan<N>) -> Option<N::Text> {
    let mut later =
        plan.later.iter().map(|place| format!("{} has no kind or namespace yet", N::place(place)));
    let ill = look.sights.iter().find_map(|(place, sight)| match &sight.live.as_ref()?.health {
        Health::Well => None,
        Health::Progressing(why) | Health::Ill(why) => Some(format!("{}: {}", N::place(place), why.as_ref())),
    });
    ill.or_else(|| later.next()).map(|text| N::Text::from(&text))
}

/// What somebody else has changed.
pub(crate) fn drifted<N: Names>(plan: &Plan<N>) -> N::Text {
    let changed = plan.deeds.iter().map(|(_, deed)| N::place(&deed.place));
    let refused = plan.refused.iter().map(|(place, _)| N::place(place));
    let all: Vec<_> = changed.chain(refused).collect();
    let some = all.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let text = match all.len() {
        0..=5 => format!("not as it should be: {some}"),
        more => format!("not as it should be: {some} and {} more", more - 5),
    };
    N::Text::from(&text)
}
