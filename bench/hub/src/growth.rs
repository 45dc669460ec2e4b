//! What grows with the number of objects, and what does not.

use std::time::Duration;

use anyhow::Result;
use bowline_bench_meter::Cost;

use crate::load::{self, Verb};
use crate::report::Report;
use crate::server::Server;
use crate::{REST, watchers};

/// The same at each size, on one server that is filled further and further.
pub(crate) async fn measure(
    server: &Server,
    cost: &Cost,
    (sizes, lasting): (&[usize], Duration),
    report: &mut Report,
) -> Result<()> {
    for size in sizes {
        // The loads at the last size have made objects as well.
        load::fill(server, size.saturating_sub(load::count(server).await?)).await?;
        tokio::time::sleep(REST).await;
        let mut at = Report::default();
        at.put("mib", cost.resident_kib()? / 1024.0);
        load::list(server, cost, lasting, &mut at).await?;
        for verb in [Verb::Get, Verb::Patch] {
            load::run(server, cost, (verb, 16, lasting), &mut at).await?;
        }
        watchers::measure(server, cost, 100, &mut at).await?;
        report.put_all(&format!("at {size} "), at);
    }
    Ok(())
}
