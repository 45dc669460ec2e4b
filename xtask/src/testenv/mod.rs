//! `cargo xtask testenv`: the real Kubernetes, built once, pinned, into the cache, and started on loopback.

mod build;
mod go;
mod kubectl;
pub(crate) mod moto;
mod pins;
mod stage;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use bowline_realkube::{Options, RealKube, status, stop};

use crate::log::Log;
use crate::workspace::Workspace;
pub(crate) use build::binaries;
pub(crate) use go::Go;
pub(crate) use kubectl::{Version, get as kubectl};
pub(crate) use pins::Pins;
pub(crate) use stage::{begin, stage};

/// What to do with the test bed. Without anything it is built.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TestenvArgs {
    /// Build the kubectl of this version too, and print where it is: 1.31, or 1.31.4
    #[arg(long, value_name = "VERSION")]
    kubectl: Option<kubectl::Version>,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Start a real control plane that stays when this command ends
    Start(StartArgs),
    /// End what `start` began; the directory stays, and `start` goes on from it
    Stop(DirArgs),
    /// One line per process: name, pid, resident memory in KiB
    Status(DirArgs),
}

#[derive(clap::Args)]
struct DirArgs {
    /// The directory of the control plane
    dir: PathBuf,
}

#[derive(clap::Args)]
struct StartArgs {
    /// Where its keys, data and logs go, and its kubeconfig
    dir: PathBuf,
    /// Start kube-controller-manager too
    #[arg(long)]
    controllers: bool,
    /// Start kube-scheduler too, and the controllers
    #[arg(long)]
    scheduler: bool,
    /// Start kwok with one fake node too, and the controllers
    #[arg(long)]
    kwok: bool,
    /// No fsync, and compaction every 20 s: never for measurements
    #[arg(long)]
    quick: bool,
}

/// Does what was asked.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, args: &TestenvArgs) -> Result<String> {
    match (&args.verb, &args.kubectl) {
        (None, None) => Ok(format!("the test bed is in {}", binaries(workspace, log)?.display())),
        (None, Some(version)) => Ok(kubectl::get(log, version)?.display().to_string()),
        (Some(Verb::Start(args)), _) => start(workspace, log, args),
        (Some(Verb::Stop(args)), _) => {
            is_control_plane(&args.dir)?;
            stop(&args.dir);
            Ok("stopped".to_owned())
        }
        (Some(Verb::Status(args)), _) => {
            is_control_plane(&args.dir)?;
            let running = status(&args.dir);
            for process in &running {
                log.line(format_args!("{} {} {}", process.name, process.pid, process.resident_kib));
            }
            Ok(format!("{} processes run", running.len()))
        }
    }
}

fn start(workspace: &Workspace, log: &mut Log, args: &StartArgs) -> Result<String> {
    let options = Options {
        controllers: args.controllers,
        scheduler: args.scheduler,
        kwok: args.kwok,
        quick: args.quick,
        ..Options::default()
    };
    let binaries = binaries(workspace, log)?;
    let kube = RealKube::start_with(&binaries, &args.dir, &options)?;
    let (seconds, kubeconfig) = (kube.ready(), kube.kubeconfig());
    kube.detach();
    Ok(format!("ready, seconds: {seconds}\nexport KUBECONFIG={}", kubeconfig.display()))
}

fn is_control_plane(dir: &Path) -> Result<()> {
    ensure!(dir.join("pid").is_dir(), "{} is not the directory of a control plane", dir.display());
    Ok(())
}

/// Where all of it is in the cache.
fn cache() -> Result<PathBuf> {
    let dir = crate::cache::cache_dir()?.join("testenv");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(dir)
}
