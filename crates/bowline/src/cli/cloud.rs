//! What identities need of AWS, as options of `up` and `controllers`.

use std::time::Duration;

use anyhow::anyhow;
use bowline_aws::Limits;
use bowline_controllers::Cloud;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::duration::some_time;
use crate::exit::BadUsage;

/// Where AWS is, and what identities are called there.
///
/// What is not said here is found as AWS's own tools find it: `AWS_REGION`, `AWS_PROFILE`, `AWS_ACCESS_KEY_ID`, the files in
/// `~/.aws`, a service account's web identity, the metadata of the machine.
#[derive(Args)]
#[command(next_help_heading = "Identities")]
pub(super) struct CloudArgs {
    /// What policies and roles in AWS are called after; without it and --oidc-provider-arn identities wait
    #[arg(long, value_name = "NAME", requires = "oidc_provider_arn", value_parser = NonEmptyStringValueParser::new())]
    identity_cluster_name: Option<String>,

    /// The ARN of the IAM OIDC provider of the tokens of service accounts here
    #[arg(long, value_name = "ARN", requires = "identity_cluster_name")]
    oidc_provider_arn: Option<String>,

    /// The address of the issuer of these tokens; it has to be the provider's
    #[arg(long, value_name = "URL", requires = "oidc_provider_arn")]
    oidc_issuer: Option<String>,

    /// An address in place of AWS's own, for IAM and STS alike
    #[arg(long, value_name = "URL", requires = "oidc_provider_arn")]
    aws_endpoint: Option<String>,

    /// The region, which decides which AWS it is [default: as AWS's own tools find it]
    #[arg(long, value_name = "REGION", requires = "oidc_provider_arn")]
    aws_region: Option<String>,

    /// The profile in the files of AWS's own tools [default: as they find it]
    #[arg(long, value_name = "PROFILE", requires = "oidc_provider_arn")]
    aws_profile: Option<String>,

    /// How often it is looked for what others have changed in AWS
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = some_time)]
    identity_drift_interval: Duration,

    /// How long AWS may take to show what was written, and a new role to be assumable
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = some_time)]
    identity_settle_time: Duration,

    /// When it is looked for what arrives in AWS late, after an identity is gone
    #[arg(long, value_name = "DURATION,...", default_value = "15m,1h,24h", value_delimiter = ',', value_parser = some_time)]
    identity_sweeps: Vec<Duration>,

    /// How many calls of AWS may be under way at once
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().in_flight, value_parser = clap::value_parser!(u32).range(1..=MOST_AT_ONCE))]
    aws_calls_at_once: u32,

    /// How many calls of AWS may leave a second; it is fewer for a while when AWS says that it is too much
    #[arg(long, value_name = "NUMBER", default_value_t = Limits::default().ceiling, value_parser = clap::value_parser!(u32).range(1..=MOST_A_SECOND))]
    aws_calls_per_second: u32,
}

/// More than that is no use: so many identities are worked on at once.
const MOST_AT_ONCE: i64 = 256;
/// More than any AWS bears.
const MOST_A_SECOND: i64 = 100_000;

impl CloudArgs {
    /// What is wanted of AWS, if anything.
    ///
    /// # Errors
    /// If it makes no sense.
    pub(super) fn wish(self) -> anyhow::Result<Option<Cloud>> {
        // One is not given without the other.
        let (Some(cluster), Some(provider)) = (self.identity_cluster_name, self.oidc_provider_arn) else {
            return Ok(None);
        };
        let cloud = Cloud {
            endpoint: self.aws_endpoint,
            region: self.aws_region,
            profile: self.aws_profile,
            cluster,
            provider,
            issuer: self.oidc_issuer,
            drift: self.identity_drift_interval,
            settle: self.identity_settle_time,
            sweeps: self.identity_sweeps,
            limits: Limits::of(self.aws_calls_at_once, self.aws_calls_per_second),
        };
        cloud.check().map_err(|why| anyhow!(BadUsage(why.to_string())))?;
        Ok(Some(cloud))
    }
}
