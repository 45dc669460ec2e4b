//! `update plan` and `update diff`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::Where;
use crate::cli::cluster::name;
use crate::exit::Exit;
use crate::output::Format;
use crate::team::Scope;
use crate::update::{self, Question};

/// What might be submitted.
#[derive(Args)]
struct Asked {
    /// The manifests: a directory or a file; - is standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    path: PathBuf,

    /// The cluster that they are for
    #[arg(long, value_name = "NAME", value_parser = name)]
    cluster: String,

    /// The stack [default: called as the cluster is]
    #[arg(long, value_name = "NAME", value_parser = name)]
    stack: Option<String>,

    /// Look at the cluster with this kubeconfig [default: the credentials that Bowline has for it, if they can be read]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    cluster_kubeconfig: Option<PathBuf>,

    #[command(flatten)]
    place: Where,
}

impl Asked {
    fn parts(self) -> (Scope, Question) {
        let Asked { path, cluster, stack, cluster_kubeconfig, place } = self;
        (place.scope(), Question { path, cluster, stack, cluster_kubeconfig })
    }
}

const PLAN_EXAMPLES: &str = "\
Examples:
  bowline update plan ./app --cluster prod
  helm template ./chart | bowline update plan - --cluster prod -o wide
  bowline update plan ./app --cluster prod -o json | jq -r .plan.hash

Exit codes:
  0  it could be applied, at once or when nothing keeps it waiting
  1  it would fail, or be rejected
  2  bad usage, or manifests that cannot be used
  4  refused: it may not be submitted, or something may not be looked at
  5  the hub, or the cluster, cannot be reached";

/// Say what submitting a directory, a file or standard input would do now
///
/// Nothing is made and nothing is changed, on the hub or on the cluster. The cluster is looked at as the controller does it, with
/// your rights on the hub; its server tries every object (a dry run).
///
/// The hash of the plan is for `submit --plan-hash`: the version is then applied only if its plan is still this one.
#[derive(Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    asked: Asked,

    /// How to print the plan
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    output: Format,
}

impl PlanArgs {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let (scope, question) = self.asked.parts();
        update::plan(&scope, &question, self.output).await
    }
}

/// Show how objects on the cluster differ from what submitting something would make of them
///
/// As `kubectl diff` does: a unified diff for every object, of what is there against what its server would make of what is wanted.
/// Fields that servers set are left out, and values of Secrets are masked.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline update diff ./app --cluster prod\n  bowline update diff ./app --cluster prod --exit-code > /dev/null || echo it differs"
)]
pub(super) struct DiffArgs {
    #[command(flatten)]
    asked: Asked,

    /// End with 1 if anything differs
    #[arg(long)]
    exit_code: bool,
}

impl DiffArgs {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let (scope, question) = self.asked.parts();
        update::diff(&scope, &question, self.exit_code).await
    }
}
