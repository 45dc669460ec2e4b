//! Directories, files and streams.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Source;
use crate::MAX_TEXT_BYTES;
use crate::fault::{BadManifest, Fault};

/// A file's text.
pub(super) struct Text {
    /// What people call it.
    pub(super) name: String,
    pub(super) text: String,
    /// Whether it says of itself that it is JSON.
    pub(super) is_json: bool,
}

/// Texts, read one after the other.
type Texts<'a> = Box<dyn Iterator<Item = Result<Text, BadManifest>> + 'a>;

/// What the whole is called, and its texts.
pub(super) fn texts(source: Source<'_>) -> Result<(String, Texts<'_>), BadManifest> {
    let mut left = MAX_TEXT_BYTES;
    match source {
        Source::Stream(stream, name) => {
            let text = text(stream, name.to_owned(), false, &mut left);
            Ok((name.to_owned(), Box::new(std::iter::once(text))))
        }
        Source::Path(path) => {
            let whole = path.display().to_string();
            let files = if path.is_dir() { Walk::of(path)? } else { vec![path.to_owned()] };
            let texts = files.into_iter().map(move |path| {
                let name = path.display().to_string();
                let is_json = path.extension().is_some_and(|ending| ending == "json");
                match fs::File::open(&path) {
                    Ok(file) => text(file, name, is_json, &mut left),
                    Err(error) => Err(unreadable(&path, &error)),
                }
            });
            Ok((whole, Box::new(texts)))
        }
    }
}

/// Reads all, and no more than may be.
fn text(stream: impl Read, name: String, is_json: bool, left: &mut usize) -> Result<Text, BadManifest> {
    let bad = |fault| BadManifest::of_file(&name, fault);
    let mut bytes = Vec::new();
    let most = u64::try_from(*left).unwrap_or(u64::MAX).saturating_add(1);
    stream.take(most).read_to_end(&mut bytes).map_err(|error| bad(Fault::Unreadable(error.to_string())))?;
    *left = left.checked_sub(bytes.len()).ok_or_else(|| bad(Fault::TooMuchText))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| bad(Fault::Syntax("it is no text: write it in UTF-8".to_owned())))?;
    // Some editors put a mark at the beginning that no parser wants.
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok(Text { name, text, is_json })
}

/// Whether kustomize takes a file of this name for what it is to do. What is beside it is not meant to be applied as it is.
pub(super) fn is_kustomization(name: &str) -> bool {
    matches!(name, "kustomization.yaml" | "kustomization.yml" | "kustomization.json" | "Kustomization")
}

fn unreadable(path: &Path, error: &std::io::Error) -> BadManifest {
    BadManifest::of_file(&path.display().to_string(), Fault::Unreadable(error.to_string()))
}

/// A walk through a directory.
struct Walk {
    /// What must not be left.
    root: PathBuf,
    /// What was seen already, by whatever name: a link may lead to what is read in its own place, or in a circle.
    seen: BTreeSet<PathBuf>,
    files: Vec<PathBuf>,
}

impl Walk {
    /// The files with manifests below a directory, by name.
    fn of(directory: &Path) -> Result<Vec<PathBuf>, BadManifest> {
        let root = directory.canonicalize().map_err(|error| unreadable(directory, &error))?;
        let seen = BTreeSet::from([root.clone()]);
        let mut walk = Walk { root, seen, files: Vec::new() };
        walk.enter(directory)?;
        Ok(walk.files)
    }

    fn enter(&mut self, directory: &Path) -> Result<(), BadManifest> {
        let entries = fs::read_dir(directory).map_err(|error| unreadable(directory, &error))?;
        let mut names = Vec::new();
        for entry in entries {
            names.push(entry.map_err(|error| unreadable(directory, &error))?.file_name());
        }
        names.sort();
        for name in names {
            if !name.as_encoded_bytes().starts_with(b".") {
                self.look(&directory.join(name))?;
            }
        }
        Ok(())
    }

    fn look(&mut self, path: &Path) -> Result<(), BadManifest> {
        let is_link = path.is_symlink();
        let is_manifest =
            ["yaml", "yml", "json"].iter().any(|ending| path.extension() == Some(ending.as_ref()));
        let is_directory = path.is_dir();
        let for_kustomize =
            !is_directory && path.file_name().and_then(OsStr::to_str).is_some_and(is_kustomization);
        if !is_directory && !is_manifest && !for_kustomize {
            return Ok(());
        }
        let real = path.canonicalize().map_err(|error| unreadable(path, &error))?;
        if is_link && !real.starts_with(&self.root) {
            let out = Fault::LeadsOut(real.display().to_string());
            return Err(BadManifest::of_file(&path.display().to_string(), out));
        }
        if !self.seen.insert(real) {
            return Ok(());
        }
        if is_directory {
            return self.enter(path);
        }
        let refused = |fault| Err(BadManifest::of_file(&path.display().to_string(), fault));
        if !path.is_file() {
            // Who reads from a pipe or a device may wait for ever.
            return refused(Fault::Unreadable("it is no regular file".into()));
        }
        if for_kustomize {
            let directory = path.parent().unwrap_or(Path::new(".")).display().to_string();
            return refused(Fault::kustomization(&directory));
        }
        self.files.push(path.to_owned());
        Ok(())
    }
}
