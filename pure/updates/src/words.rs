//! What people are told: what is wrong, where, and what to do.

use crate::decide::{Aim, Case, Fault, Objection, View};
use crate::plan::{Act, Deed, Fit, Health, Plan};
use crate::state::{Names, Number, Phase, Request, Shown, Stage};

/// How many objects are named at most.
const SOME: usize = 5;

/// What an update says when it comes to a stage.
pub(crate) fn shown<N: Names>(request: &Request<N>) -> N::Text {
    match request.stage {
        Stage::Submitted => "it is going to be checked".into(),
        Stage::Queued => "it is valid, and waits for its turn".into(),
        Stage::Processing => "it is being planned; nothing was changed yet".into(),
        Stage::Partial => "it is being applied".into(),
        _ => request.why.clone(),
    }
}

pub(crate) fn superseded<N: Names>(by: Number, when: &str) -> N::Text {
    N::Text::from(&format!("version {by} took its place {when}"))
}

pub(crate) fn superseded_while_rolled_back<N: Names>(by: Number, failed: &N::Text) -> N::Text {
    let failed = failed.as_ref();
    N::Text::from(&format!(
        "version {by} took its place while what was there before it was put back; it had failed: {failed}"
    ))
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

const EXPOSED: &str = "its cluster is this hub itself, or cannot be told from it, and does not name the namespaces that may use it: whoever submits to it is \
                       an administrator of the hub. An administrator can name them (`bowline cluster add --allow`); then submit \
                       it again";

const NOT_ALLOWED: &str =
    "its namespace may not use the cluster; an administrator can add it to the cluster's allowedNamespaces";

/// What a stack says that is on a cluster, and may not be there any more.
pub(crate) const BARRED: &str = "its namespace may not use the cluster any more: what is there stays as it is, and nothing is written any more; an \
                                 administrator can add it to the cluster's allowedNamespaces";

/// Between why a version failed and why the one before it could not be put back.
const BESIDES: &str = "; and what was there before could not be put back: ";

/// Why it failed, also if it stalled since.
fn failed<N: Names>(why: &N::Text) -> &str {
    why.as_ref().split(BESIDES).next().unwrap_or_default()
}

pub(crate) fn stalled<N: Names>(why: &N::Text, besides: &N::Text) -> N::Text {
    N::Text::from(&format!("{}{BESIDES}{}", failed::<N>(why), besides.as_ref()))
}

pub(crate) fn restored<N: Names>(why: &N::Text, back: Option<Number>) -> N::Text {
    let why = failed::<N>(why);
    N::Text::from(&match back {
        Some(number) => format!("{why}; version {number} is back in its place"),
        None => format!("{why}; what was there before the first version is back in its place"),
    })
}

pub(crate) fn objection<N: Names>(case: &Case<'_, N>, number: Number, objection: Objection) -> N::Text {
    let digest = case.stack.digest(Aim::Version(number));
    match objection {
        Objection::NoCluster => "its cluster is not there; see `bowline cluster list`".into(),
        Objection::NotAllowed => NOT_ALLOWED.into(),
        Objection::Exposed => EXPOSED.into(),
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
            // What was refused was so for what is worked on, and not for who would take its place.
            let is_its = match aim {
                Aim::Version(number) => case.stack.status.phase == Phase::Partial(number),
                Aim::LastGood => true,
            };
            let refused = case.s.memory.refused.values().next().filter(|_| is_its).cloned();
            refused.or_else(by_plan).unwrap_or_else(|| "an object is refused".into())
        }
        Fault::Untried => {
            let first = plan().and_then(|(_, plan)| Some(plan.untried.first()?.1.clone()));
            first.unwrap_or_else(|| "the cluster could not try an object".into())
        }
        Fault::OtherPlan => {
            "its plan is not the one that was asked for: look at the new one by `bowline update plan`, and submit again".into()
        }
        Fault::Deletions => {
            let count = plan().map_or(0, |(_, plan)| plan.deletions());
            let most = case.stack.wish.deletions;
            let text = format!(
                "it would delete {count} objects, and at most {most} may go at once; if that is meant, raise maxDeletions of the stack: \
                 bowline update set STACK --max-deletions {count}"
            );
            N::Text::from(&text)
        }
        Fault::Ill => {
            let first = plan().and_then(|(look, plan)| awaited(look, &plan));
            first.unwrap_or_else(|| "something does not work".into())
        }
        Fault::Timeout => {
            let seconds = case.stack.wish.timeout.0 / 1_000;
            let first = plan().and_then(|(look, plan)| awaited(look, &plan));
            let first = first.map_or_else(String::new, |first| format!(": {}", first.as_ref()));
            N::Text::from(&format!("it did not become healthy within {seconds} s{first}"))
        }
        Fault::Tries => {
            let last = case.s.memory.trouble.as_ref();
            N::Text::from(&format!("writes to the cluster failed again and again, the last time so: {last}"))
        }
        Fault::Lost => "whoever applied it was lost twice, which may not be its fault".into(),
        Fault::Deleted => "its stack is deleted".into(),
        Fault::NoCluster => "its cluster is gone".into(),
        Fault::NotAllowed => NOT_ALLOWED.into(),
        Fault::Exposed => EXPOSED.into(),
    }
}

