//! The controller of pairs as users of kube-rs write it: stores that watches fill, a function that is called with an object
//! when it or what it owns has changed, and a wait for the next change.

use std::sync::Arc;
use std::time::Duration;

use bowline_control::{Controller as _, Decision, Effect, Standing, Write};
use bowline_e2e_sample::{Half, Pair, Text};
use bowline_runtime::Address;
use bowline_sample::{Object, Side};
use futures::StreamExt;
use kube::api::{DeleteParams, PostParams, Preconditions};
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::reflector::{ObjectRef, Store, store};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::sync::OnceCell;

use super::objects;
use crate::tally::Counted;

/// How long a pair rests after an error, if nothing changes: what kube-rs' examples have.
const REST: Duration = Duration::from_secs(5);

struct Context {
    client: Client,
    halves: Store<Half>,
    /// The halves have been listed.
    listed: OnceCell<()>,
    counted: Counted,
}

#[derive(Debug)]
struct Failed(String);

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

impl From<kube::Error> for Failed {
    fn from(error: kube::Error) -> Failed {
        Failed(error.to_string())
    }
}

/// Runs until `stop`.
pub(super) async fn run(counted: Counted, client: Client, workers: u16, stop: impl Future<Output = ()>) {
    // Who wrote which field is large and nobody reads it: kube-rs' guide has it removed, and ours does so too.
    let ((pairs, write_pairs), (halves, write_halves)) = (store(), store());
    let pair_events = watcher(Api::<Pair>::all(client.clone()), watcher::Config::default())
        .default_backoff()
        .modify(|pair| pair.managed_fields_mut().clear())
        .reflect(write_pairs)
        .applied_objects();
    let half_events = watcher(Api::<Half>::all(client.clone()), watcher::Config::default())
        .default_backoff()
        .modify(|half| half.managed_fields_mut().clear())
        .reflect(write_halves)
        .touched_objects();
    let context = Arc::new(Context { client, halves, listed: OnceCell::new(), counted });
    let done = Controller::for_stream(pair_events, pairs)
        .owns_stream(half_events)
        .with_config(Config::default().concurrency(workers))
        .run(reconcile, |_, _: &Failed, _| Action::requeue(REST), context)
        .for_each(|_| std::future::ready(()));
    tokio::select! {
        () = done => {}
        () = stop => {}
    }
}

/// One step for a pair, or what people are told of it.
async fn reconcile(pair: Arc<Pair>, context: Arc<Context>) -> Result<Action, Failed> {
    // What has not been listed yet would seem to be missing.
    // One waits for all: the store (of kube-runtime 5.0.0) wakes only the last who does, and the others would wait for ever.
    let listed = context.listed.get_or_try_init(|| context.halves.wait_until_ready()).await;
    listed.map_err(|error| Failed(error.to_string()))?;
    let key = Address { namespace: pair.namespace().unwrap_or_default(), name: pair.name_any() };
    let half = |side: Side| {
        context.halves.get(&ObjectRef::new(&format!("{}-{side}", key.name)).within(&key.namespace))
    };
    let halves = Side::ALL.map(half);
    let seen: Vec<_> = objects::read_pair(&pair)
        .into_iter()
        .chain(
            Side::ALL
                .into_iter()
                .zip(&halves)
                .filter_map(|(side, half)| objects::read_half(&key, side, half.as_ref()?)),
        )
        .collect();
    let (controller, now) = (&context.counted, bowline_runtime::now());
    let snapshot = controller.snapshot(&key, &seen.iter().collect::<Vec<_>>(), &());
    let write = match controller.decide(&snapshot, now) {
        Decision::Do(step) => match controller.effect(&snapshot, &step, now) {
            Effect::Write(write) => Some(write),
            // Nobody decides to mend what is not there.
            Effect::Look(_) => None,
            Effect::Call(call) => match call {},
        },
        Decision::Wait { what, .. } => controller.report(&snapshot, Standing::Waiting(&what), now),
        Decision::Converged => controller.report(&snapshot, Standing::Converged, now),
    };
    if let Some(write) = write {
        carry(&context.client, &pair, &halves, write).await?;
    }
    Ok(Action::await_change())
}

/// Writes, on top of the objects that it was decided on.
async fn carry(
    client: &Client,
    pair: &Pair,
    halves: &[Option<Arc<Half>>; 2],
    write: Write<Object<Text>>,
) -> Result<(), Failed> {
    let namespace = pair.namespace().unwrap_or_default();
    let pairs: Api<Pair> = Api::namespaced(client.clone(), &namespace);
    let api: Api<Half> = Api::namespaced(client.clone(), &namespace);
    let params = PostParams { dry_run: false, field_manager: Some("kube-runtime-pairs".into()) };
    match write {
        Write::Create(Object::Half(half)) => {
            api.create(&params, &objects::new_half(pair, &half)).await?;
        }
        Write::Change { after: Object::Pair(after), .. } => {
            let raw = objects::hold(pair, after.held);
            pairs.replace(&raw.name_any(), &params, &raw).await?;
        }
        Write::Status { after: Object::Pair(after), .. } => {
            let raw = objects::tell(pair, &after.status);
            pairs.replace_status(&raw.name_any(), &params, &raw).await?;
        }
        Write::Change { after: Object::Half(after), .. } => {
            let Some(before) = &halves[after.side as usize] else { return Ok(()) };
            let mut raw = Half::clone(before);
            raw.spec.value = after.value;
            api.replace(&raw.name_any(), &params, &raw).await?;
        }
        Write::Delete(Object::Half(half)) => {
            let only_this =
                Preconditions { uid: Some(half.uid), resource_version: Some(half.version.to_string()) };
            let name = format!("{}-{}", half.pair.name, half.side);
            api.delete(&name, &DeleteParams::background().preconditions(only_this)).await?;
        }
        other => return Err(Failed(format!("a controller of pairs does not write this: {other:?}"))),
    }
    Ok(())
}
