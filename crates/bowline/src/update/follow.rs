//! An update to its end.

use std::time::Duration;

use anyhow::anyhow;
use bowline_api::updates::{Stack, StackPhase, Update, UpdatePhase};
use futures::{Stream, StreamExt, stream};
use kube::ResourceExt;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, watch_object};

use super::meter::Meter;
use super::{Team, status, title, word};
use crate::connection::failed;
use crate::exit::{Exit, NoConnection};
use crate::output;
use crate::palette::{self, paint};

/// Whether to wait for the end, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Following {
    pub(crate) wait: bool,
    pub(crate) timeout: Duration,
    pub(crate) quiet: bool,
}

impl Following {
    /// Says something that is no result.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            output::note(text);
        }
    }
}

/// What a watch has seen.
enum Seen {
    Update(Option<Box<Update>>),
    Stack(Option<StackPhase>),
}

type Sight = Result<Seen, watcher::Error>;

/// How an update ended, if it has. One that failed half-way has ended only if it cannot be rolled back.
fn ended(phase: UpdatePhase, stack: Option<StackPhase>) -> Option<Exit> {
    match phase {
        UpdatePhase::Succeeded => Some(Exit::Done),
        UpdatePhase::Failed | UpdatePhase::Superseded | UpdatePhase::RolledBack => Some(Exit::EndedBadly),
        UpdatePhase::Rejected => Some(Exit::Refused),
        UpdatePhase::PartialFailure if stack == Some(StackPhase::Stalled) => Some(Exit::EndedBadly),
        UpdatePhase::PartialFailure
        | UpdatePhase::Submitted
        | UpdatePhase::Queued
        | UpdatePhase::Processing
        | UpdatePhase::Partial => None,
    }
}

impl Team {
    /// Follows an update to its end, and says how it ended.
    pub(super) async fn follow(
        &self,
        update: Update,
        following: &Following,
    ) -> anyhow::Result<(Exit, Update)> {
        let mut meter = Meter::start(following.quiet);
        let (mut last, mut is_silent) = (update, false);
        let watched = self.to_the_end(&mut last, &mut meter, &mut is_silent);
        let watched = tokio::time::timeout(following.timeout, watched).await;
        meter.clear();
        let (title, said) = (title(&last), status(&last));
        let exit = match watched {
            Ok(exit) => exit?,
            Err(_) if is_silent => {
                let seconds = following.timeout.as_secs();
                let phase = word(said.phase);
                return Err(anyhow!(NoConnection(format!(
                    "the hub does not answer, and {title} has not been seen to end within {seconds} s: it was {phase} last"
                ))));
            }
            Err(_) => {
                let seconds = following.timeout.as_secs();
                let hint = if last.status.is_none() { ". Do the controllers run?" } else { "" };
                output::note(&format!(
                    "{title} has not ended within {seconds} s, and goes on: it is {}{}{hint}",
                    word(said.phase),
                    colon(&said.message)
                ));
                return Ok((Exit::NotFinished, last));
            }
        };
        let style = if exit == Exit::Done { palette::GOOD } else { palette::BAD };
        output::note(&format!("{title} {}{}", paint(style, word(said.phase)), colon(&said.message)));
        Ok((exit, last))
    }

    async fn to_the_end(
        &self,
        last: &mut Update,
        meter: &mut Meter,
        is_silent: &mut bool,
    ) -> anyhow::Result<Exit> {
        let mut seen = self.sights(last);
        let mut stack = None;
        while let Some(sight) = seen.next().await {
            match sight {
                Ok(Seen::Update(Some(update))) => *last = *update,
                Ok(Seen::Update(None)) => {
                    return Err(anyhow!("{} was deleted before it ended", title(last)));
                }
                Ok(Seen::Stack(phase)) => stack = phase,
                Err(error) => {
                    if is_silence(&error) && !*is_silent {
                        *is_silent = true;
                        meter.tell("The hub does not answer; it is asked again.");
                    }
                    forbidden(error)?;
                    continue;
                }
            }
            *is_silent = false;
            // How it ended is said once, by whoever asked.
            if let Some(exit) = ended(status(last).phase, stack) {
                return Ok(exit);
            }
            meter.show(last);
        }
        Err(anyhow!("the watch of {} ended", title(last)))
    }

    /// The update and its stack, whenever they change. A server that goes away is waited for.
    fn sights(&self, update: &Update) -> impl Stream<Item = Sight> + Unpin + use<> {
        let of_update = watch_object(self.updates(), &update.name_any()).default_backoff();
        let of_update = of_update.map(|seen| seen.map(|update| Seen::Update(update.map(Box::new))));
        let phase = |stack: Stack| stack.status.map(|status| status.phase);
        let of_stack = watch_object(self.stacks(), update.spec.stack.as_str()).default_backoff();
        let of_stack = of_stack.map(move |seen| seen.map(|stack| Seen::Stack(stack.and_then(phase))));
        Box::pin(stream::select(of_update, of_stack))
    }
}

/// Whether nobody has answered at all; a watch that ends, or is too old, is nothing but that.
fn is_silence(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(why) | watcher::Error::WatchStartFailed(why) => {
            !matches!(why, kube::Error::Api(_))
        }
        _ => false,
    }
}

/// What no patience helps against.
pub(super) fn forbidden(error: watcher::Error) -> anyhow::Result<()> {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status))
            if matches!(status.code, 401 | 403) =>
        {
            Err(failed(kube::Error::Api(status), "cannot watch the update"))
        }
        _ => Ok(()),
    }
}

/// A message after a colon, if there is one.
pub(super) fn colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_answer_is_told_from_who_says_no() {
        let status = kube::core::Status::failure("too old", "Expired").with_code(410);
        let said = || kube::Error::Api(Box::new(status.clone()));
        let silence = || kube::Error::Service("connection refused".into());
        assert!(is_silence(&watcher::Error::InitialListFailed(silence())));
        assert!(is_silence(&watcher::Error::WatchStartFailed(silence())));
        assert!(!is_silence(&watcher::Error::WatchStartFailed(said())));
        assert!(!is_silence(&watcher::Error::WatchFailed(silence())), "a watch may end at any time");
    }

    #[test]
    fn ends_are_told_from_what_goes_on() {
        use UpdatePhase::*;
        for phase in [Submitted, Queued, Processing, Partial, PartialFailure] {
            assert_eq!(ended(phase, Some(StackPhase::RollingBack)), None, "{phase:?}");
        }
        assert_eq!(ended(PartialFailure, None), None);
        assert_eq!(ended(PartialFailure, Some(StackPhase::Stalled)), Some(Exit::EndedBadly));
        assert_eq!(ended(Partial, Some(StackPhase::Stalled)), None);
        assert_eq!(ended(Succeeded, None), Some(Exit::Done));
        assert_eq!(ended(Rejected, None), Some(Exit::Refused));
        for phase in [Failed, Superseded, RolledBack] {
            assert_eq!(ended(phase, None), Some(Exit::EndedBadly), "{phase:?}");
        }
    }
}
