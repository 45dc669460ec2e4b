//! Requests in, answers out: who asks, whether they may, what they get.

use std::convert::Infallible;
use std::fmt::Display;
use std::future::Future;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bowline_kernel::selector::Fields;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, Request, StatusCode};
use http_body_util::BodyExt;

use crate::api::Api;
use crate::audit::{Account, Trail};
use crate::authorize::{Attributes, What};
use crate::flow::{Described, Ranked, Target};
use crate::key::Resource;
use crate::negotiate::{Wanted, Wishes};
use crate::path::{self, Path};
use crate::policy;
use crate::query::Query;
use crate::reply::{self, Body, Reply};
use crate::status::{Details, Status};
use crate::time::Moment;
use crate::user::User;
use crate::verbs::{self, Asked};
use crate::warnings::Warnings;
use crate::{other, random, selection};

/// The largest body that is read.
pub(crate) const BODY_BYTES: usize = 3 << 20;
/// How long a client may take to send it: meanwhile it is one of those of its flow that are on their way.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The number of a request: answers say it, and the log.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(Arc<str>);

impl RequestId {
    /// A new one.
    pub(crate) fn new() -> RequestId {
        RequestId(random::uid().into())
    }
}

impl Deref for RequestId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// The API as a `tower` service: over a socket, or in process.
///
/// In-process clients say who they are by a [`User`] in the extensions of their requests, or by
/// [`Service::as_user`]. Who says nothing is anonymous.
#[derive(Clone)]
pub struct Service {
    api: Arc<Api>,
    user: Option<User>,
}

impl Service {
    pub(crate) fn new(api: Arc<Api>) -> Service {
        Service { api, user: None }
    }

    /// The same, with every request made by `user`.
    #[must_use]
    pub fn as_user(self, user: User) -> Service {
        Service { user: Some(user), ..self }
    }

    /// Answers a request.
    pub async fn answer<B>(&self, request: Request<B>) -> Reply
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Display,
    {
        let id = RequestId::new();
        let start = Instant::now();
        let (mut parts, body) = request.into_parts();
        if let Some(user) = &self.user {
            parts.extensions.insert(user.clone());
        }
        parts.extensions.insert(id.clone());
        let (method, uri) = (parts.method.clone(), parts.uri.clone());
        let wanted = Wishes::of(&parts).of_status();
        let warnings = Warnings::default();
        let account = Account::of(&parts, id.clone());
        let rank = Arc::new(OnceLock::new());
        let beside = Beside { warnings: warnings.clone(), rank: Arc::clone(&rank) };
        let handled = handled(Arc::clone(&self.api), parts, body, beside, account);
        let handled = if matches!(method, Method::GET | Method::HEAD) {
            handled.await
        } else {
            // A task of its own: a client that hangs up does not stop a write halfway.
            tokio::spawn(handled).await.unwrap_or_else(|error| Err(Panic(error.to_string())))
        };
        let mut reply = finished(handled, wanted, &id, &method, uri.path());
        warnings.write(reply.headers_mut());
        if let Some(rank) = rank.get() {
            note_rank(rank, &mut reply);
        }
        if method == Method::HEAD {
            reply = reply::without_body(reply);
        }
        self.api.metrics.answered(&method, reply.status(), start.elapsed());
        reply
    }
}

impl<B> tower::Service<Request<B>> for Service
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Display,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}

/// What was to be done panicked, and said this.
pub(crate) struct Panic(pub(crate) String);

/// Does something that may panic: it ends that, and nothing else.
pub(crate) async fn caught<T>(doing: impl Future<Output = T>) -> Result<T, Panic> {
    let mut doing = pin!(doing);
    std::future::poll_fn(|context| {
        // Nobody sees what a panic leaves behind: it is dropped, and locks that it held are poisoned.
        match catch_unwind(AssertUnwindSafe(|| doing.as_mut().poll(context))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => {
                let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
                let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
                Poll::Ready(Err(Panic(said.unwrap_or_default())))
            }
        }
    })
    .await
}

