//! What may be told of what a server says about a Secret: which fields it speaks of, and words that are always the same. All else
//! may be what is secret, and statuses and Events are read by many.

/// What servers say, whatever a Secret holds.
const PHRASES: &[&str] = &[
    "already exists",
    "cannot unmarshal",
    "denied request",
    "denied the request",
    "exceeded quota",
    "expected list",
    "expected map",
    "expected string",
    "failed calling webhook",
    "field is immutable",
    "field not declared in schema",
    "illegal base64 data",
    "is being terminated",
    "is forbidden",
    "not found",
    "Required value",
    "the object has been modified",
    "Too long",
    "unknown field",
];

/// After these a value is told, or somebody's own words.
const VALUES: &[&str] =
    &[", got", "alue:", "&value.", "denied request", "denied the request", "failed calling webhook"];

/// The fields of a Secret.
const FIELDS: &[&str] = &["data", "immutable", "metadata", "stringData", "type"];

/// What all begins with that is told of a Secret.
pub(super) const SAID: &str = "its server says: ";

/// Whether a path is one of Secrets.
pub(crate) fn is_secret(path: &str) -> bool {
    let Some(path) = path.strip_prefix("/api/v1/") else { return false };
    let mut segments = path.split('/');
    match segments.next() {
        Some("secrets") => true,
        Some("namespaces") => segments.nth(1) == Some("secrets"),
        _ => false,
    }
}

/// What may be told of it.
pub(crate) fn discreet(words: &str) -> String {
    let said: Vec<_> = PHRASES.iter().filter(|phrase| words.contains(**phrase)).copied().collect();
    let said = if said.is_empty() { "no".to_owned() } else { said.join(", ") };
    let ends = VALUES.iter().filter_map(|value| words.find(value)).min().unwrap_or(words.len());
    let at = fields(&words[..ends]);
    let at = if at.is_empty() { String::new() } else { format!(" at {}", at.join(", ")) };
    format!("{SAID}{said}{at}; the rest may be secret, and is left out")
}

/// The fields that a text speaks of; what is in quotes is none.
fn fields(words: &str) -> Vec<&str> {
    let outside = words.split('"').step_by(2).flat_map(str::split_whitespace);
    outside.filter_map(field).collect()
}

fn field(word: &str) -> Option<&str> {
    let path = word.trim_matches(|c| "()[]{},;:".contains(c) && c != ']').trim_end_matches([':', ',', ';']);
    let path = path.strip_prefix("Secret").unwrap_or(path);
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/[]".contains(c);
    let from_root = path.strip_prefix('.').unwrap_or(path);
    let root = from_root.split(['.', '[']).next().unwrap_or_default();
    // `type` alone is a word.
    let is_path = from_root != root || path.starts_with('.') || word.ends_with(':');
    let is_whole = path.matches('[').count() == path.matches(']').count();
    (FIELDS.contains(&root) && is_path && is_whole && path.chars().all(plain)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_about_secrets_are_known() {
        for (path, is) in [
            ("/api/v1/namespaces/a/secrets/b", true),
            ("/api/v1/namespaces/a/secrets", true),
            ("/api/v1/secrets", true),
            ("/api/v1/namespaces/secrets", false),
            ("/api/v1/namespaces/secrets/configmaps/secrets", false),
            ("/apis/g/v1/namespaces/a/secrets/b", false),
        ] {
            assert_eq!(is_secret(path), is, "{path}");
        }
    }

    #[test]
    fn fields_are_told_and_values_are_not() {
        let typed = "failed to create typed patch object (a/b; /v1, Kind=Secret): ";
        for (words, told) in [
            (
                format!("{typed}.stringData.password: expected string, got &value.valueUnstructured{{Value:12345}}"),
                "expected string at .stringData.password",
            ),
            (
                format!("{typed}errors: .stringData.a: expected string, got &value.valueUnstructured{{Value:12345}} .stringData.12345: expected string, got x"),
                "expected string at .stringData.a",
            ),
            (
                r#"Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 12345"#.into(),
                "illegal base64 data",
            ),
            (
                r#"Secret "b" is invalid: data[12345 or so]: Invalid value: "12345": a valid config key must"#.into(),
                "no",
            ),
            (
                r#"Secret "b" is invalid: type: Invalid value: "12345": field is immutable"#.into(),
                "field is immutable at type",
            ),
            (
                "json: cannot unmarshal number 12345 into Go struct field Secret.stringData of type string".into(),
                "cannot unmarshal at .stringData",
            ),
            (r#"admission webhook "w" denied the request: the password 12345 is in metadata.name"#.into(), "denied the request"),
            (r#"Secret "b" is invalid: metadata.annotations[a/b]: Invalid value: "12345""#.into(), "no at metadata.annotations[a/b]"),
        ] {
            let said = discreet(&words);
            assert_eq!(said, format!("its server says: {told}; the rest may be secret, and is left out"), "{words}");
            assert!(!said.contains("12345"), "{said}");
        }
    }
}
