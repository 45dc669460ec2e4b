//! What goes wrong on the way. A call that fails is sent once: to try again is not the client's.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use bowline_aws::{Arrival, Client, Iam, Kind};
use bowline_e2e_aws::proxy::Fault;

use super::bed::{Bed, refused, settings};

const UNKNOWN: Kind = Kind::Unavailable(Arrival::MayHaveArrived);

/// Nobody can tell that it has not.
pub(crate) async fn a_lost_request_may_have_arrived(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    bed.proxy.nth(1, "CreateRole", Fault::LoseRequest);
    assert_eq!(refused(client.create_role(&role).await)?, UNKNOWN);
    assert_eq!(bed.proxy.count("CreateRole"), 1);
    assert_eq!(refused(client.get_role(&role.name).await)?, Kind::NotFound);
    client.create_role(&role).await?;
    Ok(())
}

/// And it has.
pub(crate) async fn a_lost_reply_may_have_arrived(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    bed.proxy.nth(1, "CreateRole", Fault::LoseReply);
    assert_eq!(refused(client.create_role(&role).await)?, UNKNOWN);
    assert_eq!(bed.proxy.count("CreateRole"), 1);
    assert_eq!(client.get_role(&role.name).await?.tags, role.tags);
    assert_eq!(refused(client.create_role(&role).await)?, Kind::AlreadyExists);
    Ok(())
}

/// After somebody has looked and seen nothing.
pub(crate) async fn a_late_request_arrives_after_the_look(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    bed.proxy.nth(1, "CreateRole", Fault::Late);
    assert_eq!(refused(client.create_role(&role).await)?, UNKNOWN);
    assert_eq!(refused(client.get_role(&role.name).await)?, Kind::NotFound);
    assert_eq!(bed.proxy.send_late().await, [200]);
    assert_eq!(client.get_role(&role.name).await?.tags, role.tags);
    assert!(bed.proxy.send_late().await.is_empty());
    Ok(())
}

/// All calls, not only that one.
pub(crate) async fn throttling_slows_all_down(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    let rate = client.gate().rate();
    bed.proxy.nth(2, "GetRole", Fault::Throttle);
    assert_eq!(refused(client.get_role(&role.name).await)?, Kind::NotFound);
    assert_eq!(client.gate().rate(), rate);
    assert_eq!(refused(client.get_role(&role.name).await)?, Kind::Throttled);
    assert_eq!(bed.proxy.count("GetRole"), 2);
    let slowed = client.clone().gate().rate();
    assert!(slowed <= rate / 2 + 1, "{slowed}");
    Ok(())
}

/// What has failed inside may have been done; what stands before AWS may hide that it was.
pub(crate) async fn a_failure_inside_is_told_and_not_tried_again(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    bed.proxy.nth(1, "CreateRole", Fault::Fail);
    bed.proxy.nth(2, "CreateRole", Fault::BadGateway);
    for number in 1..=2 {
        assert_eq!(refused(client.create_role(&role).await)?, UNKNOWN);
        assert_eq!(bed.proxy.count("CreateRole"), number);
    }
    client.create_role(&role).await?;
    assert_eq!(bed.proxy.calls(), ["CreateRole"; 3]);
    Ok(())
}

/// Where no connection is made nothing can have arrived.
pub(crate) async fn nobody_there_is_not_sent(bed: &Bed) -> Result<()> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let nobody = format!("http://{}", listener.local_addr()?);
    drop(listener);
    let client = Client::connect(&settings(&nobody)).await?;
    let error = client.get_role(&bed.name("r")).await;
    assert_eq!(refused(error)?, Kind::Unavailable(Arrival::NotSent));
    Ok(())
}

/// A term that is over before the call's turn.
pub(crate) async fn who_may_no_longer_act_sends_nothing(bed: &Bed) -> Result<()> {
    let role = bed.role("r");
    let over = bed.client.within(Arc::new(|_: Duration| None));
    assert_eq!(refused(over.create_role(&role).await)?, Kind::Withheld);
    assert_eq!(bed.proxy.count("CreateRole"), 0);
    let not_over = over.within(Arc::new(Some));
    not_over.create_role(&role).await?;
    Ok(())
}
