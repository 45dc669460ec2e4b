//! A group, until something has become of it.

use std::time::Duration;

use anyhow::anyhow;
use bowline_api::upgrades::NodeGroup;
use futures::StreamExt;
use kube::ResourceExt;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, watch_object};

use super::{line, said};
use crate::connection::failed;
use crate::exit::NoConnection;
use crate::output;
use crate::team::Team;

/// Whether to wait for the end, and how long for anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) wait: bool,
    pub(crate) timeout: Duration,
    pub(crate) quiet: bool,
}

impl Patience {
    /// Says something that is no result.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            output::note(text);
        }
    }
}

/// What came of waiting.
pub(super) enum Waited<T> {
    /// This.
    Came(T),
    /// Nothing in time; so it was last.
    Late(Box<NodeGroup>),
}

impl Team {
    /// Watches a group until something is found in it. A server that goes away is waited for. When what it says has changed, and it
    /// `tells`, it is said.
    pub(super) async fn until<T>(
        &self,
        group: NodeGroup,
        patience: &Patience,
        tells: bool,
        mut find: impl FnMut(&NodeGroup) -> Option<anyhow::Result<T>>,
    ) -> anyhow::Result<Waited<T>> {
        let name = group.name_any();
        let (mut last, mut is_silent) = (group, false);
        let watched = async {
            let mut seen = watch_object(self.groups(), &name).default_backoff().boxed();
            while let Some(sight) = seen.next().await {
                match sight {
                    Ok(Some(group)) => {
                        is_silent = false;
                        if tells && said(&last).message != said(&group).message {
                            patience.note(&line(&group));
                        }
                        last = group;
                    }
                    Ok(None) => return Err(anyhow!("the group {name} was deleted")),
                    Err(error) => {
                        if is_silence(&error) && !is_silent {
                            is_silent = true;
                            patience.note("The hub does not answer; it is asked again.");
                        }
                        forbidden(error)?;
                        continue;
                    }
                }
                if let Some(found) = find(&last) {
                    return found;
                }
            }
            Err(anyhow!("the watch of the group {name} ended"))
        };
        match tokio::time::timeout(patience.timeout, watched).await {
            Ok(found) => found.map(Waited::Came),
            Err(_) if is_silent => Err(anyhow!(NoConnection(format!(
                "the hub does not answer, and has not for some of the last {} s",
                patience.timeout.as_secs()
            )))),
            Err(_) => Ok(Waited::Late(Box::new(last))),
        }
    }
}

/// Whether nobody has answered at all; a watch that ends, or is too old, is nothing but that.
fn is_silence(error: &watcher::Error) -> bool {
    let (watcher::Error::InitialListFailed(why) | watcher::Error::WatchStartFailed(why)) = error else {
        return false;
    };
    !matches!(why, kube::Error::Api(_))
}

/// What no patience helps against.
pub(super) fn forbidden(error: watcher::Error) -> anyhow::Result<()> {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status))
            if matches!(status.code, 401 | 403) =>
        {
            Err(failed(kube::Error::Api(status), "cannot watch the group"))
        }
        _ => Ok(()),
    }
}
