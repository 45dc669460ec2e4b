//! Parts as Secrets.

use std::collections::BTreeMap;

use bowline_api::{Digest, PART_SECRET_TYPE};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::pack::Part;

/// The key of a part in its Secret.
pub const PART_KEY: &str = "part";

/// What the object with some content is called: a Bundle, or the Secret with a part.
pub fn object_name(digest: &Digest) -> String {
    digest.as_str().replace(':', "-")
}

/// The Secret with a part. It says nothing of where it is, nor of who owns it.
pub fn secret(part: &Part) -> Secret {
    Secret {
        metadata: ObjectMeta { name: Some(object_name(&part.digest)), ..ObjectMeta::default() },
        type_: Some(PART_SECRET_TYPE.to_owned()),
        immutable: Some(true),
        data: Some(BTreeMap::from([(PART_KEY.to_owned(), ByteString(part.bytes.clone()))])),
        ..Secret::default()
    }
}

/// The part in a Secret, if there is one. Nobody has looked yet whether it is the right one: [`unpack`](crate::unpack()) does.
pub fn bytes_of(secret: &Secret) -> Option<&[u8]> {
    secret.data.as_ref()?.get(PART_KEY).map(|bytes| bytes.0.as_slice())
}
