//! The order of versions.

use std::cmp::Ordering;

/// Orders versions, the one that clients prefer first: `v2`, `v1`, `v2beta1`, `v1alpha1`, and then any others by name.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    match (parse(a), parse(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Alpha,
    Beta,
    Final,
}

/// `v1beta2` as stage, 1 and 2.
fn parse(version: &str) -> Option<(Stage, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let (major, rest) = number(rest)?;
    if rest.is_empty() {
        return Some((Stage::Final, major, 0));
    }
    let (stage, rest) = match rest.strip_prefix("alpha") {
        Some(rest) => (Stage::Alpha, rest),
        None => (Stage::Beta, rest.strip_prefix("beta")?),
    };
    let (minor, rest) = number(rest)?;
    rest.is_empty().then_some((stage, major, minor))
}

fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    // A leading zero is no number here.
    (!digits.starts_with('0')).then(|| Some((digits.parse().ok()?, rest))).flatten()
}

#[cfg(test)]
mod tests {
    #[test]
    fn versions_are_in_the_order_that_the_documentation_of_crds_gives() {
        let expected =
            ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
        let mut versions = expected;
        versions.sort_unstable();
        versions.sort_by(|a, b| super::compare(a, b));
        assert_eq!(versions, expected);
    }
}
