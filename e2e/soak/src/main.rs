//! `cargo xtask soak` runs this.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bowline_soak::judge::Promise;
use bowline_soak::run::{Plan, soak};
use clap::Parser;

/// Soaks a hub
#[derive(Parser)]
struct Args {
    /// The binary of bowline
    #[arg(long)]
    binary: PathBuf,
    /// For how long
    #[arg(long)]
    seconds: u64,
    /// What chance begins with [default: another one each time]
    #[arg(long)]
    seed: Option<u64>,
    /// The longest life of a hub
    #[arg(long, default_value_t = 75)]
    longest: u64,
}

#[expect(clippy::print_stdout, reason = "it is a program, and this is what it has to say")]
fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    let seed = args
        .seed
        .map_or_else(|| getrandom::u64().map_err(|error| anyhow::anyhow!("no chance: {error}")), Ok)?;
    let plan =
        Plan { time: Duration::from_secs(args.seconds), seed, longest: Duration::from_secs(args.longest) };
    println!("seed {seed}: who does what follows from it; who is faster does not");
    let report = soak(&args.binary, &plan, &mut |line| println!("{line}"))?;
    println!("\nseed {seed}: {report}");
    for promise in Promise::ALL {
        let broken: Vec<_> = report.broken.iter().filter(|broken| broken.promise == promise).collect();
        println!("{:<18} {}", format!("{promise:?}"), if broken.is_empty() { "kept" } else { "BROKEN" });
        for broken in broken.iter().take(5) {
            println!("    {}", broken.what);
        }
    }
    if let Some(why) = report.proves_nothing() {
        println!("\nnothing follows from this: {why}");
        return Ok(ExitCode::FAILURE);
    }
    Ok(if report.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
