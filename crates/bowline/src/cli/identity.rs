//! `identity`: cloud permissions of service accounts.

mod aws;

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand, ValueHint};

use self::aws::{AwsArgs, AwsLook};
use super::Server;
use super::cluster::name;
use super::update::Where;
use super::view::{Listing, View};
use crate::exit::Exit;
use crate::identity::{self, Account, Import};
use crate::output::Format;
use crate::service;

const EXAMPLES: &str = "\
Examples:
  bowline identity list -A
  bowline identity show s3-reader
  bowline identity explain s3-reader --aws
  bowline identity audit
  bowline identity import -A --dry-run
  bowline identity iam-policy > policy.json

Exit codes:
  0  done
  1  it ended badly; with --exit-code: something has no identity
  2  bad usage, or objects that cannot be imported
  4  refused: by the hub, or by AWS
  5  the hub, or AWS, cannot be reached";

/// Show cloud permissions of service accounts, and what there is of them in AWS
///
/// An identity (an IamRoleServiceAccount) is made with kubectl: `kubectl apply -f`. An IAM policy, an IAM role that trusts the service account,
/// and the annotated ServiceAccount appear, and stay right.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct IdentityArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(ListArgs),
    Show(ShowArgs),
    Explain(ExplainArgs),
    Audit(AuditArgs),
    Import(ImportArgs),
    IamPolicy(IamPolicyArgs),
}

/// List identities, and how they stand
///
/// A message that is too long for the table is cut; -o wide has all of it, and `show` does.
#[derive(Args)]
#[command(after_help = "Examples:\n  bowline identity list\n  bowline identity list -A -o wide")]
struct ListArgs {
    #[command(flatten)]
    listing: Listing,
}

/// Show an identity: how it stands, what it allows whom, and what happened when
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline identity show s3-reader\n  bowline identity show s3-reader -o yaml"
)]
struct ShowArgs {
    /// Which
    #[arg(value_name = "NAME", value_parser = subdomain)]
    name: String,

    #[command(flatten)]
    view: View,
}

/// Explain an identity: what exists where, from the policy to the account, and what it waits for
///
/// It says what the hub has recorded. With --aws, or any other setting of AWS, it also looks at what AWS has, and only reads there.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline identity explain s3-reader\n  bowline identity explain s3-reader --aws-profile prod"
)]
struct ExplainArgs {
    /// Which
    #[arg(value_name = "NAME", value_parser = subdomain)]
    name: String,

    #[command(flatten)]
    look: AwsLook,

    #[command(flatten)]
    view: View,
}

/// List policies and roles in AWS that this hub has made and that no identity owns
///
/// They are known by their tags. Such a thing is left by an identity whose deletionPolicy is Orphan, by a hub that was restored from an
/// older backup, or by what arrived in AWS more than a day late. Bowline never deletes them.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline identity audit\n  bowline identity audit --aws-profile prod -o json\n  bowline identity audit --exit-code || echo something is left"
)]
struct AuditArgs {
    #[command(flatten)]
    aws: AwsArgs,

    /// End with 1 if there is any
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    server: Server,

    /// How to print them
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    output: Format,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  bowline identity import -A --dry-run
  bowline identity import -A --dry-run -o yaml > identities.yaml
  bowline identity import -n shop s3-reader --adopt
  bowline identity import -n shop --from-kubeconfig ./prod.kubeconfig --cluster prod --adopt";

/// Make identities of what the operator irsa.voodoo.io has
///
/// Each of its objects becomes one of ours, in the same namespace and with the same name. The old ones are left as they are, and so is what
/// that operator has made in AWS: our roles and policies have names of their own. If one cannot be made, none is.
#[derive(Args)]
#[command(after_help = IMPORT_EXAMPLES)]
struct ImportArgs {
    /// Only these [default: all of the namespace]
    #[arg(value_name = "NAME", value_parser = subdomain)]
    names: Vec<String>,

