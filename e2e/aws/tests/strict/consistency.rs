//! Reads that show what was.

use std::time::Duration;

use anyhow::Result;
use bowline_aws::{Iam, Kind};
use bowline_e2e_aws::fake::{Fake, Lag};

use crate::bed;
use crate::cases::bed::{Bed, refused, tags, trust};

fn lag(bed: &Bed, lag: Lag) -> &Fake {
    let fake = bed.fake.as_ref().expect("it is the strict one");
    fake.lag(lag);
    fake
}

#[tokio::test]
async fn what_was_made_is_seen_after_a_while_and_cannot_be_made_again_meanwhile() -> Result<()> {
    let bed = bed().await?;
    let (client, role) = (&bed.client, bed.role("r"));
    let fake = lag(&bed, Lag::Reads(2));
    client.create_role(&role).await?;
    assert_eq!(refused(client.create_role(&role).await)?, Kind::AlreadyExists);
    assert_eq!(refused(client.get_role(&role.name).await)?, Kind::NotFound);
    assert!(client.list_roles(&bed.path()).await?.is_empty());
    assert_eq!(client.get_role(&role.name).await?.name, role.name);

    client.tag_role(&role.name, &tags(&[("owner", "other")])).await?;
    assert_eq!(client.get_role(&role.name).await?.tags, role.tags);
    assert_eq!(client.get_role(&role.name).await?.tags, role.tags);
    assert_eq!(client.get_role(&role.name).await?.tags, tags(&[("owner", "other")]));

    client.delete_role(&role.name).await?;
    assert!(fake.all().is_empty());
    assert_eq!(client.get_role(&role.name).await?.name, role.name);
    assert_eq!(client.list_roles(&bed.path()).await?.len(), 1);
    assert_eq!(refused(client.get_role(&role.name).await)?, Kind::NotFound);
    Ok(())
}

#[tokio::test]
async fn or_after_a_time() -> Result<()> {
    let bed = bed().await?;
    let (client, role) = (&bed.client, bed.role("r"));
    lag(&bed, Lag::Time(Duration::from_millis(200)));
    client.create_role(&role).await?;
    assert_eq!(refused(client.get_role(&role.name).await)?, Kind::NotFound);
    while client.get_role(&role.name).await.is_err() {}
    lag(&bed, Lag::Time(Duration::MAX));
    client.update_assume_role_policy(&role.name, &trust("other")).await?;
    assert_eq!(client.get_role(&role.name).await?.trust, role.trust);
    Ok(())
}
