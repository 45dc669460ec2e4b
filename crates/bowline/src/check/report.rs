//! The report of a run for people.

use anstyle::Style;
use bowline_explorer::{Judged, Storage, Verdict, Walked};

use super::coverage;
use super::finding::Finding;
use super::outcome::Outcome;
use super::request::How;
use super::trace_text;
use crate::columns::Columns;
use crate::figures::{counted, duration, grouped, per_second};
use crate::memory::Memory;
use crate::palette::{self, paint};

/// What was run, what it cost, a verdict a property, and counterexamples.
pub(crate) fn render(outcome: &Outcome, wide: bool) -> String {
    let mut out = head(outcome);
    if let Some(incomplete) = outcome.incomplete() {
        out.push_str(&format!("  {} {}\n", paint(palette::WARN, "INCOMPLETE:"), incomplete.advice));
    }
    if !outcome.report.verdicts.is_empty() {
        out.push('\n');
        out.push_str(&verdicts(outcome, wide));
    }
    if let Some(hits) = outcome.hits().filter(|_| wide) {
        out.push('\n');
        out.push_str(&coverage::render(&hits));
    }
    let (shown, left_out) = choose(outcome);
    for finding in &shown {
        out.push('\n');
        out.push_str(&trace_text::render(finding));
    }
    if let Some(first) = left_out.first() {
        let names: Vec<&str> = left_out.iter().map(Finding::name).collect();
        out.push_str(&format!("\nalso violated: {}\n", names.join(", ")));
        let again = format!("{} --property {}", outcome.command(), first.name());
        out.push_str(&format!("  for a counterexample: {again}\n"));
    }
    out
}

fn head(outcome: &Outcome) -> String {
    let Outcome { report, how, seconds, .. } = outcome;
    let place = outcome.place();
    let rest = place.strip_prefix(outcome.model).unwrap_or_default();
    let mut out = format!("{}{rest} ({})\n", paint(palette::STRONG, outcome.model), manner(how));
    if let Some(walks) = outcome.walks() {
        out.push_str(&format!("  {walks}\n"));
    }
    out.push_str(&format!(
        "  {}, {} generated, depth {}\n",
        counted(report.distinct, "distinct state"),
        grouped(report.generated),
        grouped(report.depth.into())
    ));
    // Walks come back to the same states again and again: how many are new says nothing of their speed.
    let rate = match report.walked {
        None => format!("{} states/s", grouped(per_second(report.distinct, *seconds))),
        Some(Walked { walks, steps }) => {
            format!("{} done, {} steps/s", counted(walks, "walk"), grouped(per_second(steps, *seconds)))
        }
    };
    out.push_str(&format!(
        "  {} on {}, {rate}, {}\n",
        duration(*seconds),
        counted(how.threads.get() as u64, "thread"),
        Memory(report.peak_bytes)
    ));
    if let Some(collision) = outcome.collision() {
        out.push_str(&format!("  {collision}\n"));
    }
    out
}

/// How states are kept, or that they are not.
pub(crate) fn manner(how: &How) -> String {
    let storage = match (how.walks, how.storage) {
        (Some(_), _) => "random walks",
        (None, Storage::Exact) => "exact states",
        (None, Storage::Fingerprint) => "128-bit fingerprints",
    };
    let symmetry = if how.symmetry { ", one of each symmetric set" } else { "" };
    format!("{storage}{symmetry}")
}

fn verdicts(outcome: &Outcome, wide: bool) -> String {
    let headings = ["PROPERTY", "KIND", "VERDICT", "TRACE", "MEANING"];
    let mut columns = Columns::new(&headings[..if wide { 5 } else { 4 }]);
    for judged in &outcome.report.verdicts {
        let mut row = vec![
            (palette::PLAIN, judged.name.clone()),
            (palette::FAINT, judged.kind.to_string()),
            (style_of(judged.verdict), judged.verdict.as_str().into()),
            (palette::PLAIN, length(judged)),
        ];
        if wide {
            row.push((palette::FAINT, outcome.about(&judged.name).into()));
        }
        columns.row(row);
    }
    columns.render()
}

/// The style of a verdict.
pub(crate) fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Holds | Verdict::Reached => palette::GOOD,
        Verdict::Violated | Verdict::Unreached => palette::BAD,
        Verdict::Unknown => palette::WARN,
    }
}

fn length(judged: &Judged) -> String {
    let Some(trace) = &judged.trace else { return String::new() };
    let states = counted(trace.steps.len() as u64, "state");
    match &trace.cycle {
        None => states,
        Some(cycle) => format!("{states}, loops to {}", cycle.loops_to),
    }
}

