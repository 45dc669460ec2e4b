//! SHIM
use crate::document::Json;
use crate::kinds::Kind;
use crate::status::Status;
use serde_json::Value;
pub struct Body { pub object: Json, pub repeated: Vec<String> }
pub fn decode(_: &str, b: &[u8], _: &Kind) -> Result<Body, Status> { Ok(Body { object: serde_json::from_slice(b).map_err(|e| Status::bad_request(e.to_string()))?, repeated: vec![] }) }
pub fn any(_: &str, b: &[u8]) -> Result<Json, Status> { serde_json::from_slice(b).map_err(|e| Status::bad_request(e.to_string())) }
pub fn yaml(b: &[u8]) -> Result<Value, Status> { serde_json::from_slice(b).map_err(|e| Status::bad_request(e.to_string())) }
