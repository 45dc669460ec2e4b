//! What people have in a namespace on the hub, as watches show it. Syncers may read a namespace only as long as their target has it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::StreamExt;
use kube::core::DynamicObject;
use kube::runtime::watcher;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use crate::asks::Server;
use crate::bells::News;
use crate::kinds::Kind;

/// How long it is waited before something is listed again that could not be seen.
const AGAIN: Duration = Duration::from_millis(500);

/// A task that ends with this.
#[derive(Debug)]
pub(crate) struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Does something beside everything else.
pub(crate) fn task(work: impl Future<Output = ()> + Send + 'static) -> Task {
    Task(tokio::spawn(work))
}

/// What a watch says of a kind in a namespace.
pub(crate) type Shown = watcher::Event<DynamicObject>;

/// A namespace of the hub, watched in one tenure.
#[derive(Debug)]
pub(crate) struct Followed {
    pub(crate) tenure: u64,
    objects: BTreeMap<(Kind, String), DynamicObject>,
    /// What is being listed.
    coming: BTreeMap<Kind, Vec<DynamicObject>>,
    /// The kinds of which everything was shown.
    whole: BTreeSet<Kind>,
    _watches: Vec<Task>,
}

impl Followed {
    /// Watches a namespace, until this is dropped.
    pub(crate) fn new(hub: &Server, namespace: &str, tenure: u64, news: &UnboundedSender<News>) -> Followed {
        let watches = Kind::ALL.map(|kind| {
            let api = hub.within(&kind.resource(), namespace);
            let (name, news) = (namespace.to_owned(), news.clone());
            task(async move {
                let mut shown = watcher(api, watcher::Config::default()).boxed();
                while let Some(event) = shown.next().await {
                    match event {
                        Ok(event) => {
                            let one = News::Upstream(name.clone(), tenure, kind, Box::new(event));
                            if news.send(one).is_err() {
                                return;
                            }
                        }
                        // That the hub is away, or that it is not bound yet what may be read, is not for a watch to tell.
                        Err(_) => tokio::time::sleep(AGAIN).await,
                    }
                }
            })
        });
        Followed {
            tenure,
            objects: BTreeMap::new(),
            coming: BTreeMap::new(),
            whole: BTreeSet::new(),
            _watches: watches.into(),
        }
    }

    pub(crate) fn see(&mut self, kind: Kind, event: Shown) {
        let name = |object: &DynamicObject| object.metadata.name.clone().unwrap_or_default();
        match event {
            watcher::Event::Init => drop(self.coming.insert(kind, Vec::new())),
            watcher::Event::InitApply(object) => self.coming.entry(kind).or_default().push(object),
            watcher::Event::InitDone => {
                self.objects.retain(|(other, _), _| *other != kind);
                let listed = self.coming.remove(&kind).unwrap_or_default();
                self.objects.extend(listed.into_iter().map(|object| ((kind, name(&object)), object)));
                self.whole.insert(kind);
            }
            watcher::Event::Apply(object) => drop(self.objects.insert((kind, name(&object)), object)),
            watcher::Event::Delete(object) => drop(self.objects.remove(&(kind, name(&object)))),
        }
    }

    /// An object as it is after it was written.
    pub(crate) fn put(&mut self, kind: Kind, object: DynamicObject) {
        let name = object.metadata.name.clone().unwrap_or_default();
        self.objects.insert((kind, name), object);
    }

    /// Everything of a kind; `None` if that was not shown yet.
    pub(crate) fn all(&self, kind: Kind) -> Option<Vec<&DynamicObject>> {
        self.whole.contains(&kind).then(|| {
            self.objects.iter().filter(|((other, _), _)| *other == kind).map(|(_, object)| object).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(name: &str) -> DynamicObject {
        let raw = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name } });
        serde_json::from_value(raw).expect("an object")
    }

    fn names(followed: &Followed) -> Option<Vec<String>> {
        let all = followed.all(Kind::Config)?;
        Some(all.into_iter().filter_map(|object| object.metadata.name.clone()).collect())
    }

    #[test]
    fn what_was_not_shown_whole_is_not_known() {
        let mut followed = Followed {
            tenure: 1,
            objects: BTreeMap::new(),
            coming: BTreeMap::new(),
            whole: BTreeSet::new(),
            _watches: Vec::new(),
        };
        for event in [Shown::Init, Shown::InitApply(object("a"))] {
            followed.see(Kind::Config, event);
            assert_eq!(names(&followed), None);
        }
        followed.see(Kind::Config, Shown::InitDone);
        followed.see(Kind::Config, Shown::Apply(object("b")));
        assert_eq!(names(&followed), Some(vec!["a".to_owned(), "b".to_owned()]));
        // Who lists again knows what was there until all is listed.
        followed.see(Kind::Config, Shown::Init);
        followed.see(Kind::Config, Shown::InitApply(object("b")));
        assert_eq!(names(&followed).map(|names| names.len()), Some(2));
        followed.see(Kind::Config, Shown::InitDone);
        assert_eq!(names(&followed), Some(vec!["b".to_owned()]));
        assert_eq!(followed.all(Kind::Job), None);
    }
}
