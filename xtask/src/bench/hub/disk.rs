//! What a sync costs here and now: everybody's writes wait for it.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;

const TIMES: usize = 200;
const BYTES: usize = 4096;

/// Quantiles of writing 4 KiB and syncing them.
#[derive(Serialize)]
pub(super) struct Fsync {
    pub(super) median_ms: f64,
    pub(super) p99_ms: f64,
}

impl Fsync {
    /// Measures it in a directory: in one place of a file, so that its length does not change.
    pub(super) fn measure(dir: &Path) -> Result<Fsync> {
        let path = dir.join("fsync");
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&path);
        let file = file.with_context(|| format!("cannot create {}", path.display()))?;
        let mut all = Vec::with_capacity(TIMES);
        for count in 0..=TIMES {
            let begun = Instant::now();
            let bytes = [u8::try_from(count % 256).unwrap_or(0); BYTES];
            file.write_all_at(&bytes, 0).and_then(|()| file.sync_data()).context("cannot write")?;
            // The first one makes the file.
            if count > 0 {
                all.push(begun.elapsed().as_secs_f64() * 1000.0);
            }
        }
        all.sort_by(f64::total_cmp);
        Ok(Fsync { median_ms: all[TIMES / 2], p99_ms: all[TIMES * 99 / 100] })
    }
}
