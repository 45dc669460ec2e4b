//! AWS, as somebody looks at it who changes nothing: what there carries the tags of a hub.

use std::time::Duration;

use anyhow::anyhow;
use bowline_aws::{Client, Error, Iam, Kind, Listed, Settings, Tags};
use bowline_identities::plain::{Marks, PREFIX};
use futures::{StreamExt, TryStreamExt};

use crate::exit::{BadUsage, NoConnection, Refused};

/// Where identities have their policies and roles.
const PATH: &str = "/";
/// How many are asked for their tags at once.
const AT_ONCE: usize = 10;
/// How often something is asked again of which AWS says that it is one too many.
const TRIES: u32 = 6;
/// How long it is waited before the first time; each time is twice as long.
const REST: Duration = Duration::from_millis(250);

/// A role or a policy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Sort {
    Policy,
    Role,
}

impl Sort {
    pub(super) fn text(self) -> &'static str {
        match self {
            Sort::Policy => "policy",
            Sort::Role => "role",
        }
    }
}

/// Something in AWS that says whose it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Marked {
    pub(super) sort: Sort,
    pub(super) called: String,
    pub(super) arn: String,
    pub(super) marks: Marks,
}

/// A way to AWS, which was not tried yet.
pub(super) async fn connect(settings: &Settings) -> anyhow::Result<Client> {
    Client::connect(settings).await.map_err(|unset| anyhow!(BadUsage(unset.to_string())))
}

/// What went wrong with a call, with what the process then ends with.
pub(super) fn failed(error: &Error, what: &str) -> anyhow::Error {
    let told = format!("{what}: {error}");
    match error.kind {
        Kind::Unavailable(_) => anyhow!(NoConnection(told)),
        Kind::AccessDenied { .. } | Kind::InvalidCredentials | Kind::Refused | Kind::Throttled => {
            anyhow!(Refused(told))
        }
        _ => anyhow!(told),
    }
}

/// Asks something of AWS, and again if it says that it is one too many.
pub(super) async fn patiently<T, F>(ask: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let mut rest = REST;
    for _ in 0..TRIES {
        match ask().await {
            Err(error) if error.kind == Kind::Throttled => {
                tokio::time::sleep(rest).await;
                rest *= 2;
            }
            said => return said,
        }
    }
    ask().await
}

/// What is there; `None` if it is not.
pub(super) fn perhaps<T>(said: Result<T, Error>) -> Result<Option<T>, Error> {
    match said {
        Ok(there) => Ok(Some(there)),
        Err(error) if error.kind == Kind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What tags say of whose something is.
pub(super) fn marks(tags: &Tags) -> Option<Marks> {
    Marks::read(tags.iter().map(|(key, value)| (key.as_str(), value.as_str())))
}

/// All of a sort whose name may be one of ours, and that says whose it is. Lists of AWS have no tags, so each is asked.
pub(super) async fn marked(
    aws: &impl Iam,
    sort: Sort,
    may_be: impl Fn(&str) -> bool,
) -> Result<Vec<Marked>, Error> {
    let listed = match sort {
        Sort::Policy => patiently(|| aws.list_policies(PATH)).await?,
        Sort::Role => patiently(|| aws.list_roles(PATH)).await?,
    };
    let listed = listed.into_iter().filter(|one| one.name.starts_with(PREFIX) && may_be(&one.name));
    let asked = futures::stream::iter(listed).map(|one| ask(aws, sort, one)).buffered(AT_ONCE);
    let asked: Vec<Option<Marked>> = asked.try_collect().await?;
    Ok(asked.into_iter().flatten().collect())
}

/// What has gone since it was listed is not there.
async fn ask(aws: &impl Iam, sort: Sort, one: Listed) -> Result<Option<Marked>, Error> {
    let tags = match sort {
        Sort::Policy => perhaps(patiently(|| aws.get_policy(&one.arn)).await)?.map(|policy| policy.tags),
        Sort::Role => perhaps(patiently(|| aws.get_role(&one.name)).await)?.map(|role| role.tags),
    };
    let marks = tags.as_ref().and_then(marks);
    Ok(marks.map(|marks| Marked { sort, called: one.name, arn: one.arn, marks }))
}
