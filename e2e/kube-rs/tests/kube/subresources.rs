//! Status, scale, eviction and tokens.

use anyhow::{Context, Result};
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::{Pod, ServiceAccount};
use kube::api::{EvictParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::{from_value, json};

use crate::clients::{both, refused};
use crate::widget::{WidgetStatus, widget, widgets};

#[tokio::test]
async fn status_is_written_apart_from_the_rest() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        let mut sent = widget("a");
        sent.status = Some(WidgetStatus { ready: true, ..WidgetStatus::default() });
        let made = widgets.create(&PostParams::default(), &sent).await?;
        assert_eq!(made.status, None, "what is sent with the object does not count");
        let both = Patch::Merge(json!({ "spec": { "colour": "blue" }, "status": { "ready": true } }));
        let ready = widgets.patch_status("a", &PatchParams::default(), &both).await?;
        assert_eq!(
            (ready.spec.colour.as_str(), ready.status.as_ref().map(|status| status.ready)),
            ("red", Some(true))
        );
        assert_eq!(ready.metadata.generation, Some(1));
        let mut replaced = ready.clone();
        replaced.status = Some(WidgetStatus { replicas: 5, ..WidgetStatus::default() });
        replaced.spec.replicas = 9;
        let replaced = widgets.replace_status("a", &PostParams::default(), &replaced).await?;
        assert_eq!(
            (replaced.spec.replicas, replaced.status.as_ref().map(|status| status.replicas)),
            (1, Some(5))
        );
        assert_eq!(widgets.get_status("a").await?, replaced);
        let stale = widgets.replace_status("a", &PostParams::default(), &ready).await;
        assert_eq!(refused(stale)?, (409, "Conflict".to_owned()));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn scale_of_a_derived_kind() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        widgets.create(&PostParams::default(), &widget("a")).await?;
        let status = json!({ "status": { "replicas": 4, "selector": "app=a", "ready": true } });
        widgets.patch_status("a", &PatchParams::default(), &Patch::Merge(status)).await?;
        let mut scale = widgets.get_scale("a").await?;
        assert_eq!(scale.spec.as_ref().and_then(|spec| spec.replicas), Some(1));
        let status = scale.status.clone().context("it has one")?;
        assert_eq!((status.replicas, status.selector.as_deref()), (4, Some("app=a")));
        let three = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
        let patched = widgets.patch_scale("a", &PatchParams::default(), &three).await?;
        assert_eq!(patched.spec.and_then(|spec| spec.replicas), Some(3));
        scale.spec.as_mut().context("it has one")?.replicas = Some(2);
        let stale = widgets.replace_scale("a", &PostParams::default(), &scale).await;
        assert_eq!(refused(stale)?, (409, "Conflict".to_owned()));
        scale.metadata.resource_version = patched.metadata.resource_version;
        widgets.replace_scale("a", &PostParams::default(), &scale).await?;
        let scaled = widgets.get("a").await?;
        assert_eq!((scaled.spec.replicas, scaled.metadata.generation), (2, Some(3)));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn pods_are_evicted() -> Result<()> {
    both(async |client: Client| {
        let pods: Api<Pod> = Api::default_namespaced(client);
        let pod: Pod = from_value(json!({
            "metadata": { "name": "a" },
            "spec": { "nodeName": "n", "containers": [{ "name": "c", "image": "i" }], "terminationGracePeriodSeconds": 0 },
        }))?;
        pods.create(&PostParams::default(), &pod).await?;
        assert!(pods.evict("a", &EvictParams::default()).await?.is_success());
        assert!(pods.get_opt("a").await?.is_none_or(|pod| pod.metadata.deletion_timestamp.is_some()));
        assert_eq!(refused(pods.evict("missing", &EvictParams::default()).await)?.0, 404);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn tokens_are_for_their_account() -> Result<()> {
    both(async |client: Client| {
        let accounts: Api<ServiceAccount> = Api::default_namespaced(client);
        let account: ServiceAccount = from_value(json!({ "metadata": { "name": "robot" } }))?;
        let account = accounts.create(&PostParams::default(), &account).await?;
        let request = TokenRequest {
            spec: TokenRequestSpec { audiences: vec!["test".to_owned()], ..TokenRequestSpec::default() },
            ..TokenRequest::default()
        };
        let answer = accounts.create_token_request("robot", &PostParams::default(), &request).await?;
        let status = answer.status.context("it has one")?;
        assert_eq!(status.token.split('.').count(), 3, "it is a JWT");
        assert_eq!(account.name_any(), "robot");
        Ok(())
    })
    .await
}
