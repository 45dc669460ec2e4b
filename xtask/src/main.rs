//! The project's own tooling. `cargo xtask --help` says what there is.

mod audit;
mod bench;
mod cache;
mod cargo_json;
mod cli;
mod differential;
mod explore;
mod fuzz;
mod generate;
mod kubectls;
mod log;
mod pitfalls;
mod referee;
mod soak;
mod tail;
mod test;
mod testenv;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    cli::Cli::parse().run().unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
