//! The metadata of a machine in AWS: which region it is in, and the credentials of its role.

use serde_json::json;

use super::tokens::{SESSION_KEY, SESSION_SECRET, SESSION_TOKEN};
use super::wire::date;
use super::world::now;
use crate::serve::{Answered, reply};

const ROLES: &str = "/latest/meta-data/iam/security-credentials/";
const ROLE: &str = "machine";

/// What a machine is told. Who asks is not looked at: the token that the first request gets has no meaning here.
pub(super) fn answer(path: &str) -> Answered {
    let text = match path {
        "/latest/api/token" => "token".to_owned(),
        "/latest/meta-data/placement/region" => "eu-west-1".to_owned(),
        ROLES => ROLE.to_owned(),
        path if path.strip_prefix(ROLES) == Some(ROLE) => json!({
            "Code": "Success", "Type": "AWS-HMAC", "LastUpdated": date(now()), "Expiration": date(now() + 3600),
            "AccessKeyId": SESSION_KEY, "SecretAccessKey": SESSION_SECRET, "Token": SESSION_TOKEN,
        })
        .to_string(),
        _ => return reply(404, "text/plain", String::new()),
    };
    let mut reply = reply(200, "text/plain", text);
    let lasts = http::HeaderValue::from_static("3600");
    reply.headers_mut().insert("x-aws-ec2-metadata-token-ttl-seconds", lasts);
    reply
}
