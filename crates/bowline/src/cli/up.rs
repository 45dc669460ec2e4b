//! `up`, `hub` and `controllers`: what runs until it is told to end.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use bowline_apiserver::Config;
use bowline_controllers::{System, UPDATES_AT_ONCE};
use clap::{Args, Subcommand, ValueHint};

use super::Server;
use super::audit::{AuditArgs, AuditCommand};
use super::cloud::CloudArgs;
use crate::exit::Exit;
use crate::{controllers, hub, restore};

/// Where a hub is.
#[derive(Args)]
pub(super) struct Place {
    /// The directory that it keeps everything in
    #[arg(long, value_name = "DIR", default_value = "./bowline-data", value_hint = ValueHint::DirPath)]
    data: PathBuf,

    /// The address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7443", value_parser = hub::address)]
    listen: SocketAddr,

    /// A further name or address by which clients reach it; may be given several times
    #[arg(long, value_name = "NAME", value_parser = hub::name)]
    name: Vec<String>,
}

impl Place {
    /// A hub there, with this audit log.
    pub(super) fn config(self, audit: AuditArgs) -> Config {
        Config { data: self.data, listen: self.listen, names: self.name, guest: None, audit: audit.log() }
    }
}

/// What the controllers may do.
#[derive(Args)]
pub(super) struct Bounds {
    /// How many stacks may be worked on at once, over all clusters
    #[arg(long, value_name = "N", default_value_t = UPDATES_AT_ONCE)]
    pub(super) updates_at_once: NonZeroUsize,

    /// The directory of the programs that fence targets of placements; a SyncTarget names one of them, and no other is run
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) fence_hooks: Option<PathBuf>,
}

const UP_EXAMPLES: &str = "\
Examples:
  bowline up
  bowline up --data ./hub --listen 0.0.0.0:7443 --name hub.example.org
  bowline up --identity-cluster-name demo --oidc-provider-arn arn:aws:iam::123456789012:oidc-provider/oidc.example/id/X
  bowline cluster add toy --embedded

Exit codes:
  0  it was told to end, and ended
  1  it cannot start: the data is in use or damaged, the address is taken
  2  an option is not understood";

/// Run the hub and the controllers in one process
///
/// The hub serves the Kubernetes API from one directory, which is made on first use, with keys, certificates and the
/// administrator's kubeconfig. Bowline's kinds and the roles for teams are installed, and put back if somebody deletes or
/// changes them. What is acknowledged is on disk; after `kill -9` all goes on where it was.
///
/// Ctrl-C and SIGTERM let what is under way end; a second one ends at once.
#[derive(Args)]
#[command(after_help = UP_EXAMPLES)]
pub(super) struct UpArgs {
    #[command(flatten)]
    pub(super) place: Place,

    #[command(flatten)]
    pub(super) audit: AuditArgs,

    #[command(flatten)]
    pub(super) bounds: Bounds,

    #[command(flatten)]
    pub(super) cloud: CloudArgs,
}

const HUB_EXAMPLES: &str = "\
Examples:
  bowline hub --data ./hub
  bowline hub --data ./hub --listen 0.0.0.0:7443 --name hub.example.org
  KUBECONFIG=./hub/admin.kubeconfig kubectl get namespaces
  bowline hub audit verify ./hub/audit.log
  bowline hub rotate-key --data ./hub

Exit codes:
  0  it was told to end, and ended
  1  it cannot start: the data is in use or damaged, the address is taken
  2  an option is not understood";

/// Serve the Kubernetes API from one process and one directory, without controllers
///
/// On first use the directory is made, with keys, certificates and the administrator's kubeconfig. What is
/// acknowledged is on disk; after `kill -9` it goes on where it was.
///
/// Ctrl-C and SIGTERM let requests end; a second one ends at once.
#[derive(Args)]
#[command(after_help = HUB_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(super) struct HubArgs {
    #[command(subcommand)]
    command: Option<HubCommand>,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    audit: AuditArgs,
}

/// What can be done with a hub beside running it.
#[derive(Subcommand)]
enum HubCommand {
    /// The audit log of a hub
    Audit(AuditCommand),
    RotateKey(RotateKeyArgs),
}

const ROTATE_EXAMPLES: &str = "\
Examples:
  bowline hub rotate-key --data ./hub

Exit codes:
  0  all Secrets are encrypted with a new key
  1  the data cannot be used or written; nothing is lost, and it can be done again
  2  an option is not understood
  4  there is no hub in the directory, or it runs";

/// Encrypt the Secrets of a hub that does not run with a new key
///
/// A new key is made, every Secret is written anew, then the old key is dropped. Ended in the middle, it can be done again.
/// Backups of before need the old key: keep a copy of secrets.key with each.
#[derive(Args)]
#[command(after_help = ROTATE_EXAMPLES)]
struct RotateKeyArgs {
    /// The directory of the hub
    #[arg(long, value_name = "DIR", default_value = "./bowline-data", value_hint = ValueHint::DirPath)]
    data: PathBuf,
}

impl HubArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        match self.command {
            None => hub::run(self.place.config(self.audit)),
            Some(HubCommand::Audit(command)) => command.run(),
            Some(HubCommand::RotateKey(RotateKeyArgs { data })) => restore::rotate_key(&data),
        }
    }
}

const CONTROLLERS_EXAMPLES: &str = "\
Examples:
  bowline controllers --kubeconfig ~/.kube/config --context prod
  bowline controllers --only clusters --health-listen 0.0.0.0:7444
  bowline controllers    # in a pod: as its ServiceAccount, see examples/kubernetes

Exit codes:
  0  it was told to end, and ended
  1  it cannot start
  2  an option or the kubeconfig is not understood
  4  the server refuses what it needs
  5  the server cannot be reached";

/// Run the controllers against any Kubernetes API server
///
/// For those who have outgrown one machine: the same controllers as in `up`, on Kubernetes. Several may run; one
/// leads, and another one takes over when it ends. Bowline's kinds are installed, and put back if somebody deletes or changes
/// them, if that is allowed.
///
/// Ctrl-C and SIGTERM let what is under way end; a second one ends at once.
#[derive(Args)]
#[command(after_help = CONTROLLERS_EXAMPLES)]
pub(super) struct ControllersArgs {
    #[command(flatten)]
    server: Server,

    /// Run only these systems
    #[arg(long, value_name = "SYSTEM,...", value_delimiter = ',', value_parser = system)]
    only: Vec<System>,

    /// Where /metrics, /livez and /readyz are served, over plain HTTP; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7444", value_parser = hub::address)]
    health_listen: SocketAddr,

    /// Write every decision to this file, one line of JSON each; at 64 MiB it is put aside as FILE.1, and three such are kept
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    journal: Option<PathBuf>,

    #[command(flatten)]
    bounds: Bounds,

    #[command(flatten)]
    cloud: CloudArgs,
}

impl ControllersArgs {
    pub(super) fn wish(self) -> anyhow::Result<controllers::Wish> {
        let ControllersArgs { server, only, health_listen, journal, bounds, cloud } = self;
        Ok(controllers::Wish {
            server: server.wanted(),
            only,
            listen: health_listen,
            journal,
            updates_at_once: bounds.updates_at_once,
            fence_hooks: bounds.fence_hooks,
            cloud: cloud.wish()?,
        })
    }
}

fn system(text: &str) -> Result<System, String> {
    let known = || System::ALL.map(System::name).join(", ");
    let found = System::ALL.into_iter().find(|system| system.name() == text);
    found.ok_or_else(|| format!("there is no such system; there are: {}", known()))
}
