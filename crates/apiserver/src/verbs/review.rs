//! Questions that are asked by creating an object, and answered in its status. Nothing is kept.

use std::sync::Arc;

use http::StatusCode;

use super::Asked;
use super::options::WriteOptions;
use super::write::Write;
use crate::api::Api;
use crate::auth::reviews::{Context, Review};
use crate::auth::tokens::Signed;
use crate::kinds::Kind;
use crate::part::Part;
use crate::render;
use crate::reply::Reply;
use crate::status::Status;
use crate::{admission, body};

/// Answers a question.
///
/// # Errors
/// In the words of the API.
pub(super) async fn answer(
    api: &Arc<Api>,
    kind: &Arc<Kind>,
    review: Review,
    asked: &Asked,
) -> Result<Reply, Status> {
    let wanted = asked.wishes().form_of_unkept()?;
    let options = WriteOptions::parse(&asked.query, "CreateOptions", false)?;
    let write = Write::new(api, kind, asked, options, Part::Main);
    let mut object = write.accept(body::decode(asked.media_type(), &asked.body, kind, &api.kinds())?)?;
    admission::track(&write, None, &mut object);
    // What is asked about may have been written a moment ago.
    api.hub.settle().await.map_err(Status::from)?;
    let rules = api.auth.rules(&api.hub);
    // The view is not held while a signature is verified: others want to write.
    let believe =
        |signed: &Signed, audiences: &[String]| signed.believe(&api.hub.view(), audiences, write.now);
    let context = Context {
        user: &asked.user,
        namespace: &asked.path.namespace,
        rules: &rules,
        tokens: api.auth.tokens(),
        believe: &believe,
        now: write.now,
    };
    let answer = review.answer(&context, object)?;
    render::object(StatusCode::CREATED, kind, answer, &wanted)
}
