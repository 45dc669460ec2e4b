//! That something does not change.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How soon it is looked again.
const AGAIN: Duration = Duration::from_millis(250);

/// Sees that something stays so for a while.
///
/// # Errors
/// If it does not.
pub fn stays(long: Duration, mut is: impl FnMut() -> Result<Result<(), String>>) -> Result<()> {
    let began = Instant::now();
    while began.elapsed() < long {
        if let Err(instead) = is()? {
            bail!("after {:?}: {instead}", began.elapsed());
        }
        std::thread::sleep(AGAIN);
    }
    Ok(())
}
