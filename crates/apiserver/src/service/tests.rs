//! Requests that panic, and such that do not come.

use http_body_util::BodyExt;

use super::*;
use crate::negotiate::Wishes;

fn json() -> Wanted {
    Wishes::default().of_status()
}

/// A body that never comes.
struct Never;

impl http_body::Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let status = read(Never, Duration::from_millis(10)).await.expect_err("there is none");
    assert_eq!((status.code(), status.reason), (StatusCode::GATEWAY_TIMEOUT, "Timeout"));
    let body = http_body_util::Full::new(Bytes::from_static(b"{}"));
    assert_eq!(read(body, BODY_TIME).await.ok(), Some(Bytes::from_static(b"{}")));
}

/// A body of so many pieces of a mebibyte.
struct Pieces<'a>(&'a mut usize);

impl http_body::Body for Pieces<'_> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        let piece = self.0.checked_sub(1).map(|left| {
            *self.0 = left;
            Ok(http_body::Frame::data(Bytes::from_static(&[b'x'; 1 << 20])))
        });
        Poll::Ready(piece)
    }
}

/// By HTTP/2, who is answered while they still send takes it for a broken stream. But nobody is heard for ever.
#[tokio::test]
async fn who_sends_too_much_is_heard_out_and_refused() {
    for (pieces, left) in [(4, 0), (20, 0), (100, 51)] {
        let mut unsent = pieces;
        let status = read(Pieces(&mut unsent), BODY_TIME).await.expect_err("it is too much");
        assert_eq!((status.code(), status.reason), (StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge"));
        assert_eq!(unsent, left);
    }
    let mut unsent = 3;
    assert_eq!(read(Pieces(&mut unsent), BODY_TIME).await.map(|body| body.len()).ok(), Some(BODY_BYTES));
}

#[tokio::test]
async fn a_panic_ends_one_request_and_nothing_else() {
    let panic = caught::<()>(async { unreachable!("this is planted") }).await;
    assert!(panic.is_err_and(|Panic(why)| why.contains("this is planted")));
    assert!(caught(async { 1 }).await.is_ok_and(|one| one == 1));
}

#[tokio::test]
async fn who_asks_is_told_under_which_number_the_log_says_more() {
    let panic = caught(async { unreachable!("this is planted") }).await;
    let id = RequestId::new();
    let reply = finished(panic, json(), &id, &http::Method::GET, "/api/v1/pods");
    assert_eq!(reply.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(reply.headers()["audit-id"], &*id);
    let bytes = reply.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#""reason":"InternalError""#) && text.contains(&*id), "{text}");
}
