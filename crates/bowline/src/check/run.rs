//! `check MODEL`: one run, or one after the other.

use bowline_models::Faults;

use super::explore::{Watch, explore, hush_explorer_threads};
use super::faults::Plan;
use super::finding::Finding;
use super::json;
use super::outcome::Outcome;
use super::report;
use super::request::Request;
use super::sweep;
use super::trace_file::TraceFile;
use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::signals;

/// Explores a model and tells what was found.
pub(crate) fn run(args: &CheckArgs, model: &str) -> anyhow::Result<Exit> {
    let request = Request::read(args, model)?;
    if let Some(file) = &args.trace {
        file.refuse_if_impossible()?;
    }
    hush_explorer_threads();
    match &request.plan {
        Plan::One(faults) => once(args, &request, faults),
        Plan::Sweep(sweep) => sweep::run(args, &request, *sweep),
    }
}

fn once(args: &CheckArgs, request: &Request, faults: &Faults) -> anyhow::Result<Exit> {
    let watch = Watch { label: None, quiet: args.quiet, stop: signals::stop_flag()? };
    let outcome = carry_out(request, faults, watch)?;
    output::print(&match args.output {
        Format::Table | Format::Wide => report::render(&outcome, args.output == Format::Wide),
        Format::Json | Format::Yaml => output::document(args.output, &json::Document::new(&outcome))?,
    })?;
    if let Some(file) = &args.trace {
        write_trace(file, outcome.first_finding())?;
    }
    Ok(outcome.exit())
}

/// Runs the model with these faults.
pub(crate) fn carry_out(request: &Request, faults: &Faults, watch: Watch<'_>) -> anyhow::Result<Outcome> {
    let subject = request.subject(faults)?;
    let (report, seconds) = explore(subject.as_ref(), request.asked.as_deref(), &request.how, watch)?;
    Ok(Outcome {
        model: request.entry.name,
        size: request.size.iter().collect(),
        faults: faults.clone(),
        claims: request.claims.clone(),
        asked: request.asked.clone(),
        how: request.how,
        state_bytes: subject.state_bytes(),
        coverage: subject.coverage(),
        report,
        seconds,
    })
}

/// Writes the trace of what was found to a file, and says so; or that there is none.
pub(crate) fn write_trace(file: &TraceFile, finding: Option<Finding<'_>>) -> anyhow::Result<()> {
    let Some(finding) = finding else {
        let older = if file.path().exists() { "; the file there is an older one" } else { "" };
        output::note(&format!("nothing was violated: {} is not written{older}", file.path().display()));
        return Ok(());
    };
    file.write(&finding)?;
    let (path, name, fate) = (file.path().display(), finding.name(), finding.fate());
    output::note(&format!("wrote {path}: how {name} {fate}"));
    Ok(())
}
