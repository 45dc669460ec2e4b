//! Nodes as people have them: agents, shims and software as processes. The software is the key-value server of `e2e/kv`, whose devices keep
//! a log of who was master when.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use bowline_bench_meter::Latencies;
use bowline_e2e_homes::Kind;
use bowline_e2e_kv::judge::{self, Handover};
use bowline_e2e_kv::load::Book;
use bowline_e2e_upgrades::{Bed, Group as Kv};
use serde_json::json;

use crate::group::Group;
use crate::{Report, Size, reported, runtime};

/// What the group is called.
const NAME: &str = "kv";

/// Upgrades a group with a `bowline up` of its own. Nobody writes to it: what is measured is Bowline.
pub(crate) fn measure(size: &Size) -> Result<Report> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let slow = format!("--slow-start {}", size.restart_ms);
    let group =
        Kv { devices: (0..size.devices).map(|number| format!("d{number}")).collect(), ..Kv::new(NAME) };
    let group = group.flaw("v2", &slow).with(&json!({ "commit": "Automatic", "soakSeconds": 0 }));
    bed.serve(&group, size.nodes)?;
    let devices = bed.path(&format!("devices-{NAME}"));
    let before = counted(&devices)?;
    let (took, moves) = runtime()?.block_on(async {
        let client = bowline_runtime::client(&bed.kubeconfig(), None).await?;
        let mut group = Group::of(client, NAME, size.nodes);
        let begun = Instant::now();
        let moves = group.upgrade("v2").await?;
        anyhow::Ok((begun.elapsed(), moves))
    })?;
    let mut handovers = Latencies::default();
    for (device, all) in by_device(&devices)? {
        let since = before.get(&device).copied().unwrap_or(0);
        all.iter().skip(since).for_each(|handover| handovers.add(handover.without_master));
    }
    reported(size, took, moves, &handovers)
}

fn by_device(devices: &Path) -> Result<BTreeMap<String, Vec<Handover>>> {
    let verdict = judge::judge(&judge::read(devices)?, &Book::default());
    let mut all: BTreeMap<String, Vec<Handover>> = BTreeMap::new();
    for handover in verdict.handovers {
        all.entry(handover.device.clone()).or_default().push(handover);
    }
    Ok(all)
}

/// How many there were of each device.
fn counted(devices: &Path) -> Result<BTreeMap<String, usize>> {
    Ok(by_device(devices)?.into_iter().map(|(device, all)| (device, all.len())).collect())
}
