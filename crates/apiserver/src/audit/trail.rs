//! What is learned of a request on its way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bowline_kernel::{Change, Object, Version};

use super::versions::Spans;
use crate::document::Document;
use crate::key::Key;
use crate::path::ResourcePath;
use crate::user::User;

tokio::task_local! {
    /// The request that this task answers: what it changes is noted where it is decided, so that no verb can forget it.
    static TRAIL: Trail;
}

/// What is learned of a request on its way.
#[derive(Clone, Default)]
pub(crate) struct Trail(Arc<Mutex<Known>>);

/// What is known of a request.
#[derive(Default)]
pub(crate) struct Known {
    /// Who asks; `None` if nobody knows.
    pub user: Option<User>,
    /// As whom they act, if it is somebody else.
    pub acts_as: Option<User>,
    /// What is asked.
    pub verb: &'static str,
    /// Of what, if it is a resource.
    pub path: Option<ResourcePath>,
    /// It is for a copy of everything.
    pub copies: bool,
    /// It is only tried.
    pub dry_run: bool,
    /// Whether they may; `None` if it did not come to that.
    pub allowed: Option<bool>,
    /// What policies have to say of it.
    pub remarks: BTreeMap<String, String>,
    /// The versions that it made, and that are durable.
    pub versions: Spans,
    /// The last object that it changed.
    pub last: Option<Made>,
}

/// An object that was changed.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    /// To which version.
    pub version: Version,
    /// Which.
    pub key: Key,
    /// Which one of that name.
    pub uid: Box<str>,
}

impl Made {
    /// What a change made.
    pub(crate) fn of(change: &Change<Document>) -> Made {
        Made { version: change.version, key: change.key.clone(), uid: (*change.after.meta().uid).into() }
    }

    /// What an object is now.
    pub(crate) fn is(object: &Document) -> Made {
        let meta = object.meta();
        Made { version: meta.version, key: object.key().clone(), uid: (*meta.uid).into() }
    }
}

impl Trail {
    /// What is known by now.
    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request: what it changes is noted here.
    pub(crate) async fn along<T>(&self, answering: impl Future<Output = T>) -> T {
        TRAIL.scope(self.clone(), answering).await
    }

    /// Whether somebody asked for what this task does.
    pub(crate) fn is_on() -> bool {
        TRAIL.try_with(|_| ()).is_ok()
    }

    /// Notes that what is asked is only tried.
    pub(crate) fn only_tries() {
        let _ = TRAIL.try_with(|trail| trail.known().dry_run = true);
    }

    /// Notes what is durable.
    pub(crate) fn note(made: &[Made]) {
        // Who is not asked for anything has no trail; then the hub itself has done it.
        let _ = TRAIL.try_with(|trail| {
            let mut known = trail.known();
            for made in made {
                known.versions.push(made.version.0);
            }
            if let Some(last) = made.last() {
                known.last = Some(last.clone());
            }
        });
    }
}
