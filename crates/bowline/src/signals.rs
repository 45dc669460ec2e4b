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

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that becomes true when somebody wants the run to end.
pub(crate) fn stop_flag() -> anyhow::Result<&'static AtomicBool> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).context("cannot listen for Ctrl-C")?;
    let listen = move || {
        let mut signals = signals.forever();
        signals.next();
        STOP.store(true, Ordering::Relaxed);
        let first = Instant::now();
        if signals.any(|_| first.elapsed() >= SAME_WISH) {
            // The main thread may be held up in printing: it is not waited for.
            low_level::exit(Exit::NotFinished.code().into());
        }
    };
    thread::Builder::new().name("signals".into()).spawn(listen).context("cannot listen for Ctrl-C")?;
    Ok(&STOP)
}
