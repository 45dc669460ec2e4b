//! Manifests as the content of a bundle.

use std::io::{self, Write};

use bowline_api::Digest;
use bowline_api::updates::{BundlePart, BundleSpec};
use flate2::{Compression, GzBuilder};

use crate::manifest::{Key, Manifest};
use crate::{MAX_CONTENT_BYTES, MAX_OBJECTS, MAX_PART_BYTES, MAX_PARTS, canonical, digest};

/// The content of a bundle.
#[derive(Clone, PartialEq, Debug)]
pub struct Packed {
    /// What a Bundle says of it.
    pub spec: BundleSpec,
    /// Its parts in their order.
    pub parts: Vec<Part>,
}

/// A piece of the compressed content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// What it is known by.
    pub digest: Digest,
    /// The piece.
    pub bytes: Vec<u8>,
}

/// Why there is no bundle of some manifests.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// There is none.
    #[error("there is no object")]
    Nothing,
    /// An object is there twice.
    #[error("{0} is there twice: take one of them out")]
    Twice(Key),
    /// There are too many.
    #[error("there are {0} objects, and may be {MAX_OBJECTS}: split them into several stacks")]
    TooMany(usize),
    /// They are too large.
    #[error("the objects have {0} bytes, and may have {MAX_CONTENT_BYTES}: split them into several stacks")]
    TooLarge(usize),
    /// They are too large even when they are compressed.
    #[error(
        "the objects have {0} bytes when compressed, and may have {most}: split them into several stacks",
        most = MAX_PARTS * MAX_PART_BYTES
    )]
    TooManyParts(usize),
    /// They cannot be compressed.
    #[error("the objects cannot be compressed: {0}")]
    Compression(#[from] io::Error),
}

/// Makes the content of a bundle: a line of JSON for each object, in the order of their keys, compressed and cut into pieces.
/// Which manifests there are says what it is; their order does not.
///
/// # Errors
/// If there are none, one twice, or too many.
pub fn pack(manifests: &[Manifest]) -> Result<Packed, PackError> {
    if manifests.is_empty() {
        return Err(PackError::Nothing);
    }
    let objects = u32::try_from(manifests.len()).ok().filter(|_| manifests.len() <= MAX_OBJECTS);
    let objects = objects.ok_or(PackError::TooMany(manifests.len()))?;
    let content = content(manifests)?;
    if content.len() > MAX_CONTENT_BYTES {
        return Err(PackError::TooLarge(content.len()));
    }
    let compressed = compress(content.as_bytes())?;
    let parts: Vec<_> = compressed
        .chunks(MAX_PART_BYTES)
        .map(|bytes| Part { digest: digest::of(bytes), bytes: bytes.to_vec() })
        .collect();
    if parts.len() > MAX_PARTS {
        return Err(PackError::TooManyParts(compressed.len()));
    }
    let named = |part: &Part| BundlePart {
        digest: part.digest.clone(),
        // No part is larger than half a mebibyte.
        size: u32::try_from(part.bytes.len()).unwrap_or(u32::MAX),
    };
    let spec = BundleSpec {
        digest: digest::of(content.as_bytes()),
        objects,
        size: content.len() as u64,
        parts: parts.iter().map(named).collect(),
    };
    Ok(Packed { spec, parts })
}

fn content(manifests: &[Manifest]) -> Result<String, PackError> {
    let mut sorted: Vec<_> = manifests.iter().map(|manifest| (manifest.key(), manifest)).collect();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(PackError::Twice(twice[0].0.clone()));
    }
    let mut content = String::new();
    for (_, manifest) in sorted {
        canonical::write(manifest.object(), &mut content);
        content.push('\n');
    }
    Ok(content)
}

/// As gzip does it, so that people can look into a part; without the time, so that the same content has the same parts.
fn compress(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}
