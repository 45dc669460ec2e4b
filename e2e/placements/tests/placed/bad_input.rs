//! What cannot be is refused, with what to do.

use anyhow::Result;
use bowline_e2e_placements::{Bed, claim, deployment};
use bowline_e2e_up::until;

#[test]
fn what_cannot_be_is_refused_and_what_is_in_the_way_is_told() -> Result<()> {
    let mut bed = Bed::start(&["east"])?;
    let east = bed.path("east.kubeconfig").display().to_string();
    let cluster = bed.cluster("east")?.display().to_string();
    let syncer = |target: &str, hub: &str, cluster: &str| {
        format!("agent syncer --target {target} --kubeconfig {hub} --target-kubeconfig {cluster}")
    };
    bed.says(&syncer("west", &east, &cluster), 4, &["west", "bowline join syncer west"])?;
    bed.says(&syncer("east", &cluster, &cluster), 4, &["bowline"])?;
    bed.says(&syncer("east", &east, "nowhere.yaml"), 2, &["nowhere.yaml"])?;
    bed.says(&syncer("east", "nowhere.yaml", &cluster), 2, &["nowhere.yaml"])?;
    bed.says(&syncer("East", &east, &cluster), 2, &["East"])?;
    bed.says(&format!("{} --lease 2h", syncer("east", &east, &cluster)), 2, &["a lease lasts"])?;
    // A namespace that is somebody else's is left alone, and named.
    bed.at("east")?.ok("create namespace shop", "")?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    until("it is told that it is not ours", || {
        let said = bed.syncer("east").said();
        Ok(if said.contains("which is not ours") { Ok(()) } else { Err(said) })
    })?;
    // It is sent after that, and once more if the hub did not take it yet.
    until("an Event tells it", || {
        let events = bed.kubectl()?.ok("-n shop get events", "")?;
        Ok(if events.contains("not ours") { Ok(()) } else { Err(events) })
    })?;
    bed.at("east")?.ok("delete namespace shop", "")?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.syncer("east").signal(nix::sys::signal::Signal::SIGTERM)?;
    anyhow::ensure!(bed.syncer("east").wait()? == Some(0));
    bed.writes("east", 3)?;
    bed.clean().map(drop)
}
