//! `place`: namespaces and their volumes on clusters.

use std::time::Duration;

use bowline_api::placements::{MoveWindow, Weekday};
use clap::{Args, Subcommand};

use super::Server;
use super::cluster::name;
use super::view::Waiting;
use crate::duration::duration;
use crate::exit::Exit;
use crate::output::Format;
use crate::place::{self, Add, Duty, Move, On, Patience};
use crate::service;

const EXAMPLES: &str = "\
Examples:
  bowline place target add east --cluster east
  bowline join syncer east > east.kubeconfig
  bowline place namespace shop --on east
  bowline place move shop --to west --wait
  bowline place status
  bowline place history shop/data
  bowline place drain east
  bowline place fence east --confirmed
  bowline place unfence east

Exit codes:
  0  done; with --wait: the namespace runs where it is to be
  1  it needs a person: it says what for
  2  bad usage
  3  not finished in time; it goes on
  4  refused: by the hub, or because it cannot be had, with the reason; nothing was stopped
  5  the hub cannot be reached";

/// Put namespaces, with their workloads and volumes, onto clusters, and move them
///
/// A target is a cluster that namespaces can be on; a syncer runs at each. A volume is never usable on two targets: it is granted to
/// the next one when the one before has acknowledged that it has given it up, or is fenced.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PlaceArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Add, list and remove the clusters that namespaces can be on
    #[command(
        after_help = "Examples:\n  bowline place target add east --cluster east\n  bowline place target list\n  bowline place target remove east"
    )]
    Target(TargetArgs),
    Namespace(NamespaceArgs),
    Move(MoveArgs),
    Window(WindowArgs),
    Status(StatusArgs),
    History(HistoryArgs),
    Abandon(AbandonArgs),
    /// Place nothing new on a target; what is there stays
    #[command(after_help = "Examples:\n  bowline place cordon east")]
    Cordon(DutyArgs),
    /// Take a target into service again, after cordon or drain
    #[command(after_help = "Examples:\n  bowline place uncordon east")]
    Uncordon(DutyArgs),
    /// Have all that is on a target go elsewhere, where it can
    ///
    /// What was put there by name (`place namespace --on`, `place move --to`) stays until it is moved; it is named.
    #[command(after_help = "Examples:\n  bowline place drain east\n  bowline place status")]
    Drain(DutyArgs),
    Fence(FenceArgs),
    /// Let a target in again that was fenced
    ///
    /// It is let in when its syncer has stopped what was granted to it before the fence; nothing is placed on it until then.
    #[command(after_help = "Examples:\n  bowline place unfence east")]
    Unfence(DutyArgs),
}

/// How to print it.
#[derive(Args)]
struct Printed {
    #[command(flatten)]
    server: Server,

    /// How to print it
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    output: Format,
}

#[derive(Args)]
struct TargetArgs {
    #[command(subcommand)]
    command: TargetCommand,
}

#[derive(Subcommand)]
enum TargetCommand {
    Add(AddArgs),
    /// List the targets, and how they stand
    #[command(after_help = "Examples:\n  bowline place target list\n  bowline place target list -o wide")]
    List(Printed),
    Remove(RemoveArgs),
}

/// Make a cluster a target of placements; one that is a target already is changed to what is said
///
/// Its syncer is run at the cluster, with a kubeconfig from `bowline join syncer`. What else can be said of a target (a NetworkFence of
/// CSI-addons, for one) is in its SyncTarget: kubectl explain synctarget.spec
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline place target add east --cluster east\n  bowline place target add east --cluster east --label zone=a --capacity 50 --fence-hook power-off --evict-after 10m"
)]
struct AddArgs {
    /// What to call it
    #[arg(value_name = "TARGET", value_parser = name)]
    target: String,

    /// The cluster, as `bowline cluster list` has it
    #[arg(long, value_name = "CLUSTER", value_parser = name)]
    cluster: String,

