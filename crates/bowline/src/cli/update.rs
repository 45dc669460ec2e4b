//! `update`: versions of a cluster's configuration.

mod foresee;
mod settings;

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueHint};

use self::foresee::{DiffArgs, PlanArgs};
use self::settings::{SetArgs, SettingsArgs};
use super::Server;
use super::cluster::name;
use super::view::{Listing, View, Waiting};
use crate::duration::duration;
use crate::exit::Exit;
use crate::output::Format;
use crate::service;
use crate::team::Scope;
use crate::update::{self, Following, Line, Named, Submission, Which};

const EXAMPLES: &str = "\
Examples:
  bowline update submit ./app --cluster prod --wait
  helm template ./chart | bowline update submit - --cluster prod
  bowline update plan ./app --cluster prod
  bowline update diff ./app --cluster prod
  bowline update list
  bowline update show prod/3
  bowline update rollback --cluster prod --wait
  bowline update release prod/3
  bowline update pause prod
  bowline update set prod --drift repair
  bowline update unlock prod

Exit codes:
  0  done; with --wait: the version succeeded
  1  the version failed, was rolled back, or a newer one took its place
  2  bad usage, or manifests that cannot be used
  3  not finished in time; it goes on
  4  refused: by the hub, or the version by a check
  5  the hub cannot be reached";

/// Submit versions of a cluster's configuration, and follow what becomes of them
///
/// A stack is one line of versions on one cluster. The newest valid version wins, one worker applies it, and what fails is
/// rolled back to the last good one. [STACK/]VERSION names a version; the stack may be left out where there is only one.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct UpdateArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Submit(SubmitArgs),
    Plan(PlanArgs),
    Diff(DiffArgs),
    List(ListArgs),
    Show(ShowArgs),
    Watch(WatchArgs),
    Rollback(RollbackArgs),
    Release(ReleaseArgs),
    Pause(StackArgs),
    /// Have a stack start versions again
    #[command(after_help = "Examples:\n  bowline update resume prod")]
    Resume(StackArgs),
    Set(SetArgs),
    /// Say who holds the cluster for a stack, and take it away only if that is safe
    ///
    /// Nothing has to be unlocked after a crash: whoever comes next takes over. Only a stack that was removed by force leaves
    /// its cluster held; that is what this takes away. Otherwise it explains, or refuses.
    #[command(after_help = "Examples:\n  bowline update unlock prod")]
    Unlock(StackArgs),
}

/// Which server, and which namespace.
#[derive(Args)]
pub(super) struct Where {
    #[command(flatten)]
    server: Server,

    /// The namespace of the hub [default: that of the kubeconfig, else default]
    #[arg(short, long, value_name = "NAME", value_hint = ValueHint::Other, value_parser = name)]
    namespace: Option<String>,
}

impl Where {
    pub(super) fn scope(self) -> Scope {
        Scope { server: self.server.wanted(), namespace: self.namespace }
    }
}

impl Waiting {
    fn following(&self) -> Following {
        Following { wait: self.wait, timeout: self.timeout, quiet: self.quiet }
    }
}

const SUBMIT_EXAMPLES: &str = "\
Examples:
  bowline update submit ./app --cluster prod --wait
  bowline update submit ./app --cluster prod --stack web --health-timeout 15m --drift repair
  helm template ./chart | bowline update submit - --cluster prod";

/// Submit a directory, a file or standard input as the next version of a stack
///
/// A directory is read with all below it: files *.yaml, *.yml and *.json that are not hidden. What cannot be used is refused
/// before anything is made. Fields that servers set, such as status and uid, are left out, so that what `kubectl get -o yaml`
/// gives can be submitted. The stack is made on the first submission.
///
/// It prints the name of the Update. Without --wait it ends as soon as that is made.
#[derive(Args)]
#[command(after_help = SUBMIT_EXAMPLES)]
struct SubmitArgs {
    /// The manifests: a directory or a file; - is standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    path: PathBuf,

    /// The cluster that they are for
    #[arg(long, value_name = "NAME", value_parser = name)]
    cluster: String,

    /// The stack [default: called as the cluster is]
    #[arg(long, value_name = "NAME", value_parser = name)]
    stack: Option<String>,

    #[command(flatten)]
    settings: SettingsArgs,

    /// Apply it only if its plan has this hash, which `plan` prints
    #[arg(long, value_name = "HASH", value_parser = digest)]
    plan_hash: Option<String>,

    #[command(flatten)]
    waiting: Waiting,

    #[command(flatten)]
    place: Where,

    /// How to print the update
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    output: Format,
}

