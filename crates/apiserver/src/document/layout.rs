//! How the JSON of a document is laid out, so that its parts can be told apart without parsing it.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

use super::{Counting, Json, Parts};

const OPENING: &[u8] = br#""metadata":"#;

/// The metadata of a document that is laid out: it comes first.
pub(super) fn metadata_of(parts: &Parts) -> Option<Json> {
    read(parts.body.strip_prefix(OPENING)?).ok()
}

/// The object that the text begins with. It was written here, so it is as deep as it may be and no deeper.
pub(super) fn read(text: &[u8]) -> serde_json::Result<Json> {
    let mut text = serde_json::Deserializer::from_slice(text);
    text.disable_recursion_limit();
    Json::deserialize(&mut text)
}

/// Lays an object out. It has metadata, and these have a uid.
pub(super) fn write(json: &Json, counting: Counting) -> Parts {
    let mut out = Vec::with_capacity(512);
    let cut = metadata(json, &mut out);
    let start = out.len();
    for (key, value) in json {
        if !matches!(key.as_str(), "apiVersion" | "kind" | "metadata" | "status") {
            out.push(b',');
            field(key, value, &mut out);
        }
    }
    let mut end = out.len();
    if let Some(status) = json.get("status") {
        out.push(b',');
        field("status", status, &mut out);
        if counting == Counting::SpecAndStatus {
            end = out.len();
        }
    }
    out.push(b'}');
    out.shrink_to_fit();
    Parts { body: Bytes::from(out), cut: short(cut), wanted: short(start)..short(end), counting }
}

fn metadata(json: &Json, out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(OPENING);
    out.push(b'{');
    let mut cut = None;
    if let Some(Value::Object(metadata)) = json.get("metadata") {
        for (index, (key, value)) in metadata.iter().filter(|(key, _)| *key != "resourceVersion").enumerate()
        {
            if index > 0 {
                out.push(b',');
            }
            if key == "uid" {
                cut = Some(out.len());
            }
            field(key, value, out);
        }
    }
    out.push(b'}');
    cut.expect("every document has a uid")
}

fn field(key: &str, value: &Value, out: &mut Vec<u8>) {
    serde_json::to_writer(&mut *out, key).expect("a string is written to memory");
    out.push(b':');
    serde_json::to_writer(&mut *out, value).expect("a value is written to memory");
}

/// Bodies are limited to a few MiB long before this.
fn short(length: usize) -> u32 {
    u32::try_from(length).expect("a document is smaller than 4 GiB")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn laid_out(value: Value, counting: Counting) -> Parts {
        write(value.as_object().expect("it is an object"), counting)
    }

    #[test]
    fn the_parts_are_where_they_should_be() {
        let value = json!({
            "apiVersion": "v1", "kind": "K", "zeta": 1, "status": { "s": 1 }, "spec": { "a": 1 },
            "metadata": { "uid": "u", "name": "n", "resourceVersion": "5" },
        });
        let parts = laid_out(value.clone(), Counting::Spec);
        let text = std::str::from_utf8(&parts.body).expect("it is text");
        assert_eq!(text, r#""metadata":{"name":"n","uid":"u"},"spec":{"a":1},"zeta":1,"status":{"s":1}}"#);
        assert!(text[parts.cut as usize..].starts_with(r#""uid""#));
        let wanted =
            |parts: &Parts| parts.body[parts.wanted.start as usize..parts.wanted.end as usize].to_vec();
        assert_eq!(wanted(&parts), br#","spec":{"a":1},"zeta":1"#);
        let all = laid_out(value, Counting::SpecAndStatus);
        assert_eq!(wanted(&all), br#","spec":{"a":1},"zeta":1,"status":{"s":1}"#);
    }

    #[test]
    fn metadata_can_be_read_alone() {
        let parts = laid_out(json!({ "metadata": { "uid": "}\"{" }, "x": [] }), Counting::Nothing);
        assert_eq!(metadata_of(&parts).expect("it has metadata")["uid"], "}\"{");
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        // Each is read a little wrong by who is content with nearly; one in ten is like that.
        for text in ["9.007740991992547e20", "0.19844004278856286", "0.9796215956506859"] {
            let number: f64 = text.parse().expect("a number");
            let parts = laid_out(json!({ "metadata": { "uid": "u" }, "x": number }), Counting::Nothing);
            let again = read(&[b"{", &parts.body[..]].concat()).expect("an object");
            assert_eq!(again["x"].as_f64().map(f64::to_bits), Some(number.to_bits()), "{text}");
        }
    }
}