    /// Those of all namespaces
    #[arg(short = 'A', long, conflicts_with_all = ["namespace", "names"])]
    all_namespaces: bool,

    /// The kubeconfig of the server that the old operator is on [default: the hub]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    from_kubeconfig: Option<PathBuf>,

    /// The context in it [default: its current one]
    #[arg(long, value_name = "NAME", requires = "from_kubeconfig")]
    from_context: Option<String>,

    /// The Cluster whose service accounts these are [default: those of the hub]
    #[arg(long, value_name = "NAME", value_parser = name)]
    cluster: Option<String>,

    /// Take over the service accounts that the old operator has made: sets spec.adopt
    ///
    /// A role and a policy of the right names that are somebody else's would be taken over too. Without it an identity waits until
    /// they are gone.
    #[arg(long)]
    adopt: bool,

    /// Make nothing: say what would be made
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    place: Where,

    /// How to print them
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    output: Format,
}

/// Print the permissions that Bowline needs in AWS, as an IAM policy
///
/// They are those of the calls that it makes, and only for policies and roles that can be its own by their names.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  bowline identity iam-policy > policy.json\n  bowline identity iam-policy --aws-account 123456789012 --identity-cluster-name prod"
)]
struct IamPolicyArgs {
    /// Only in this account [default: any, so the one that the policy is made in]
    #[arg(long, value_name = "NUMBER", value_parser = account)]
    aws_account: Option<String>,

    /// Only for identities that are called after this cluster, as in `up --identity-cluster-name`
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    identity_cluster_name: Option<String>,

    /// Which AWS it is
    #[arg(long, value_name = "NAME", default_value = "aws", value_parser = ["aws", "aws-cn", "aws-us-gov"])]
    aws_partition: String,
}

impl IdentityArgs {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        service::block_on(self.command.run())
    }
}

impl Command {
    async fn run(self) -> anyhow::Result<Exit> {
        match self {
            Command::List(ListArgs { listing: Listing { all_namespaces, place, output } }) => {
                identity::list(&place.scope(), all_namespaces, output).await
            }
            Command::Show(ShowArgs { name, view: View { place, output } }) => {
                identity::show(&place.scope(), &name, output).await
            }
            Command::Explain(ExplainArgs { name, look, view: View { place, output } }) => {
                let settings = look.settings();
                identity::explain(&place.scope(), &name, settings.as_ref(), output).await
            }
            Command::Audit(AuditArgs { aws, exit_code, server, output }) => {
                identity::audit(&server.wanted(), &aws.settings(), exit_code, output).await
            }
            Command::Import(args) => {
                let ImportArgs { names, all_namespaces, cluster, adopt, dry_run, place, output, .. } = args;
                let from = args.from_kubeconfig.map(|file| (file, args.from_context));
                let import = Import { names, all_namespaces, from, cluster, adopt, dry_run };
                identity::import(&place.scope(), &import, output).await
            }
            Command::IamPolicy(IamPolicyArgs { aws_account, identity_cluster_name, aws_partition }) => {
                let (partition, number, cluster) = (aws_partition, aws_account, identity_cluster_name);
                identity::iam_policy(&Account { partition, number, cluster })
            }
        }
    }
}

/// Reads a name that objects can have.
fn subdomain(text: &str) -> Result<String, String> {
    let inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let well = !text.is_empty() && text.len() <= 253 && text.chars().all(inside);
    if well && !text.starts_with(['-', '.']) && !text.ends_with(['-', '.']) {
        return Ok(text.to_owned());
    }
    Err("it takes the name of an identity: small letters, digits, dashes and dots".to_owned())
}

/// Reads the number of an account of AWS.
fn account(text: &str) -> Result<String, String> {
    let well = text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    if well { Ok(text.to_owned()) } else { Err("it takes the 12 digits of an AWS account".to_owned()) }
}
