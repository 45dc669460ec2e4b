//! The same on a real Kubernetes: `bowline controllers` with the rights of the example, and no others.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use bowline_e2e_aws::fake::Fake;
use bowline_e2e_identities::{Bed, Kubernetes, Options};
use serde_json::json;

use crate::cases::{assumed, life, others};

/// One for all, and one story after another: it takes longer to start than any of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_a_real_kubernetes() -> Result<()> {
    let kubernetes = Arc::new(Kubernetes::start()?);
    let mut wrong = Vec::new();
    macro_rules! tell {
        ($($story:path),+ $(,)?) => {
            $(
                let fake = Fake::start().await?;
                let endpoint = fake.endpoint();
                let mut bed = Bed::on_kubernetes(&kubernetes, &endpoint, Some(fake)).await?;
                let told = $story(&mut bed).await.context(stringify!($story));
                wrong.extend(told.err().map(|why| format!("{why:?}")));
                bed.leave()?;
            )+
        };
    }
    tell! {
        life::an_identity_is_made_with_few_calls_and_rests,
        life::an_identity_follows_its_spec,
        life::a_deleted_identity_leaves_nothing,
        life::an_orphan_stays_and_is_found_and_taken_over,
        others::a_foreign_account_is_left_alone,
        without_the_right_to_ask_for_tokens_no_role_is_tried,
        // It gives that right.
        assumed::a_role_that_was_assumed_is_ready,
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// The right to ask for tokens is the right to be any account: who does not give it waits a while instead.
async fn without_the_right_to_ask_for_tokens_no_role_is_tried(bed: &mut Bed) -> Result<()> {
    bed.up(Options { issuer: bed.signs(), ..Options::default() })?;
    bed.create("untried", json!({}))?;
    bed.is_ready("untried").await?;
    ensure!(bed.proxy.count("AssumeRoleWithWebIdentity") == 0, "{:?}", bed.proxy.calls());
    Ok(())
}
