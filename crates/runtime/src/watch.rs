//! The watches: what a server shows becomes the loop's events.

use std::collections::BTreeSet;
use std::sync::Arc;

use bowline_control::{Event, Id, KindOf, Object};
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use kube::core::DynamicObject;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};

use crate::metrics::Metrics;
use crate::raw::Raw;
use crate::wire::{Address, Watched, Wire};

/// What one kind's watch says, for ever. What goes wrong with it is logged when it is new, and tried again after a rest.
pub(crate) fn watch<W: Wire>(
    client: &Client,
    wire: &Arc<W>,
    raw: &Arc<Raw<W::Object>>,
    watched: Watched<KindOf<W::Object>>,
    metrics: &Metrics,
) -> BoxStream<'static, Event<W::Object>>
where
    W::Object: Send + Sync,
    KindOf<W::Object>: Send + Sync,
    <W::Object as Object>::Id: Send + Sync,
{
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &watched.resource);
    let stream = watcher(api, watcher::Config::default()).default_backoff();
    let kind = watched.kind;
    let (name, metrics) = (watched.resource.plural.clone(), metrics.clone());
    let mut reader = Reader { wire: Arc::clone(wire), raw: Arc::clone(raw), kind, listed: Vec::new() };
    let events = stream.filter_map(move |event| {
        let event = match event {
            Ok(event) => {
                metrics.complaints().shown(&name, &event);
                reader.take(event)
            }
            Err(error) => {
                if let Some(told) = metrics.complaints().of(&name, &error) {
                    tracing::warn!("{told}");
                }
                None
            }
        };
        std::future::ready(event)
    });
    boxed(events)
}

fn boxed<T>(stream: impl Stream<Item = T> + Send + 'static) -> BoxStream<'static, T> {
    stream.boxed()
}

/// Collects what is listed, and keeps what is shown, whole.
struct Reader<W: Wire> {
    wire: Arc<W>,
    raw: Arc<Raw<W::Object>>,
    kind: KindOf<W::Object>,
    listed: Vec<W::Object>,
}

impl<W: Wire> Reader<W> {
    fn take(&mut self, event: watcher::Event<DynamicObject>) -> Option<Event<W::Object>> {
        match event {
            watcher::Event::Init => {
                self.listed.clear();
                Some(Event::ListBegins(self.kind))
            }
            watcher::Event::InitApply(raw) => {
                let object = self.keep(raw);
                self.listed.extend(object);
                None
            }
            watcher::Event::InitDone => {
                let listed = std::mem::take(&mut self.listed);
                let there: BTreeSet<_> = listed.iter().map(Object::id).collect();
                let kind = self.kind;
                self.raw.retain(|id| id.kind() != kind || there.contains(id));
                Some(Event::Listed(kind, listed))
            }
            watcher::Event::Apply(raw) => {
                let address = address(&raw);
                self.keep(raw).map(Event::Put).or_else(|| self.lose(&address))
            }
            watcher::Event::Delete(raw) => match self.wire.read(self.kind, &raw) {
                Some(object) => {
                    self.raw.remove(&object.id());
                    Some(Event::Gone(object))
                }
                None => self.lose(&address(&raw)),
            },
        }
    }

    /// What could be read before, and cannot be any more, is gone as far as the protocol goes: else it would be seen for ever
    /// as it was.
    fn lose(&self, address: &Address) -> Option<Event<W::Object>> {
        let is_it =
            |id: &<W::Object as Object>::Id| id.kind() == self.kind && self.wire.address(id) == *address;
        let object = self.wire.read(self.kind, &self.raw.take(is_it)?)?;
        tracing::warn!(resource = %address, "an object has become unreadable");
        Some(Event::Gone(object))
    }

    /// The object is kept before the loop learns of it: a write that rests on it finds it.
    fn keep(&self, raw: DynamicObject) -> Option<W::Object> {
        let object = self.wire.read(self.kind, &raw)?;
        self.raw.put(object.id(), raw);
        Some(object)
    }
}

fn address(raw: &DynamicObject) -> Address {
    let meta = &raw.metadata;
    Address {
        namespace: meta.namespace.clone().unwrap_or_default(),
        name: meta.name.clone().unwrap_or_default(),
    }
}
