//! Bodies in protobuf, by a table of the messages of all built-in kinds.

mod decode;
pub mod table;
mod wire;

use serde_json::{Map, Value};

pub use decode::duration;
use table::Table;
use wire::{Reader, Wire};

/// What every body begins with.
const MAGIC: &[u8] = b"k8s\0";

/// The bytes are not what they should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// The body does not begin as every body does.
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    Magic,
    /// The bytes are no message.
    #[error("proto: wrong wire format")]
    Wire,
    /// JSON inside of a message is none.
    #[error("proto: a field with JSON has none")]
    Json,
    /// Messages nest too deep.
    #[error("proto: exceeded the maximum depth")]
    Deep,
    /// The kind has no message that we know.
    #[error("no kind is registered for the message")]
    Unknown,
}

/// The JSON of a body, with its `apiVersion` and `kind`.
///
/// # Errors
/// See [`Malformed`].
pub fn read(body: &[u8]) -> Result<Map<String, Value>, Malformed> {
    let envelope = body.strip_prefix(MAGIC).ok_or(Malformed::Magic)?;
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    let mut reader = Reader::new(envelope);
    while let Some((number, wire)) = reader.next()? {
        match (number, wire) {
            (1, Wire::Bytes(types)) => (api_version, kind) = read_types(types)?,
            (2, Wire::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let table = Table::get();
    let message = table.kind(group, version, &kind).ok_or(Malformed::Unknown)?;
    let mut json = decode::object(table, message, raw)?;
    json.insert("apiVersion".into(), api_version.into());
    json.insert("kind".into(), kind.into());
    Ok(json)
}

fn read_types(message: &[u8]) -> Result<(String, String), Malformed> {
    let (mut api_version, mut kind) = (String::new(), String::new());
    let mut reader = Reader::new(message);
    while let Some((number, wire)) = reader.next()? {
        match (number, wire) {
            (1, Wire::Bytes(bytes)) => api_version = String::from_utf8_lossy(bytes).into_owned(),
            (2, Wire::Bytes(bytes)) => kind = String::from_utf8_lossy(bytes).into_owned(),
            _ => {}
        }
    }
    Ok((api_version, kind))
}
