//! What AWS takes for names, paths and tags.

use std::collections::{BTreeMap, BTreeSet};

use super::query::first_lower;
use super::refusal::Refusal;

/// Tags of one thing.
const MOST_TAGS: usize = 50;
const LONGEST_KEY: usize = 128;
const LONGEST_VALUE: usize = 256;
const LONGEST_PATH: usize = 512;
const LONGEST_DESCRIPTION: usize = 1000;

/// Whether a name is one.
pub(super) fn name(field: &str, value: &str, longest: usize) -> Result<(), Refusal> {
    length(field, value, 1, longest)?;
    if value.chars().all(|c| c.is_ascii_alphanumeric() || "+=,.@_-".contains(c)) {
        return Ok(());
    }
    let field = first_lower(field);
    Err(Refusal::validation(format!(
        "The specified value for {field} is invalid. It must contain only alphanumeric characters and/or the \
         following: +=,.@_-"
    )))
}

/// Whether a path is one.
pub(super) fn path(value: &str) -> Result<(), Refusal> {
    length("path", value, 1, LONGEST_PATH)?;
    let is_path =
        value.starts_with('/') && value.ends_with('/') && value.chars().all(|c| c.is_ascii_graphic());
    if is_path {
        return Ok(());
    }
    Err(Refusal::validation(
        "The specified value for path is invalid. It must begin and end with / and contain only alphanumeric \
         characters and/or / characters.",
    ))
}

/// Whether a description is not too long.
pub(super) fn description(value: &str) -> Result<(), Refusal> {
    length("description", value, 0, LONGEST_DESCRIPTION)
}

/// The tags after some are added.
pub(super) fn tagged(
    before: &BTreeMap<String, String>,
    added: &[(String, String)],
) -> Result<BTreeMap<String, String>, Refusal> {
    if added.len() > MOST_TAGS {
        return Err(Refusal::validation(format!(
            "1 validation error detected: Value at 'tags' failed to satisfy constraint: Member must have length less \
             than or equal to {MOST_TAGS}"
        )));
    }
    let mut keys = BTreeSet::new();
    let mut tags = before.clone();
    for (key, value) in added {
        length("tags.member.key", key, 1, LONGEST_KEY)?;
        length("tags.member.value", value, 0, LONGEST_VALUE)?;
        let is_known = |c: char| c.is_alphanumeric() || c == ' ' || "_.:/=+-@".contains(c);
        if !key.chars().chain(value.chars()).all(is_known) {
            let message = "1 validation error detected: Value at 'tags' failed to satisfy constraint: Member must \
                           satisfy regular expression pattern: [\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]+";
            return Err(Refusal::validation(message));
        }
        if key.to_lowercase().starts_with("aws:") {
            return Err(Refusal::invalid_input("Tag keys beginning with aws: are reserved for system use."));
        }
        if !keys.insert(key.to_lowercase()) {
            let message = "Duplicate tag keys found. Please note that Tag keys are case insensitive.";
            return Err(Refusal::invalid_input(message));
        }
        tags.retain(|old, _| old.to_lowercase() != key.to_lowercase());
        tags.insert(key.clone(), value.clone());
    }
    if tags.len() > MOST_TAGS {
        return Err(Refusal::limit(format!(
            "The number of tags has reached the maximum limit of {MOST_TAGS}."
        )));
    }
    Ok(tags)
}

fn length(field: &str, value: &str, least: usize, most: usize) -> Result<(), Refusal> {
    let length = value.chars().count();
    let (relation, bound) = match length {
        length if length < least => ("greater", least),
        length if length > most => ("less", most),
        _ => return Ok(()),
    };
    let field = first_lower(field);
    Err(Refusal::validation(format!(
        "1 validation error detected: Value '{value}' at '{field}' failed to satisfy constraint: Member must have \
         length {relation} than or equal to {bound}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(count: usize) -> Vec<(String, String)> {
        (0..count).map(|number| (format!("k{number}"), String::new())).collect()
    }

    #[test]
    fn names_are_short_and_plain() {
        assert_eq!(name("RoleName", &"a".repeat(64), 64), Ok(()));
        assert_eq!(name("RoleName", "a+=,.@_-9", 64), Ok(()));
        for bad in ["", "a/b", "a b", "ä", &"a".repeat(65)] {
            assert_eq!(
                name("RoleName", bad, 64).err().map(|refusal| refusal.code),
                Some("ValidationError"),
                "{bad}"
            );
        }
        assert!(path("/").is_ok() && path("/a/").is_ok() && path("a/").is_err() && path("/a b/").is_err());
    }

    #[test]
    fn tags_are_fifty_in_all_and_keys_have_no_case() -> Result<(), Refusal> {
        let code = |before: &_, added: &[_]| tagged(before, added).err().map(|refusal| refusal.code);
        let full = tagged(&BTreeMap::new(), &pairs(50))?;
        assert_eq!(code(&BTreeMap::new(), &pairs(51)), Some("ValidationError"));
        assert_eq!(code(&full, &[("other".to_owned(), String::new())]), Some("LimitExceeded"));
        assert_eq!(tagged(&full, &[("K7".to_owned(), "v".to_owned())])?.len(), 50);
        let twice = ["a", "A"].map(|key| (key.to_owned(), String::new()));
        assert_eq!(code(&full, &twice), Some("InvalidInput"));
        assert_eq!(code(&full, &[("aws:x".to_owned(), String::new())]), Some("InvalidInput"));
        Ok(())
    }
}
