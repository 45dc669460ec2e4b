//! `bowline agent syncer`: what runs beside a workload cluster.

use anyhow::anyhow;
use bowline_control::lease::Settings;
use bowline_runtime::Manner;
use bowline_syncer::{Setup, Stopped};

use crate::connection::Wanted;
use crate::exit::{Exit, Refused};
use crate::output;
use crate::service::Signals;

/// Which target, and how both ends are reached.
pub(crate) struct SyncerWish {
    pub(crate) hub: Wanted,
    pub(crate) cluster: Wanted,
    pub(crate) target: String,
    pub(crate) lease: Settings,
}

/// Runs the syncer of a target until somebody wants it to end. What runs in the cluster goes on then.
pub(crate) async fn syncer(wish: SyncerWish) -> anyhow::Result<Exit> {
    let mut signals = Signals::new()?;
    let SyncerWish { hub, cluster, target, lease } = wish;
    let hub = hub.client(Manner::Once).await?;
    let cluster = cluster.client(Manner::Once).await?;
    output::note(&format!(
        "The syncer of the target {target} runs. What runs in the cluster goes on when it ends. Ctrl-C ends it."
    ));
    let setup = Setup { hub, cluster, target, lease, say: Box::new(output::note) };
    let told = async {
        let ended = signals.next().await;
        output::note(&format!("{ended}: the syncer ends, and what runs in the cluster goes on."));
    };
    match bowline_syncer::run(setup, told).await {
        Ok(()) => Ok(Exit::Done),
        Err(why @ (Stopped::Unknown(_) | Stopped::NotHis { .. } | Stopped::Refused(_))) => {
            Err(anyhow!(Refused(why.to_string())))
        }
    }
}
