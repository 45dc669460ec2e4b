//! `check MODEL`: one run.

use super::explore::{Watch, explore, hush_explorer_threads};
use super::json;
use super::outcome::Outcome;
use super::report;
use super::request::Request;
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
    let outcome = carry_out(request, args.quiet)?;
    output::print(&match args.output {
        Format::Table | Format::Wide => report::render(&outcome, args.output == Format::Wide),
        Format::Json | Format::Yaml => output::document(args.output, &json::Document::new(&outcome))?,
    })?;
    if let Some(file) = &args.trace {
        write_trace(file, &outcome)?;
    }
    Ok(outcome.exit())
}

fn carry_out(request: Request, quiet: bool) -> anyhow::Result<Outcome> {
    let Request { model, size, subject, claims, asked, how } = request;
    hush_explorer_threads();
    let watch = Watch { label: None, quiet, stop: signals::stop_flag()? };
    let (report, seconds) = explore(subject.as_ref(), asked.as_deref(), &how, watch)?;
    let (size, state_bytes) = (size.iter().collect(), subject.state_bytes());
    Ok(Outcome { model, size, claims, asked, how, state_bytes, report, seconds })
}

fn write_trace(file: &TraceFile, outcome: &Outcome) -> anyhow::Result<()> {
    let Some(finding) = outcome.first_finding() else {
        let older = if file.path().exists() { "; the file there is an older one" } else { "" };
        output::note(&format!("nothing was violated: {} is not written{older}", file.path().display()));
        return Ok(());
    };
    file.write(&finding)?;
    let (path, name, fate) = (file.path().display(), finding.name(), finding.fate());
    output::note(&format!("wrote {path}: how {name} {fate}"));
    Ok(())
}
