//! `bowline check`: the front end of the explorer.

mod coverage;
mod delta;
mod expected;
mod explore;
mod faults;
mod finding;
#[cfg(test)]
pub(crate) mod fuzz;
mod json;
mod list;
mod model_name;
mod outcome;
mod report;
mod request;
mod run;
mod svg;
mod sweep;
pub(crate) mod trace_file;
mod trace_json;
mod trace_svg;
mod trace_text;

pub(crate) use model_name::ModelName;

use crate::cli::CheckArgs;
use crate::exit::Exit;

/// Does what the arguments ask for: the listing, the comparison with what is pinned, or runs of a model.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    match &args.model {
        model if args.expected => expected::run(args, model.as_deref()),
        Some(model) => run::run(args, model),
        None => list::run(args.output),
    }
}
