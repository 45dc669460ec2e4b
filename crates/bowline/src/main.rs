//! The `bowline` command line.

mod agent;
mod ago;
mod audit;
mod backup;
mod check;
mod cli;
mod cluster;
mod columns;
mod connection;
mod controllers;
mod crds;
mod demo;
mod duration;
mod exit;
mod figures;
#[cfg(test)]
mod fuzz;
mod generate;
mod hub;
mod identity;
mod join;
mod listener;
mod memory;
mod nearest;
mod output;
mod palette;
mod place;
mod progress;
mod restore;
mod service;
mod signals;
mod team;
mod up;
mod update;
mod upgrade;
mod whole;

/// A server makes and drops trees of JSON all day: that costs a third less with this than with the system's own allocator, and
/// leaves less memory in pieces (`bench/README.md`).
#[global_allocator]
static MEMORY: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    match agent::role() {
        Some(ended) => ended,
        None => exit::end(cli::run()),
    }
}
