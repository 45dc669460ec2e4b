//! Many of them, and names that are alike.

use anyhow::{Result, ensure};
use bowline_aws::Iam;
use bowline_e2e_identities::{Bed, Options, has, so, there, until};
use bowline_identities::plain::Named;
use serde_json::{Value, json};

/// The longest, and those that would be one if they were only put together.
pub(crate) async fn names_do_not_collide(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    let long = "n".repeat(63);
    let all = [(long.as_str(), long.as_str()), ("a-b", "c"), ("a", "b-c")];
    let mut called = Vec::new();
    for (namespace, name) in all {
        let body = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } });
        bed.server()?.create("/api/v1/namespaces", &body)?;
        bed.create_in(namespace, name, json!({}))?;
        let named = Named { namespace: namespace.to_owned(), name: name.to_owned() };
        called.push(bed.home()?.aws_name(&named));
    }
    for (namespace, name) in all {
        bed.is_ready_in(namespace, name).await?;
    }
    for name in &called {
        let role = bed.aws.get_role(name).await?;
        ensure!(name.len() <= 64 && bed.aws.list_attached_role_policies(name).await?.len() == 1, "{role:?}");
    }
    called.sort_unstable();
    called.dedup();
    ensure!(called.len() == all.len(), "{called:?}");
    Ok(())
}

/// What the one makes and deletes is not the other's.
pub(crate) async fn two_hubs_with_one_cluster_name_do_not_meet(bed: &mut Bed) -> Result<()> {
    let mut other = bed.beside().await?;
    bed.up(Options::default())?;
    other.up(Options::default())?;
    for one in [&*bed, &other] {
        one.create("shared", json!({}))?;
    }
    for one in [&*bed, &other] {
        one.is_ready("shared").await?;
    }
    let (ours, theirs) = (bed.aws_name("shared")?, other.aws_name("shared")?);
    ensure!(ours != theirs, "{ours}");
    let before = other.aws.get_role(&theirs).await?;
    bed.delete("shared")?;
    bed.is_gone("shared").await?;
    ensure!(there(bed.aws.get_role(&ours).await)?.is_none(), "the role is there");
    ensure!(other.aws.get_role(&theirs).await? == before, "it was changed");
    // What is the other hub's is not told of by this one's audit.
    let audit = bed.bowline_at_aws("identity audit --exit-code", 0)?;
    ensure!(!audit.contains(&theirs), "{audit}");
    Ok(())
}

/// Two hundred, with five calls each. Moto may be too slow to answer each the first time, and how often it is asked again says
/// how fast the machine is.
pub(crate) async fn two_hundred_at_once(bed: &mut Bed) -> Result<()> {
    const MANY: usize = 200;
    bed.up(Options { drift: "1h", ..Options::default() })?;
    for number in 0..MANY {
        bed.create(&format!("many-{number}"), json!({}))?;
    }
    until("all are ready", async || {
        let all =
            bed.server()?.read("/apis/bowline.dev/v1alpha1/namespaces/default/iamroleserviceaccounts")?;
        let all = all["items"].as_array().cloned().unwrap_or_default();
        let rest: Vec<&Value> = all.iter().filter(|one| !has(one, "Ready", "True")).collect();
        let first = rest.first().map(|first| first["status"].to_string());
        Ok(so(all.len() == MANY && rest.is_empty(), format!("{} are not: {first:?}", rest.len())))
    })
    .await?;
    let calls = bed.calls_of_iam().len();
    ensure!(calls <= 5 * MANY || bed.fake.is_none(), "{calls} calls");
    Ok(())
}
