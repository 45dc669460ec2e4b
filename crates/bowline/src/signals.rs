//! Ctrl-C and SIGTERM: the first asks the run to end, a later one ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Exit;

/// What comes so soon after the first signal is the same wish once more, not an impatient one: `timeout`
/// signals the process and then its whole group, and a shell may pass on what the terminal has sent.
const SAME_WISH: Duration = Duration::from_millis(500);

/// The wish that a process ends, by the signals that say so.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    first: Option<Instant>,
}

impl Wish {
    /// Whether a signal that has come now says anything that those before did not: that it shall end, or that it shall end at
    /// once.
    pub(crate) fn is_new(&mut self, now: Instant) -> bool {
        match self.first {
            Some(first) => now.saturating_duration_since(first) >= SAME_WISH,
            None => {
                self.first = Some(now);
                true
            }
        }
    }
}

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that becomes true when somebody wants the run to end.
pub(crate) fn stop_flag() -> anyhow::Result<&'static AtomicBool> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot listen for Ctrl-C")?;
    let listen = move || {
        let (mut signals, mut wish) = (signals.forever(), Wish::default());
        let mut is_new = |_| wish.is_new(Instant::now());
        signals.any(&mut is_new);
        STOP.store(true, Ordering::Relaxed);
        if signals.any(is_new) {
            // The main thread may be held up in printing: it is not waited for.
            low_level::exit(Exit::NotFinished.code().into());
        }
    };
    thread::Builder::new().name("signals".into()).spawn(listen).context("cannot listen for Ctrl-C")?;
    Ok(&STOP)
}

/// Ctrl-C and SIGTERM of who has something to put away first: from here on they end nothing by themselves.
pub(crate) struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupts {
    pub(crate) fn listen() -> anyhow::Result<Interrupts> {
        let of = |kind| signal(kind).context("cannot listen for Ctrl-C");
        Ok(Interrupts { interrupt: of(SignalKind::interrupt())?, terminate: of(SignalKind::terminate())? })
    }

    /// Does the work, unless one comes first: then that is which.
    pub(crate) async fn or<T>(&mut self, work: impl Future<Output = T>) -> Result<T, i32> {
        tokio::select! {
            done = work => Ok(done),
            _ = self.interrupt.recv() => Err(SIGINT),
            _ = self.terminate.recv() => Err(SIGTERM),
        }
    }
}

/// Ends the process as a signal does that nobody listens for.
pub(crate) fn end_by(signal: i32) -> anyhow::Error {
    let error = low_level::emulate_default_handler(signal).err();
    anyhow::anyhow!("cannot end by the signal {signal}: {error:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_with_the_first_signal_is_the_same_wish() {
        let (mut wish, first) = (Wish::default(), Instant::now());
        assert!(wish.is_new(first));
        assert!(!wish.is_new(first) && !wish.is_new(first + SAME_WISH / 2));
        assert!(wish.is_new(first + SAME_WISH));
    }
}
