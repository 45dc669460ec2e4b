//! `--faults singles` and `--faults pairs`: runs that differ in what goes wrong, one after the other.

use std::sync::atomic::Ordering;

use bowline_explorer::{Judged, Verdict};
use bowline_models::{Coverage, Faults, Value};
use serde::Serialize;

use super::coverage;
use super::explore::Watch;
use super::faults::Sweep;
use super::finding::Finding;
use super::json::{Document, SizeKeys};
use super::outcome::{Outcome, place};
use super::report::{manner, style_of};
use super::request::Request;
use super::run::{carry_out, write_trace};
use super::trace_text;
use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::figures::{counted, duration, grouped};
use crate::output::{self, Format};
use crate::palette::{self, paint};
use crate::signals;

/// Runs the model again and again, and tells of each run as it ends and then of all.
pub(crate) fn run(args: &CheckArgs, request: &Request, sweep: Sweep) -> anyhow::Result<Exit> {
    let stop = signals::stop_flag()?;
    let plan = sweep.runs(request.entry);
    let lines = Lines::new(&plan);
    if args.output.is_text() {
        output::print(&lines.head(request, sweep, plan.len()))?;
    }
    let mut outcomes = Vec::new();
    for faults in &plan {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let label = faults.to_string();
        let outcome = carry_out(request, faults, Watch { label: Some(&label), quiet: args.quiet, stop })?;
        if args.output.is_text() {
            output::print(&lines.of(&outcome, args.output == Format::Wide))?;
        }
        outcomes.push(outcome);
    }
    let left_out = plan.len() - outcomes.len();
    let swept = Swept { model: request.entry.name, size: request.size.iter().collect(), outcomes, left_out };
    output::print(&match args.output.is_text() {
        true => swept.render(),
        false => output::document(args.output, &Whole::new(&swept, swept.coverage().as_ref()))?,
    })?;
    if let Some(file) = &args.trace {
        write_trace(file, swept.first_finding())?;
    }
    Ok(swept.exit())
}

/// What came of all runs.
struct Swept {
    model: &'static str,
    size: Vec<(&'static str, Value)>,
    outcomes: Vec<Outcome>,
    left_out: usize,
}

/// The document: a document a run, and what was hit in all.
#[derive(Serialize)]
struct Whole<'a> {
    model: &'a str,
    size: SizeKeys<'a>,
    complete: bool,
    runs: Vec<Document<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<coverage::Document<'a>>,
}

impl<'a> Whole<'a> {
    fn new(swept: &'a Swept, coverage: Option<&'a Coverage>) -> Self {
        Whole {
            model: swept.model,
            size: SizeKeys(&swept.size),
            complete: swept.is_complete(),
            runs: swept.outcomes.iter().map(Document::new).collect(),
            coverage: coverage.map(coverage::Document::new),
        }
    }
}

impl Swept {
    /// As for one run: the worst that was found.
    fn exit(&self) -> Exit {
        if self.outcomes.iter().any(|outcome| outcome.exit() == Exit::EndedBadly) {
            Exit::EndedBadly
        } else if self.is_complete() {
            Exit::Done
        } else {
            Exit::NotFinished
        }
    }

    fn is_complete(&self) -> bool {
        self.left_out == 0 && self.outcomes.iter().all(|outcome| outcome.incomplete().is_none())
    }

    /// What was hit in all runs together.
    fn coverage(&self) -> Option<Coverage> {
        let mut tables = self.outcomes.iter().filter_map(|outcome| outcome.coverage.clone());
        let first = tables.next()?;
        Some(tables.fold(first, |all, one| all.and(&one)))
    }

    /// The first run that has a counterexample, or in which the model panicked, and what it has.
    fn first_bad(&self) -> Option<(&Outcome, Finding<'_>)> {
        let bad = |outcome: &Outcome| outcome.violations().next().is_some() || outcome.panic().is_some();
        let outcome = self.outcomes.iter().find(|outcome| bad(outcome))?;
        outcome.violations().next().or_else(|| outcome.panic()).map(|finding| (outcome, finding))
    }