/// The traces to print, and the violations whose traces are left out: a panic, and what was named;
/// if nothing was named, the first violation, because several would bury the verdicts.
fn choose(outcome: &Outcome) -> (Vec<Finding<'_>>, Vec<Finding<'_>>) {
    let mut shown: Vec<Finding<'_>> = outcome.panic().into_iter().collect();
    let mut violations = outcome.violations();
    if outcome.asked.is_some() {
        shown.extend(violations);
        shown.extend(outcome.asked_witnesses());
        return (shown, Vec::new());
    }
    shown.extend(violations.next());
    (shown, violations.collect())
}

#[cfg(test)]
mod tests {
    use bowline_explorer::{End, Kind, Walks};

    use super::super::finding::tests::{judged, lasso, path};
    use super::super::outcome::tests::outcome;
    use super::*;

    fn rendered(outcome: &Outcome, wide: bool) -> String {
        anstream::adapter::strip_str(&render(outcome, wide)).to_string()
    }

    #[test]
    fn a_run_without_violation_is_short() {
        let run = outcome(
            End::Complete,
            vec![
                judged("TypesAreRight", Kind::Always, Verdict::Holds, None),
                judged("Opens", Kind::Sometimes, Verdict::Reached, Some(path())),
            ],
        );
        let head = "\
seed/door doors=2,fair=true (exact states)
  1,024 distinct states, 2,982 generated, depth 16
  0.013 s on 1 thread, 81,920 states/s, 1.2 MiB

";
        assert_eq!(
            rendered(&run, false),
            format!(
                "{head}\
PROPERTY       KIND       VERDICT  TRACE
TypesAreRight  always     holds
Opens          sometimes  reached  3 states
"
            )
        );
        assert_eq!(
            rendered(&run, true),
            format!(
                "{head}\
PROPERTY       KIND       VERDICT  TRACE     MEANING
TypesAreRight  always     holds              what TypesAreRight means
Opens          sometimes  reached  3 states  what Opens means
"
            )
        );
    }

    #[test]
    fn walks_say_how_many_were_done_and_how_fast() {
        let mut run = outcome(End::Stopped, vec![]);
        run.how.walks = Some(Walks { count: 10, steps: 1000, seed: 7 });
        run.report.walked = Some(Walked { walks: 3, steps: 2_500 });
        let text = rendered(&run, false);
        assert!(text.contains("\n  0.013 s on 1 thread, 3 walks done, 200,000 steps/s, 1.2 MiB\n"), "{text}");
        assert!(!text.contains("states/s"), "{text}");
    }

    fn violated(name: &str) -> Judged {
        judged(name, Kind::EventuallyAlways, Verdict::Violated, Some(lasso(Some("Forget"))))
    }

    #[test]
    fn of_several_violations_the_first_is_shown_and_the_others_are_named() {
        let text =
            rendered(&outcome(End::Complete, vec![violated("A"), violated("B"), violated("C")]), false);
        assert!(text.contains("A         eventually_always  violated  3 states, loops to 2\n"), "{text}");
        assert!(text.contains("\nA is violated: 3 states\n"), "{text}");
        assert!(!text.contains("\nB is violated"), "{text}");
        let end = "\nalso violated: B, C\n  \
                   for a counterexample: bowline check seed/door --size doors=2,fair=true --property B\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn what_was_named_is_shown_whole() {
        let reached = judged("R", Kind::Sometimes, Verdict::Reached, Some(path()));
        let mut run = outcome(End::Complete, vec![violated("A"), violated("B"), reached]);
        run.asked = Some(vec!["A".into(), "B".into(), "R".into()]);
        let text = rendered(&run, false);
        for headline in
            ["\nA is violated: 3 states\n", "\nB is violated: 3 states\n", "\nR is reached: 3 states\n"]
        {
            assert!(text.contains(headline), "{text}");
        }
        assert!(!text.contains("also violated"), "{text}");
    }

    #[test]
    fn a_run_that_is_not_complete_says_so_in_capitals() {
        let unknown = judged("P", Kind::Always, Verdict::Unknown, None);
        let text = rendered(&outcome(End::MaxStates, vec![unknown]), false);
        assert!(text.contains("\n  INCOMPLETE: the budget of 1,000 states is used up; raise"), "{text}");
    }

    #[test]
    fn a_panic_is_told_like_a_counterexample() {
        let end = End::Panicked { message: "doors collide".into(), trace: path() };
        let text = rendered(&outcome(end, vec![]), false);
        assert!(text.contains("\nthe model panicked: 3 states\n  doors collide\n"), "{text}");
    }
}