/// Notes in the log that a request made the server panic, and gives what its client is told.
pub(crate) fn panicked(id: &str, method: &str, path: &str, why: &str) -> Status {
    tracing::error!(id, method, path, why, "a request made the server panic");
    Status::internal(format!("this request caused the hub to panic; its log says more under {id}"))
}

/// An answer with what every one has; after a panic, where to find out more.
fn finished(
    handled: Result<Result<Reply, Status>, Panic>,
    wanted: Wanted,
    id: &str,
    method: &Method,
    path: &str,
) -> Reply {
    let handled = handled.unwrap_or_else(|Panic(why)| Err(panicked(id, method.as_str(), path, &why)));
    let mut reply = handled.unwrap_or_else(|status| reply::failure(&status, wanted));
    if let Ok(id) = HeaderValue::try_from(id) {
        reply.headers_mut().insert("audit-id", id);
    }
    reply.headers_mut().insert("cache-control", HeaderValue::from_static("no-cache, private"));
    reply
}

/// What an answer says beside what was asked for.
struct Beside {
    warnings: Warnings,
    rank: Arc<OnceLock<Ranked>>,
}

/// Answers a request, and writes down what was answered, if that has to be.
async fn handled<B>(
    api: Arc<Api>,
    parts: Parts,
    body: B,
    beside: Beside,
    account: Account,
) -> Result<Result<Reply, Status>, Panic>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Display,
{
    let trail = Trail::default();
    let handled = trail.along(caught(handle(&api, parts, body, &beside, &trail))).await;
    let Some(audit) = &api.audit else { return handled };
    trail.known().remarks = policy::remarks(&beside.warnings);
    match account.write(audit, &trail, &handled).await {
        Ok(()) => handled,
        Err(status) => Ok(Err(status)),
    }
}

/// Says at which level a request was, and by which schema.
fn note_rank(rank: &Ranked, reply: &mut Reply) {
    let (schema, level) = rank.uids();
    for (name, uid) in
        [("x-kubernetes-pf-flowschema-uid", schema), ("x-kubernetes-pf-prioritylevel-uid", level)]
    {
        if let Ok(uid) = HeaderValue::try_from(uid) {
            reply.headers_mut().insert(name, uid);
        }
    }
}

async fn handle<B>(
    api: &Arc<Api>,
    parts: Parts,
    body: B,
    beside: &Beside,
    trail: &Trail,
) -> Result<Reply, Status>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Display,
{
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    let path = path::parse(parts.uri.path());
    let verb = verbs::verb(&parts.method, &path, &query);
    trail.asked(verb, &path, &query);
    trail.known().copies = parts.uri.path() == other::backup::PATH;
    let user = api.auth.authenticate(&parts, &api.hub, Moment::now())?;
    trail.known().user = Some(user.clone());
    let acts_as = api.auth.impersonate(&user, &parts, &api.hub)?;
    trail.known().acts_as.clone_from(&acts_as);
    let user = acts_as.unwrap_or(user);
    let fields = Fields::parse(query.get("fieldSelector")).unwrap_or_default();
    let named = selection::by_name(&fields);
    let what = match (&path, verb) {
        // Who may see one object may list it by its name.
        (Path::Resource(path), "list" | "watch" | "deletecollection") if named.is_some() => {
            What::at(path).only(named.unwrap_or_default())
        }
        (Path::Resource(path), _) => What::at(path),
        (Path::Other, _) => What::Path(parts.uri.path()),
    };
    let target = Target { user: &user, verb, what: described(&path, parts.uri.path()) };
    let ranked = beside.rank.get_or_init(|| api.gate.rank(&target));
    let may = api.auth.authorize(&api.hub, &Attributes { user: &user, verb, what });
    trail.known().allowed = Some(may.is_ok());
    may?;
    // Who is slow to send it has no seat meanwhile; others of the same flow may be many already.
    let body = if body.is_end_stream() {
        Bytes::new()
    } else {
        let _coming = api.gate.announce(ranked).map_err(|_| too_many())?;
        read(body, BODY_TIME).await?
    };
    let width = width(api, verb, &path, ranked);
    let pass = api.gate.enter(ranked, width).await.map_err(|_| too_many())?;
    // Of those who have a seat there are so many at most, and for their lines there is room on a disk that gets full.
    if let Some(audit) = api.audit.as_ref().filter(|_| trail.is_audited(true)) {
        audit.room()?;
    }
    if matches!(verb, "list" | "watch") && !ranked.is_exempt() {
        // A list is made without a pause. Were it begun at once, whoever comes meanwhile would wait for a thread and not for a
        // seat, and for threads there is only one queue.
        tokio::task::yield_now().await;
    }
    let Path::Resource(path) = path else {
        return Ok(other::answer(api, &parts));
    };
    let warnings = beside.warnings.clone();
    verbs::perform(api, Asked { verb, path, query, user, parts, body, warnings, pass }).await
}

