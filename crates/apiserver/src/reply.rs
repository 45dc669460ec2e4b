//! Answers on the wire.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body::{Frame, SizeHint};
use tokio::sync::mpsc;

use crate::negotiate::{Wanted, encode};
use crate::status::Status;

/// The body of an answer.
#[derive(Debug)]
pub enum Body {
    /// All of it, once.
    Whole(Option<Bytes>),
    /// As it comes: a watch.
    Stream(mpsc::Receiver<Bytes>),
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Body::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Body::Stream(receiver) => {
                receiver.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Body::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Body::Stream(_) => SizeHint::default(),
        }
    }
}

/// An answer.
pub(crate) type Reply = Response<Body>;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// An answer in JSON.
pub(crate) fn json(code: StatusCode, bytes: impl Into<Bytes>) -> Reply {
    typed(code, JSON, bytes)
}

/// An answer in plain text.
pub(crate) fn text(code: StatusCode, text: impl Into<String>) -> Reply {
    let mut reply = typed(code, TEXT, text.into());
    reply.headers_mut().insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    reply
}

/// An answer of a type.
pub(crate) fn typed(code: StatusCode, media: HeaderValue, bytes: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Body::Whole(Some(bytes.into())));
    *reply.status_mut() = code;
    reply.headers_mut().insert(CONTENT_TYPE, media);
    reply
}

/// A failure, in the encoding that is wanted.
pub(crate) fn failure(status: &Status, wanted: Wanted) -> Reply {
    if status.is_plain {
        return text(status.code(), status.message.as_str());
    }
    let bytes = serde_json::to_vec(status).expect("a status is written to memory");
    let media = HeaderValue::from_static(wanted.encoding.media_type());
    let mut reply = typed(status.code(), media, encode(Bytes::from(bytes), wanted));
    let retry = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    if retry > 0 {
        reply.headers_mut().insert(RETRY_AFTER, retry.into());
    }
    reply
}

/// An answer to HEAD: that to GET, but for its body. HTTP/2 takes one that comes all the same for a broken stream.
pub(crate) fn without_body(mut reply: Reply) -> Reply {
    let body = std::mem::replace(reply.body_mut(), Body::Whole(None));
    if let Body::Whole(bytes) = body {
        let length = bytes.map_or(0, |bytes| bytes.len());
        reply.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    reply
}

/// What comes as it comes.
pub(crate) fn stream(media: HeaderValue, receiver: mpsc::Receiver<Bytes>) -> Reply {
    let mut reply = Response::new(Body::Stream(receiver));
    reply.headers_mut().insert(CONTENT_TYPE, media);
    reply
}
