//! The `bowline` command line.

mod check;
mod cli;
mod columns;
mod crds;
mod exit;
mod figures;
mod generate;
mod hub;
mod memory;
mod nearest;
mod output;
mod palette;
mod progress;
mod signals;
mod whole;

fn main() -> std::process::ExitCode {
    exit::end(cli::run())
}
