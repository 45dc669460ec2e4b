//! Writing a finished answer in another way.

use bytes::Bytes;

use super::{Encoding, Wanted};

/// A finished JSON answer as it is wanted.
pub(crate) fn encode(json: Bytes, wanted: Wanted) -> Bytes {
    match wanted.encoding {
        Encoding::Yaml => as_yaml(&json).map_or(json, Bytes::from),
        Encoding::Json if wanted.pretty => indented(&json).into(),
        Encoding::Json => json,
    }
}

/// A finished JSON answer in YAML.
pub(crate) fn as_yaml(json: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(json).ok()?;
    serde_saphyr::to_string(&value).ok()
}

/// JSON with a line for each part, without parsing it: its order stays.
pub(crate) fn indented(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut bytes = json.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).peekable();
    while let Some(byte) = bytes.next() {
        if in_string {
            out.push(byte);
            in_string = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'"' => {
                in_string = true;
                out.push(byte);
            }
            b'{' | b'[' => {
                out.push(byte);
                if let Some(close) = bytes.next_if(|next| matches!(next, b'}' | b']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    new_line(depth, &mut out);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(depth, &mut out);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(depth, &mut out);
            }
            b':' => out.extend_from_slice(b": "),
            b' ' | b'\t' => {}
            _ => out.push(byte),
        }
    }
    out
}

fn new_line(depth: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.resize(out.len() + 2 * depth, b' ');
}