/// What a request is about, for flow schemas.
fn described<'a>(path: &'a Path, whole: &'a str) -> Described<'a> {
    match path {
        Path::Other => Described::Path(whole),
        Path::Resource(path) => {
            // A namespace counts as inside itself.
            let itself = path.plural == "namespaces" && path.namespace.is_empty();
            Described::Resource {
                group: &path.group,
                plural: &path.plural,
                subresource: &path.subresource,
                namespace: if itself { &path.name } else { &path.namespace },
            }
        }
    }
}

/// How many seats a request takes: a list of many objects takes several, as in the real server.
fn width(api: &Api, verb: &str, path: &Path, ranked: &Ranked) -> usize {
    const OBJECTS_PER_SEAT: usize = 100;
    const MOST: usize = 10;
    let Path::Resource(path) = path else { return 1 };
    if ranked.is_exempt() || !matches!(verb, "list" | "watch" | "deletecollection") {
        return 1;
    }
    let resource = Resource::new(&path.group, &path.plural);
    let objects = api.hub.view().collection(&resource).map_or(0, |all| all.objects().len());
    objects.div_ceil(OBJECTS_PER_SEAT).clamp(1, MOST)
}

fn too_many() -> Status {
    let message = "Too many requests, please try again later.";
    Status::failure(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests", message)
        .of(Details { retry_after_seconds: 1, ..Details::default() })
}

/// In the words of the real server, which gives requests a minute in all.
fn too_slow() -> Status {
    let message = "Timeout: request did not complete within the allotted timeout";
    Status::failure(StatusCode::GATEWAY_TIMEOUT, "Timeout", message).of(Details::default())
}

async fn read<B>(body: B, at_most: Duration) -> Result<Bytes, Status>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Display,
{
    match tokio::time::timeout(at_most, heard_out(body)).await.map_err(|_| too_slow())? {
        Ok(Some(body)) => Ok(body),
        Ok(None) => {
            let message = format!("Request entity too large: limit is {BODY_BYTES}");
            Err(Status::failure(StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge", message))
        }
        Err(error) => Err(Status::bad_request(format!("the body of the request could not be read: {error}"))),
    }
}

/// A body; none if it is too large. Of that nothing is kept, but it is heard out: who is answered while they still send takes the
/// stream, by HTTP/2, for a broken one.
async fn heard_out<B: http_body::Body<Data = Bytes>>(body: B) -> Result<Option<Bytes>, B::Error> {
    const HEARD: usize = 16 * BODY_BYTES;
    let mut body = std::pin::pin!(body);
    let (mut kept, mut length) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        length = length.saturating_add(data.len());
        if length <= BODY_BYTES {
            kept.push(data);
        } else {
            kept.clear();
        }
        if length > HEARD {
            break;
        }
    }
    let whole = match kept.as_slice() {
        [one] => one.clone(),
        many => many.concat().into(),
    };
    Ok((length <= BODY_BYTES).then_some(whole))
}

#[cfg(test)]
mod tests;
