//! Identities as people have them: `bowline up`, or `bowline controllers` on a real Kubernetes, as a process, before a fault
//! proxy, before an IAM that is ours or moto.

mod bed;
mod server;

pub use bed::{Bed, Kubernetes, Options, REGION, has, policy, provider, there};
pub use server::Server;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

/// How long anything may take, before a test is taken to have failed.
const LIMIT: Duration = Duration::from_secs(180);

/// Waits until something is so. What is said last is shown if it never is.
///
/// # Errors
/// If it is not within three minutes.
pub async fn until(what: &str, mut is: impl AsyncFnMut() -> Result<Result<(), String>>) -> Result<()> {
    let start = Instant::now();
    loop {
        let Err(instead) = is().await? else { return Ok(()) };
        ensure!(start.elapsed() < LIMIT, "{what}: {instead}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Whether something is so, and what to show if it is not.
pub fn so(is: bool, instead: impl ToString) -> Result<(), String> {
    if is { Ok(()) } else { Err(instead.to_string()) }
}
