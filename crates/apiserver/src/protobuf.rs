//! Bodies in protobuf, by a table of the messages of all built-in kinds.

mod decode;
pub(crate) mod table;
mod wire;

use serde_json::{Map, Value};

use table::Table;
use wire::{Reader, Wire};

/// What every body begins with.
const MAGIC: &[u8] = b"k8s\0";

/// The bytes are not what they should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Malformed {
    /// The body does not begin as every body does.
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    Magic,
    /// The bytes are no message.
    #[error("unexpected EOF")]
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
pub(crate) fn read(body: &[u8]) -> Result<Map<String, Value>, Malformed> {
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

#[cfg(test)]
mod tests {
    use base64::Engine;
    use serde::Deserialize;

    use super::*;
    use crate::builtin::testing::{differences, shaped};

    #[derive(Deserialize)]
    struct Case {
        what: String,
        proto: String,
        json: Map<String, Value>,
    }

    /// Bodies of real clients and servers, with the same in JSON.
    #[test]
    fn bodies_say_the_same_in_protobuf_and_in_json() {
        let text = include_str!("protobuf/testdata.json");
        let cases: Vec<Case> = serde_json::from_str(text).expect("the test data is well formed");
        let mut failures = Vec::new();
        for case in &cases {
            let bytes = base64::engine::general_purpose::STANDARD.decode(&case.proto).expect("it is base64");
            let ours = shaped(read(&bytes).expect("it is a body"));
            differences(&case.what, &ours, &shaped(case.json.clone()), &mut failures);
        }
        assert!(cases.len() > 20);
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    #[test]
    fn options_are_read_in_every_group() {
        let types = [b"\x0a\x02v1\x12\x0dDeleteOptions".as_slice(), b"\x0a\x07apps/v1\x12\x0dDeleteOptions"];
        for types in types {
            let mut body = MAGIC.to_vec();
            body.extend([0x0a, u8::try_from(types.len()).expect("it is short")]);
            body.extend(types);
            // {1: 0, 4: "Background"}
            body.extend([0x12, 14, 0x08, 0, 0x22, 10]);
            body.extend(b"Background");
            let read = read(&body).expect("it is a body");
            assert_eq!(read["gracePeriodSeconds"], 0);
            assert_eq!(read["propagationPolicy"], "Background");
        }
    }

    #[test]
    fn what_is_no_body_is_told() {
        assert_eq!(read(b"xx"), Err(Malformed::Magic));
        assert_eq!(read(b"k8s\0\x0a\x0f\x0a\x02v1"), Err(Malformed::Wire));
        assert_eq!(read(b"k8s\0\x0a\x08\x0a\x01v\x12\x03Foo"), Err(Malformed::Unknown));
    }
}