    /// The trace that `--trace` writes.
    fn first_finding(&self) -> Option<Finding<'_>> {
        let bad = self.first_bad().map(|(_, finding)| finding);
        bad.or_else(|| self.outcomes.iter().find_map(Outcome::first_finding))
    }

    /// What is told when all runs have ended.
    fn render(&self) -> String {
        let mut out = String::new();
        if let Some(coverage) = self.coverage() {
            out.push_str(&format!("\n{}", coverage::render(&coverage)));
        }
        if let Some((outcome, finding)) = self.first_bad() {
            out.push_str(&format!("\nwith {}: {}", outcome.faults, trace_text::render(&finding)));
            let property = match outcome.violations().next() {
                Some(violation) => format!(" --property {}", violation.name()),
                None => String::new(),
            };
            out.push_str(&format!("  to repeat it: {}{property}\n", outcome.command()));
        }
        out.push_str(&format!("\n{}", self.summary()));
        out
    }

    fn summary(&self) -> String {
        let total = counted(self.outcomes.len() as u64, "run");
        let is_bad = |outcome: &&Outcome| outcome.exit() == Exit::EndedBadly;
        let mut out = match self.outcomes.iter().filter(is_bad).count() as u64 {
            0 if self.is_complete() => format!("{total}: {}\n", paint(palette::GOOD, "nothing is violated")),
            0 => format!("{total}: nothing is violated as far as they went\n"),
            bad => format!("{total}: {}\n", paint(palette::BAD, &format!("{} ended badly", grouped(bad)))),
        };
        let mark = paint(palette::WARN, "INCOMPLETE:");
        let cut_off: Vec<_> = self.outcomes.iter().filter_map(Outcome::incomplete).collect();
        if let Some(first) = cut_off.first() {
            let how_many = counted(cut_off.len() as u64, "run");
            out.push_str(&format!("{mark} {how_many} did not see everything; {}\n", first.advice));
        }
        if self.left_out > 0 {
            out.push_str(&format!(
                "{mark} stopped, with {} left out\n",
                counted(self.left_out as u64, "run")
            ));
        }
        out
    }
}

/// The lines of the table, which are printed one by one as the runs end: the widths are known before.
struct Lines {
    faults: usize,
}

impl Lines {
    fn new(plan: &[Faults]) -> Lines {
        let widths = plan.iter().map(|faults| faults.to_string().len());
        Lines { faults: widths.max().unwrap_or(0).max("FAULTS".len()) }
    }

    fn head(&self, request: &Request, sweep: Sweep, runs: usize) -> String {
        let size: Vec<_> = request.size.iter().collect();
        let place = place(request.entry.name, &size, &Faults::default());
        let rest = place.strip_prefix(request.entry.name).unwrap_or_default();
        let name = paint(palette::STRONG, request.entry.name);
        let what = format!("{}: {}", sweep.about(), counted(runs as u64, "run"));
        let headings = format!(
            "{:w$}  {:>12}  {:>5}  {:>9}  VERDICT",
            "FAULTS",
            "STATES",
            "DEPTH",
            "TIME",
            w = self.faults
        );
        format!(
            "{name}{rest} ({})\n  {what}\n\n{}\n",
            manner(&request.how),
            paint(palette::STRONG, &headings)
        )
    }

    fn of(&self, outcome: &Outcome, wide: bool) -> String {
        let report = &outcome.report;
        let mut out = format!(
            "{:w$}  {:>12}  {:>5}  {:>9}  {}\n",
            outcome.faults.to_string(),
            grouped(report.distinct),
            grouped(report.depth.into()),
            duration(outcome.seconds),
            verdict(outcome),
            w = self.faults
        );
        for judged in report.verdicts.iter().filter(|_| wide) {
            let verdict = paint(style_of(judged.verdict), judged.verdict.as_str());
            out.push_str(&format!("  {}: {verdict}\n", judged.name));
        }
        out
    }
}

/// What came of a run, in a few words.
fn verdict(outcome: &Outcome) -> String {
    let is_bad = |judged: &&Judged| matches!(judged.verdict, Verdict::Violated | Verdict::Unreached);
    let bad = outcome.report.verdicts.iter().filter(is_bad);
    let mut said: Vec<String> = bad
        .map(|judged| paint(palette::BAD, &format!("{} {}", judged.name, judged.verdict.as_str())))
        .collect();
    if outcome.panic().is_some() {
        said.push(paint(palette::BAD, "the model panicked"));
    } else if let Some(incomplete) = outcome.incomplete() {
        said.push(paint(palette::WARN, &format!("INCOMPLETE ({})", incomplete.reason)));
    }
    if said.is_empty() {
        let good = if outcome.report.verdicts.is_empty() { "counted" } else { "all hold" };
        said.push(paint(palette::GOOD, good));
    }
    said.join(", ")
}

#[cfg(test)]
mod tests {
    use bowline_explorer::{End, Kind};

    use super::super::coverage::tests::table;
    use super::super::finding::tests::{judged, path};
    use super::super::outcome::tests::outcome;
    use super::*;

