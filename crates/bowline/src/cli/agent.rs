//! `agent`: what runs beside the software of nodes, and beside workload clusters.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use bowline_control::Millis;
use bowline_control::lease::Settings;
use bowline_upgrades::leases::{LONGEST, SHORTEST};
use clap::{Args, Subcommand, ValueHint};

use super::Server;
use super::cluster::name;
use super::update::Where;
use crate::agent::{self, SyncerWish, Wish};
use crate::connection::Wanted;
use crate::duration::duration;
use crate::exit::Exit;
use crate::service;

const EXAMPLES: &str = "\
Examples:
  bowline agent node --kubeconfig n1.kubeconfig --group kv --member n1
  bowline agent syncer --kubeconfig east.kubeconfig --target east --target-kubeconfig ./east-admin.yaml";

const NODE_EXAMPLES: &str = "\
Examples:
  bowline join node kv n1 > n1.kubeconfig
  bowline agent node --kubeconfig n1.kubeconfig --group kv --member n1

Exit codes:
  0  it was told to end, and ended; the software goes on
  1  it cannot go on
  2  an option or the kubeconfig is not understood, or the directory cannot be used
  4  the hub refuses it: there is no such member, or the kubeconfig is another's";

const SYNCER_EXAMPLES: &str = "\
Examples:
  bowline join syncer east > east.kubeconfig
  bowline agent syncer --kubeconfig east.kubeconfig --target east --target-kubeconfig ./east-admin.yaml

Exit codes:
  0  it was told to end, and ended; what runs in the cluster goes on
  1  it cannot go on
  2  an option or a kubeconfig is not understood
  4  the hub refuses it: there is no such target, or the kubeconfig is another's; or the cluster does";

/// Run beside the software of a node, or beside a workload cluster, and do what the hub wants of it
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AgentArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Node(Box<NodeArgs>),
    Syncer(SyncerArgs),
}

/// Run the agent of a member of a group
///
/// It starts the version of the software that the hub says, asks it whether it works, tells it what it is master of, lets it drain and
/// end, and starts it again when it dies. The software is no child of the agent: it goes on when the agent ends or is killed, and the
/// next agent finds it. Who is master of something, or is being upgraded, is stopped when the lease has lapsed, also if the agent is
/// dead or paused; everybody else goes on when the hub is away.
///
/// Ctrl-C and SIGTERM end the agent, and not the software: `kubectl delete member` does that.
#[derive(Args)]
#[command(after_help = NODE_EXAMPLES)]
struct NodeArgs {
    /// The NodeGroup
    #[arg(long, value_name = "GROUP", value_parser = name)]
    group: String,

    /// What the node is called in it
    #[arg(long, value_name = "MEMBER", value_parser = name)]
    member: String,

    /// The directory in which agents of this machine keep what they have: one for each member, open to this user only
    #[arg(long, value_name = "DIR", default_value = "./bowline-agent", value_hint = ValueHint::DirPath)]
    data: PathBuf,

    /// The address at which the software of this node is asked whether it works, and told what it is master of; it knows it as
    /// $BOWLINE_ADDRESS
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,

    /// How long the lease lasts, 1s to 60s: the longest time that passes before a node is missed that has died, and less than that the
    /// longest that the hub may be away before masters stop
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = lease)]
    lease: Settings,

    #[command(flatten)]
    place: Where,
}

/// Run the syncer of a target
///
/// It brings namespaces that are granted to the target up in the workload cluster: volumes first, and then the workloads that people
/// have in them on the hub. It shows on the hub how they stand, stops and gives up what the hub takes away, and says so. Data is
/// deleted only with its namespace, by a person. All that it has to remember is in the cluster; it may run anywhere.
///
/// Ctrl-C and SIGTERM end the syncer, and not the workloads: they go on, also when the hub is away. Only where volumes enforce
/// epochs they are stopped when the lease has lapsed, by a syncer that runs.
#[derive(Args)]
#[command(after_help = SYNCER_EXAMPLES)]
struct SyncerArgs {
    /// The SyncTarget
    #[arg(long, value_name = "TARGET", value_parser = name)]
    target: String,

    /// The kubeconfig of the workload cluster, as its administrator
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    target_kubeconfig: PathBuf,

    /// The context in it [default: its current one]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    target_context: Option<String>,

    /// How long the lease lasts, 1s to 60s: the longest time that passes before it is missed
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = lease)]
    lease: Settings,

    #[command(flatten)]
    server: Server,
}

impl AgentArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        match self.command {
            Command::Node(node) => {
                let NodeArgs { group, member, data, address, lease, place } = *node;
                let wish = Wish { scope: place.scope(), group, member, data, address, lease };
                service::block_on(agent::node(wish))
            }
            Command::Syncer(syncer) => {
                let SyncerArgs { target, target_kubeconfig, target_context, lease, server } = syncer;
                let cluster = Wanted { kubeconfig: Some(target_kubeconfig), context: target_context };
                let wish = SyncerWish { hub: server.wanted(), cluster, target, lease };
                service::block_on(agent::syncer(wish))
            }
        }
    }
}

/// Reads how long a lease lasts.
fn lease(text: &str) -> Result<Settings, String> {
    let given = duration(text)?;
    let term = Millis(given.as_secs().saturating_mul(1_000));
    if !(SHORTEST..=LONGEST).contains(&term) {
        return Err(format!("a lease lasts {}s to {}s", SHORTEST.0 / 1_000, LONGEST.0 / 1_000));
    }
    Settings::for_term(term).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_that_nobody_could_keep_are_refused() {
        assert_eq!(lease("15s").map(|settings| settings.term()), Ok(Millis(15_000)));
        assert_eq!(lease("1m").map(|settings| settings.term()), Ok(Millis(60_000)));
        for wrong in ["0s", "61s", "2m", "1", "x"] {
            assert!(lease(wrong).is_err(), "{wrong}");
        }
    }
}
