//! `bowline check`: the front end of the explorer.

mod delta;
mod expected;
mod explore;
mod finding;
mod json;
mod list;
mod outcome;
mod report;
mod request;
mod run;
mod svg;
pub(crate) mod trace_file;
mod trace_json;
mod trace_svg;
mod trace_text;

use bowline_models::catalogue;

use crate::cli::CheckArgs;
use crate::exit::Exit;

/// The names of the models, in the order of listings.
pub(crate) fn model_names() -> Vec<&'static str> {
    catalogue().iter().map(|entry| entry.name).collect()
}

/// Does what the arguments ask for: the listing, the comparison with what is pinned, or one run.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    match &args.model {
        Some(model) => run::run(args, model),
        None if args.expected => expected::run(args),
        None => list::run(args.output),
    }
}
