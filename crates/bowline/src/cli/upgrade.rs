//! `upgrade`: the software of groups of nodes.

use std::time::Duration;

use bowline_api::upgrades::Verb;
use clap::{Args, Subcommand};

use super::Server;
use super::cluster::name;
use super::view::{Listing, View, Waiting};
use crate::duration::duration;
use crate::exit::Exit;
use crate::service;
use crate::upgrade::{self, Order, Patience, Question};

const EXAMPLES: &str = "\
Examples:
  bowline upgrade list
  bowline upgrade preflight kv --to v2 --crashes 1
  bowline upgrade start kv --to v2
  bowline upgrade status kv --watch
  bowline upgrade init kv
  bowline upgrade node kv n1 --wait
  bowline upgrade run kv
  bowline upgrade commit kv
  bowline upgrade rollback kv
  bowline upgrade reset kv

Exit codes:
  0  done
  1  it ended badly: rolled back, or it needs a person; a preflight found a counterexample
  2  bad usage, such as a version that is not declared
  3  not finished in time, and it goes on; a preflight has not seen everything
  4  refused: by the hub, or because it may not be done now
  5  the hub cannot be reached";

/// Upgrade the software of a group of nodes while it serves, and commit it or go back
///
/// A group (a NodeGroup) and the versions of its software are made with kubectl; nodes are let in by `bowline join node`. `start` goes to
/// a version by itself. Step by step it is: init, node for some members, run, node for the others, commit; or rollback, node for
/// those that were upgraded, reset. A command that may not be given now is refused with the reason and the next right one.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct UpgradeArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(ListArgs),
    Status(StatusArgs),
    Preflight(PreflightArgs),
    Start(StartArgs),
    /// Begin an upgrade to the next version: members may be moved to it then, and the old one serves
    #[command(after_help = "Examples:\n  bowline upgrade init kv")]
    Init(GroupArgs),
    Node(NodeArgs),
    /// Let the new version serve: masters are on it from then on
    #[command(after_help = "Examples:\n  bowline upgrade run kv")]
    Run(GroupArgs),
    /// End an upgrade: there is no way back any more
    #[command(after_help = "Examples:\n  bowline upgrade commit kv")]
    Commit(GroupArgs),
    /// Go back to the old version: it serves again, and members that were upgraded may be moved back
    #[command(after_help = "Examples:\n  bowline upgrade rollback kv")]
    Rollback(GroupArgs),
    /// End an upgrade that was rolled back
    #[command(after_help = "Examples:\n  bowline upgrade reset kv")]
    Reset(GroupArgs),
    /// Go on with an upgrade that was rolled back, because the old version does not work any more
    #[command(after_help = "Examples:\n  bowline upgrade forward kv")]
    Forward(GroupArgs),
    Forget(ForgetArgs),
    Trust(TrustArgs),
}

/// List groups, and how far their upgrades are
///
/// A message that is too long for the table is cut; -o wide has all of it, and `status` does.
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline upgrade list\n  bowline upgrade list -A -o wide")]
struct ListArgs {
    #[command(flatten)]
    listing: Listing,
}

/// Show a group: its members and their versions, who is master of what, and what is waited for
///
/// A version with a star serves; a dot says which one a member has, an arrow which one it goes to.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline upgrade status kv\n  bowline upgrade status kv --watch\n  bowline upgrade status kv -o wide"
)]
struct StatusArgs {
    /// Which
    #[arg(value_name = "GROUP", value_parser = name)]
    group: String,

    /// Show it again whenever it changes, until Ctrl-C
    #[arg(short, long)]
    watch: bool,

    #[command(flatten)]
    view: View,
}

/// Explore what may become of an upgrade, before anything is touched
///
/// It reads the group as it stands and explores every way that its upgrade to the version can go: crashes at any moment, a new version that
/// works or never does, a person who rolls back. In mode Automatic it goes on by itself, in mode Manual by any command that is accepted. It tells how many
/// states that are, the worst of them, and how the upgrade may end; or a counterexample: devices that stay without a master, a
/// partition or a version without the nodes that it needs because members are moved, a state that no command leads out of. Groups of more than 6 nodes
/// are explored in part and walked through at random, which is marked INCOMPLETE. Nothing is written.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline upgrade preflight kv --to v2\n  bowline upgrade preflight kv --to v2 --crashes 1 --strict\n  bowline upgrade preflight kv --to v2 --crashes 2 -o json"
)]
struct PreflightArgs {
    /// Which
    #[arg(value_name = "GROUP", value_parser = name)]
    group: String,

    /// The version, as it is declared in the group; the next one after that which serves
    #[arg(long, value_name = "VERSION")]
    to: String,

    /// How many nodes may crash at any moment: go down, or not keep their software alive
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=16))]
    crashes: u8,

    /// Explore what `upgrade start` would do, also if the mode of the group is Manual
    #[arg(long)]
    automatic: bool,

    /// Who has crashed does not come back before the end
    #[arg(long)]
    for_good: bool,

    /// Count it as a counterexample also if a partition has no quorum, or nobody serves, because of the crashes
    #[arg(long)]
    strict: bool,

    /// End as INCOMPLETE when more states than this were found
    #[arg(long, value_name = "N", default_value_t = 3_000_000)]
    max_states: u64,

    /// How many threads explore; as many as there are processors, if nobody says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    view: View,
}