/// The first object that keeps a version from being on the cluster and healthy, and why.
pub(crate) fn awaited<N: Names>(look: &crate::Look<N>, plan: &Plan<N>) -> Option<N::Text> {
    let untried = || plan.untried.first().map(|(_, why)| why.clone());
    let mut later =
        plan.later.iter().map(|(_, deed)| format!("{} has no kind or namespace yet", N::place(&deed.place)));
    look.unhealthy().or_else(untried).or_else(|| later.next().map(|text| N::Text::from(&text)))
}

impl<N: Names> crate::Look<N> {
    /// The first object that does not work, and why: one that never will before one that may.
    pub(crate) fn unhealthy(&self) -> Option<N::Text> {
        let lives =
            self.sights.iter().filter_map(|(place, sight)| Some((place, &sight.live.as_ref()?.health)));
        let told =
            |place, why: &N::Text| Some(N::Text::from(&format!("{}: {}", N::place(place), why.as_ref())));
        let ill = lives.clone().find_map(|(place, health)| match health {
            Health::Ill(why) => told(place, why),
            Health::Well | Health::Progressing(_) => None,
        });
        ill.or_else(|| {
            lives.clone().find_map(|(place, health)| match health {
                Health::Progressing(why) => told(place, why),
                Health::Well | Health::Ill(_) => None,
            })
        })
    }
}

/// What a version says that is on the cluster.
pub(crate) fn succeeded<N: Names>(plan: Option<&Plan<N>>) -> N::Text {
    match plan.and_then(spared) {
        Some(left) => N::Text::from(&format!("it is on the cluster, and healthy; {}", left.as_ref())),
        None => "it is on the cluster, and healthy".into(),
    }
}

/// What should go, and is left because somebody else has something in it.
pub(crate) fn spared<N: Names>(plan: &Plan<N>) -> Option<N::Text> {
    let all = plan.spared.iter().map(|(place, why)| format!("{} is left: {}", N::place(place), why.as_ref()));
    let some = all.take(SOME).collect::<Vec<_>>().join(", ");
    (!some.is_empty()).then(|| N::Text::from(&some))
}

/// What somebody else has changed, and in which fields.
pub(crate) fn drifted<N: Names>(look: &crate::Look<N>, plan: &Plan<N>) -> N::Text {
    let changed = plan.deeds.iter().chain(&plan.later).map(|(_, deed)| deviation(look, deed));
    let cannot = plan.refused.iter().chain(&plan.untried).map(|(place, _)| N::place(place));
    let all: Vec<_> = changed.chain(cannot).collect();
    let some = all.iter().take(SOME).cloned().collect::<Vec<_>>().join(", ");
    let text = match all.len() {
        0..=SOME => format!("not as it should be: {some}"),
        more => format!("not as it should be: {some} and {} more", more - SOME),
    };
    N::Text::from(&text)
}

/// What is otherwise about an object.
fn deviation<N: Names>(look: &crate::Look<N>, deed: &Deed<N>) -> String {
    let it = N::place(&deed.place);
    let fields = match look.sights.get(&deed.place).map(|sight| &sight.fit) {
        Some(Fit::Differs(fields)) => fields.as_ref(),
        _ => "",
    };
    match deed.act {
        Act::Create(_) => format!("{it} (it is not there)"),
        Act::Apply(..) if fields.is_empty() => it,
        Act::Apply(..) => format!("{it} ({fields})"),
        Act::Restore(..) | Act::Delete(_) => format!("{it} (it is not wanted)"),
    }
}

/// What became of the newest version of a stack of which none has succeeded.
pub(crate) fn nothing_yet<N: Names>(newest: Option<&Shown<N>>) -> N::Text {
    const NOTHING: &str = "no version has succeeded yet, so nothing of it is on the cluster";
    let told = newest.and_then(|shown| {
        let became = match shown.stage {
            Stage::Rejected => "was rejected",
            Stage::Failed => "failed",
            Stage::RolledBack => "was rolled back",
            _ => return None,
        };
        Some((shown.number?, became, shown.words.as_ref()))
    });
    N::Text::from(&match told {
        Some((number, became, why)) => format!("{NOTHING}; version {number} {became}: {why}"),
        None => NOTHING.to_owned(),
    })
}
