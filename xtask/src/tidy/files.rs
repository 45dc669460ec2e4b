//! The files of the repository: the one walk that all rules share.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

use crate::workspace::Workspace;

/// The files that are committed, or will be with the next `git add --all`, by path from the root.
pub(crate) struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    /// Reads all files that git tracks, and those that it neither tracks nor ignores: a rule is best told
    /// before the commit.
    pub(crate) fn of_repository(workspace: &Workspace) -> Result<Self> {
        let listed = workspace.git(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
        let listed =
            String::from_utf8(listed).context("a path in the repository is not UTF-8; rename the file")?;
        let mut files = BTreeMap::new();
        for path in listed.split_terminator('\0') {
            let on_disk = workspace.root().join(path);
            // Deleted but not yet staged, a submodule, or a link: there is no text to look at.
            if is_plain_file(&on_disk) {
                let content = std::fs::read(&on_disk).with_context(|| format!("cannot read {path}"))?;
                files.insert(path.to_owned(), content);
            }
        }
        Ok(Self(files))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Every path with its content.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(path, content)| (path.as_str(), content.as_slice()))
    }

    /// Every path with its text; binary files are left out.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all().filter_map(|(path, content)| Some((path, text(content)?)))
    }

    /// Every file whose name ends like this, with its text.
    pub(crate) fn ending(&self, end: &str) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(move |(path, _)| path.ends_with(end))
    }

    /// The text of one file, if it is there.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        text(self.0.get(path)?)
    }

    /// The text of a file that has to be there.
    pub(crate) fn required(&self, path: &str) -> Result<&str> {
        self.text(path).with_context(|| format!("{path} is missing, or not text"))
    }

    /// There is a file with this path, or a directory that holds one.
    pub(crate) fn has(&self, path: &str) -> bool {
        let directory = format!("{path}/");
        path.is_empty() || self.0.contains_key(path) || self.under(&directory).next().is_some()
    }

    /// Every path that begins like this, with its content.
    pub(crate) fn under(&self, prefix: &str) -> impl Iterator<Item = (&str, &[u8])> {
        let from = self.0.range(prefix.to_owned()..);
        from.take_while(move |(path, _)| path.starts_with(prefix))
            .map(|(path, content)| (path.as_str(), content.as_slice()))
    }

    /// A tree for a test.
    #[cfg(test)]
    pub(crate) fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(files.into_iter().map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect())
    }
}

fn is_plain_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}

fn text(content: &[u8]) -> Option<&str> {
    std::str::from_utf8(content).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_there_when_they_hold_a_file() {
        let files = Files::of([("docs/adr/0001-a.md", ""), ("docs-old", "")]);
        assert!(
            files.has("docs") && files.has("docs/adr") && files.has("docs/adr/0001-a.md") && files.has("")
        );
        assert!(!files.has("doc") && !files.has("docs/ad") && !files.has("docs-old/a"));
    }

    #[test]
    fn binary_files_have_no_text() {
        assert_eq!(text(b"a\0b"), None);
        assert_eq!(text(b"\xff\xfe"), None);
        assert_eq!(text(b"abc"), Some("abc"));
    }

    #[test]
    fn the_walk_sees_this_file_and_no_build_products() -> Result<()> {
        let files = Files::of_repository(&Workspace::locate()?)?;
        assert!(files.text("xtask/src/tidy/files.rs").is_some());
        assert!(!files.has("target"));
        Ok(())
    }
}
