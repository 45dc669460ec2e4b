//! Versions: `1.2.3-beta.1+build`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::eval::{Evaluated, Failure};
use super::super::value::Value;

/// A version. What was built of it does not count.
#[derive(Clone, Debug)]
pub(in super::super) struct Semver {
    numbers: [u64; 3],
    before: Vec<Part>,
}

/// Numbers come before texts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Number(u64),
    Text(String),
}

impl Semver {
    /// The order of two versions: one that has parts after a dash comes before the one that has none.
    pub(in super::super) fn order(&self, other: &Semver) -> Ordering {
        let before = match (self.before.is_empty(), other.before.is_empty()) {
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => self.before.cmp(&other.before),
        };
        self.numbers.cmp(&other.numbers).then(before)
    }
}

/// Calls one of their functions; nothing if it is none.
pub(super) fn call(function: &str, values: &[Value]) -> Option<Evaluated> {
    let number = |version: &Semver, index: usize| {
        Ok(Value::Int(i64::try_from(version.numbers[index]).unwrap_or(i64::MAX)))
    };
    Some(match (function, values) {
        ("isSemver", [Value::String(text)]) => Ok(Value::Bool(parse(text).is_ok())),
        ("isSemver", [Value::String(text), Value::Bool(loose)]) => {
            Ok(Value::Bool(read(text, *loose).is_ok()))
        }
        ("semver", [Value::String(text)]) => {
            read(text, false).map(|version| Value::Semver(Arc::new(version))).map_err(Failure::Error)
        }
        ("semver", [Value::String(text), Value::Bool(loose)]) => {
            read(text, *loose).map(|version| Value::Semver(Arc::new(version))).map_err(Failure::Error)
        }
        ("major", [Value::Semver(version)]) => number(version, 0),
        ("minor", [Value::Semver(version)]) => number(version, 1),
        ("patch", [Value::Semver(version)]) => number(version, 2),
        ("isGreaterThan", [Value::Semver(a), Value::Semver(b)]) => Ok(Value::Bool(a.order(b).is_gt())),
        ("isLessThan", [Value::Semver(a), Value::Semver(b)]) => Ok(Value::Bool(a.order(b).is_lt())),
        ("compareTo", [Value::Semver(a), Value::Semver(b)]) => Ok(Value::Int(a.order(b) as i64)),
        _ => return None,
    })
}

/// A version; `loose` allows a `v` before it, zeros before numbers, and to leave out the last numbers.
fn read(text: &str, loose: bool) -> Result<Semver, String> {
    if !loose {
        return parse(text);
    }
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(ToOwned::to_owned).collect();
    for part in parts.iter_mut().filter(|part| part.len() > 1) {
        let trimmed = part.trim_start_matches('0');
        let zero = if trimmed.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
        *part = format!("{zero}{trimmed}");
    }
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
        return Err("Short version cannot contain PreRelease/Build meta data".to_owned());
    }
    parts.resize(3, "0".to_owned());
    parse(&parts.join("."))
}

fn parse(text: &str) -> Result<Semver, String> {
    if text.is_empty() {
        return Err("Version string empty".to_owned());
    }
    let parts: Vec<&str> = text.splitn(3, '.').collect();
    let [major, minor, rest] = parts.as_slice() else {
        return Err("No Major.Minor.Patch elements found".to_owned());
    };
    let (major, minor) = (number(major, "Major")?, number(minor, "Minor")?);
    let (rest, build) = rest.split_once('+').map_or((*rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, before) = rest.split_once('-').map_or((rest, None), |(patch, before)| (patch, Some(before)));
    let numbers = [major, minor, number(patch, "Patch")?];
    let mut parts = Vec::new();
    for part in before.iter().flat_map(|before| before.split('.')) {
        parts.push(prerelease(part)?);
    }
    for part in build.iter().flat_map(|build| build.split('.')) {
        if part.is_empty() {
            return Err("Build meta data is empty".to_owned());
        }
        if !part.chars().all(is_known) {
            return Err(format!("Invalid character(s) found in build meta data {part:?}"));
        }
    }
    Ok(Semver { numbers, before: parts })
}

fn is_known(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-'
}

fn number(text: &str, name: &str) -> Result<u64, String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || text.is_empty() {
        return Err(format!("Invalid character(s) found in {} number {text:?}", name.to_lowercase()));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{name} number must not contain leading zeroes {text:?}"));
    }
    text.parse().map_err(|_| format!("strconv.ParseUint: parsing {text:?}: value out of range"))
}

fn prerelease(text: &str) -> Result<Part, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            return Err(format!("Numeric PreRelease version must not contain leading zeroes {text:?}"));
        }
        return text
            .parse()
            .map(Part::Number)
            .map_err(|_| format!("strconv.ParseUint: parsing {text:?}: value out of range"));
    }
    if text.chars().all(is_known) {
        Ok(Part::Text(text.to_owned()))
    } else {
        Err(format!("Invalid character(s) found in prerelease {text:?}"))
    }
}
