//! Requests for the Lease, and what comes of them.

use bowline_control::lease::{Answer, Request, Settings};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{ListParams, PostParams};
use kube::{Api, Client};

use super::paper;
use super::trouble::Asked;
use crate::install::make_namespace;
use crate::sentence::sentence;

/// What writes leases, as the server is told.
const MANAGER: &str = "bowline-leader-election";

/// What came of a request.
pub(super) struct Came {
    pub(super) answer: Answer<String>,
    /// The object that was answered.
    pub(super) raw: Option<Lease>,
    /// Why it did not work.
    pub(super) trouble: Option<String>,
    pub(super) asked: Asked,
}

/// Carries requests.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) client: Client,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) settings: Settings,
}

impl Desk {
    pub(super) fn api(&self) -> Api<Lease> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    pub(super) async fn carry(&self, request: Request<String>, whole: Option<Lease>) -> Came {
        match request {
            Request::Read => {
                // A list by name: that it is not there is an answer, and comes from the store and not from a cache.
                let one = ListParams::default().fields(&format!("metadata.name={}", self.name));
                match self.api().list(&one).await {
                    Ok(list) => {
                        list.items.into_iter().next().map_or(Came::of(Answer::Absent), |raw| self.is(raw))
                    }
                    Err(error) => Came::unknown(sentence(&error)),
                }
            }
            Request::Write { guard: None, lease } => {
                let mut raw = Lease::default();
                raw.metadata.name = Some(self.name.clone());
                paper::draw(&lease, &mut raw);
                match self.api().create(&params(), &raw).await {
                    Err(kube::Error::Api(status)) if status.code == 404 => self.namespace_is_missing().await,
                    // Who may write but this one may make it by its name. If it is there, that is refused: it says no version.
                    Err(kube::Error::Api(status)) if status.code == 403 => {
                        self.written(self.api().replace(&self.name, &params(), &raw).await)
                    }
                    created => self.written(created),
                }
            }
            Request::Write { guard: Some(version), lease } => {
                let has_it = |raw: &Lease| raw.metadata.resource_version == Some(version.to_string());
                // Something else was shown since; the server would refuse it.
                let Some(mut raw) = whole.filter(has_it) else { return Came::of(Answer::Outdated) };
                paper::draw(&lease, &mut raw);
                self.written(self.api().replace(&self.name, &params(), &raw).await)
            }
        }
    }

    async fn namespace_is_missing(&self) -> Came {
        match make_namespace(&self.client, &self.namespace).await {
            // Others see the namespace too: it is looked at before it is made.
            Ok(true) => Came::of(Answer::Outdated),
            Ok(false) => Came::unknown(format!("the namespace {} is not there, and is", self.namespace)),
            Err(error) => Came::unknown(sentence(&error)),
        }
    }

    fn written(&self, answer: Result<Lease, kube::Error>) -> Came {
        match answer {
            Ok(raw) => self.is(raw),
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Came::of(Answer::Outdated),
            // What was refused for good is refused again, but not at once.
            Err(error) => Came::unknown(sentence(&error)),
        }
    }

    fn is(&self, raw: Lease) -> Came {
        match paper::read(&raw, &self.settings) {
            Some(lease) => Came { raw: Some(raw), ..Came::of(Answer::Is(lease)) },
            None => Came::unknown("the server's answer has no version".to_owned()),
        }
    }
}

impl Came {
    fn of(answer: Answer<String>) -> Came {
        Came { answer, raw: None, trouble: None, asked: Asked::Read }
    }

    pub(super) fn unknown(why: String) -> Came {
        Came { trouble: Some(why), ..Came::of(Answer::Unknown) }
    }
}

fn params() -> PostParams {
    PostParams { dry_run: false, field_manager: Some(MANAGER.to_owned()) }
}
