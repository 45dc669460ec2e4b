//! Where AWS is, and who we are to it.

use std::time::Duration;

use crate::budget::Limits;
use crate::model::Secret;

/// What is not said here is found as AWS's own tools find it: `AWS_REGION`, `AWS_PROFILE` and the files that it speaks
/// of, `AWS_ACCESS_KEY_ID`, a service account's web identity, the metadata of the container or machine.
#[derive(Clone, Debug)]
pub struct Settings {
    /// In place of AWS's own addresses, for IAM and STS alike.
    pub endpoint: Option<String>,
    /// Decides which AWS it is (the public one, China, GovCloud). With an endpoint of one's own it need not be known.
    pub region: Option<String>,
    /// The region, if none is found.
    pub region_otherwise: Option<String>,
    /// A profile of the files in `~/.aws`. Its credentials are used, whatever else would be found.
    pub profile: Option<String>,
    /// In place of what would be found.
    pub keys: Option<Keys>,
    /// How long a call may take that has left.
    pub timeout: Duration,
    /// How long it may take of that to reach AWS.
    pub connect_timeout: Duration,
    /// How many calls at once, and a second.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            endpoint: None,
            region: None,
            region_otherwise: None,
            profile: None,
            keys: None,
            timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(3),
            limits: Limits::default(),
        }
    }
}

/// Fixed credentials.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The part that is no secret.
    pub access: String,
    /// The part that is.
    pub secret: Secret,
    /// Of credentials for a time.
    pub session: Option<Secret>,
}

/// Why there is no client.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unset {
    /// Nothing says which AWS it is.
    #[error(
        "the AWS region is not known; set AWS_REGION, or `region` in the profile, or give an --aws-endpoint"
    )]
    Region,
    /// The endpoint is no address.
    #[error("the AWS endpoint {0:?} is no http:// or https:// address")]
    Endpoint(String),
}
