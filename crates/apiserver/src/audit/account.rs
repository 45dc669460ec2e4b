//! A request that may have to be written down: what it says of itself before anything is learned of it.

use std::net::IpAddr;

use http::header::USER_AGENT;
use http::request::Parts;

use super::{Audit, Request, Trail};
use crate::auth::reviews::Review;
use crate::path::{Path, ResourcePath};
use crate::query::Query;
use crate::reply::Reply;
use crate::service::{Panic, RequestId};
use crate::status::Status;
use crate::time::Micros;

/// Where a request came from; those of this process have none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source(pub IpAddr);

/// What a request says of itself.
pub(crate) struct Account {
    id: RequestId,
    path: String,
    agent: String,
    source: Option<IpAddr>,
    received: Micros,
}

impl Account {
    /// What a request says of itself: never its query, which may hold a token, nor its headers.
    pub(crate) fn of(parts: &Parts, id: RequestId) -> Account {
        let agent = parts.headers.get(USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()));
        Account {
            id,
            path: parts.uri.path().to_owned(),
            agent: agent.unwrap_or_default().into_owned(),
            source: parts.extensions.get::<Source>().map(|source| source.0),
            received: Micros::now(),
        }
    }

    /// Writes down what is answered, if that has to be. It is durable when this returns.
    ///
    /// # Errors
    /// If it cannot be.
    pub(crate) async fn write(
        self,
        audit: &Audit,
        trail: &Trail,
        handled: &Result<Result<Reply, Status>, Panic>,
    ) -> Result<(), Status> {
        let (code, reason, about) = match handled {
            Ok(Ok(reply)) => (reply.status().as_u16(), "", ""),
            Ok(Err(status)) => {
                (status.code, status.reason, status.details.as_ref().map_or("", |details| &*details.name))
            }
            Err(Panic(_)) => (500, "InternalError", ""),
        };
        // What was refused because nothing can be written cannot be written either. It is counted.
        if !trail.is_audited(code < 400) || (code == 507 && audit.is_full() && !trail.has_made()) {
            return Ok(());
        }
        let known = std::mem::take(&mut *trail.known());
        let request = Request {
            id: &self.id,
            path: &self.path,
            agent: &self.agent,
            source: self.source,
            received: self.received,
            known: &known,
            code,
            reason,
            about,
        };
        if audit.is_one_too_many(&request) {
            return Ok(());
        }
        audit.record(&request).await
    }
}

impl Trail {
    /// Notes what is asked.
    pub(crate) fn asked(&self, verb: &'static str, path: &Path, query: &Query) {
        let mut known = self.known();
        known.verb = verb;
        known.dry_run = query.get("dryRun") == "All";
        if let Path::Resource(path) = path {
            known.path = Some(path.clone());
        }
    }

    /// Whether a request is written down that ends well, or does not: writes are, what is done with Secrets, and copies of
    /// everything, in which they are too; and also whatever else is not a read and is refused. Reviews only ask.
    pub(crate) fn is_audited(&self, ends_well: bool) -> bool {
        let known = self.known();
        let is = |group: &str, plural: &str| {
            known.path.as_ref().is_some_and(|path| path.group == group && path.plural == plural)
        };
        let reads = matches!(known.verb, "get" | "list" | "watch" | "head" | "options" | "");
        let asks = known.path.as_ref().is_some_and(|ResourcePath { group, plural, subresource, .. }| {
            subresource.is_empty() && Review::of(group, plural).is_some()
        });
        !known.versions.is_empty() || is("", "secrets") || known.copies || !(reads || asks && ends_well)
    }

    /// Whether the request has changed something.
    fn has_made(&self) -> bool {
        !self.known().versions.is_empty()
    }
}
