//! Objects of which only the metadata is asked for.

use anyhow::{Context, Result};
use futures::{StreamExt, TryStreamExt};
use kube::api::{ListParams, PartialObjectMeta, PartialObjectMetaExt, Patch, PatchParams, PostParams};
use kube::core::ObjectMeta;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use crate::clients::both;
use crate::widget::{Widget, widget, widgets};

#[tokio::test]
async fn metadata_alone_is_got_listed_and_patched() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        let parts: Api<PartialObjectMeta<Widget>> = Api::default_namespaced(client);
        let made = widgets.create(&PostParams::default(), &widget("a")).await?;
        let part = parts.get("a").await?;
        assert_eq!(part.metadata, made.metadata);
        assert_eq!(part.types.as_ref().map(|types| types.kind.as_str()), Some("PartialObjectMetadata"));
        let list = parts.list(&ListParams::default()).await?;
        assert_eq!(list.items.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["a"]);
        let labelled = ObjectMeta {
            labels: Some([("seen".to_owned(), "yes".to_owned())].into()),
            ..ObjectMeta::default()
        };
        let patch = Patch::Apply(labelled.into_request_partial::<Widget>());
        let patched = widgets.patch_metadata("a", &PatchParams::apply("labeller"), &patch).await?;
        assert_eq!(patched.labels().get("seen").map(String::as_str), Some("yes"));
        assert_eq!(widgets.get("a").await?.spec, made.spec);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn metadata_alone_is_watched_in_both_modes() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        widgets.create(&PostParams::default(), &widget("a")).await?;
        for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
            let parts: Api<PartialObjectMeta<Widget>> = Api::default_namespaced(client.clone());
            let mut seen = watcher(parts, config).applied_objects().boxed();
            assert_eq!(seen.try_next().await?.context("there is one")?.name_any(), "a");
            let patch = Patch::Merge(
                json!({ "metadata": { "labels": { "at": widgets.get("a").await?.resource_version() } } }),
            );
            let changed = widgets.patch("a", &PatchParams::default(), &patch).await?;
            assert_eq!(seen.try_next().await?.context("it has changed")?.metadata, changed.metadata);
        }
        Ok(())
    })
    .await
}
