//! A request that panics.

use http_body_util::BodyExt;

use super::*;
use crate::negotiate::Wishes;

fn json() -> Wanted {
    Wishes::default().of_status()
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
    let id = random::uid();
    let reply = finished(panic, json(), &id, &http::Method::GET, "/api/v1/pods");
    assert_eq!(reply.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(reply.headers()["audit-id"], &*id);
    let bytes = reply.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#""reason":"InternalError""#) && text.contains(&*id), "{text}");
}
