//! `check --expected`: a model, or the whole catalogue, at its pinned sizes against what is pinned.

use std::sync::atomic::Ordering;

use anyhow::ensure;
use bowline_explorer::{End, Judged, Report, Verdict};
use bowline_models::{Expected, Value, expected};
use serde::Serialize;

use super::explore::{Watch, explore, hush_explorer_threads};
use super::json::{Property, SizeKeys, rounded};
use super::request::{How, entry, size};
use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::figures::{counted, duration, grouped};
use crate::output::{self, Format};
use crate::palette::{self, paint};
use crate::signals;

/// Runs everything that is pinned, of one model or of all, and says what differs.
pub(crate) fn run(args: &CheckArgs, model: Option<&str>) -> anyhow::Result<Exit> {
    // Who mistypes a name is told which there are.
    model.map(entry).transpose()?;
    hush_explorer_threads();
    let stop = signals::stop_flag()?;
    let how = How::read(args);
    let chosen = || expected().filter(|pinned| model.is_none_or(|model| pinned.model == model));
    let lines = Lines::new(chosen());
    ensure!(chosen().next().is_some(), "nothing is pinned: there is nothing to compare with");
    let mut runs = Vec::new();
    let mut left_out = 0;
    for pinned in chosen() {
        if stop.load(Ordering::Relaxed) {
            left_out += 1;
            continue;
        }
        match compare(pinned, &how, Watch { label: Some(pinned.model), quiet: args.quiet, stop })? {
            Some(run) => {
                if args.output.is_text() {
                    output::print(&lines.of(&run, args.output == Format::Wide))?;
                }
                runs.push(run);
            }
            None => left_out += 1,
        }
    }
    let all = Comparison::new(runs, left_out);
    output::print(&match args.output.is_text() {
        true => all.summary(),
        false => output::document(args.output, &all)?,
    })?;
    Ok(all.exit())
}

/// What came of everything that is pinned.
#[derive(Serialize)]
struct Comparison<'a> {
    as_expected: bool,
    complete: bool,
    runs: Vec<Run<'a>>,
    #[serde(skip)]
    left_out: u64,
}

/// One run against what is pinned of it.
#[derive(Serialize)]
struct Run<'a> {
    model: &'a str,
    #[serde(serialize_with = "as_keys")]
    size: Vec<(&'static str, Value)>,
    #[serde(skip)]
    pinned_size: &'a str,
    as_expected: bool,
    differences: Vec<String>,
    distinct: u64,
    generated: u64,
    depth: u32,
    seconds: f64,
    #[serde(serialize_with = "as_properties")]
    properties: Vec<Judged>,
}

fn as_properties<S: serde::Serializer>(judged: &[Judged], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(judged.iter().map(Property::new))
}

