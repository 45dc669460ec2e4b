//! Kills what a shim has started when the shim is dead.

use std::io::{self, Read};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::processes::sweep;
use crate::roles;

/// Waits until its input ends, which the shim holds open as long as it lives, and kills all that is left of it.
pub(crate) fn main(mark: &str) -> ExitCode {
    roles::call_ourselves(c"bowline-guard");
    // It is told to end by its input, and by nothing else. If it cannot be deaf, it is killable, and started again.
    let deaf = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        let _ = signal_hook::flag::register(signal, Arc::clone(&deaf));
    }
    let mut input = io::stdin().lock();
    loop {
        match input.read(&mut [0]) {
            Ok(1..) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
        }
    }
    // There is nobody to tell, and nothing else to do.
    while !sweep(mark, 200).is_empty() {}
    ExitCode::SUCCESS
}
