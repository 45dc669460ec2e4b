//! What a preflight tells, for people and for scripts.

use bowline_explorer::{End, Judged, Trace, grouped};
use bowline_models::preflight::{EXACT, Flight, Outcome, Preflight, WorstCase};
use serde_json::{Map, Value, json};

use super::Question;
use crate::figures::{counted, duration};
use crate::palette::{self, paint};

/// What was asked, and what was found.
pub(super) struct Picture<'a> {
    pub(super) question: &'a Question,
    /// The version that serves.
    pub(super) from: &'a str,
    pub(super) plan: &'a Preflight,
    pub(super) flight: &'a Flight,
    pub(super) seconds: f64,
}

/// What is taken for granted: what a preflight does not explore.
const ASSUMES: [&str; 4] = [
    "the hub and the agents reach each other, and a node that is down is silent until its lease has lapsed",
    "a node that starts a version works at it; or the new version works nowhere: both are explored",
    "time limits run out only when nothing else goes on",
    "nobody joins, leaves, is forgotten or edits the group meanwhile, and its cluster is not updated",
];

impl Picture<'_> {
    fn title(&self) -> String {
        let Question { group, to, crashes, .. } = self.question;
        let nodes = counted(self.plan.nodes() as u64, "node");
        let crashes = match crashes {
            0 => "no crash".to_owned(),
            1 => "up to one crash at any moment".to_owned(),
            many => format!("up to {many} crashes at any moment"),
        };
        format!("{group}: {} → {to}, {nodes}, {crashes}", self.from)
    }

    fn worst(&self) -> Vec<String> {
        let WorstCase { unavailable, nodes, serving, masterless, devices, margin } = self.flight.worst;
        let mut worst = vec![format!("{unavailable} of {nodes} nodes do not work at once")];
        worst.push(match serving {
            0 => "nobody of the version that serves works".to_owned(),
            1 => "one node of the version that serves works".to_owned(),
            many => format!("{many} nodes of the version that serves work"),
        });
        if devices > 0 {
            worst.push(format!("{masterless} of {devices} devices have no master at once"));
        }
        worst.extend(margin.map(|margin| match margin {
            0 => "a partition has its quorum, and nobody more".to_owned(),
            1.. => format!("every partition has {margin} more than its quorum"),
            _ => format!("a partition is {} short of its quorum", -margin),
        }));
        worst
    }

    fn ends(&self) -> Vec<String> {
        let (from, to) = (self.from, &self.question.to);
        let ends = [
            (self.flight.committed(), format!("committed, every node that is there at {to}")),
            (self.flight.went_back(), format!("rolled back, every node that is there at {from}")),
            (self.flight.needs_a_person(), "waiting for a person".to_owned()),
        ];
        ends.into_iter().filter(|(found, _)| found.is_some()).map(|(_, end)| end).collect()
    }

    /// What the crashes explain, and is worth to know all the same.
    fn momentary(&self) -> Vec<&Judged> {
        let found = [self.flight.quorum_lost(), self.flight.nobody_serves()];
        let broken = self.flight.broken(self.question.strict);
        let is_new = |judged: &&Judged| broken.iter().all(|known| known.name != judged.name);
        found.into_iter().flatten().filter(is_new).collect()
    }

    /// Why not everything was seen.
    fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        if self.plan.nodes() > EXACT {
            gaps.push(format!(
                "a group of more than {EXACT} nodes is explored in part, and walked through at random"
            ));
        }
        let ends = self.flight.reports.iter().map(|report| &report.end);
        gaps.extend(ends.filter_map(|end| match end {
            End::MaxStates => Some(
                "the budget of states is used up: raise --max-states, or ask for fewer crashes".to_owned(),
            ),
            End::MaxBytes | End::OutOfNumbers => Some("there are more states than can be kept".to_owned()),
            End::Stopped => Some("somebody asked it to stop".to_owned()),
            End::Complete | End::Walked | End::Panicked { .. } => None,
        }));
        gaps
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Safe => "safe",
        Outcome::Unsafe => "unsafe",
        Outcome::Incomplete => "incomplete",
    }
}

