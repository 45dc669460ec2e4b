//! What content is known by.

use std::fmt::Write;

use bowline_api::Digest;

/// The digest of some bytes.
pub fn of(bytes: &[u8]) -> Digest {
    let hash = ring::digest::digest(&ring::digest::SHA256, bytes);
    let mut text = "sha256:".to_owned();
    for byte in hash.as_ref() {
        // Writing to a text does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text.into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_written_as_everywhere() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(super::of(b"").as_str(), empty);
    }
}