fn as_keys<S: serde::Serializer>(size: &[(&'static str, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    SizeKeys(size).serialize(serializer)
}

/// Runs a model as it is pinned; `None` if somebody stopped it.
fn compare<'a>(pinned: &'a Expected, how: &How, watch: Watch<'_>) -> anyhow::Result<Option<Run<'a>>> {
    let entry = entry(pinned.model)?;
    let size = size(entry, pinned.size)?;
    let subject = entry.build(&size)?;
    let (report, seconds) = explore(subject.as_ref(), None, how, watch)?;
    if report.end == End::Stopped {
        return Ok(None);
    }
    let differences = differences(pinned, &report);
    Ok(Some(Run {
        model: pinned.model,
        size: size.iter().collect(),
        pinned_size: pinned.size,
        as_expected: differences.is_empty(),
        differences,
        distinct: report.distinct,
        generated: report.generated,
        depth: report.depth,
        seconds: rounded(seconds),
        properties: report.verdicts,
    }))
}

/// Everything in which a report differs from what is pinned.
fn differences(pinned: &Expected, report: &Report) -> Vec<String> {
    let mut found = Vec::new();
    if let End::Panicked { message, .. } = &report.end {
        found.push(format!("the model panicked: {message}"));
    }
    let counts = [
        ("distinct", report.distinct, pinned.distinct),
        ("generated", report.generated, pinned.generated),
        ("depth", report.depth.into(), pinned.depth.into()),
    ];
    for (name, is, expected) in counts {
        if is != expected {
            found.push(format!("{name} is {}, expected {}", grouped(is), grouped(expected)));
        }
    }
    for (name, verdict, length) in pinned.verdicts {
        let expected = judgement(*verdict, *length);
        match report.verdicts.iter().find(|judged| judged.name == *name) {
            None => found.push(format!("{name} is not judged, expected {expected}")),
            Some(judged) => {
                let is = judgement(judged.verdict, judged.trace.as_ref().map(|trace| trace.steps.len()));
                if is != expected {
                    found.push(format!("{name} is {is}, expected {expected}"));
                }
            }
        }
    }
    for judged in &report.verdicts {
        if !pinned.verdicts.iter().any(|(name, _, _)| *name == judged.name) {
            found.push(format!(
                "{} is {}, and nothing is pinned of it",
                judged.name,
                judged.verdict.as_str()
            ));
        }
    }
    found
}

fn judgement(verdict: Verdict, length: Option<usize>) -> String {
    let length = length.map(|states| format!(" ({})", counted(states as u64, "state")));
    format!("{}{}", verdict.as_str(), length.unwrap_or_default())
}

impl<'a> Comparison<'a> {
    fn new(runs: Vec<Run<'a>>, left_out: u64) -> Self {
        Comparison {
            as_expected: runs.iter().all(|run| run.as_expected),
            complete: left_out == 0,
            runs,
            left_out,
        }
    }

    fn exit(&self) -> Exit {
        match (self.as_expected, self.complete) {
            (false, _) => Exit::EndedBadly,
            (true, true) => Exit::Done,
            (true, false) => Exit::NotFinished,
        }
    }

    fn summary(&self) -> String {
        let total = counted(self.runs.len() as u64, "run");
        let differ = self.runs.iter().filter(|run| !run.as_expected).count() as u64;
        let mut out = match differ {
            0 => format!("{total}: {}\n", paint(palette::GOOD, "all as expected")),
            _ => {
                format!("{total}: {}\n", paint(palette::BAD, &format!("{} not as expected", grouped(differ))))
            }
        };
        if self.left_out > 0 {
            let left_out = counted(self.left_out, "run");
            let incomplete = paint(palette::WARN, "INCOMPLETE:");
            out.push_str(&format!("{incomplete} stopped, with {left_out} left out; let it run to the end\n"));
        }
        out
    }
}

/// The lines of the table, which are printed one by one as the runs end: the widths are known from
/// what is pinned.
struct Lines {
    model: usize,
    size: usize,
}

impl Lines {
    fn new<'a>(pinned: impl Iterator<Item = &'a Expected>) -> Lines {
        pinned.fold(Lines { model: 0, size: 0 }, |lines, pinned| Lines {
            model: lines.model.max(pinned.model.len()),
            size: lines.size.max(pinned.size.len()),
        })
    }

    fn of(&self, run: &Run<'_>, wide: bool) -> String {
        let mark = match run.as_expected {
            true => paint(palette::GOOD, "ok     "),
            false => paint(palette::BAD, "DIFFERS"),
        };
        let counts = format!("{} distinct, {} generated", grouped(run.distinct), grouped(run.generated));
        let (model, size, took) = (run.model, run.pinned_size, duration(run.seconds));
        let mut out = format!(
            "{mark}  {model:m$}  {size:s$}  {took:>9}  {counts}, depth {}\n",
            run.depth,
            m = self.model,
            s = self.size
        );
        for difference in &run.differences {
            out.push_str(&format!("           {difference}\n"));
        }
        if wide {
            for judged in &run.properties {
                let length = judged.trace.as_ref().map(|trace| trace.steps.len());
                out.push_str(&format!("           {}: {}\n", judged.name, judgement(judged.verdict, length)));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use bowline_explorer::Kind;

    use super::super::finding::tests::{judged, path};
    use super::super::outcome::tests::outcome;
    use super::*;

    const PINNED: Expected = Expected {
        model: "seed/door",
        size: "doors=2",
        distinct: 1024,
        generated: 2982,
        depth: 16,
        verdicts: &[("Shut", Verdict::Violated, Some(3)), ("Types", Verdict::Holds, None)],
    };

    fn report() -> Report {
        let verdicts = vec![
            judged("Shut", Kind::Always, Verdict::Violated, Some(path())),
            judged("Types", Kind::Always, Verdict::Holds, None),
        ];
        outcome(End::Complete, verdicts).report
    }

    #[test]
    fn a_known_violation_is_as_expected() {
        assert_eq!(differences(&PINNED, &report()), [""; 0]);
    }

    #[test]
    fn counts_verdicts_lengths_and_names_are_compared() {
        let mut other = report();
        (other.distinct, other.depth) = (1025, 17);
        other.verdicts[0].trace.as_mut().unwrap().steps.pop();
        other.verdicts[1].name = "Type".into();
        assert_eq!(
            differences(&PINNED, &other),
            [
                "distinct is 1,025, expected 1,024",
                "depth is 17, expected 16",
                "Shut is violated (2 states), expected violated (3 states)",
                "Types is not judged, expected holds",
                "Type is holds, and nothing is pinned of it",
            ]
        );
        other = report();
        other.end = End::Panicked { message: "no".into(), trace: path() };
        assert_eq!(differences(&PINNED, &other), ["the model panicked: no"]);
    }

    fn run(differences: Vec<String>) -> Run<'static> {
        Run {
            model: PINNED.model,
            size: vec![("doors", Value::Number(2)), ("fair", Value::Flag(false))],
            pinned_size: PINNED.size,
            as_expected: differences.is_empty(),
            differences,
            distinct: 1024,
            generated: 2982,
            depth: 16,
            seconds: 0.0125,
            properties: report().verdicts,
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_run_is_a_line_and_its_differences_stand_below() {
        let lines = Lines { model: 12, size: 8 };
        let head = "seed/door     doors=2     0.013 s  1,024 distinct, 2,982 generated, depth 16\n";
        assert_eq!(plain(&lines.of(&run(vec![]), false)), format!("ok       {head}"));
        assert_eq!(
            plain(&lines.of(&run(vec!["depth is 17, expected 16".into()]), false)),
            format!("DIFFERS  {head}           depth is 17, expected 16\n")
        );
        assert_eq!(
            plain(&lines.of(&run(vec![]), true)),
            format!("ok       {head}           Shut: violated (3 states)\n           Types: holds\n")
        );
    }

    #[test]
    fn the_document_has_the_size_as_that_of_a_run_has_it() {
        let json = serde_json::to_value(run(vec![])).unwrap();
        assert_eq!(json["size"], serde_json::json!({"doors": 2, "fair": false}));
        assert_eq!(json.get("pinned_size"), None);
    }

    #[test]
    fn the_end_says_how_many_differ_and_sets_the_exit_code() {
        let well = Comparison::new(vec![run(vec![])], 0);
        assert_eq!((plain(&well.summary()), well.exit()), ("1 run: all as expected\n".into(), Exit::Done));
        let bad = Comparison::new(vec![run(vec![]), run(vec!["no".into()])], 0);
        assert_eq!(
            (plain(&bad.summary()), bad.exit()),
            ("2 runs: 1 not as expected\n".into(), Exit::EndedBadly)
        );
        let cut = Comparison::new(vec![run(vec![])], 3);
        assert_eq!(cut.exit(), Exit::NotFinished);
        assert!(plain(&cut.summary()).contains("INCOMPLETE: stopped, with 3 runs left out"));
    }
}
