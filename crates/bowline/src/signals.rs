//! Ctrl-C and SIGTERM: the first asks the run to end, a later one ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

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