impl PreflightArgs {
    async fn ask(self) -> anyhow::Result<Exit> {
        let question = Question {
            group: self.group,
            to: self.to,
            crashes: self.crashes,
            for_good: self.for_good,
            automatic: self.automatic,
            strict: self.strict,
            max_states: self.max_states,
            threads: self.threads,
            quiet: self.quiet,
        };
        let View { place, output } = self.view;
        upgrade::preflight(&place.scope(), &question, output).await
    }
}

/// Have a group upgraded to a version by itself
///
/// It sets spec.version, and spec.mode to Automatic. Who commits is said by spec.commit: without it, a person does, and --wait ends when
/// every member has the version. A version that was rolled back is tried again by this.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline upgrade start kv --to v2\n  bowline upgrade start kv --to v2 --wait --timeout 1h"
)]
struct StartArgs {
    /// Which
    #[arg(value_name = "GROUP", value_parser = name)]
    group: String,

    /// The version, as it is declared in the group
    #[arg(long, value_name = "VERSION")]
    to: String,

    #[command(flatten)]
    waiting: Waiting,

    #[command(flatten)]
    view: View,
}

impl Waiting {
    fn patience(&self) -> Patience {
        Patience { wait: self.wait, timeout: self.timeout, quiet: self.quiet }
    }
}

/// A command that is about a group.
#[derive(Args)]
struct GroupArgs {
    /// Which
    #[arg(value_name = "GROUP", value_parser = name)]
    group: String,

    #[command(flatten)]
    answer: AnswerArgs,
}

/// How a command is answered.
#[derive(Args)]
struct AnswerArgs {
    /// How long to wait for the answer, such as 30s or 5m; the command stays given
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    timeout: Duration,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    view: View,
}

impl AnswerArgs {
    async fn give(self, order: Order) -> anyhow::Result<Exit> {
        let patience = Patience { wait: false, timeout: self.timeout, quiet: self.quiet };
        let View { place, output } = self.view;
        upgrade::command(&place.scope(), &order, &patience, output).await
    }
}

/// A member of a group.
#[derive(Args)]
struct Whom {
    /// Which group
    #[arg(value_name = "GROUP", value_parser = name)]
    group: String,

    /// Which member of it
    #[arg(value_name = "MEMBER", value_parser = name)]
    member: String,
}

impl Whom {
    fn order(self, verb: Verb) -> Order {
        Order { group: self.group, verb, member: Some(self.member) }
    }
}

/// Move a member to the new version; or back, if the upgrade was rolled back
///
/// It lets go of its work and of its devices, ends, and starts with the other version. It ends as soon as that is begun; with --wait, when
/// the member has been moved.
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline upgrade node kv n1\n  bowline upgrade node kv n1 --wait")]
struct NodeArgs {
    #[command(flatten)]
    whom: Whom,

    #[command(flatten)]
    waiting: Waiting,

    #[command(flatten)]
    view: View,
}

/// Count a lost member no more: it does not come back
///
/// One that comes back all the same joins as a new one does.
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline upgrade forget kv n3")]
struct ForgetArgs {
    #[command(flatten)]
    whom: Whom,

    #[command(flatten)]
    answer: AnswerArgs,
}

/// Say that nodes which fell silent together are gone, although the hub suspects that it cannot see them
///
/// If more than half of all leases of nodes are silent together, the hub suspects itself (the condition HubSuspect), and takes nobody for lost
/// until those that are left were renewed twice. Whoever knows better ends that by this, for the groups of all namespaces: who is silent is
/// lost then, and others get what it had. It is kept on a Lease in bowline-system, and says nothing of later suspicions.
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline upgrade trust")]
struct TrustArgs {
    /// How long to wait until the hub has heard it, such as 30s or 5m
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = duration)]
    timeout: Duration,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    server: Server,
}

impl UpgradeArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        service::block_on(self.command.run())
    }
}

impl GroupArgs {
    async fn give(self, verb: Verb) -> anyhow::Result<Exit> {
        self.answer.give(Order { group: self.group, verb, member: None }).await
    }
}

impl Command {
    async fn run(self) -> anyhow::Result<Exit> {
        match self {
            Command::List(ListArgs { listing: Listing { all_namespaces, place, output } }) => {
                upgrade::list(&place.scope(), all_namespaces, output).await
            }
            Command::Status(StatusArgs { group, watch, view: View { place, output } }) => {
                upgrade::status(&place.scope(), &group, watch, output).await
            }
            Command::Preflight(args) => args.ask().await,
            Command::Start(StartArgs { group, to, waiting, view: View { place, output } }) => {
                upgrade::start(&place.scope(), &group, &to, &waiting.patience(), output).await
            }
            Command::Init(args) => args.give(Verb::Init).await,
            Command::Run(args) => args.give(Verb::Run).await,
            Command::Commit(args) => args.give(Verb::Commit).await,
            Command::Rollback(args) => args.give(Verb::Rollback).await,
            Command::Reset(args) => args.give(Verb::Reset).await,
            Command::Forward(args) => args.give(Verb::Forward).await,
            Command::Node(NodeArgs { whom, waiting, view: View { place, output } }) => {
                upgrade::command(&place.scope(), &whom.order(Verb::Node), &waiting.patience(), output).await
            }
            Command::Forget(ForgetArgs { whom, answer }) => answer.give(whom.order(Verb::Forget)).await,
            Command::Trust(TrustArgs { timeout, quiet, server }) => {
                let patience = Patience { wait: true, timeout, quiet };
                upgrade::trust(&server.wanted(), &patience).await
            }
        }
    }
}
