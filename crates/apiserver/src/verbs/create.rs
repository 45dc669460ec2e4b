//! New objects.

use std::sync::Arc;

use bowline_kernel::{Object, Refusal, Request};
use http::StatusCode;

use super::Asked;
use super::options::WriteOptions;
use super::write::Write;
use crate::api::{self, Api};
use crate::body;
use crate::hub::Failure;
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
pub async fn create(api: &Arc<Api>, kind: &Arc<Kind>, asked: Asked) -> Result<Reply, Status> {
    let wanted = asked.wishes().form(kind, negotiate::Asked::Object)?;
    let options = WriteOptions::parse(&asked.query, "CreateOptions", false)?;
    let write = Arc::new(Write::new(api, kind, &asked, options, Part::Main));
    let object = write.accept(body::decode(asked.media_type(), &asked.body, kind, &api.kinds())?)?;
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
                return Err(Status::already_exists(kind, &name));
            }
            return write.would_be(StatusCode::CREATED, &document, &wanted, &asked.query);
        }
        let assigned = api::is_services(&kind.resource).then(|| document.json());
        let created = api.hub.perform(Request::Create(document)).await;
        if let (Err(_), Some(service)) = (&created, assigned) {
            // What it was given is nobody's.
            api.addresses.release(&service);
        }
        match created {
            Ok(answer) => {
                return write.show(StatusCode::CREATED, answer.object(), &wanted, &asked.query);
            }
            Err(Failure::Refused(Refusal::AlreadyExists)) if write.leaves_name(&object) && tries < NAMES => {
                tries += 1
            }
            Err(failure) => return Err(Status::failed(failure, kind, &write.namespace, &name)),
        }
    }
}
