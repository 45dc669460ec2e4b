//! `--trace FILE`: the form follows from the extension.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;

use super::finding::Finding;
use super::{trace_json, trace_svg, trace_text};
use crate::exit::BadUsage;
use crate::output::{self, Format};

/// A file for a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceFile {
    path: PathBuf,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Svg,
}

impl FromStr for TraceFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let form = match extension.as_ref().and_then(|extension| extension.to_str()) {
            Some("txt") => Form::Text,
            Some("json") => Form::Json,
            Some("svg") => Form::Svg,
            _ => return Err("a trace is written as .txt, .json or .svg: give the file one of these".into()),
        };
        Ok(TraceFile { path, form })
    }
}

impl TraceFile {
    /// The path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a file that cannot be, before a long run and not after it.
    pub(crate) fn refuse_if_impossible(&self) -> Result<(), BadUsage> {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let path = self.path.display();
        if self.path.is_dir() {
            return Err(BadUsage(format!("--trace: {path} is a directory")));
        }
        if !folder.is_dir() {
            let why = format!("there is no directory {}", folder.display());
            return Err(BadUsage(format!("--trace: cannot write {path}: {why}; make it first")));
        }
        self.try_to_open().map_err(|error| BadUsage(format!("--trace: cannot write {path}: {error}")))
    }

    /// Whether it can be written is best seen by opening it. A file that is there keeps its content, and
    /// one that is not is not left behind: the run may find nothing to write.
    fn try_to_open(&self) -> io::Result<()> {
        if self.path.is_file() {
            return OpenOptions::new().append(true).open(&self.path).map(drop);
        }
        if !self.path.exists() && self.path.is_symlink() {
            // What is written through a link that leads nowhere makes the file that it leads to.
            File::create(&self.path)?;
            return fs::remove_file(fs::canonicalize(&self.path)?);
        }
        if !self.path.exists() {
            File::create_new(&self.path)?;
            fs::remove_file(&self.path)?;
        }
        // What is neither, such as a pipe, may have no reader yet.
        Ok(())
    }

    /// Writes the trace.
    pub(crate) fn write(&self, finding: &Finding<'_>) -> anyhow::Result<()> {
        let text = match self.form {
            Form::Text => {
                let trace = trace_text::render(finding);
                format!("{}\n{}", finding.place(), anstream::adapter::strip_str(&trace))
            }
            Form::Json => output::document(Format::Json, &trace_json::Document::new(finding))?,
            Form::Svg => trace_svg::render(finding),
        };
        fs::write(&self.path, text).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_says_the_form() {
        let form = |text: &str| text.parse::<TraceFile>().map(|file| file.form);
        assert_eq!(form("a/why.txt"), Ok(Form::Text));
        assert_eq!(form("why.json"), Ok(Form::Json));
        assert_eq!(form("why.svg"), Ok(Form::Svg));
        assert_eq!(form("WHY.SVG"), Ok(Form::Svg));
        assert_eq!(form("Why.Json"), Ok(Form::Json));
        for text in ["why", "why.png", ".svg", "svg"] {
            assert_eq!(
                form(text),
                Err("a trace is written as .txt, .json or .svg: give the file one of these".into())
            );
        }
    }

    #[test]
    fn a_file_that_cannot_be_is_refused_at_once() {
        let refused = |text: &str| text.parse::<TraceFile>().unwrap().refuse_if_impossible().is_err();
        assert!(refused("/no/such/folder/why.svg"));
        assert!(!refused("why.svg"));
        assert!(!refused("./why.svg"));
    }
}
