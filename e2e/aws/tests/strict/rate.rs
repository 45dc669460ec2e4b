//! Too many calls, and calls that take too long.

use std::time::Duration;

use anyhow::{Context, Result};
use bowline_aws::{Arrival, Client, Iam, Kind, Limits, Settings};
use tokio::task::JoinSet;

use crate::bed;
use crate::cases::bed::{refused, settings};

#[tokio::test]
async fn an_answer_that_does_not_come_may_yet_have_been_done() -> Result<()> {
    let bed = bed().await?;
    let fake = bed.fake.as_ref().context("it is the strict one")?;
    fake.answer_after(Duration::from_secs(600));
    let timeout = Duration::from_millis(300);
    let client = Client::connect(&Settings { timeout, ..settings(&bed.proxy.endpoint()) }).await?;
    let outcome = client.create_role(&bed.role("r")).await;
    assert_eq!(refused(outcome)?, Kind::Unavailable(Arrival::MayHaveArrived));
    assert_eq!((fake.all().len(), bed.proxy.count("CreateRole")), (1, 1));
    // A shorter term is a shorter wait.
    let hurried = bed.client.within(std::sync::Arc::new(|_| Some(Duration::from_millis(100))));
    let outcome = hurried.get_role(&bed.name("r")).await;
    assert_eq!(refused(outcome)?, Kind::Unavailable(Arrival::MayHaveArrived));
    Ok(())
}

/// A storm: 60 callers, each trying until it has succeeded. All do, and after the first refusals few calls are refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_a_storm_all_get_through() -> Result<()> {
    const CALLERS: u64 = 60;
    let bed = bed().await?;
    let fake = bed.fake.as_ref().context("it is the strict one")?;
    bed.client.create_role(&bed.role("r")).await?;
    fake.bear(Some(30));
    let limits = Limits { ceiling: 400, growth: 2, ..Limits::default() };
    let client = Client::connect(&Settings { limits, ..settings(&fake.endpoint()) }).await?;
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let (client, name) = (client.clone(), bed.name("r"));
        callers.spawn(async move {
            loop {
                match client.get_role(&name).await {
                    Err(error) if error.kind == Kind::Throttled => {}
                    outcome => return outcome.map(drop),
                }
            }
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    let refused = fake.calls().iter().filter(|call| call.refused == Some("Throttling")).count();
    assert!((1..150).contains(&refused), "{refused} were refused");
    assert!(client.gate().rate() <= 100, "{}", client.gate().rate());
    Ok(())
}

/// The gate lets 20 be under way, and no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_are_under_way_at_once() -> Result<()> {
    let bed = bed().await?;
    let fake = bed.fake.as_ref().context("it is the strict one")?;
    bed.client.create_role(&bed.role("r")).await?;
    fake.answer_after(Duration::from_millis(500));
    let client = Client::connect(&settings(&fake.endpoint())).await?;
    let mut callers = JoinSet::new();
    for _ in 0..50 {
        let (client, name) = (client.clone(), bed.name("r"));
        callers.spawn(async move { client.get_role(&name).await });
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    assert_eq!(fake.most_at_once(), 20);
    Ok(())
}
