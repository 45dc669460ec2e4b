//! What goes wrong with watches, told once: they are begun again and again, and mostly fail in the same way.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use kube::runtime::watcher;

use crate::sentence::sentence;

/// What was told last of the watches of a process, by what is watched: several controllers may watch the same, and each begins anew
/// when it leads.
#[derive(Default)]
pub(crate) struct Complaints(Mutex<BTreeMap<String, String>>);

impl Complaints {
    /// What is to be told of this error, if it is not what was told last.
    pub(crate) fn of(&self, resource: &str, error: &watcher::Error) -> Option<String> {
        let what = match error {
            watcher::Error::InitialListFailed(_) => "listed",
            _ => "watched",
        };
        let words = format!("{resource} cannot be {what}: {}{}", sentence(error), advice(code(error)));
        let before = self.lock().insert(resource.to_owned(), words.clone());
        (before.as_ref() != Some(&words)).then_some(words)
    }

    /// Something was shown: what goes wrong from now on is new.
    pub(crate) fn shown<K>(&self, resource: &str, event: &watcher::Event<K>) {
        // That a list begins says nothing: it is what is refused next.
        if !matches!(event, watcher::Event::Init) {
            self.lock().remove(resource);
        }
    }

    /// All that is wrong now.
    pub(crate) fn all(&self) -> Vec<String> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether it was the server that said no.
pub(crate) fn is_refusal(error: &watcher::Error) -> bool {
    matches!(code(error), Some(401 | 403))
}

/// The code of the server's answer, if there is one.
fn code(error: &watcher::Error) -> Option<u16> {
    use kube::Error::Api;
    use watcher::Error::{InitialListFailed, WatchError, WatchFailed, WatchStartFailed};
    match error {
        InitialListFailed(Api(status)) | WatchStartFailed(Api(status)) | WatchFailed(Api(status)) => {
            Some(status.code)
        }
        WatchError(status) => Some(status.code),
        _ => None,
    }
}

/// What to do about it.
fn advice(code: Option<u16>) -> &'static str {
    match code {
        Some(403) => {
            ". Nothing is done about them before that is allowed: give this user the rights that stand in \
             examples/kubernetes/bowline.yaml"
        }
        Some(401) => ". The server does not know us: the credentials are wrong, or have expired",
        _ => "; it is tried again after a rest",
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    fn refused(code: u16, why: &str) -> kube::Error {
        kube::Error::Api(Status::failure(why, "").with_code(code).boxed())
    }

    #[test]
    fn the_same_trouble_is_told_once_until_something_is_shown() {
        let complaints = Complaints::default();
        let why = "clusters is forbidden: User \"me\" cannot list resource \"clusters\"";
        let forbidden = || complaints.of("clusters", &watcher::Error::InitialListFailed(refused(403, why)));
        let told = forbidden().expect("it is new");
        assert!(told.starts_with(&format!("clusters cannot be listed: {why}. ")), "{told}");
        assert!(told.contains("examples/kubernetes") && !told.contains('{'), "{told}");
        complaints.shown("clusters", &watcher::Event::<()>::Init);
        complaints.shown("stacks", &watcher::Event::<()>::InitDone);
        assert_eq!(forbidden(), None, "the list has only begun again");
        assert_eq!(complaints.all(), [told]);
        let unknown = watcher::Error::WatchStartFailed(refused(401, "Unauthorized"));
        let told = complaints.of("clusters", &unknown);
        assert!(told.is_some_and(|told| told.contains("clusters cannot be watched: Unauthorized. ")));
        assert!(forbidden().is_some(), "it has changed");
        complaints.shown("clusters", &watcher::Event::<()>::InitDone);
        assert!(complaints.all().is_empty() && forbidden().is_some(), "it had worked meanwhile");
    }

    #[test]
    fn what_a_watch_is_told_in_the_middle_is_told_in_words() {
        let status = Status::failure("too old resource version", "Expired").with_code(410).boxed();
        let told = Complaints::default().of("stacks", &watcher::Error::WatchError(status));
        let words = "stacks cannot be watched: too old resource version; it is tried again after a rest";
        assert_eq!(told.as_deref(), Some(words));
    }
}
