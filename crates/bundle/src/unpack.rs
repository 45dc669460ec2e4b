//! The content of a bundle as manifests.

use std::io::{self, Read};

use bowline_api::Digest;
use bowline_api::updates::BundleSpec;
use flate2::bufread::GzDecoder;
use serde_json::Value;

use crate::fault::Fault;
use crate::manifest::{Key, Manifest};
use crate::{MAX_CONTENT_BYTES, MAX_OBJECTS, MAX_PART_BYTES, MAX_PARTS, digest};

/// Why a bundle cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadBundle {
    /// It says that it is larger than any may be.
    #[error("the bundle is larger than any may be: it has {0}")]
    TooLarge(String),
    /// There are more or fewer parts than it says.
    #[error("the bundle has {said} parts, and {found} are there")]
    Parts {
        /// How many it says.
        said: usize,
        /// How many there are.
        found: usize,
    },
    /// A part is not what it is called.
    #[error("part {0} of the bundle is damaged: its digest is another one")]
    DamagedPart(usize),
    /// The parts are no compressed content.
    #[error("the content of the bundle cannot be unpacked: {0}")]
    Compression(#[from] io::Error),
    /// The content is not what it is called.
    #[error("the content of the bundle is damaged: its digest or its size is another one")]
    Damaged,
    /// There are more or fewer objects than it says.
    #[error("the bundle has {said} objects, and {found} are there")]
    Objects {
        /// How many it says.
        said: u32,
        /// How many there are.
        found: usize,
    },
    /// A line is no JSON.
    #[error("object {number} of the bundle does not parse: {source}")]
    Syntax {
        /// Which.
        number: usize,
        /// Why.
        source: serde_json::Error,
    },
    /// An object could not have been submitted.
    #[error("object {number} of the bundle: {fault}")]
    Object {
        /// Which.
        number: usize,
        /// What is wrong.
        fault: Fault,
    },
    /// Objects are not in their order, or one is there twice.
    #[error("object {0} of the bundle is there twice, or out of its order")]
    Order(usize),
}

/// Takes a bundle apart: all its manifests, in the order in which they are applied. Whoever can write Secrets may have
/// written the parts, so that everything is verified, and no more is unpacked than the bundle says and any may have.
///
/// # Errors
/// If it is not what [`pack`](crate::pack()) made.
pub fn unpack<B: AsRef<[u8]>>(spec: &BundleSpec, parts: &[B]) -> Result<Vec<Manifest>, BadBundle> {
    let size = usize::try_from(spec.size).ok().filter(|size| *size <= MAX_CONTENT_BYTES);
    let size = size.ok_or_else(|| BadBundle::TooLarge(format!("{} bytes", spec.size)))?;
    if spec.parts.len() > MAX_PARTS {
        return Err(BadBundle::TooLarge(format!("{} parts", spec.parts.len())));
    }
    if spec.objects as usize > MAX_OBJECTS {
        return Err(BadBundle::TooLarge(format!("{} objects", spec.objects)));
    }
    let compressed = joined(spec, parts)?;
    let content = decompress(&compressed, size)?;
    if content.len() != size || digest::of(&content) != spec.digest {
        return Err(BadBundle::Damaged);
    }
    let manifests = manifests(&content, spec.objects as usize)?;
    if manifests.len() != spec.objects as usize {
        return Err(BadBundle::Objects { said: spec.objects, found: manifests.len() });
    }
    Ok(manifests)
}

/// Takes content apart of which nothing but its digest is known: a copy that was kept.
///
/// # Errors
/// If it is not what [`pack`](crate::pack()) made.
pub fn unpack_copy<B: AsRef<[u8]>>(digest: &Digest, parts: &[B]) -> Result<Vec<Manifest>, BadBundle> {
    if parts.len() > MAX_PARTS {
        return Err(BadBundle::TooLarge(format!("{} parts", parts.len())));
    }
    let compressed = parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().concat();
    let content = decompress(&compressed, MAX_CONTENT_BYTES)?;
    if digest::of(&content) != *digest {
        return Err(BadBundle::Damaged);
    }
    let manifests = manifests(&content, MAX_OBJECTS)?;
    if manifests.len() > MAX_OBJECTS {
        return Err(BadBundle::TooLarge(format!("more than {MAX_OBJECTS} objects")));
    }
    Ok(manifests)
}

fn joined<B: AsRef<[u8]>>(spec: &BundleSpec, parts: &[B]) -> Result<Vec<u8>, BadBundle> {
    if spec.parts.len() != parts.len() {
        return Err(BadBundle::Parts { said: spec.parts.len(), found: parts.len() });
    }
    let mut compressed = Vec::new();
    for (index, (said, bytes)) in spec.parts.iter().zip(parts).enumerate() {
        let bytes = bytes.as_ref();
        let fits = bytes.len() == said.size as usize && bytes.len() <= MAX_PART_BYTES;
        if !fits || digest::of(bytes) != said.digest {
            return Err(BadBundle::DamagedPart(index + 1));
        }
        compressed.extend_from_slice(bytes);
    }
    Ok(compressed)
}

/// Unpacks at most one byte more than is wanted: enough to see that it is too much.
fn decompress(compressed: &[u8], size: usize) -> Result<Vec<u8>, BadBundle> {
    let mut decoder = GzDecoder::new(compressed);
    let mut content = Vec::new();
    (&mut decoder).take(size as u64 + 1).read_to_end(&mut content)?;
    if content.len() > size || !decoder.into_inner().is_empty() {
        return Err(BadBundle::Damaged);
    }
    Ok(content)
}

/// The manifests of a content; one more than so many, if there are more.
fn manifests(content: &[u8], most: usize) -> Result<Vec<Manifest>, BadBundle> {
    let mut manifests = Vec::new();
    let mut last: Option<Key> = None;
    for (index, line) in content.split_inclusive(|byte| *byte == b'\n').enumerate().take(most + 1) {
        let number = index + 1;
        let value: Value =
            serde_json::from_slice(line).map_err(|source| BadBundle::Syntax { number, source })?;
        let manifest = Manifest::new(value).map_err(|fault| BadBundle::Object { number, fault })?;
        let key = manifest.key();
        if last.is_some_and(|last| last >= key) {
            return Err(BadBundle::Order(number));
        }
        last = Some(key);
        manifests.push(manifest);
    }
    Ok(manifests)
}
