//! What a client finds out about the server.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use kube::core::{DynamicObject, GroupVersionKind};
use kube::discovery::{self, Discovery, Scope, verbs};
use kube::{Api, Client, ResourceExt};

use crate::clients::both;
use crate::widget::{Widget, widget, widgets};

/// Every resource of every version, with all that is said of it.
fn everything(
    discovery: &Discovery,
) -> BTreeMap<String, (String, Scope, BTreeSet<String>, BTreeSet<String>)> {
    let mut all = BTreeMap::new();
    for group in discovery.groups() {
        for version in group.versions() {
            for (resource, capabilities) in group.versioned_resources(version) {
                let subresources =
                    capabilities.subresources.iter().map(|(sub, _)| sub.plural.clone()).collect();
                let verbs = capabilities.operations.iter().cloned().collect();
                let path = format!("{}/{}", resource.api_version, resource.plural);
                all.insert(path, (resource.kind, capabilities.scope, verbs, subresources));
            }
        }
    }
    all
}

#[tokio::test]
async fn both_ways_find_the_same() -> Result<()> {
    both(async |client: Client| {
        widgets(&client).await?;
        let legacy = Discovery::new(client.clone()).run().await?;
        let aggregated = Discovery::new(client).run_aggregated().await?;
        let (legacy, aggregated) = (everything(&legacy), everything(&aggregated));
        assert_eq!(legacy, aggregated);
        let (kind, scope, _, subresources) =
            legacy.get("test.bowline.dev/v1/widgets").context("it is found")?;
        assert_eq!((kind.as_str(), scope), ("Widget", &Scope::Namespaced));
        assert_eq!(subresources.iter().map(String::as_str).collect::<Vec<_>>(), ["scale", "status"]);
        for path in [
            "v1/configmaps",
            "apps/v1/deployments",
            "coordination.k8s.io/v1/leases",
            "events.k8s.io/v1/events",
        ] {
            assert!(legacy.contains_key(path), "{path}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_kind_that_is_found_can_be_used() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        let made = widgets.create(&Default::default(), &widget("a")).await?;
        let kind = GroupVersionKind::gvk("test.bowline.dev", "v1", "Widget");
        let (resource, capabilities) = discovery::pinned_kind(&client, &kind).await?;
        assert!(capabilities.supports_operation(verbs::WATCH));
        let dynamic: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
        let found: Widget = dynamic.get("a").await?.try_parse()?;
        assert_eq!(found, made);
        let group = discovery::group(&client, "test.bowline.dev").await?;
        assert_eq!(group.preferred_version_or_latest(), "v1");
        assert!(group.recommended_kind("Widget").is_some());
        assert!(discovery::group(&client, "missing.dev").await.is_err());
        assert_eq!(found.name_any(), "a");
        Ok(())
    })
    .await
}
