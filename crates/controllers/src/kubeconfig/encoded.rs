//! Certificates and keys: in PEM, and in base64 where they stand in a kubeconfig.

use base64::prelude::BASE64_STANDARD;
use base64::{DecodeError, Engine};

use super::BadKubeconfig;

/// What stands before everything that is written in PEM.
const PEM: &[u8] = b"-----BEGIN ";

/// A certificate or a key as it stands in a kubeconfig.
pub(super) fn encode(content: &[u8]) -> String {
    BASE64_STANDARD.encode(content)
}

/// Sees whether this is one, in PEM.
pub(super) fn check(content: &[u8], what: &'static str, place: &str) -> Result<(), BadKubeconfig> {
    let is_pem = content.windows(PEM.len()).any(|piece| piece == PEM);
    if is_pem { Ok(()) } else { Err(BadKubeconfig::NotPem(place.to_owned(), what)) }
}

/// Sees whether this is one, as it stands in a kubeconfig. What it holds is not told.
pub(super) fn check_encoded(text: &str, what: &'static str, place: &str) -> Result<(), BadKubeconfig> {
    let decoded = BASE64_STANDARD.decode(text);
    let decoded = decoded.map_err(|error| BadKubeconfig::Encoding(place.to_owned(), wrong(&error)))?;
    check(&decoded, what, place)
}

/// Where it is wrong; the library's words show a part of it.
fn wrong(error: &DecodeError) -> String {
    match error {
        DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => {
            format!("its character {} cannot be there", at + 1)
        }
        DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => "its end is missing".to_owned(),
    }
}
