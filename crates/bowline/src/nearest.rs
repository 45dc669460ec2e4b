//! What somebody probably meant.

/// The name most like `given`, if one is like it at all; upper and lower case are alike, and what stands
/// before a slash may be left out.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        let last = name.rsplit('/').next().unwrap_or(&name);
        strsim::jaro_winkler(&given, &name).max(strsim::jaro_winkler(&given, last))
    };
    let like = known.into_iter().map(|name| (likeness(name), name)).filter(|(likeness, _)| *likeness > 0.8);
    like.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, name)| name)
}

/// `; did you mean X?` if there is a name like `given`, then what there is.
pub(crate) fn there_are(given: &str, known: &[&str]) -> String {
    let hint = nearest(given, known.iter().copied())
        .map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    format!("{hint}\n  there are: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant_and_does_not_guess() {
        let known = ["UsableByAtMostOne", "TypeInvariants", "Deadlock"];
        assert_eq!(nearest("usablebyatmostone", known), Some("UsableByAtMostOne"));
        assert_eq!(nearest("TypeInvariant", known), Some("TypeInvariants"));
        assert_eq!(nearest("xyz", known), None);
        let known = ["seed/irsa", "seed/kcp-storage", "kernel/watch"];
        assert_eq!(nearest("irsa", known), Some("seed/irsa"));
        assert_eq!(nearest("Watches", known), Some("kernel/watch"));
    }

    #[test]
    fn lists_what_there_is() {
        assert_eq!(
            there_are("worker", &["requests", "workers"]),
            "; did you mean `workers`?\n  there are: requests, workers"
        );
        assert_eq!(there_are("zzz", &["clusters"]), "\n  there are: clusters");
    }
}
