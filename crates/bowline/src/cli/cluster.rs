//! `cluster`: the clusters that Bowline acts on.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueHint};

use super::Server;
use crate::cluster::{self, Add, Patience};
use crate::connection::Wanted;
use crate::duration::duration;
use crate::exit::Exit;
use crate::output::Format;
use crate::service;

const EXAMPLES: &str = "\
Examples:
  bowline cluster add toy --embedded
  bowline cluster add prod --kubeconfig ./prod.kubeconfig --allow team-a,team-b
  bowline cluster list
  bowline cluster show prod
  bowline cluster remove toy

Exit codes:
  0  done, and the cluster can be used
  1  the cluster was added, and cannot be used: it says why
  2  bad usage, or a kubeconfig that cannot be used
  3  not finished in time
  4  refused
  5  the hub cannot be reached";

/// Add, list, show and remove the clusters that Bowline acts on
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ClusterArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Add(AddArgs),
    List(ListArgs),
    Show(ShowArgs),
    Remove(RemoveArgs),
}

const ADD_EXAMPLES: &str = "\
Examples:
  bowline cluster add toy --embedded
  bowline cluster add prod --kubeconfig ./prod.kubeconfig --allow team-a,team-b
  bowline cluster add prod --kubeconfig ~/.kube/config --context prod --timeout 2m";

/// Add a cluster, by its kubeconfig or inside the hub, and say whether it can be used
///
/// The kubeconfig is kept in the hub, as a Secret in bowline-system: one context of it, with the content of the files that
/// it names. The hub runs no programs for it: it has to have a token or a certificate. A cluster that is added again
/// gets the new kubeconfig.
///
/// An embedded cluster is an API server inside the hub whose workloads are simulated: something to try things on.
#[derive(Args)]
#[command(after_help = ADD_EXAMPLES)]
#[command(group(ArgGroup::new("way").required(true).args(["kubeconfig", "embedded"])))]
struct AddArgs {
    /// What to call it
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,

    /// The kubeconfig of the cluster
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    kubeconfig: Option<PathBuf>,

    /// The context in it [default: its current one]
    #[arg(long, value_name = "NAME", conflicts_with = "embedded")]
    context: Option<String>,

    /// Start an API server inside the hub, with simulated workloads
    #[arg(long)]
    embedded: bool,

    /// The namespaces of the hub that may use it [default: all; of one that is there, those that may already]
    #[arg(long, value_name = "NAMESPACE,...", value_delimiter = ',', value_parser = name)]
    allow: Vec<String>,

    /// Every namespace of the hub may use it
    #[arg(long, conflicts_with = "allow")]
    allow_all: bool,

    /// The kubeconfig of the hub [default: $KUBECONFIG, else that of a hub that was started here]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    hub_kubeconfig: Option<PathBuf>,

    #[command(flatten)]
    waiting: Waiting,
}

/// How long to wait.
#[derive(Args)]
struct Waiting {
    /// Do not wait for the end
    #[arg(long)]
    no_wait: bool,

    /// How long to wait, such as 30s or 5m; what is under way goes on
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    timeout: Duration,
}

impl Waiting {
    fn patience(&self) -> Patience {
        Patience { wait: !self.no_wait, timeout: self.timeout }
    }
}

/// List the clusters, and how they stand
///
/// A message that is too long for the table is cut; -o wide has all of it, and `show` does.
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline cluster list\n  bowline cluster list -o wide")]
struct ListArgs {
    #[command(flatten)]
    server: Server,

    /// How to print them
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    output: Format,
}

/// Show a cluster: how it is reached, how it stands, what goes on
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline cluster show prod\n  bowline cluster show prod -o yaml")]
struct ShowArgs {
    /// Which
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    server: Server,

    /// How to print it
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    output: Format,
}

/// Remove a cluster: Bowline does not act on it any more
///
/// Nothing is changed on a cluster that was added by its kubeconfig. An embedded one is stopped, and all that it holds is
/// gone. One that stacks use is not removed, unless that is forced: what they have put there stays there then, but for an
/// embedded one, with which it goes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline cluster remove toy\n  bowline cluster remove prod --force --timeout 5m"
)]
struct RemoveArgs {
    /// Which
    #[arg(value_name = "NAME")]
    name: String,

    /// Also if it is used: for one that is gone for good
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    server: Server,

    #[command(flatten)]
    waiting: Waiting,
}

impl ClusterArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        service::block_on(async {
            match self.command {
                Command::Add(args) => {
                    let hub = Wanted { kubeconfig: args.hub_kubeconfig, context: None };
                    let reached = args.kubeconfig.map(|file| (file, args.context));
                    let add = Add { name: args.name, reached, allow: args.allow, allow_all: args.allow_all };
                    cluster::add(&hub, &add, args.waiting.patience()).await
                }
                Command::List(args) => cluster::list(&args.server.wanted(), args.output).await,
                Command::Show(args) => cluster::show(&args.server.wanted(), &args.name, args.output).await,
                Command::Remove(args) => {
                    let patience = args.waiting.patience();
                    cluster::remove(&args.server.wanted(), &args.name, args.force, patience).await
                }
            }
        })
    }
}

/// Reads a name that objects can have and labels can say.
pub(super) fn name(text: &str) -> Result<String, String> {
    let inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let well = !text.is_empty() && text.len() <= 63 && text.chars().all(inside);
    if well && !text.starts_with('-') && !text.ends_with('-') {
        return Ok(text.to_owned());
    }
    Err("it takes at most 63 small letters, digits and dashes, and begins and ends with a letter or digit"
        .into())
}
