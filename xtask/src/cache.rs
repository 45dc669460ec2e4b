//! Where tasks keep what they fetch or build and want to find again: outside of the repository, so that a
//! fresh clone does not pay for it a second time.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// `$BOWLINE_CACHE`, else `$XDG_CACHE_HOME/bowline`, else `$HOME/.cache/bowline`. It may not exist yet.
pub(crate) fn cache_dir() -> Result<PathBuf> {
    choose(|name| std::env::var_os(name))
}

fn choose(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf> {
    let path = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    path("BOWLINE_CACHE")
        .or_else(|| path("XDG_CACHE_HOME").map(|dir| dir.join("bowline")))
        .or_else(|| path("HOME").map(|dir| dir.join(".cache/bowline")))
        .context("no cache directory: set BOWLINE_CACHE to an absolute path")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variables: &[(&str, &str)]) -> Option<PathBuf> {
        let find =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into());
        choose(find).ok()
    }

    #[test]
    fn the_most_specific_variable_wins() {
        let home = ("HOME", "/h");
        let xdg = ("XDG_CACHE_HOME", "/x");
        assert_eq!(chosen(&[home, xdg, ("BOWLINE_CACHE", "/b")]), Some("/b".into()));
        assert_eq!(chosen(&[home, xdg]), Some("/x/bowline".into()));
        assert_eq!(chosen(&[home]), Some("/h/.cache/bowline".into()));
    }

    #[test]
    fn empty_and_relative_paths_are_passed_over() {
        assert_eq!(
            chosen(&[("BOWLINE_CACHE", ""), ("XDG_CACHE_HOME", "x"), ("HOME", "/h")]),
            Some("/h/.cache/bowline".into())
        );
        assert_eq!(chosen(&[("HOME", "")]), None);
    }
}
