//! The cases on moto, which many know.

#[expect(dead_code, reason = "some are told with the strict one only")]
mod cases;

use anyhow::Result;
use bowline_e2e_aws::moto::Moto;
use bowline_e2e_identities::Bed;
use cases::{assumed, clusters, drift, faults, life, names, others};
use tokio::sync::OnceCell;

/// One for all: it takes seconds to start. It ends with this process.
static MOTO: OnceCell<Moto> = OnceCell::const_new();

async fn bed() -> Result<Bed> {
    let moto = MOTO.get_or_try_init(|| async { Moto::start() }).await?;
    Bed::before(&moto.endpoint(), None).await
}

cases_of_aws!();
