//! A request that panics.

use http_body_util::BodyExt;

use super::*;
use crate::negotiate::Wishes;

fn json() -> Wanted {
    Wishes::default().of_status()
}

#[tokio::test]
async fn a_panic_ends_one_request_and_nothing_else() {
    let planted: Result<Reply, Status> = Ok(reply::text(StatusCode::OK, "ok"));
    let panic = alone(json(), async move {
        assert!(planted.is_err(), "this is planted");
        planted
    })
    .await;
    assert!(panic.is_err_and(|error| error.is_panic()));
    let reply = alone(json(), async { Ok(reply::text(StatusCode::OK, "ok")) }).await;
    assert_eq!(reply.map(|reply| reply.status()).ok(), Some(StatusCode::OK));
    let reply = alone(json(), async { Err(Status::bad_request("no")) }).await;
    assert_eq!(reply.map(|reply| reply.status()).ok(), Some(StatusCode::BAD_REQUEST));
}

#[tokio::test]
async fn who_asks_is_told_under_which_number_the_log_says_more() {
    let panic = alone(json(), async { unreachable!("this is planted") }).await;
    let id = random::uid();
    let reply = finished(panic, json(), &id, &http::Method::GET, "/api/v1/pods");
    assert_eq!(reply.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(reply.headers()["audit-id"], &*id);
    let bytes = reply.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#""reason":"InternalError""#) && text.contains(&*id), "{text}");
}
