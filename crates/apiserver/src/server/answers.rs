//! The answers on a connection of HTTP/2, which have to be taken one by one.
//!
//! Each has a window of its own there. A client that opens none answers whether it is still there, and takes what else is
//! sent: what it leaves lying is seen only where it is asked for the next piece of an answer.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, sleep};

use super::sending::UNTAKEN;
use crate::reply::Body;

/// So much is given at once: whoever takes a piece in time takes enough.
const PIECE_BYTES: usize = 16 << 10;
/// How often it is looked whether something is left lying.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// The answers of one connection.
#[derive(Debug, Default)]
pub(super) struct Answers(Mutex<Lying>);

/// Those of which a piece waits for its client, and since when.
#[derive(Debug, Default)]
struct Lying {
    since: BTreeMap<u64, Instant>,
    next: u64,
}

impl Answers {
    /// The body of an answer on this connection.
    pub(super) fn give(self: &Arc<Answers>, body: Body) -> Answer {
        let mut lying = self.lying();
        lying.next += 1;
        let number = lying.next;
        Answer { body, rest: Bytes::new(), ticket: Some((Arc::clone(self), number)) }
    }

    /// Returns when something has been left lying for too long.
    pub(super) async fn left_lying(&self) {
        loop {
            sleep(LOOK_EVERY).await;
            if self.lying().since.values().any(|since| since.elapsed() >= UNTAKEN) {
                return;
            }
        }
    }

    fn lying(&self) -> MutexGuard<'_, Lying> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of an answer, in pieces.
#[derive(Debug)]
pub(super) struct Answer {
    body: Body,
    /// What has come of it and was not given yet.
    rest: Bytes,
    ticket: Option<(Arc<Answers>, u64)>,
}

impl Answer {
    /// The body of an answer of which the connection takes care itself: in HTTP/1 there is one at a time.
    pub(super) fn alone(body: Body) -> Answer {
        Answer { body, rest: Bytes::new(), ticket: None }
    }

    /// Somebody asks for more: what was given is taken.
    fn taken(&self) {
        if let Some((answers, number)) = &self.ticket {
            answers.lying().since.remove(number);
        }
    }

    /// The next piece of what has come.
    fn piece(&mut self) -> Bytes {
        let Some((answers, number)) = &self.ticket else { return std::mem::take(&mut self.rest) };
        answers.lying().since.insert(*number, Instant::now());
        if self.rest.len() > PIECE_BYTES {
            return self.rest.split_to(PIECE_BYTES);
        }
        // The last piece may be left lying when this is gone. It must not hold all that it was a part of.
        Bytes::copy_from_slice(&std::mem::take(&mut self.rest))
    }
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        this.taken();
        if this.rest.is_empty() {
            match std::task::ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                end => return Poll::Ready(end),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(this.piece()))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, mut hint) = (self.rest.len() as u64, self.body.size_hint());
        match hint.exact() {
            Some(body) => hint = SizeHint::with_exact(body + rest),
            None => hint.set_lower(hint.lower() + rest),
        }
        hint
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.taken();
    }
}

#[cfg(test)]
mod tests {
    use http_body::Body as _;
    use http_body_util::BodyExt;

    use super::*;

    const LONG: usize = 3 * PIECE_BYTES + 1;

    fn long() -> Body {
        Body::Whole(Some(Bytes::from(vec![7; LONG])))
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_taken_is_waited_for_as_long_as_said() {
        let answers = Arc::new(Answers::default());
        let begun = Instant::now();
        let mut answer = answers.give(long());
        answer.frame().await.expect("a piece").expect("it is not broken");
        answers.left_lying().await;
        assert_eq!(begun.elapsed(), UNTAKEN);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_taken_piece_by_piece_may_take_long() {
        let answers = Arc::new(Answers::default());
        let mut answer = answers.give(long());
        assert_eq!(answer.size_hint().exact(), Some(LONG as u64));
        let taking = async {
            let mut all = Vec::new();
            while let Some(frame) = answer.frame().await {
                let piece = frame.expect("it is not broken").into_data().expect("it is data");
                assert!(piece.len() <= PIECE_BYTES);
                all.extend(piece);
                assert_eq!(answer.size_hint().exact(), Some((LONG - all.len()) as u64));
                sleep(UNTAKEN - LOOK_EVERY).await;
            }
            assert!(answer.is_end_stream());
            all
        };
        tokio::select! {
            all = taking => assert_eq!(all, vec![7; LONG]),
            () = answers.left_lying() => panic!("it was taken"),
        }
        drop(answer);
        // Nothing lies here any more: nobody is waited for.
        assert!(tokio::time::timeout(UNTAKEN * 10, answers.left_lying()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_without_events_leaves_nothing_lying() {
        let (sender, receiver) = tokio::sync::mpsc::channel(1);
        let answers = Arc::new(Answers::default());
        let mut answer = answers.give(Body::Stream(receiver));
        sender.send(Bytes::from_static(b"an event")).await.expect("it is wanted");
        answer.frame().await.expect("an event").expect("it is not broken");
        let quiet = tokio::time::timeout(UNTAKEN * 10, answers.left_lying());
        tokio::select! {
            _ = answer.frame() => panic!("there is nothing more"),
            lying = quiet => assert!(lying.is_err()),
        }
    }

    #[test]
    fn the_last_piece_holds_nothing_but_itself() {
        let all = Bytes::from(vec![7; LONG]);
        let mut answer = Arc::new(Answers::default()).give(Body::Whole(None));
        answer.rest = all.clone();
        let mut last = Bytes::new();
        while !answer.rest.is_empty() {
            last = answer.piece();
        }
        assert_eq!(last.len(), 1);
        assert!(all.is_unique(), "somebody holds all of it");
    }
}
