//! The four kinds of patches, and how each one meets what others did.

use anyhow::{Context, Result};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, from_value, json};

use crate::clients::{both, refusal, refused};
use crate::widget::{Widget, widget, widgets};

/// A patch by RFC 6902.
fn operations(operations: Value) -> Result<Patch<Value>> {
    Ok(Patch::Json(from_value(operations)?))
}

#[tokio::test]
async fn merge_patches_change_what_they_name() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        let made = widgets.create(&PostParams::default(), &widget("a")).await?;
        let patch = PatchParams::default();
        let blue = Patch::Merge(json!({ "spec": { "colour": "blue", "parts": ["x"] } }));
        let changed = widgets.patch("a", &patch, &blue).await?;
        assert_eq!((changed.spec.colour.as_str(), changed.spec.replicas), ("blue", 1));
        assert_eq!(changed.metadata.generation, Some(2));
        assert_eq!(widgets.patch("a", &patch, &blue).await?, changed);
        // Null removes, and the default comes back.
        let none = Patch::Merge(json!({ "spec": { "colour": null } }));
        assert_eq!(widgets.patch("a", &patch, &none).await?.spec.colour, "green");
        let stale =
            json!({ "metadata": { "resourceVersion": made.resource_version() }, "spec": { "replicas": 2 } });
        assert_eq!(
            refused(widgets.patch("a", &patch, &Patch::Merge(stale)).await)?,
            (409, "Conflict".to_owned())
        );
        let wrong =
            refusal(widgets.patch("a", &patch, &Patch::Merge(json!({ "spec": { "replicas": 101 } }))).await)?;
        assert_eq!((wrong.code, wrong.reason.as_str()), (422, "Invalid"));
        let cause =
            wrong.details.as_ref().and_then(|details| details.causes.first()).context("it says why")?;
        assert_eq!(cause.field, "spec.replicas");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn json_patches_are_all_or_nothing() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        widgets.create(&PostParams::default(), &widget("a")).await?;
        let patch = PatchParams::default();
        let good = operations(json!([
            { "op": "test", "path": "/spec/colour", "value": "red" },
            // So does `finalizer()` of kube: there is none yet.
            { "op": "test", "path": "/metadata/finalizers", "value": null },
            { "op": "add", "path": "/spec/parts", "value": ["a", "c"] },
            { "op": "add", "path": "/spec/parts/1", "value": "b" },
        ]))?;
        let changed = widgets.patch("a", &patch, &good).await?;
        assert_eq!(changed.spec.parts, ["a", "b", "c"]);
        let bad = operations(json!([
            { "op": "replace", "path": "/spec/colour", "value": "blue" },
            { "op": "test", "path": "/spec/replicas", "value": 7 },
        ]))?;
        assert_eq!(refused(widgets.patch("a", &patch, &bad).await)?, (422, "Invalid".to_owned()));
        assert_eq!(widgets.get("a").await?, changed);
        assert_eq!(refused(widgets.patch("missing", &patch, &good).await)?, (404, "NotFound".to_owned()));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn strategic_patches_merge_lists_of_built_in_kinds_only() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        let deployments: Api<Deployment> = Api::default_namespaced(client);
        let deployment: Deployment = from_value(json!({
            "metadata": { "name": "a" },
            "spec": {
                "selector": { "matchLabels": { "app": "a" } },
                "template": {
                    "metadata": { "labels": { "app": "a" } },
                    "spec": { "containers": [{ "name": "one", "image": "one:1" }, { "name": "two", "image": "two:1" }] },
                },
            },
        }))?;
        deployments.create(&PostParams::default(), &deployment).await?;
        let image = json!({ "spec": { "template": { "spec": { "containers": [{ "name": "two", "image": "two:2" }] } } } });
        let changed = deployments.patch("a", &PatchParams::default(), &Patch::Strategic(image)).await?;
        let spec = changed.spec.context("it has one")?.template.spec.context("it has one")?;
        let images: Vec<_> = spec.containers.iter().filter_map(|container| container.image.as_deref()).collect();
        assert_eq!(images, ["one:1", "two:2"]);
        widgets.create(&PostParams::default(), &widget("a")).await?;
        let patch = Patch::Strategic(json!({ "spec": { "colour": "blue" } }));
        let refusal = refused(widgets.patch("a", &PatchParams::default(), &patch).await)?;
        assert_eq!(refusal, (415, "UnsupportedMediaType".to_owned()));
        Ok(())
    })
    .await
}

/// A configuration of a widget that says only this.
fn says(spec: &Value) -> Patch<Value> {
    Patch::Apply(json!({
        "apiVersion": "test.bowline.dev/v1", "kind": "Widget", "metadata": { "name": "a" }, "spec": spec,
    }))
}

#[tokio::test]
async fn applied_fields_belong_to_who_applies_them() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        let (one, two) = (PatchParams::apply("one"), PatchParams::apply("two"));
        let made = widgets.patch("a", &one, &says(&json!({ "colour": "red", "replicas": 3 }))).await?;
        assert_eq!(widgets.patch("a", &one, &says(&json!({ "colour": "red", "replicas": 3 }))).await?, made);
        let conflict = refusal(widgets.patch("a", &two, &says(&json!({ "colour": "blue" }))).await)?;
        assert_eq!((conflict.code, conflict.reason.as_str()), (409, "Conflict"));
        let causes = conflict.details.as_ref().map(|details| details.causes.clone()).unwrap_or_default();
        assert_eq!(causes.len(), 1, "{conflict:?}");
        assert_eq!(
            (causes[0].reason.as_str(), causes[0].field.as_str()),
            ("FieldManagerConflict", ".spec.colour")
        );
        let forced = widgets.patch("a", &two.clone().force(), &says(&json!({ "colour": "blue" }))).await?;
        assert_eq!((forced.spec.colour.as_str(), forced.spec.replicas), ("blue", 3));
        assert_eq!(managers(&forced), ["one", "two"]);
        // Who no longer names a field gives it up; nobody else has it, so it is gone.
        let given_up = widgets.patch("a", &one, &says(&json!({}))).await?;
        assert_eq!((given_up.spec.colour.as_str(), given_up.spec.replicas), ("blue", 0));
        Ok(())
    })
    .await
}

fn managers(widget: &Widget) -> Vec<&str> {
    let mut managers: Vec<_> =
        widget.managed_fields().iter().filter_map(|entry| entry.manager.as_deref()).collect();
    managers.sort_unstable();
    managers.dedup();
    managers
}

#[tokio::test]
async fn apply_of_what_is_typed_makes_it() -> Result<()> {
    both(async |client: Client| {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let map: ConfigMap = from_value(json!({ "metadata": { "name": "a" }, "data": { "x": "1" } }))?;
        let params = PatchParams::apply("test").validation_strict();
        let made = maps.patch("a", &params, &Patch::Apply(&map)).await?;
        assert_eq!(made.data, map.data);
        let other = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "b" } });
        let dry = maps.patch("b", &params.clone().dry_run(), &Patch::Apply(&other)).await?;
        assert_eq!(dry.name_any(), "b");
        assert_eq!(maps.get_opt("b").await?, None);
        let unknown =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "b" }, "dota": {} });
        let refusal = refused(maps.patch("b", &params, &Patch::Apply(&unknown)).await)?;
        assert!(matches!(refusal.0, 400 | 500), "the real server says both: {refusal:?}");
        Ok(())
    })
    .await
}
