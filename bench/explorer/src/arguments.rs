//! What is to be run.

use std::num::NonZeroUsize;

use bowline_explorer::Storage;

/// What is to be run, and how.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// As in the catalogue.
    pub(crate) model: String,
    /// As `bowline check --size` takes it.
    pub(crate) size: String,
    /// Threads.
    pub(crate) threads: NonZeroUsize,
    /// What is kept of a state.
    pub(crate) storage: Storage,
    /// What is checked.
    pub(crate) check: Check,
}

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// One claim that is always true, as all contestants do.
    One,
    /// All that the model claims of states and steps.
    Safety,
    /// All that the model claims.
    All,
}

impl Arguments {
    /// Reads them.
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Arguments, String> {
        let words: Vec<String> = words.into_iter().collect();
        let [model, size, threads, storage, check] = &words[..] else {
            return Err("it takes MODEL SIZE THREADS exact|fingerprint one|safety|all".into());
        };
        Ok(Arguments {
            model: model.clone(),
            size: size.clone(),
            threads: threads.parse().map_err(|_| format!("`{threads}` is no number of threads"))?,
            storage: match storage.as_str() {
                "exact" => Storage::Exact,
                "fingerprint" => Storage::Fingerprint,
                other => return Err(format!("`{other}` is neither exact nor fingerprint")),
            },
            check: match check.as_str() {
                "one" => Check::One,
                "safety" => Check::Safety,
                "all" => Check::All,
                other => return Err(format!("`{other}` is none of one, safety, all")),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split(' ').map(String::from))
    }

    #[test]
    fn arguments_are_read() {
        let arguments = Arguments {
            model: "seed/irsa".into(),
            size: "workers=2".into(),
            threads: NonZeroUsize::MIN,
            storage: Storage::Fingerprint,
            check: Check::Safety,
        };
        assert_eq!(parsed("seed/irsa workers=2 1 fingerprint safety"), Ok(arguments));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(parsed("seed/irsa").is_err_and(|error| error.contains("it takes")));
        assert!(parsed("seed/irsa workers=2 0 exact one").is_err_and(|error| error.contains("`0`")));
        assert!(parsed("seed/irsa workers=2 1 precise one").is_err_and(|error| error.contains("`precise`")));
        assert!(parsed("seed/irsa workers=2 1 exact none").is_err_and(|error| error.contains("`none`")));
    }
}
