//! Ctrl-C and SIGTERM: the first asks the run to end, the second ends the process.

use std::sync::atomic::AtomicBool;

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::Exit;

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that becomes true when somebody wants the run to end.
///
/// The order of the two registrations matters: handlers run in turn, so that the first signal finds
/// the flag down and raises it, and the second finds it up and ends the process at once.
pub(crate) fn stop_flag() -> anyhow::Result<&'static AtomicBool> {
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, i32::from(Exit::NotFinished.code()), &STOP)
            .and_then(|_| flag::register(signal, &STOP))
            .context("cannot listen for Ctrl-C")?;
    }
    Ok(&STOP)
}
