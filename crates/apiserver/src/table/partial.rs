//! Objects without anything but their metadata.

use crate::document::Document;
use crate::negotiate::MetaVersion;

use super::ListMeta;

/// `PartialObjectMetadata`: one object.
pub(crate) fn metadata(document: &Document, version: MetaVersion) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    write(document, version, &mut out);
    out
}

/// `PartialObjectMetadataList`: many.
pub(crate) fn metadata_list<'d>(
    meta: &ListMeta<'_>,
    documents: impl IntoIterator<Item = &'d Document>,
    version: MetaVersion,
) -> Vec<u8> {
    let mut out = format!(
        r#"{{"kind":"PartialObjectMetadataList","apiVersion":"{}","metadata":{},"items":["#,
        version.api_version(),
        meta.json(),
    )
    .into_bytes();
    for (index, document) in documents.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(document, version, &mut out);
    }
    out.extend_from_slice(b"]}");
    out
}

/// Appends `PartialObjectMetadata`.
pub(super) fn write(document: &Document, version: MetaVersion, out: &mut Vec<u8>) {
    let from = out.len();
    document.write(Some((version.api_version(), "PartialObjectMetadata")), out);
    // Metadata come first: what is after them is cut off, without parsing anything.
    if let Some(end) = end_of_metadata(&out[from..]) {
        out.truncate(from + end);
        out.push(b'}');
    }
}

fn end_of_metadata(text: &[u8]) -> Option<usize> {
    const OPENING: &[u8] = br#""metadata":"#;
    let start = text.windows(OPENING.len()).position(|window| window == OPENING)? + OPENING.len();
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (index, byte) in text.iter().enumerate().skip(start) {
        if in_string {
            in_string = escaped || *byte != b'"';
            escaped = *byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}
