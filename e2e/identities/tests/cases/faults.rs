//! What goes wrong on the way, and `kill -9`.

use anyhow::{Result, ensure};
use bowline_aws::Iam;
use bowline_e2e_aws::proxy::{Fault, Halt};
use bowline_e2e_identities::{Bed, Options, policy, so, there, until};
use serde_json::json;

/// More calls than making, or deleting, an identity takes.
const CALLS: u64 = 12;

/// Of one identity each call is lost once, of another one each answer, and so on. All of it is made once.
pub(crate) async fn lost_and_throttled_calls_are_made_up_for(bed: &mut Bed) -> Result<()> {
    bed.up(Options { drift: "1h", ..Options::default() })?;
    let faults = [Fault::LoseRequest, Fault::LoseReply, Fault::Throttle, Fault::Fail, Fault::BadGateway];
    for (number, fault) in (0..).zip(faults) {
        for action in ["GetPolicy", "CreatePolicy", "GetRole", "CreateRole", "AttachRolePolicy"] {
            bed.proxy.nth(1, action, fault);
        }
        let name = format!("tough-{number}");
        bed.create(&name, json!({}))?;
        bed.is_ready(&name).await?;
        let aws = bed.aws_name(&name)?;
        let attached = bed.aws.list_attached_role_policies(&aws).await?;
        ensure!(attached.len() == 1 && attached.iter().all(|one| one.name == aws), "{fault:?}: {attached:?}");
        ensure!(bed.aws.list_policy_versions(&bed.policy_arn(&name)?).await?.len() == 1, "it was made twice");
    }
    Ok(())
}

/// Killed when a call has come to AWS and its answer has not come back, and before it has come there, for each call.
pub(crate) async fn killed_between_any_two_calls_it_is_made_once(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let mut killed = 0;
    for number in 1..=CALLS {
        let halt = if number % 2 == 0 { Halt::Before(number / 2) } else { Halt::After(number.div_ceil(2)) };
        let name = format!("life-{number}");
        bed.proxy.halt(halt);
        bed.create(&name, json!({}))?;
        until("it comes to a call, or is ready without", async || {
            let ready = bowline_e2e_identities::has(&bed.read(&name)?, "Ready", "True");
            Ok(so(bed.proxy.has_halted() || ready, format!("{halt:?}")))
        })
        .await?;
        killed += u64::from(bed.proxy.has_halted());
        bed.kill()?;
        bed.proxy.go_on();
        bed.up(Options::default())?;
        bed.is_ready(&name).await?;
        let aws = bed.aws_name(&name)?;
        let attached = bed.aws.list_attached_role_policies(&aws).await?;
        ensure!(attached.len() == 1 && attached.iter().all(|one| one.name == aws), "{attached:?}");
        ensure!(bed.aws.list_policy_versions(&bed.policy_arn(&name)?).await?.len() == 1, "it was made twice");
    }
    ensure!(killed >= 10, "it was killed at {killed} of the calls");
    Ok(())
}

/// The same, while it goes.
pub(crate) async fn killed_between_any_two_calls_of_its_deletion_nothing_stays(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    for number in (1..=CALLS).step_by(2) {
        let name = format!("end-{number}");
        bed.create(&name, json!({}))?;
        bed.is_ready(&name).await?;
        bed.change(&name, json!({ "policy": policy("s3:PutObject") }))?;
        bed.is_ready(&name).await?;
        bed.proxy.halt(Halt::After(number));
        bed.delete(&name)?;
        until("it comes to the call", async || Ok(so(bed.proxy.has_halted(), number))).await?;
        bed.kill()?;
        bed.proxy.go_on();
        bed.up(Options::default())?;
        bed.is_gone(&name).await?;
        let (aws, arn) = (bed.aws_name(&name)?, bed.policy_arn(&name)?);
        ensure!(there(bed.aws.get_role(&aws).await)?.is_none(), "the role is there");
        ensure!(there(bed.aws.get_policy(&arn).await)?.is_none(), "the policy is there");
    }
    Ok(())
}

/// A role that comes to be when its identity is gone.
pub(crate) async fn what_arrives_late_is_swept(bed: &mut Bed) -> Result<()> {
    bed.up(Options { sweeps: "5s,15s,40s", ..Options::default() })?;
    for number in 1..=40 {
        bed.proxy.nth(number, "CreateRole", Fault::Late);
    }
    bed.create("late", json!({}))?;
    until("a role is on its way", async || Ok(so(bed.proxy.count("CreateRole") > 0, "none"))).await?;
    bed.delete("late")?;
    bed.is_gone("late").await?;
    let name = bed.aws_name("late")?;
    ensure!(there(bed.aws.get_role(&name).await)?.is_none(), "it is there already");
    let answers = bed.proxy.send_late().await;
    ensure!(answers.contains(&200), "none has arrived: {answers:?}");
    ensure!(there(bed.aws.get_role(&name).await)?.is_some(), "it is not there");
    until("it is swept", async || {
        let role = there(bed.aws.get_role(&name).await)?;
        Ok(so(role.is_none(), format!("{role:?}")))
    })
    .await
}
