//! Puts the cases to a server.

use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, Status};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Client, ResourceExt};
use serde_json::{Value, json};

use crate::cases::{self, Case, Way};

/// They are made from types, which takes its time.
static DEFINITIONS: LazyLock<Vec<CustomResourceDefinition>> = LazyLock::new(bowline_api::crds);

/// What a server said to a case.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    kind: String,
    what: Value,
    code: u16,
    reason: String,
    message: String,
}

/// Defines all kinds, and puts all cases to the server.
pub(crate) async fn all(client: Client) -> Result<Vec<Verdict>> {
    define(&client).await?;
    for (kind, steps) in cases::right() {
        accepts(&client, kind, &steps).await.with_context(|| format!("{kind} is right"))?;
    }
    let mut verdicts = Vec::new();
    for case in cases::wrong() {
        let verdict = refuses(&client, &case).await.with_context(|| format!("{case:?}"))?;
        ensure!(
            verdict.code == 422 && verdict.message.contains(case.message),
            "{case:#?} gets another answer: {verdict:#?}"
        );
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

async fn define(client: &Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in &*DEFINITIONS {
        let name = definition.name_any();
        definitions.create(&PostParams::default(), definition).await.context(name)?;
    }
    for definition in &*DEFINITIONS {
        await_condition(definitions.clone(), &definition.name_any(), conditions::is_crd_established())
            .await?;
    }
    Ok(())
}

/// The objects of a kind, in `default` if they are in namespaces.
fn api(client: &Client, kind: &str) -> Result<(Api<DynamicObject>, ApiResource)> {
    let definition = DEFINITIONS.iter().find(|definition| definition.spec.names.kind == kind);
    let definition = definition.with_context(|| format!("there is no kind {kind}"))?;
    let resource = ApiResource {
        group: bowline_api::GROUP.to_owned(),
        version: bowline_api::VERSION.to_owned(),
        api_version: format!("{}/{}", bowline_api::GROUP, bowline_api::VERSION),
        kind: kind.to_owned(),
        plural: definition.spec.names.plural.clone(),
    };
    let api = match definition.spec.scope.as_str() {
        "Cluster" => Api::all_with(client.clone(), &resource),
        _ => Api::default_namespaced_with(client.clone(), &resource),
    };
    Ok((api, resource))
}

fn object(resource: &ApiResource, value: &Value) -> Result<DynamicObject> {
    let mut object = value.clone();
    object["apiVersion"] = json!(resource.api_version);
    object["kind"] = json!(resource.kind);
    Ok(serde_json::from_value(object)?)
}

/// Does the steps one after the other. The object is gone afterwards, whatever became of them.
async fn steps(client: &Client, kind: &str, steps: &[(Way, Value)]) -> Result<kube::Result<()>> {
    let (api, resource) = api(client, kind)?;
    let strict = PatchParams {
        field_validation: Some(kube::api::ValidationDirective::Strict),
        ..PatchParams::default()
    };
    let mut name: Option<String> = None;
    let mut last = Ok(());
    for (way, value) in steps {
        let answer = match (way, &name) {
            (Way::Create, _) => api.create(&PostParams::default(), &object(&resource, value)?).await,
            (Way::Change, Some(name)) => api.patch(name, &strict, &Patch::Merge(value)).await,
            (Way::Status, Some(name)) => {
                api.patch_status(name, &strict, &Patch::Merge(json!({"status": value}))).await
            }
            (_, None) => bail!("there is no object to change"),
        };
        match answer {
            Ok(object) => name = Some(object.name_any()),
            Err(error) => {
                last = Err(error);
                break;
            }
        }
    }
    if let Some(name) = name {
        api.delete(&name, &DeleteParams::default()).await?;
    }
    Ok(last)
}

async fn accepts(client: &Client, kind: &str, done: &[(Way, Value)]) -> Result<()> {
    for upto in 1..=done.len() {
        steps(client, kind, &done[..upto]).await?.with_context(|| format!("{:#}", done[upto - 1].1))?;
    }
    Ok(())
}

/// All steps but the last are accepted, and that is not.
async fn refuses(client: &Client, case: &Case) -> Result<Verdict> {
    let before = &case.steps[..case.steps.len() - 1];
    accepts(client, case.kind, before).await?;
    let Status { code, reason, message, .. } = match steps(client, case.kind, &case.steps).await? {
        Err(kube::Error::Api(status)) => *status,
        other => bail!("the server did not refuse: {other:?}"),
    };
    let what = case.steps.last().map(|(_, value)| value.clone()).unwrap_or_default();
    Ok(Verdict { kind: case.kind.to_owned(), what, code, reason, message })
}
