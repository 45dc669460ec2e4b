//! Objects one by one and many at once: create, get, replace, delete, entries, options.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{DeleteParams, ListParams, ObjectMeta, PostParams, Preconditions, PropagationPolicy};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, Resource, ResourceExt};

use crate::clients::{both, refusal, refused};
use crate::widget::{widget, widgets};

fn map(name: &str, value: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            labels: Some(BTreeMap::from([("value".to_owned(), value.to_owned())])),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("value".to_owned(), value.to_owned())])),
        ..ConfigMap::default()
    }
}

#[tokio::test]
async fn one_object_through_its_life() -> Result<()> {
    both(async |client: Client| {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let post = PostParams::default();
        assert_eq!(maps.get_opt("a").await?, None);
        assert_eq!(refused(maps.get("a").await)?, (404, "NotFound".to_owned()));
        let made = maps.create(&post, &map("a", "1")).await?;
        assert_eq!(refused(maps.create(&post, &map("a", "1")).await)?, (409, "AlreadyExists".to_owned()));
        assert_eq!(maps.get("a").await?, made);
        let mut changed = made.clone();
        changed.data = map("a", "2").data;
        let changed = maps.replace("a", &post, &changed).await?;
        assert_ne!(changed.resource_version(), made.resource_version());
        // The same again changes nothing, not even the version.
        assert_eq!(maps.replace("a", &post, &changed).await?, changed);
        let stale = refusal(maps.replace("a", &post, &made).await)?;
        assert_eq!((stale.code, stale.reason.as_str()), (409, "Conflict"));
        assert!(stale.message.contains("the object has been modified"), "{}", stale.message);
        let wrong = Preconditions { uid: Some("another".to_owned()), ..Preconditions::default() };
        let delete = DeleteParams { preconditions: Some(wrong), ..DeleteParams::default() };
        assert_eq!(refused(maps.delete("a", &delete).await)?, (409, "Conflict".to_owned()));
        let gone = maps.delete("a", &DeleteParams::default()).await?;
        assert!(gone.right().context("it is gone at once")?.is_success());
        assert_eq!(maps.get_opt("a").await?, None);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn dry_runs_leave_nothing() -> Result<()> {
    both(async |client: Client| {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let dry = PostParams { dry_run: true, ..PostParams::default() };
        let made = maps.create(&dry, &map("a", "1")).await?;
        assert_eq!((made.name_any().as_str(), made.resource_version()), ("a", None));
        assert_eq!(maps.get_opt("a").await?, None);
        let kept = maps.create(&PostParams::default(), &map("a", "1")).await?;
        maps.delete("a", &DeleteParams::default().dry_run()).await?;
        assert_eq!(maps.get("a").await?, kept);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn entries_are_inserted_and_modified_and_guard_against_others() -> Result<()> {
    both(async |client: Client| {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let post = PostParams::default();
        let mut entry = maps.entry("a").await?.or_insert(|| map("a", "1"));
        entry.commit(&post).await?;
        let mut other = maps.entry("a").await?.or_insert(|| map("a", "never"));
        let mut entry = maps
            .entry("a")
            .await?
            .and_modify(|found| found.data = map("a", "2").data)
            .or_insert(|| map("a", "never"));
        entry.commit(&post).await?;
        assert_eq!(maps.get("a").await?.data, map("a", "2").data);
        other.get_mut().data = map("a", "3").data;
        assert!(other.commit(&post).await.is_err(), "somebody was faster");
        assert_eq!(maps.get("a").await?.data, map("a", "2").data);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn lists_come_in_pages_of_one_version() -> Result<()> {
    both(async |client: Client| {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        for number in 0..7 {
            maps.create(&PostParams::default(), &map(&format!("page-{number}"), "x")).await?;
        }
        let first = maps.list(&ListParams::default().labels("value=x").limit(3)).await?;
        maps.create(&PostParams::default(), &map("page-0a", "x")).await?;
        let mut names: Vec<_> = first.items.iter().map(ResourceExt::name_any).collect();
        let mut token = first.metadata.continue_.clone();
        while let Some(more) = token.filter(|token| !token.is_empty()) {
            let page =
                maps.list(&ListParams::default().labels("value=x").limit(3).continue_token(&more)).await?;
            assert_eq!(page.metadata.resource_version, first.metadata.resource_version);
            names.extend(page.items.iter().map(ResourceExt::name_any));
            token = page.metadata.continue_;
        }
        let expected: Vec<_> = (0..7).map(|number| format!("page-{number}")).collect();
        assert_eq!(names, expected);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn collections_are_deleted_by_label_and_what_has_finalizers_waits() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        for (name, label, held) in [("a", "x", false), ("b", "x", true), ("c", "y", false)] {
            let mut widget = widget(name);
            widget.labels_mut().insert("group".to_owned(), label.to_owned());
            if held {
                widget.finalizers_mut().push("test.bowline.dev/hold".to_owned());
            }
            widgets.create(&PostParams::default(), &widget).await?;
        }
        widgets.delete_collection(&DeleteParams::default(), &ListParams::default().labels("group=x")).await?;
        let left = widgets.list(&ListParams::default()).await?;
        let names: Vec<_> = left.iter().map(ResourceExt::name_any).collect();
        assert_eq!(names, ["b", "c"]);
        let mut held = widgets.get("b").await?;
        assert!(held.meta().deletion_timestamp.is_some());
        held.finalizers_mut().clear();
        widgets.replace("b", &PostParams::default(), &held).await?;
        assert_eq!(widgets.get_opt("b").await?, None);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn owners_take_along_what_they_own() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        for (name, policy) in
            [("background", PropagationPolicy::Background), ("foreground", PropagationPolicy::Foreground)]
        {
            let owner = widgets.create(&PostParams::default(), &widget(name)).await?;
            let mut child = map(name, "child");
            child.owner_references_mut().extend(owner.controller_owner_ref(&()));
            let child = maps.create(&PostParams::default(), &child).await?;
            let delete = DeleteParams { propagation_policy: Some(policy), ..DeleteParams::default() };
            widgets.delete(name, &delete).await?;
            let uid = child.uid().context("it has a uid")?;
            await_condition(maps.clone(), name, conditions::is_deleted(&uid)).await?;
            let uid = owner.uid().context("it has a uid")?;
            await_condition(widgets.clone(), name, conditions::is_deleted(&uid)).await?;
        }
        let owner = widgets.create(&PostParams::default(), &widget("orphan")).await?;
        let mut child = map("orphan", "child");
        child.owner_references_mut().extend(owner.controller_owner_ref(&()));
        maps.create(&PostParams::default(), &child).await?;
        let delete =
            DeleteParams { propagation_policy: Some(PropagationPolicy::Orphan), ..DeleteParams::default() };
        widgets.delete("orphan", &delete).await?;
        let free = |map: Option<&ConfigMap>| map.is_some_and(|map| map.owner_references().is_empty());
        await_condition(maps, "orphan", free).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn namespaces_take_along_what_is_in_them() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        drop(widgets);
        let spaces: Api<Namespace> = Api::all(client.clone());
        let space = Namespace {
            metadata: ObjectMeta { name: Some("short".to_owned()), ..ObjectMeta::default() },
            ..Namespace::default()
        };
        let space = spaces.create(&PostParams::default(), &space).await?;
        let inside: Api<crate::widget::Widget> = Api::namespaced(client.clone(), "short");
        let widget = inside.create(&PostParams::default(), &widget("w")).await?;
        spaces.delete("short", &DeleteParams::default()).await?;
        let refusal = refused(inside.create(&PostParams::default(), &crate::widget::widget("late")).await);
        // It is going, or gone by now.
        assert!(matches!(refusal?.0, 403 | 404));
        let uid = widget.uid().context("it has a uid")?;
        await_condition(inside, "w", conditions::is_deleted(&uid)).await?;
        let uid = space.uid().context("it has a uid")?;
        await_condition(spaces, "short", conditions::is_deleted(&uid)).await?;
        Ok(())
    })
    .await
}
