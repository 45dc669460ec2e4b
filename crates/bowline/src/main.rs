//! The `bowline` command line.

mod ago;
mod check;
mod cli;
mod cluster;
mod columns;
mod connection;
mod controllers;
mod crds;
mod duration;
mod exit;
mod figures;
mod generate;
mod hub;
mod listener;
mod memory;
mod nearest;
mod output;
mod palette;
mod progress;
mod service;
mod signals;
mod up;
mod update;
mod whole;

fn main() -> std::process::ExitCode {
    exit::end(cli::run())
}