    fn faults(spec: &str) -> Faults {
        let budgets = bowline_models::catalogue().iter().find_map(|entry| entry.budgets(spec).ok());
        budgets.expect("a model with these kinds")
    }

    fn ran(spec: &str, end: End, verdict: Verdict) -> Outcome {
        let trace = (verdict == Verdict::Violated).then(path);
        let mut run = outcome(end, vec![judged("Shut", Kind::Always, verdict, trace)]);
        run.faults = faults(spec);
        run.coverage = Some(table());
        run
    }

    fn swept(outcomes: Vec<Outcome>, left_out: usize) -> Swept {
        Swept { model: "seed/door", size: outcomes[0].size.clone(), outcomes, left_out }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_run_is_a_line_and_says_what_came_of_it() {
        let lines = Lines::new(&[faults("crash=1"), faults("crash=1,clock=1")]);
        let line = |end, verdict| plain(&lines.of(&ran("crash=1", end, verdict), false));
        let counts = "crash=1                 1,024     16    0.013 s  ";
        assert_eq!(line(End::Complete, Verdict::Holds), format!("{counts}all hold\n"));
        assert_eq!(line(End::Complete, Verdict::Violated), format!("{counts}Shut violated\n"));
        assert_eq!(line(End::MaxStates, Verdict::Unknown), format!("{counts}INCOMPLETE (max-states)\n"));
        let panicked = End::Panicked { message: "no".into(), trace: path() };
        assert_eq!(line(panicked, Verdict::Unknown), format!("{counts}the model panicked\n"));
        let wide = plain(&lines.of(&ran("clock=1", End::Complete, Verdict::Holds), true));
        assert!(wide.ends_with("all hold\n  Shut: holds\n"), "{wide}");
    }

    #[test]
    fn the_worst_run_says_how_all_end() {
        let good = || ran("crash=1", End::Complete, Verdict::Holds);
        let cut_off = || ran("crash=1", End::MaxStates, Verdict::Unknown);
        let bad = || ran("crash=1", End::Complete, Verdict::Violated);
        assert_eq!(swept(vec![good(), good()], 0).exit(), Exit::Done);
        assert_eq!(swept(vec![good()], 1).exit(), Exit::NotFinished);
        assert_eq!(swept(vec![good(), cut_off()], 0).exit(), Exit::NotFinished);
        assert_eq!(swept(vec![cut_off(), bad()], 1).exit(), Exit::EndedBadly);
        let text = plain(&swept(vec![good(), cut_off()], 1).summary());
        let advice = "the budget of 1,000 states is used up; raise --max-states, or take a smaller --size";
        assert_eq!(
            text,
            format!(
                "2 runs: nothing is violated as far as they went\n\
                 INCOMPLETE: 1 run did not see everything; {advice}\n\
                 INCOMPLETE: stopped, with 1 run left out\n"
            )
        );
    }

    #[test]
    fn the_first_counterexample_is_shown_with_what_repeats_it() {
        let good = ran("crash=1", End::Complete, Verdict::Holds);
        let bad = |spec| ran(spec, End::Complete, Verdict::Violated);
        let all = swept(vec![good, bad("clock=1"), bad("drift=1")], 0);
        let text = plain(&all.render());
        assert!(text.starts_with("\nFAULT  look  make left\n"), "{text}");
        assert!(text.contains("\nwith clock=1: Shut is violated: 3 states\n"), "{text}");
        let end = "  to repeat it: bowline check seed/door --size doors=2,fair=true --faults clock=1 --property Shut\n\n\
                   3 runs: 2 ended badly\n";
        assert!(text.ends_with(end), "{text}");
        assert!(!text.contains("with drift=1"), "{text}");
        assert_eq!(all.first_finding().unwrap().place(), "seed/door doors=2,fair=true with clock=1");
    }

    #[test]
    fn the_document_has_a_document_a_run_and_what_was_hit_in_all() {
        let mut second = ran("clock=1", End::Complete, Verdict::Holds);
        second.coverage.as_mut().unwrap().hits[1].1[1] = bowline_models::Hit::Yes;
        let all = swept(vec![ran("crash=1", End::Complete, Verdict::Holds), second], 0);
        let hits = all.coverage();
        let json = serde_json::to_value(Whole::new(&all, hits.as_ref())).unwrap();
        assert_eq!(json["complete"], true);
        assert_eq!(json["runs"][0]["faults"], serde_json::json!({"crash": 1}));
        assert_eq!(json["runs"][0]["coverage"]["hits"], serde_json::json!({"crash": ["look", "make left"]}));
        assert_eq!(json["runs"][1]["distinct"], 1024);
        assert_eq!(json["coverage"]["complete"], true);
    }
}
