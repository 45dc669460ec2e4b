//! A connection on which something is sent, and whose other end has to take it.
//!
//! What nobody takes stays in memory with all that it is made of: a list of everything, the events of a watch. Nothing else
//! ends such a connection, for the other end is there and only does not read.

use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// So long the other end may take nothing at all of what there is for it.
pub(super) const UNTAKEN: Duration = Duration::from_secs(60);

/// A stream that fails when its other end takes nothing for too long.
#[derive(Debug)]
pub(super) struct Sending<S> {
    stream: S,
    /// Until when something has to be taken. Nothing has to be while nothing waits to be sent.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> Sending<S> {
    pub(super) fn new(stream: S) -> Sending<S> {
        Sending { stream, until: None }
    }

    /// What a write has come to. One that waits does so only until its time is over.
    fn bounded<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.until = None;
            return written;
        }
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(UNTAKEN)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(
            ErrorKind::TimedOut,
            "the client takes nothing of what is sent to it",
        )))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Sending<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.bounded(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, slices);
        this.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Sending<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_is_waited_for_as_long_as_said() {
        let (near, _far) = duplex(10);
        let begun = Instant::now();
        let failed = Sending::new(near).write_all(&[0; 11]).await.expect_err("nobody takes it");
        assert_eq!((failed.kind(), begun.elapsed()), (ErrorKind::TimedOut, UNTAKEN));
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_a_little_now_and_then_gets_it_all() {
        let (near, mut far) = duplex(10);
        let sent = tokio::spawn(async move { Sending::new(near).write_all(&[0; 30]).await });
        for _ in 0..30 {
            sleep(UNTAKEN - Duration::from_secs(1)).await;
            far.read_u8().await.expect("there is one more");
        }
        sent.await.expect("it does not panic").expect("all of it is sent");
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_nothing_to_take_is_not_hurried() {
        let (near, mut far) = duplex(10);
        let mut near = Sending::new(near);
        for _ in 0..3 {
            near.write_all(&[0; 10]).await.expect("there is room");
            sleep(UNTAKEN * 2).await;
            far.read_exact(&mut [0; 10]).await.expect("it was sent");
        }
    }
}
