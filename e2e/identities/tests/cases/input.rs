//! What people write that cannot be.

use anyhow::{Context, Result, ensure};
use bowline_e2e_identities::{Bed, Options, policy};
use serde_json::{Value, json};

/// An ARN, and not of a policy.
const ROLE: &str = "arn:aws:iam::123456789012:role/somebodys";

/// One statement, with this beside the usual or in its place.
fn with(more: Value) -> Value {
    let mut policy = policy("s3:GetObject");
    if let (Some(statement), Value::Object(more)) = (policy["statement"][0].as_object_mut(), more) {
        statement.extend(more);
    }
    json!({ "policy": policy })
}

/// Each is told by its field and with what to do, before anything is made; and what is mended is made.
pub(crate) async fn what_cannot_be_is_told_by_its_field(bed: &mut Bed) -> Result<()> {
    bed.up(Options::default())?;
    // The server itself lets no such thing in.
    for (spec, field) in [
        (with(json!({ "action": ["GetObject"] })), "spec.policy.statement[0].action[0]"),
        (json!({ "permissionsBoundary": "ReadOnlyAccess" }), "spec.permissionsBoundary"),
        (json!({ "managedPolicyArns": [ROLE] }), "spec.managedPolicyArns[0]"),
    ] {
        let refused = bed.create("wrong", spec).err().context("it is let in")?.to_string();
        ensure!(refused.contains(field), "{refused}");
    }

    let much: Vec<_> =
        (0..200).map(|number| format!("arn:aws:s3:::a-bucket-with-a-long-name-{number}/*")).collect();
    let cases = [
        (
            "arn",
            with(json!({ "resource": ["a-bucket"] })),
            "spec.policy.statement[0].resource[0]",
            "is no ARN",
        ),
        (
            "operator",
            with(json!({ "condition": { "StringEqual": { "aws:PrincipalTag/team": "a" } } })),
            "spec.policy.statement[0].condition",
            "is no operator of conditions",
        ),
        (
            "values",
            with(json!({ "condition": { "StringEquals": { "aws:PrincipalTag/team": [] } } })),
            "spec.policy.statement[0].condition.StringEquals[aws:PrincipalTag/team]",
            "give at least one value",
        ),
        ("large", with(json!({ "resource": much })), "spec.policy", "and AWS takes 6144"),
        (
            "boundary",
            json!({ "permissionsBoundary": ROLE }),
            "spec.permissionsBoundary",
            "is no ARN of a policy",
        ),
        ("nowhere", json!({ "clusters": ["nobody-has-added-it"] }), "spec.clusters", "nobody-has-added-it"),
    ];
    for (name, spec, ..) in &cases {
        bed.create(name, spec.clone())?;
    }
    for (name, _, field, words) in &cases {
        bed.is_stalled(name, &format!("{field}: ")).await?;
        bed.is_stalled(name, words).await?;
        ensure!(bed.account(name)?.is_none(), "{name} has an account");
    }
    ensure!(bed.proxy.calls().is_empty(), "{:?}", bed.proxy.calls());
    for (name, ..) in &cases {
        let usual = json!({
            "policy": policy("s3:GetObject"), "permissionsBoundary": null, "managedPolicyArns": null, "clusters": null,
        });
        bed.change(name, usual)?;
    }
    for (name, ..) in &cases {
        bed.is_ready(name).await?;
    }
    // Who waits for an edit is not told that it is ready because it was before.
    let (edited, spec, ..) = &cases[0];
    bed.change(edited, spec.clone())?;
    bed.is_stalled(edited, "spec.").await?;
    let read = bed.read(edited)?;
    let conditions = read["status"]["conditions"].as_array().context("conditions")?;
    let ready = conditions.iter().find(|one| one["type"] == "Ready").context("Ready")?;
    let (of, is) = (ready["observedGeneration"].as_i64(), read["metadata"]["generation"].as_i64());
    ensure!(ready["status"] == "True" && of < is, "it still is, by what was before: {read:#}");
    Ok(())
}
