//! Many identities at once.

use std::time::Instant;

use anyhow::Result;
use bowline_api::identities::{IamRoleServiceAccount, IamRoleServiceAccountSpec};
use bowline_bench_meter::{Cost, Counts};
use futures::{StreamExt, TryStreamExt, stream};
use kube::api::PostParams;
use kube::{Api, Client};
use serde_json::json;

use crate::crowd::Crowd;
use crate::process::Iam;
use crate::{Plan, Report};

/// Requests of ours that may be under way.
const AT_ONCE: usize = 16;

/// What is measured, and by what.
pub(crate) struct Many<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) hub: Client,
    pub(crate) up: Cost,
    pub(crate) iam: Iam,
    pub(crate) crowd: Crowd,
    pub(crate) report: Report,
}

impl Many<'_> {
    /// From the first request that makes one until a watch has shown that all are ready.
    pub(crate) async fn make(&mut self) -> Result<()> {
        let own = Cost::of(&[std::process::id()]);
        let (hub, aws) = (Counts::of(&self.hub).await?, self.iam.counts().await?);
        let cpu = (self.up.cpu()?, self.iam.cost().cpu()?, own.cpu()?);
        let begun = Instant::now();
        let all = (0..self.plan.identities).map(|number| create(self.hub.clone(), number));
        stream::iter(all).buffer_unordered(AT_ONCE).try_for_each(|()| std::future::ready(Ok(()))).await?;
        let made = begun.elapsed();
        self.crowd.ready(self.plan.identities).await?;
        let took = begun.elapsed();
        let used = (self.up.cpu()?, self.iam.cost().cpu()?, own.cpu()?);
        let (hub, after) = (Counts::of(&self.hub).await?.since(hub), self.iam.counts().await?);
        let identities = self.plan.identities as f64;
        self.put("all s", took.as_secs_f64());
        self.put("make s", made.as_secs_f64());
        self.put("up cpu_s", used.0.saturating_sub(cpu.0).as_secs_f64());
        self.put("iam cpu_s", used.1.saturating_sub(cpu.1).as_secs_f64());
        self.put("client cpu_s", used.2.saturating_sub(cpu.2).as_secs_f64());
        self.put("calls", (after.calls - aws.calls) as f64 / identities);
        self.put("calls that write", (after.writes - aws.writes) as f64 / identities);
        self.put("refused", (after.refused - aws.refused) as f64);
        self.put("most at once", after.most as f64);
        self.put("hub requests", (hub.asked + hub.reads) as f64 / identities);
        self.put("hub writes", hub.written as f64 / identities);
        self.put("hub refused", hub.refused as f64 / identities);
        self.put("peak mib", self.up.peak_kib()? / 1024.0);
        Ok(())
    }

    pub(crate) fn put(&mut self, name: &str, value: f64) {
        self.report.insert(name.to_owned(), value);
    }
}

/// Makes an identity with a policy of its own.
async fn create(hub: Client, number: usize) -> Result<()> {
    let spec: IamRoleServiceAccountSpec = serde_json::from_value(json!({ "policy": { "statement": [{
        "action": ["s3:GetObject", "s3:ListBucket"],
        "resource": [format!("arn:aws:s3:::bucket-{number}"), format!("arn:aws:s3:::bucket-{number}/*")],
    }] } }))?;
    let identities: Api<IamRoleServiceAccount> = Api::namespaced(hub, "default");
    let identity = IamRoleServiceAccount::new(&format!("i{number}"), spec);
    identities.create(&PostParams::default(), &identity).await?;
    Ok(())
}
