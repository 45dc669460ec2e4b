//! SHIM
use bowline_kernel::Propagation;
use serde_json::Value;
use crate::document::{Document, Json};
use crate::kinds::Kind;
use crate::status::Status;
use crate::time::Moment;
pub fn default_propagation(_: &Kind) -> Option<Propagation> { None }
pub fn grace_s(_: &Kind, _: &Document, _: Option<u64>) -> u64 { 0 }
pub fn shows_deleted(_: &Kind) -> bool { false }
pub fn creates_on_update(_: &Kind) -> bool { false }
pub fn scale(_: &Kind, _: &Json) -> Value { Value::Null }
pub fn with_scale(_: &Kind, _: &mut Json, _: &Value) -> Result<(), Status> { Ok(()) }
pub fn bind(_: &mut Json, _: &Json, _: Moment) -> Result<(), Status> { Ok(()) }
pub mod events {
    use crate::document::Json;
    pub fn to_new(_: &mut Json) {}
    pub fn to_old(_: &mut Json) {}
}