/// What was found, for people.
pub(super) fn draw(picture: &Picture<'_>) -> String {
    let flight = picture.flight;
    let (style, verdict) = match flight.outcome {
        Outcome::Safe => (palette::GOOD, "SAFE"),
        Outcome::Unsafe => (palette::BAD, "UNSAFE"),
        Outcome::Incomplete => (palette::WARN, "INCOMPLETE"),
    };
    let mut out = format!("{}: {}\n", picture.title(), paint(style, verdict));
    for report in &flight.reports {
        let how = if report.walked.is_some() { "seen by random walks" } else { "covered" };
        out.push_str(&format!(
            "  {} {how}, {} steps, depth {}\n",
            counted(report.distinct, "state"),
            grouped(report.generated),
            report.depth
        ));
    }
    out.push_str(&format!("  in {}; nothing was touched\n", duration(picture.seconds)));
    for gap in picture.gaps() {
        out.push_str(&format!("  {} {gap}\n", paint(palette::WARN, "INCOMPLETE:")));
    }
    for (heading, lines) in [
        ("At worst, for a moment:", picture.worst()),
        ("It may end:", picture.ends()),
        ("Taken for granted:", ASSUMES.map(str::to_owned).into()),
    ] {
        out.push_str(&format!("\n{heading}\n"));
        lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    for judged in flight.broken(picture.question.strict) {
        let headline = paint(palette::BAD, &format!("{} is violated", judged.name));
        out.push_str(&told(picture, &headline, judged));
    }
    for judged in picture.momentary() {
        let headline = paint(palette::WARN, &format!("{} by crashes", judged.name));
        out.push_str(&told(picture, &headline, judged));
    }
    out
}

/// How something comes about, step by step.
fn told(picture: &Picture<'_>, headline: &str, judged: &Judged) -> String {
    let mut out = format!("\n{headline}: {}\n", picture.plan.meaning(&judged.name));
    let Some(trace) = &judged.trace else {
        out.push_str("  no way leads there\n");
        return out;
    };
    for (number, step) in (1..).zip(trace.steps.iter().filter_map(|step| step.action.as_ref())) {
        out.push_str(&format!("  {number:>3}  {step}\n"));
    }
    if trace.cycle.is_some() {
        out.push_str("       and so on for ever\n");
    }
    if let Some(last) = trace.steps.last() {
        for field in last.state.iter().filter(|field| !field.value.is_empty()) {
            out.push_str(&format!("       {} = {}\n", field.name, field.value));
        }
    }
    out
}

/// What was found, for scripts.
pub(super) fn document(picture: &Picture<'_>) -> Value {
    let Picture { question, from, plan, flight, seconds } = picture;
    let worst = flight.worst;
    let explored: Vec<_> = flight
        .reports
        .iter()
        .map(|report| {
            let how = if report.walked.is_some() { "walks" } else { "search" };
            json!({
                "how": how, "complete": report.end == End::Complete, "distinct": report.distinct,
                "generated": report.generated, "depth": report.depth,
            })
        })
        .collect();
    let shown = |judged: Vec<&Judged>| -> Vec<Value> {
        let one = |judged: &Judged| {
            let trace = judged.trace.as_ref().map(steps);
            json!({ "property": judged.name, "meaning": plan.meaning(&judged.name), "trace": trace })
        };
        judged.into_iter().map(one).collect()
    };
    json!({
        "group": question.group, "from": from, "to": question.to,
        "mode": if plan.is_automatic() { "Automatic" } else { "Manual" },
        "crashes": question.crashes, "returns": !question.for_good, "strict": question.strict,
        "verdict": word(flight.outcome), "complete": flight.outcome != Outcome::Incomplete && picture.gaps().is_empty(),
        "distinct": flight.reports.first().map_or(0, |report| report.distinct),
        "explored": explored, "seconds": seconds,
        "worst": {
            "nodes": worst.nodes, "unavailable": worst.unavailable, "serving": worst.serving,
            "devices": worst.devices, "withoutMaster": worst.masterless, "overQuorum": worst.margin,
        },
        "ends": {
            "committed": flight.committed().is_some(), "rolledBack": flight.went_back().is_some(),
            "waitsForAPerson": flight.needs_a_person().is_some(),
        },
        "violated": shown(flight.broken(question.strict)),
        "byCrashes": shown(picture.momentary()),
        "incomplete": picture.gaps(), "assumes": ASSUMES,
    })
}

fn steps(trace: &Trace) -> Vec<Value> {
    let step = |step: &bowline_explorer::Step| {
        let state: Map<_, _> =
            step.state.iter().map(|field| (field.name.clone(), json!(field.value))).collect();
        json!({ "action": step.action, "state": state })
    };
    trace.steps.iter().map(step).collect()
}
