//! The software as a process. `kv --listen 127.0.0.1:7000 --devices DIR --as v1` serves, with what the agent says in its
//! environment; `kv drain --at 127.0.0.1:7000` is the command that drains one.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bowline_e2e_kv::duties::{self, Who};
use bowline_e2e_kv::http::{ask, request};
use bowline_e2e_kv::server::{self, Flaws, Settings};
use clap::{Args, Parser, Subcommand};

/// A small sharded key-value server, for Bowline to upgrade
#[derive(Parser)]
#[command(name = "kv", args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: Option<Serve>,
    #[command(flatten)]
    flaws: FlawArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Lets a server finish what is under way, and waits for that
    Drain {
        /// Where it listens
        #[arg(long)]
        at: SocketAddr,
    },
}

#[derive(Args)]
struct Serve {
    /// Where to listen
    #[arg(long)]
    listen: SocketAddr,
    /// The directory of the devices
    #[arg(long)]
    devices: PathBuf,
    /// Which version to be
    #[arg(long = "as", value_parser = ["v1", "v2", "v3"], default_value = "v1")]
    version: String,
    /// How often to look at the duties, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 20)]
    poll: u64,
}

#[derive(Args)]
#[command(next_help_heading = "What is wrong with it")]
struct FlawArgs {
    /// End at once
    #[arg(long)]
    crash_at_start: bool,
    /// Take so long before listening, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0)]
    slow_start: u64,
    /// Start only while this file exists
    #[arg(long, value_name = "FILE")]
    needs: Option<PathBuf>,
    /// Be unhealthy for ever
    #[arg(long)]
    unhealthy: bool,
    /// Be unhealthy after so many seconds
    #[arg(long, value_name = "SECONDS")]
    sick_after: Option<u64>,
    /// Do not end on SIGTERM
    #[arg(long)]
    ignore_sigterm: bool,
    /// Take so long to drain and to end, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0)]
    slow_drain: u64,
    /// Neither start on nor serve what a newer version has written
    #[arg(long)]
    refuse_newer: bool,
}

impl FlawArgs {
    fn flaws(self) -> Flaws {
        Flaws {
            crashes_at_start: self.crash_at_start,
            slow_start: Duration::from_millis(self.slow_start),
            needs: self.needs,
            unhealthy: self.unhealthy,
            sick_after: self.sick_after.map(Duration::from_secs),
            ignores_sigterm: self.ignore_sigterm,
            slow_drain: Duration::from_millis(self.slow_drain),
            refuses_newer: self.refuse_newer,
        }
    }
}

#[tokio::main]
#[expect(clippy::print_stderr, reason = "it is a program, and this is why it ends")]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match (cli.command, cli.serve) {
        (Some(Command::Drain { at }), _) => drain(at).await,
        (None, Some(serve)) => run(serve, cli.flaws.flaws()).await,
        (None, None) => Err(anyhow::anyhow!("there is nothing to serve; see --help")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kv: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(serve: Serve, flaws: Flaws) -> Result<()> {
    let settings = Settings {
        listen: serve.listen,
        devices: serve.devices,
        version: serve.version,
        who: Who {
            group: told(duties::GROUP)?,
            member: told(duties::MEMBER)?,
            version: told(duties::VERSION)?,
        },
        duties: told(duties::FILE)?.into(),
        poll: Duration::from_millis(serve.poll),
        flaws,
    };
    server::run(settings).await
}

fn told(name: &str) -> Result<String> {
    std::env::var(name).with_context(|| format!("{name} is not set; Bowline's agent sets it"))
}

async fn drain(at: SocketAddr) -> Result<()> {
    let answer = ask(at, request("GET", "/drain", "")).await?;
    ensure!(answer.status().is_success(), "{}: {}", answer.status(), String::from_utf8_lossy(answer.body()));
    Ok(())
}
