//! New objects.

use std::sync::Arc;

use bowline_kernel::{Object, Refusal, Request};
use http::StatusCode;

use super::Asked;
use super::options::WriteOptions;
use super::write::Write;
use crate::api::Api;
use crate::hub::Failure;
use crate::key::Key;
use crate::kinds::Kind;
use crate::negotiate;
use crate::part::Part;
use crate::reply::Reply;
use crate::status::Status;

/// How often another name is tried for an object that leaves its end to the server.
const NAMES: usize = 8;

/// Creates an object.
///
/// # Errors
/// In the words of the API.
pub(super) async fn create(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let options = WriteOptions::parse(&asked.query, "CreateOptions", false)?;
    let write = Arc::new(Write::new(api, kind, &asked, options, Part::Main));
    let object = write.sent(&asked).await?;
    write.require_home().await?;
    let mut tries = 0;
    loop {
        let document = write
            .blocking({
                let (write, object) = (Arc::clone(&write), object.clone());
                move || write.created(object, false)
            })
            .await?;
        let name = document.key().name.to_string();
        if write.options.dry_run {
            if api.hub.settled(document.key()).await.map_err(Status::from)?.is_some() {
                return Err(exists(api, kind, document.key()).await);
            }
            api.hub.afford(&document).await.map_err(Status::from)?;
            return write.would_be(StatusCode::CREATED, &document, &wanted, &asked.query);
        }
        let key = document.key().clone();
        match api.hub.perform(Request::Create(document)).await {
            Ok(answer) => {
                return write.show(StatusCode::CREATED, answer.object(), &wanted, &asked.query);
            }
            Err(Failure::Refused(Refusal::AlreadyExists)) if write.leaves_name(&object) && tries < NAMES => {
                tries += 1
            }
            Err(Failure::Refused(Refusal::AlreadyExists)) => {
                return Err(exists(api, kind, &key).await);
            }
            Err(failure) => return Err(Status::failed(failure, kind, &write.namespace, &name)),
        }
    }
}

/// Whoever finds its name taken is told if it will be free.
async fn exists(api: &Api, kind: &Kind, key: &Key) -> Status {
    let status = Status::already_exists(kind, &key.name);
    match api.hub.settled(key).await {
        Ok(Some(found)) if found.meta().deletion.is_some() => {
            let message = format!("object is being deleted: {}", status.message);
            status.with_message(message)
        }
        Ok(_) => status,
        Err(failure) => failure.into(),
    }
}
