//! What goes wrong on the way, and `kill -9`.

use anyhow::{Result, ensure};
use bowline_aws::Iam;
use bowline_e2e_aws::proxy::{Fault, Halt};
use bowline_e2e_identities::{Bed, Options, policy, so, there, until};
use serde_json::json;

/// The calls that making an identity takes.
const MAKING: u64 = 5;
/// The calls that deleting one takes whose policy has two versions, if it was looked at lately: four that take away, and a look.
const DELETING: u64 = 6;

/// Nobody looks for what others have changed: each call is about what is made or deleted.
const QUIET: Options = Options { drift: "1h", ..Options::USUAL };

/// Of one identity each call is lost once, of another one each answer, and so on. All of it is made once.
pub(crate) async fn lost_and_throttled_calls_are_made_up_for(bed: &mut Bed) -> Result<()> {
    bed.up(QUIET)?;
    let faults = [Fault::LoseRequest, Fault::LoseReply, Fault::Throttle, Fault::Fail, Fault::BadGateway];
    let tough = |fault: Fault| format!("tough-{fault:?}").to_lowercase();
    let actions = ["GetPolicy", "CreatePolicy", "GetRole", "CreateRole", "AttachRolePolicy"];
    for fault in faults {
        for action in actions {
            bed.proxy.once(&bed.aws_name(&tough(fault))?, action, fault);
        }
        bed.create(&tough(fault), json!({}))?;
    }
    for fault in faults {
        is_made_once(bed, &tough(fault)).await?;
    }
    ensure!(bed.proxy.still_fails().is_empty(), "these did not happen: {:?}", bed.proxy.still_fails());
    Ok(())
}

/// Killed when a call has come to AWS and its answer has not come back, and before it has come there, for each call: each identity is
/// at another one.
pub(crate) async fn killed_between_any_two_calls_it_is_made_once(bed: &mut Bed) -> Result<()> {
    bed.up(QUIET)?;
    let lives = places("life", MAKING);
    for (name, halt) in &lives {
        bed.proxy.halt(&bed.aws_name(name)?, *halt);
        bed.create(name, json!({}))?;
    }
    stop_and_kill(bed).await?;
    bed.up(QUIET)?;
    for (name, _) in &lives {
        is_made_once(bed, name).await?;
    }
    Ok(())
}

/// The same, while they go.
pub(crate) async fn killed_between_any_two_calls_of_its_deletion_nothing_stays(bed: &mut Bed) -> Result<()> {
    bed.up(QUIET)?;
    let ends = places("end", DELETING);
    for (name, _) in &ends {
        bed.create(name, json!({}))?;
    }
    for (name, _) in &ends {
        bed.is_ready(name).await?;
        bed.change(name, json!({ "policy": policy("s3:PutObject") }))?;
    }
    for (name, halt) in &ends {
        bed.is_ready(name).await?;
        bed.proxy.halt(&bed.aws_name(name)?, *halt);
        bed.delete(name)?;
    }
    stop_and_kill(bed).await?;
    bed.up(QUIET)?;
    for (name, _) in &ends {
        bed.is_gone(name).await?;
        let (aws, arn) = (bed.aws_name(name)?, bed.policy_arn(name)?);
        ensure!(there(bed.aws.get_role(&aws).await)?.is_none(), "the role of {name} is there");
        ensure!(there(bed.aws.get_policy(&arn).await)?.is_none(), "the policy of {name} is there");
    }
    Ok(())
}

/// A name for each place between so many calls: before and after each of them.
fn places(of: &str, calls: u64) -> Vec<(String, Halt)> {
    let both = |number| [("before", Halt::Before(number)), ("after", Halt::After(number))];
    let all = (1..=calls)
        .flat_map(|number| both(number).map(|(side, halt)| (format!("{of}-{side}-{number}"), halt)));
    all.collect()
}

/// Waits until each has come to its place, and kills what runs.
async fn stop_and_kill(bed: &mut Bed) -> Result<()> {
    until("all come to their calls", async || {
        let goes = bed.proxy.still_goes();
        Ok(so(goes.is_empty(), format!("{goes:?}")))
    })
    .await?;
    bed.kill()?;
    bed.proxy.go_on();
    Ok(())
}

/// It becomes ready, with one policy of one version.
async fn is_made_once(bed: &Bed, name: &str) -> Result<()> {
    bed.is_ready(name).await?;
    let aws = bed.aws_name(name)?;
    let attached = bed.aws.list_attached_role_policies(&aws).await?;
    ensure!(attached.len() == 1 && attached.iter().all(|one| one.name == aws), "{name}: {attached:?}");
    let versions = bed.aws.list_policy_versions(&bed.policy_arn(name)?).await?;
    ensure!(versions.len() == 1, "{name} was made twice: {versions:?}");
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
    // It has no identity, and goes by itself: nobody has to do anything about it.
    bed.bowline_at_aws("identity audit --exit-code", 0)?;
    until("it is swept", async || {
        let role = there(bed.aws.get_role(&name).await)?;
        Ok(so(role.is_none(), format!("{role:?}")))
    })
    .await
}