    /// A label that placements can choose it by; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    label: Vec<(String, String)>,

    /// What has to be tolerated by what is on it; may be given several times
    #[arg(long, value_name = "KEY[=VALUE]", value_parser = taint)]
    taint: Vec<(String, String)>,

    /// How many namespaces may be on it [default: any number]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    capacity: Option<u32>,

    /// How long it may be out of contact before it is fenced, if something can do that [default: for ever]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    evict_after: Option<u32>,

    /// Its volumes refuse whoever comes with a smaller epoch. Only say so if they do
    #[arg(long)]
    enforces_epochs: bool,

    /// The program that fences it, in the directory that `--fence-hooks` of the controllers names
    #[arg(long, value_name = "NAME")]
    fence_hook: Option<String>,

    #[command(flatten)]
    printed: Printed,
}

/// Remove a target that nothing is on
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline place target remove east")]
struct RemoveArgs {
    /// Which
    #[arg(value_name = "TARGET", value_parser = name)]
    target: String,

    #[command(flatten)]
    server: Server,
}

/// Put a namespace of the hub onto a target
///
/// The workloads, volumes, configuration and secrets in it are brought there, and stay there until it is moved.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline place namespace shop --on east\n  bowline place namespace shop --on east --wait\n  bowline place namespace shop --selector zone=a"
)]
struct NamespaceArgs {
    /// Which
    #[arg(value_name = "NAMESPACE", value_parser = name)]
    namespace: String,

    /// The target [default: the one with the least on it]
    #[arg(long, value_name = "TARGET", value_parser = name, conflicts_with = "selector")]
    on: Option<String>,

    /// A label that the target has to have; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    selector: Vec<(String, String)>,

    #[command(flatten)]
    waiting: Waiting,

    #[command(flatten)]
    printed: Printed,
}

/// Move a namespace to another target
///
/// With --wait each stage is told, and what it waits for: stop, drain, release, grant, attach, start. What cannot be had (a target that
/// is cordoned or fenced, a volume that stays on its cluster) is refused before anything is stopped.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline place move shop --to west\n  bowline place move shop --to west --wait --timeout 30m\n  bowline place move shop --to west --now"
)]
struct MoveArgs {
    /// Which
    #[arg(value_name = "NAMESPACE", value_parser = name)]
    namespace: String,

    /// The target
    #[arg(long, value_name = "TARGET", value_parser = name)]
    to: String,

    /// Do not wait for the window in which it may be moved (`bowline place window`)
    #[arg(long)]
    now: bool,

    #[command(flatten)]
    waiting: Waiting,

    #[command(flatten)]
    printed: Printed,
}

/// Say when a namespace may be taken from where it runs
///
/// Outside of these hours a move, and a target that drains, wait. A move that has begun goes on when they are over. What is fenced, or
/// runs nowhere, goes at any time.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline place window shop 22:00-04:00\n  bowline place window shop 22:00-04:00 --day Saturday --day Sunday\n  bowline place window shop --none"
)]
struct WindowArgs {
    /// Which
    #[arg(value_name = "NAMESPACE", value_parser = name)]
    namespace: String,

    /// From when to when, in UTC; over midnight, if it ends before it begins
    #[arg(value_name = "HH:MM-HH:MM", value_parser = hours, required_unless_present = "none")]
    hours: Option<(String, String)>,

    /// A day on which it begins; may be given several times [default: every day]
    #[arg(long, value_name = "DAY", value_parser = weekday, conflicts_with = "none")]
    day: Vec<Weekday>,

    /// It may be moved at any time
    #[arg(long, conflicts_with = "hours")]
    none: bool,

    #[command(flatten)]
    printed: Printed,
}

/// Show targets, where namespaces are, and what they wait for
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline place status\n  bowline place status shop\n  bowline place status -o json"
)]
struct StatusArgs {
    /// Only this namespace, with its volumes
    #[arg(value_name = "NAMESPACE", value_parser = name)]
    namespace: Option<String>,

