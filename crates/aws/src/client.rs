//! The calls, carried by AWS's SDK.

mod calls;
mod connect;
mod convert;
mod failure;

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_iam::config::http::HttpResponse;
use aws_sdk_iam::error::{ProvideErrorMetadata, SdkError};
use tokio::time::timeout;
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

use crate::action::Action;
use crate::error::{Arrival, Error, Kind};
use crate::gate::Gate;
use crate::iam::Term;
use crate::settings::{Settings, Unset};

/// AWS, by its SDK. Clones share connections and the gate.
#[derive(Clone)]
pub struct Client {
    iam: aws_sdk_iam::Client,
    sts: aws_sdk_sts::Client,
    gate: Arc<Gate>,
    timeout: Duration,
    term: Option<Term>,
    listener: Option<Listener>,
    elsewhere: bool,
}

/// Who is told of each call when it has ended: which it was, and what was wrong, if anything.
pub type Listener = Arc<dyn Fn(Action, Option<&Kind>) + Send + Sync>;

impl Client {
    /// Finds out where AWS is. Nothing is called yet: whether AWS knows us is seen by the first call.
    ///
    /// # Errors
    /// See [`Unset`].
    pub async fn connect(settings: &Settings) -> Result<Client, Unset> {
        let config = connect::config(settings).await?;
        Ok(Client {
            iam: aws_sdk_iam::Client::new(&config),
            sts: aws_sdk_sts::Client::new(&config),
            gate: Arc::new(Gate::new(settings.limits)),
            timeout: settings.timeout,
            term: None,
            listener: None,
            elsewhere: config.endpoint_url().is_some(),
        })
    }

    /// The same, with somebody who is told of its calls.
    #[must_use]
    pub fn heard_by(self, listener: Listener) -> Client {
        Client { listener: Some(listener), ..self }
    }

    /// Whether it is at an address that somebody has given, and not at AWS's own.
    pub fn is_elsewhere(&self) -> bool {
        self.elsewhere
    }

    /// What all calls go through, for what is counted of it.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Sends a call when its turn has come, once.
    fn carry<'a, T, E>(
        &'a self,
        action: Action,
        call: impl Future<Output = Result<T, SdkError<E, HttpResponse>>> + Send + 'a,
    ) -> impl Future<Output = Result<T, Error>> + Send + 'a
    where
        T: Send + 'a,
        E: ProvideErrorMetadata + StdError + Send + 'static,
    {
        // The SDK tells all that it sends, credentials and tokens included, to whoever listens for the finest of its logs:
        // nobody does. Its futures are so large that each function that holds one takes a good part of a thread's stack:
        // nobody does either.
        let call = Box::pin(call.with_subscriber(NoSubscriber::default()));
        self.sent(action, call)
    }

    async fn sent<T, E>(
        &self,
        action: Action,
        call: impl Future<Output = Result<T, SdkError<E, HttpResponse>>>,
    ) -> Result<T, Error>
    where
        E: ProvideErrorMetadata + StdError + 'static,
    {
        let seat = self.gate.enter().await;
        let limit = self.term.as_ref().map_or(Some(self.timeout), |term| term(self.timeout));
        let Some(limit) = limit else {
            let why = "who asked for it may no longer act";
            return Err(Error::unanswered(action, Kind::Withheld, why));
        };
        let outcome = match timeout(limit, call).await {
            Ok(outcome) => outcome.map_err(|error| failure::of(action, &error)),
            Err(_) => {
                let kind = Kind::Unavailable(Arrival::MayHaveArrived);
                Err(Error::unanswered(action, kind, "it took too long"))
            }
        };
        if matches!(&outcome, Err(error) if error.kind == Kind::Throttled) {
            seat.throttled();
        }
        if let Some(listener) = &self.listener {
            listener(action, outcome.as_ref().err().map(|error| &error.kind));
        }
        tracing::debug!(%action, failed = outcome.as_ref().err().map(tracing::field::display), "AWS was called");
        outcome
    }
}
