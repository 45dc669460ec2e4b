//! Where AWS is, as people of AWS's own tools say it.

use bowline_aws::Settings;
use clap::{Args, ValueHint};

/// Where AWS is. What is not said is found as AWS's own tools find it.
#[derive(Args)]
pub(super) struct AwsArgs {
    /// An address in place of AWS's own, for IAM and STS
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    aws_endpoint: Option<String>,

    /// The region, which says which AWS it is [default: $AWS_REGION, else that of the profile]
    #[arg(long, value_name = "REGION", value_hint = ValueHint::Other)]
    aws_region: Option<String>,

    /// The profile in ~/.aws with the credentials [default: $AWS_PROFILE, else what AWS's own tools would take]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    aws_profile: Option<String>,
}

impl AwsArgs {
    pub(super) fn settings(self) -> Settings {
        let AwsArgs { aws_endpoint, aws_region, aws_profile } = self;
        Settings { endpoint: aws_endpoint, region: aws_region, profile: aws_profile, ..Settings::default() }
    }

    fn says_something(&self) -> bool {
        self.aws_endpoint.is_some() || self.aws_region.is_some() || self.aws_profile.is_some()
    }
}

/// Whether AWS is looked at, and where it is.
#[derive(Args)]
pub(super) struct AwsLook {
    /// Look at what AWS has, too
    #[arg(long)]
    aws: bool,

    #[command(flatten)]
    place: AwsArgs,
}

impl AwsLook {
    /// The settings, if AWS is to be looked at.
    pub(super) fn settings(self) -> Option<Settings> {
        (self.aws || self.place.says_something()).then(|| self.place.settings())
    }
}
