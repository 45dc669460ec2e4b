//! Lists: a consistent snapshot, whole or in chunks of the same version.

use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use bowline_kernel::{Collection, Object, Version, View};
use http::StatusCode;

use super::token::Token;
use crate::document::Document;
use crate::hub::{BIG_BYTES, Hub, off_thread};
use crate::key::Key;
use crate::kinds::Kind;
use crate::selection::{AsOf, ListOptions, Selection};
use crate::status::{Cause, Details, Status};

/// How long a list waits for a version that is not there yet.
const PATIENCE: Duration = Duration::from_secs(3);

/// Objects of a resource at a moment.
#[derive(Debug)]
pub(crate) struct Listed {
    /// The objects.
    pub documents: Vec<Arc<Document>>,
    /// The moment.
    pub version: Version,
    /// How to go on, if there is more.
    pub continues: Option<String>,
    /// How many more there are, if that is known.
    pub remaining: Option<usize>,
}

impl Listed {
    /// Whether it takes long to write.
    pub(crate) fn is_long(&self) -> bool {
        let mut left = BIG_BYTES;
        self.documents.iter().any(|document| {
            left = left.saturating_sub(document.size());
            left == 0
        })
    }
}

/// The objects of a kind.
///
/// # Errors
/// If the moment that was asked for is not there any more, or not yet.
pub(super) async fn list(
    hub: &Hub,
    kind: &Kind,
    selection: &Selection,
    options: &ListOptions,
) -> Result<Listed, Status> {
    let token = if options.continues.is_empty() { None } else { Some(Token::parse(&options.continues)?) };
    let (as_of, start) = match &token {
        None => (options.as_of, None),
        Some(token) => {
            if !matches!(options.as_of, AsOf::Newest | AsOf::Any) {
                return Err(Status::bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
            let as_of =
                u64::try_from(token.version).map_or(AsOf::Newest, |version| AsOf::Exact(Version(version)));
            (as_of, Some(token.key(kind, selection)))
        }
    };
    reach(hub, as_of).await?;
    // Lists of what is at hand have never been cut.
    let limit = if as_of == AsOf::Any { 0 } else { options.limit };
    let (objects, version) = {
        let view = hub.view();
        match as_of {
            AsOf::Exact(version) if version != view.version() => {
                let then = view.at(&kind.resource, version).map_err(|_| expired(token.as_ref(), version))?;
                let from = |document: &&Arc<Document>| {
                    start.as_ref().is_none_or(|start| document.key() >= start)
                        && (selection.namespace.is_empty()
                            || *selection.namespace == *document.key().namespace)
                };
                (then.into_values().filter(from).cloned().collect(), version)
            }
            _ if selection.is_everything() => return Ok(newest(&view, kind, selection, start, limit)),
            _ => (candidates(&view, kind, selection, start), view.version()),
        }
    };
    let selected = select(objects, selection, limit).await;
    Ok(cut(selected.iter(), limit, version, selection))
}

/// The objects that may be selected, as far as that is seen at a glance: who wants to write waits meanwhile.
pub(super) fn candidates(
    view: &View<Document>,
    kind: &Kind,
    selection: &Selection,
    start: Option<Key>,
) -> Vec<Arc<Document>> {
    let name = selection.sole_name();
    view.collection(&kind.resource)
        .into_iter()
        .flat_map(|collection| within(collection, kind, selection, start.clone()))
        .filter(|document| name.is_none_or(|name| *document.key().name == *name))
        .cloned()
        .collect()
}

/// Those of these objects that are selected; where there is a limit, no more than tell that there are more.
///
/// Nobody waits for it but who asks, and if they do not wait any longer, it ends.
pub(super) async fn select(
    objects: Vec<Arc<Document>>,
    selection: &Selection,
    limit: usize,
) -> Vec<Arc<Document>> {
    if selection.is_everything() {
        return objects;
    }
    let most = if limit == 0 { usize::MAX } else { limit.saturating_add(1) };
    let slow = selection.is_slow(objects.len());
    let (selection, waiting) = (selection.clone(), Arc::new(()));
    let awaited = Arc::downgrade(&waiting);
    let select = move || {
        let goes_on = |_: &Arc<Document>| !slow || awaited.strong_count() > 0;
        let selected = objects.into_iter().take_while(goes_on).filter(|document| selection.has(document));
        selected.take(most).collect()
    };
    let selected = off_thread(slow, select).await;
    drop(waiting);
    selected
}

/// Waits for what is asked for, if it may come yet.
///
/// # Errors
/// If it does not come.
pub(super) async fn reach(hub: &Hub, as_of: AsOf) -> Result<(), Status> {
    let (AsOf::NotOlderThan(version) | AsOf::Exact(version)) = as_of else { return Ok(()) };
    if hub.view().version() >= version || hub.reach(version, PATIENCE).await {
        return Ok(());
    }
    let current = hub.view().version();
    let cause = Cause {
        reason: "ResourceVersionTooLarge".to_owned(),
        message: "Too large resource version".to_owned(),
        ..Cause::default()
    };
    let message = format!("Timeout: Too large resource version: {version}, current: {current}");
    Err(Status::failure(StatusCode::GATEWAY_TIMEOUT, "Timeout", message).of(Details {
        causes: vec![cause],
        retry_after_seconds: 1,
        ..Details::default()
    }))
}

/// All objects in the namespace.
fn newest(
    view: &View<Document>,
    kind: &Kind,
    selection: &Selection,
    start: Option<Key>,
    limit: usize,
) -> Listed {
    let documents = view
        .collection(&kind.resource)
        .into_iter()
        .flat_map(|collection| within(collection, kind, selection, start.clone()));
    cut(documents, limit, view.version(), selection)
}

/// The objects in the namespace that is selected, from `start` on.
pub(super) fn within<'a>(
    collection: &'a Collection<Document>,
    kind: &Kind,
    selection: &'a Selection,
    start: Option<Key>,
) -> impl Iterator<Item = &'a Arc<Document>> {
    let namespace = selection.namespace.as_str();
    let start = start.unwrap_or_else(|| Key::new(kind.resource.clone(), namespace, ""));
    collection
        .objects()
        .range((Bound::Included(start), Bound::Unbounded))
        .take_while(move |(key, _)| namespace.is_empty() || *key.namespace == *namespace)
        .map(|(_, document)| document)
}

fn cut<'a>(
    mut selected: impl Iterator<Item = &'a Arc<Document>>,
    limit: usize,
    version: Version,
    selection: &Selection,
) -> Listed {
    if limit == 0 {
        return Listed { documents: selected.cloned().collect(), version, continues: None, remaining: None };
    }
    let documents: Vec<_> = selected.by_ref().take(limit).cloned().collect();
    let next = selected.next();
    let last = documents.last().filter(|_| next.is_some());
    Listed {
        continues: last.map(|last| Token::after(last.key(), version, selection).write()),
        // With a selector each of them would have to be looked at, for every chunk; the real server does not either.
        remaining: (next.is_some() && selection.is_everything()).then(|| selected.count() + 1),
        documents,
        version,
    }
}

fn expired(token: Option<&Token>, version: Version) -> Status {
    let Some(token) = token else {
        return Status::expired(format!("The resourceVersion for the provided list is too old: {version}"));
    };
    Status::expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new \
         list without the continue parameter, or use the continue token in this response to retrieve the \
         remainder of the results. Continuing with the provided token results in an inconsistent list - objects \
         that were created, modified, or deleted between the time the first chunk was returned and now may show \
         up in the list.",
    )
    .continues(token.inconsistent().write())
}
