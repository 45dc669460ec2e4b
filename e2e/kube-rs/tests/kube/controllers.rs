//! A controller as kube-rs' users write them: owned objects, finalizers, events.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Event as CoreEvent};
use k8s_openapi::api::events::v1::Event as NewEvent;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event, EventType, Recorder};
use kube::runtime::finalizer::{self, finalizer};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::watcher;
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

use crate::clients::{both, eventually};
use crate::widget::{Widget, widget, widgets};

const FINALIZER: &str = "test.bowline.dev/widget";

struct Context {
    client: Client,
    recorder: Recorder,
}

type Failure = finalizer::Error<kube::Error>;

async fn reconcile(widget: Arc<Widget>, context: Arc<Context>) -> Result<Action, Failure> {
    let widgets: Api<Widget> = Api::default_namespaced(context.client.clone());
    finalizer(&widgets, FINALIZER, widget, async |event| match event {
        finalizer::Event::Apply(widget) => apply(&widgets, &widget, &context).await,
        finalizer::Event::Cleanup(widget) => {
            say(&context, &widget, "Cleaned").await?;
            Ok(Action::await_change())
        }
    })
    .await
}

/// A widget has a map that says its colour; then it is ready.
async fn apply(widgets: &Api<Widget>, widget: &Widget, context: &Context) -> kube::Result<Action> {
    let maps: Api<ConfigMap> = Api::default_namespaced(context.client.clone());
    let map = ConfigMap {
        metadata: ObjectMeta {
            name: Some(widget.name_any()),
            owner_references: Some(widget.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        data: Some([("colour".to_owned(), widget.spec.colour.clone())].into()),
        ..ConfigMap::default()
    };
    let by = PatchParams::apply("widgets").force();
    maps.patch(&widget.name_any(), &by, &Patch::Apply(&map)).await?;
    if !widget.status.as_ref().is_some_and(|status| status.ready) {
        say(context, widget, "Made").await?;
        let ready = json!({ "status": { "ready": true, "replicas": widget.spec.replicas } });
        widgets.patch_status(&widget.name_any(), &PatchParams::default(), &Patch::Merge(ready)).await?;
    }
    Ok(Action::await_change())
}

async fn say(context: &Context, widget: &Widget, reason: &str) -> kube::Result<()> {
    let event = Event {
        type_: EventType::Normal,
        reason: reason.to_owned(),
        note: Some(format!("{} is {}", widget.name_any(), widget.spec.colour)),
        action: "Reconcile".to_owned(),
        secondary: None,
    };
    context.recorder.publish(&event, &widget.object_ref(&())).await
}

fn start(client: &Client, config: &watcher::Config) -> tokio::task::JoinHandle<()> {
    let context =
        Context { client: client.clone(), recorder: Recorder::new(client.clone(), "widgets".into()) };
    let controller = Controller::new(Api::<Widget>::default_namespaced(client.clone()), config.clone())
        .owns(Api::<ConfigMap>::default_namespaced(client.clone()), config.clone())
        // Somebody else may be faster to write: it is tried again at once.
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(10)), Arc::new(context));
    tokio::spawn(controller.for_each(async |_| ()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_makes_mends_and_cleans_up() -> Result<()> {
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        both(async |client: Client| {
            let widgets = widgets(&client).await?;
            let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
            // One is there before the controller, one comes after it.
            widgets.create(&PostParams::default(), &widget("early")).await?;
            let controller = start(&client, &config);
            widgets.create(&PostParams::default(), &widget("late")).await?;
            for name in ["early", "late"] {
                live(&widgets, &maps, name).await.context(name)?;
            }
            events(&client, "early").await?;
            controller.abort();
            Ok(())
        })
        .await?;
    }
    Ok(())
}

/// A widget through its life.
async fn live(widgets: &Api<Widget>, maps: &Api<ConfigMap>, name: &str) -> Result<()> {
    let ready = |widget: Option<&Widget>| {
        widget.and_then(|widget| widget.status.as_ref()).is_some_and(|status| status.ready)
    };
    let widget = await_condition(widgets.clone(), name, ready).await?.context("it is there")?;
    assert_eq!(widget.finalizers(), [FINALIZER]);
    let map = maps.get(name).await?;
    assert_eq!(map.owner_references().iter().map(|owner| owner.name.as_str()).collect::<Vec<_>>(), [name]);
    // What it owns is missed, and made again.
    maps.delete(name, &DeleteParams::default()).await?;
    let another = |found: Option<&ConfigMap>| found.is_some_and(|found| found.uid() != map.uid());
    await_condition(maps.clone(), name, another).await?;
    // What it is to be is followed.
    let blue = Patch::Merge(json!({ "spec": { "colour": "blue" } }));
    widgets.patch(name, &PatchParams::default(), &blue).await?;
    let is_blue = |found: Option<&ConfigMap>| {
        found.and_then(|found| found.data.as_ref()).is_some_and(|data| data["colour"] == "blue")
    };
    let map = await_condition(maps.clone(), name, is_blue).await?.context("it is there")?;
    // When it goes it is cleaned up first, and takes along what it owns.
    widgets.delete(name, &DeleteParams::default()).await?;
    let uid = widget.uid().context("it has one")?;
    await_condition(widgets.clone(), name, conditions::is_deleted(&uid)).await?;
    let uid = map.uid().context("it has one")?;
    await_condition(maps.clone(), name, conditions::is_deleted(&uid)).await?;
    Ok(())
}

/// What the controller said is there as events of both kinds.
async fn events(client: &Client, name: &str) -> Result<()> {
    let old: Api<CoreEvent> = Api::default_namespaced(client.clone());
    let selector = format!("involvedObject.kind=Widget,involvedObject.name={name}");
    let old = old.list(&ListParams::default().fields(&selector)).await?;
    let mut reasons: Vec<_> = old.iter().filter_map(|event| event.reason.as_deref()).collect();
    reasons.sort_unstable();
    assert_eq!(reasons, ["Cleaned", "Made"]);
    assert!(old.iter().all(|event| event.involved_object.name.as_deref() == Some(name)));
    assert!(old.iter().all(|event| event.reporting_component.as_deref() == Some("widgets")));
    let new: Api<NewEvent> = Api::default_namespaced(client.clone());
    let new = new.list(&ListParams::default().fields(&format!("regarding.name={name}"))).await?;
    let notes: Vec<_> = new.iter().filter_map(|event| event.note.as_deref()).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes.contains(&format!("{name} is blue").as_str()), "{notes:?}");
    Ok(())
}

#[tokio::test]
async fn an_event_that_comes_again_becomes_a_series() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        let widget = widgets.create(&PostParams::default(), &widget("a")).await?;
        let context =
            Context { client: client.clone(), recorder: Recorder::new(client.clone(), "widgets".into()) };
        for _ in 0..3 {
            say(&context, &widget, "Again").await?;
        }
        let new: Api<NewEvent> = Api::default_namespaced(client.clone());
        let old: Api<CoreEvent> = Api::default_namespaced(client);
        let new = new.list(&ListParams::default()).await?.items;
        assert_eq!(new.len(), 1);
        assert_eq!(new[0].series.as_ref().map(|series| series.count), Some(3));
        let old = old.get(&new[0].name_any()).await?;
        assert_eq!(old.series.and_then(|series| series.count), Some(3));
        Ok(())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_stops_when_it_is_told_to() -> Result<()> {
    both(async |client: Client| {
        let widgets = widgets(&client).await?;
        let context =
            Context { client: client.clone(), recorder: Recorder::new(client.clone(), "widgets".into()) };
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let controller = Controller::new(widgets.clone(), watcher::Config::default())
            .graceful_shutdown_on(async move { drop(stopped.await) })
            .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(10)), Arc::new(context));
        let controller = tokio::spawn(controller.for_each(async |_| ()));
        widgets.create(&PostParams::default(), &widget("a")).await?;
        eventually(async || Ok(widgets.get("a").await?.status.map(drop))).await?;
        drop(stop);
        controller.await?;
        Ok(())
    })
    .await
}