/// List updates, and how far they are
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline update list\n  bowline update list -A --cluster prod -o wide")]
struct ListArgs {
    /// Only those of this stack
    #[arg(long, value_name = "NAME", value_parser = name)]
    stack: Option<String>,

    /// Only those on this cluster
    #[arg(long, value_name = "NAME", value_parser = name)]
    cluster: Option<String>,

    #[command(flatten)]
    listing: Listing,
}

/// Show a version: how far it is or how it ended, and what happened when
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline update show 3\n  bowline update show prod/3 -o yaml")]
struct ShowArgs {
    /// Which: its number, or the name of the Update
    #[arg(value_name = "[STACK/]VERSION", value_parser = Named::parse)]
    version: Named,

    #[command(flatten)]
    view: View,
}

/// Follow a version to its end, or print a line whenever any of the namespace changes
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline update watch\n  bowline update watch prod/3 --timeout 30m")]
struct WatchArgs {
    /// Which [default: all of the namespace, until Ctrl-C]
    #[arg(value_name = "[STACK/]VERSION", value_parser = Named::parse)]
    version: Option<Named>,

    /// How long to wait for the end of one, such as 30s or 5m
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    timeout: Duration,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    place: Where,
}

/// Submit the last good version again, as a new version
///
/// It is for going back by hand, and for putting back what somebody has changed on the cluster: a version that fails is rolled back
/// without it.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline update rollback --cluster prod --wait\n  bowline update rollback --stack web"
)]
#[command(group(ArgGroup::new("line").required(true).multiple(true).args(["cluster", "stack"])))]
struct RollbackArgs {
    /// Of the stack on this cluster; where there are several, say --stack too
    #[arg(long, value_name = "NAME", value_parser = name)]
    cluster: Option<String>,

    /// Of this stack
    #[arg(long, value_name = "NAME", value_parser = name)]
    stack: Option<String>,

    #[command(flatten)]
    waiting: Waiting,

    #[command(flatten)]
    place: Where,

    /// How to print the update
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    output: Format,
}

/// Lift the quarantine of content that was rolled back
///
/// It is not applied by that: it has to be submitted again.
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline update release prod/3")]
struct ReleaseArgs {
    /// The version that was rolled back
    #[arg(value_name = "[STACK/]VERSION", value_parser = Named::parse)]
    version: Named,

    #[command(flatten)]
    place: Where,
}

/// Have a stack start no version; what runs, or rolls back, finishes
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline update pause prod")]
struct StackArgs {
    /// Which
    #[arg(value_name = "STACK", value_parser = name)]
    stack: String,

    #[command(flatten)]
    place: Where,
}

impl UpdateArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        service::block_on(self.command.run())
    }
}

impl Command {
    async fn run(self) -> anyhow::Result<Exit> {
        match self {
            Command::Submit(args) => {
                let SubmitArgs { path, cluster, stack, settings, plan_hash, waiting, place, output } = args;
                let settings = settings.settings();
                let submission = Submission { path, cluster, stack, settings, plan_hash };
                update::submit(&place.scope(), &submission, &waiting.following(), output).await
            }
            Command::Plan(args) => args.run().await,
            Command::Diff(args) => args.run().await,
            Command::List(ListArgs { stack, cluster, listing }) => {
                let Listing { all_namespaces, place, output } = listing;
                let which = Which { all_namespaces, stack, cluster };
                update::list(&place.scope(), &which, output).await
            }
            Command::Show(ShowArgs { version, view: View { place, output } }) => {
                update::show(&place.scope(), &version, output).await
            }
            Command::Watch(WatchArgs { version, timeout, quiet, place }) => {
                let following = Following { wait: true, timeout, quiet };
                update::watch(&place.scope(), version.as_ref(), &following).await
            }
            Command::Rollback(RollbackArgs { cluster, stack, waiting, place, output }) => {
                let line = Line { cluster, stack };
                update::rollback(&place.scope(), &line, &waiting.following(), output).await
            }
            Command::Release(args) => update::release(&args.place.scope(), &args.version).await,
            Command::Pause(args) => update::pause(&args.place.scope(), &args.stack, true).await,
            Command::Resume(args) => update::pause(&args.place.scope(), &args.stack, false).await,
            Command::Set(args) => args.run().await,
            Command::Unlock(args) => update::unlock(&args.place.scope(), &args.stack).await,
        }
    }
}

/// Reads what content is known by.
fn digest(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    let well = digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if well { Ok(text.to_owned()) } else { Err("it takes sha256: and 64 hexadecimal digits".to_owned()) }
}
