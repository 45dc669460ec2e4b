//! `join`: kubeconfigs for agents.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::Server;
use super::cluster::name;
use super::update::Where;
use crate::duration::duration;
use crate::exit::Exit;
use crate::join::{self, Node, Syncer};
use crate::service;

const EXAMPLES: &str = "\
Examples:
  bowline join node kv n1 > n1.kubeconfig
  bowline join node kv n1 --server https://hub.example.org:7443 --ttl 720h > n1.kubeconfig
  bowline join syncer east > east.kubeconfig

Exit codes:
  0  done
  2  bad usage, or a kubeconfig that cannot be given to others
  4  refused by the hub
  5  the hub cannot be reached";

/// Print a kubeconfig for an agent, with no more rights than it needs
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct JoinArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Node(NodeArgs),
    Syncer(SyncerArgs),
}

/// Let a node join a group, and print the kubeconfig of its agent
///
/// It makes a Member, and an account that may read the group and this Member, write the status of it, renew a Lease of its own, and
/// make Events; and nothing else. Who has the kubeconfig is this node until it ends. Joining again gives a new one, and the old one
/// stays good: all of them end when the Member is deleted.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline join node kv n1 > n1.kubeconfig\n  bowline join node kv n1 --server https://hub.example.org:7443 --ttl 720h > n1.kubeconfig"
)]
struct NodeArgs {
    /// The NodeGroup
    #[arg(value_name = "GROUP", value_parser = name)]
    group: String,

    /// What the node is called in it
    #[arg(value_name = "MEMBER", value_parser = name)]
    member: String,

    /// How long the kubeconfig is good, such as 24h; at least 10m. A Kubernetes may be set to give less
    #[arg(long, value_name = "TIME", default_value = "8760h", value_parser = lasting)]
    ttl: Duration,

    /// The address of the hub as the node sees it [default: the one that is used here]
    #[arg(long, value_name = "URL", value_parser = address)]
    server: Option<String>,

    #[command(flatten)]
    place: Where,
}

/// Print the kubeconfig of the syncer of a target
///
/// It makes an account that may read this target and say how it stands, read all placements and grants of volumes, say what becomes of
/// grants, and renew a Lease of its own. In a namespace it may read workloads, configuration and secrets, and write status, while its target
/// has something of that namespace, and not longer. Joining again gives a new kubeconfig, and the old one stays good: all of them end when
/// the target is removed.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline join syncer east > east.kubeconfig\n  bowline join syncer east --server https://hub.example.org:7443 --ttl 720h > east.kubeconfig"
)]
struct SyncerArgs {
    /// The target
    #[arg(value_name = "TARGET", value_parser = name)]
    target: String,

    /// How long the kubeconfig is good, such as 24h; at least 10m. A Kubernetes may be set to give less
    #[arg(long, value_name = "TIME", default_value = "8760h", value_parser = lasting)]
    ttl: Duration,

    /// The address of the hub as the cluster sees it [default: the one that is used here]
    #[arg(long = "server", value_name = "URL", value_parser = address)]
    address: Option<String>,

    #[command(flatten)]
    server: Server,
}

impl JoinArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        match self.command {
            Command::Node(NodeArgs { group, member, ttl, server, place }) => {
                let node = Node { group, member, ttl, server };
                service::block_on(join::node(&place.scope(), &node))
            }
            Command::Syncer(SyncerArgs { target, ttl, address, server }) => {
                let syncer = Syncer { target, ttl, server: address };
                service::block_on(join::syncer(&server.wanted(), &syncer))
            }
        }
    }
}

/// Reads a time that servers give tokens for.
fn lasting(text: &str) -> Result<Duration, String> {
    let given = duration(text)?;
    if given < Duration::from_secs(600) {
        Err("no server gives a token for less than 10m".to_owned())
    } else {
        Ok(given)
    }
}

/// Reads the address of a server.
fn address(text: &str) -> Result<String, String> {
    let wrong = || "it takes an address such as https://hub.example.org:7443".to_owned();
    let read: http::Uri = text.parse().map_err(|_| wrong())?;
    let well = matches!(read.scheme_str(), Some("https" | "http"))
        && read.host().is_some_and(|host| !host.is_empty());
    if well && read.query().is_none() { Ok(text.to_owned()) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_times_that_no_server_takes_are_refused() {
        assert_eq!(address("https://hub:7443"), Ok("https://hub:7443".to_owned()));
        assert_eq!(address("https://[::1]:7443/k8s"), Ok("https://[::1]:7443/k8s".to_owned()));
        for wrong in ["", "hub:7443", "ftp://hub", "https://", "https://hub?x=y", "/k8s"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
        assert_eq!(lasting("10m"), Ok(Duration::from_secs(600)));
        assert!(lasting("599s").is_err() && lasting("1").is_err());
    }
}