    #[command(flatten)]
    printed: Printed,
}

/// Show who could use a volume when, by epoch, and what that rests on
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline place history shop/data\n  bowline place history shop -o json")]
struct HistoryArgs {
    /// The volume, as NAMESPACE/CLAIM; or a namespace: who ran its workloads
    #[arg(value_name = "VOLUME")]
    volume: String,

    #[command(flatten)]
    printed: Printed,
}

/// Give up a volume whose storage nobody reaches any more
///
/// It is recorded in your name. When its namespace is deleted, nobody waits for its data to be; what is left of it is left.
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline place abandon shop/data")]
struct AbandonArgs {
    /// The volume, as NAMESPACE/CLAIM
    #[arg(value_name = "VOLUME")]
    volume: String,

    #[command(flatten)]
    printed: Printed,
}

#[derive(Args)]
struct DutyArgs {
    /// Which
    #[arg(value_name = "TARGET", value_parser = name)]
    target: String,

    #[command(flatten)]
    printed: Printed,
}

/// Keep a target from its volumes, so that what is on it can go elsewhere although it does not answer
///
/// By its hook or NetworkFence, or because its volumes enforce epochs. Where it has none of these, a person has to see to it that
/// nothing on the target can write, and says so with --confirmed: that is recorded, with who and when.
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline place fence east\n  bowline place fence east --confirmed")]
struct FenceArgs {
    /// Which
    #[arg(value_name = "TARGET", value_parser = name)]
    target: String,

    /// I have seen to it that nothing on it can write to its volumes, and nothing will until it is unfenced
    #[arg(long)]
    confirmed: bool,

    #[command(flatten)]
    printed: Printed,
}

impl Waiting {
    fn placed(&self) -> Patience {
        Patience { wait: self.wait, timeout: self.timeout, quiet: self.quiet }
    }
}

impl PlaceArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        service::block_on(self.command.run())
    }
}

impl DutyArgs {
    async fn set(self, duty: Duty) -> anyhow::Result<Exit> {
        place::set(&self.printed.server.wanted(), &self.target, duty, self.printed.output).await
    }
}

impl Command {
    async fn run(self) -> anyhow::Result<Exit> {
        match self {
            Command::Target(TargetArgs { command }) => command.run().await,
            Command::Namespace(NamespaceArgs { namespace, on, selector, waiting, printed }) => {
                let on = on.map_or(On::Labels(selector), On::Target);
                place::place(&printed.server.wanted(), &namespace, &on, &waiting.placed(), printed.output)
                    .await
            }
            Command::Move(MoveArgs { namespace, to, now, waiting, printed }) => {
                let patience = waiting.placed();
                let to = Move { to, now };
                place::move_to(&printed.server.wanted(), &namespace, &to, &patience, printed.output).await
            }
            Command::Window(WindowArgs { namespace, hours, day, none: _, printed }) => {
                let window = hours.map(|(from, to)| MoveWindow { days: day, from, to });
                place::window(&printed.server.wanted(), &namespace, window, printed.output).await
            }
            Command::Status(StatusArgs { namespace, printed }) => {
                place::status(&printed.server.wanted(), namespace.as_deref(), printed.output).await
            }
            Command::History(HistoryArgs { volume, printed }) => {
                place::history(&printed.server.wanted(), &volume, printed.output).await
            }
            Command::Abandon(AbandonArgs { volume, printed }) => {
                place::abandon(&printed.server.wanted(), &volume, printed.output).await
            }
            Command::Cordon(args) => args.set(Duty::Cordon).await,
            Command::Uncordon(args) => args.set(Duty::Uncordon).await,
            Command::Drain(args) => args.set(Duty::Drain).await,
            Command::Unfence(args) => args.set(Duty::Unfence).await,
            Command::Fence(FenceArgs { target, confirmed, printed }) => {
                place::set(&printed.server.wanted(), &target, Duty::Fence { confirmed }, printed.output).await
            }
        }
    }
}

