//! The cases on the strict IAM, and what only that can do.

mod cases;
mod strict;

use anyhow::Result;
use bowline_e2e_aws::fake::Fake;
use cases::bed::Bed;

async fn bed() -> Result<Bed> {
    let fake = Fake::start().await?;
    let endpoint = fake.endpoint();
    Bed::before(&endpoint, Some(fake)).await
}

all_cases!();