impl TargetCommand {
    async fn run(self) -> anyhow::Result<Exit> {
        match self {
            TargetCommand::Add(args) => {
                let add = Add {
                    name: args.target,
                    cluster: args.cluster,
                    labels: args.label,
                    taints: args.taint,
                    capacity: args.capacity,
                    evict_after_seconds: args.evict_after,
                    enforces_epochs: args.enforces_epochs,
                    fence_hook: args.fence_hook,
                };
                place::add(&args.printed.server.wanted(), &add, args.printed.output).await
            }
            TargetCommand::List(Printed { server, output }) => place::list(&server.wanted(), output).await,
            TargetCommand::Remove(RemoveArgs { target, server }) => {
                place::remove(&server.wanted(), &target).await
            }
        }
    }
}

/// Reads a label with its value.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("it takes KEY=VALUE".to_owned()),
    }
}

/// Reads a taint, whose value may be left out.
fn taint(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        None if !text.is_empty() => Ok((text.to_owned(), String::new())),
        _ => pair(text).map_err(|_| "it takes KEY or KEY=VALUE".to_owned()),
    }
}

/// Reads hours of a day.
fn hours(text: &str) -> Result<(String, String), String> {
    let is_time = |text: &str| {
        let digits = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let parts = text.split_once(':').filter(|(hours, minutes)| digits(hours) && digits(minutes));
        parts.is_some_and(|(hours, minutes)| hours < "24" && minutes < "60")
    };
    let both = text.split_once('-').filter(|(from, to)| is_time(from) && is_time(to));
    match both {
        Some((from, to)) if from == to => Err("it ends at another time than it begins".to_owned()),
        Some((from, to)) => Ok((from.to_owned(), to.to_owned())),
        None => Err("it takes HH:MM-HH:MM, from 00:00 to 23:59".to_owned()),
    }
}

/// Reads a day of the week.
fn weekday(text: &str) -> Result<Weekday, String> {
    let days = Weekday::ALL.iter().find(|day| format!("{day:?}").eq_ignore_ascii_case(text));
    days.copied().ok_or_else(|| "it takes a day of the week, as Monday".to_owned())
}

/// Reads a time in whole seconds.
fn seconds(text: &str) -> Result<u32, String> {
    let given: Duration = duration(text)?;
    let seconds = u32::try_from(given.as_secs()).ok().filter(|seconds| (1..=2_592_000).contains(seconds));
    seconds.ok_or_else(|| "it takes a time from 1s to 720h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_taints_and_times_are_read() {
        let owned = |key: &str, value: &str| Ok((key.to_owned(), value.to_owned()));
        assert_eq!(
            (pair("a=b"), taint("a=b"), taint("a")),
            (owned("a", "b"), owned("a", "b"), owned("a", ""))
        );
        for wrong in ["", "a", "=b", "a="] {
            assert!(pair(wrong).is_err(), "{wrong}");
        }
        assert!(taint("").is_err() && taint("a=").is_err());
        assert_eq!(seconds("10m"), Ok(600));
        assert!(seconds("0s").is_err() && seconds("721h").is_err());
    }

    #[test]
    fn hours_and_days_are_read() {
        assert_eq!(hours("22:00-04:30"), Ok(("22:00".to_owned(), "04:30".to_owned())));
        for wrong in [
            "",
            "22:00",
            "22:00-",
            "22-04",
            "24:00-01:00",
            "22:60-01:00",
            "1:00-02:00",
            "22:00-22:00",
            "+1:00-02:00",
        ] {
            assert!(hours(wrong).is_err(), "{wrong}");
        }
        assert_eq!((weekday("Monday"), weekday("sunday")), (Ok(Weekday::Monday), Ok(Weekday::Sunday)));
        assert!(weekday("Mon").is_err() && weekday("").is_err());
    }
}
