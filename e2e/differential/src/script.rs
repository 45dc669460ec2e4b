//! What a script may say.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::Error;

/// A subject, and the requests that show how a server behaves in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The name of its file.
    #[serde(skip)]
    pub name: String,
    /// What it is about.
    pub about: String,
    /// One after the other.
    pub(crate) steps: Vec<Step>,
}

/// One step: exactly one of `do`, `watch`, `collect` and `settle`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    /// How the table of differences calls it.
    pub(crate) name: Option<String>,
    /// A method and a target.
    #[serde(rename = "do")]
    pub(crate) request: Option<String>,
    /// The target of a watch: its events until it is quiet, or, with `open`, until it is collected.
    pub(crate) watch: Option<String>,
    /// A name for a watch that stays open.
    pub(crate) open: Option<String>,
    /// The name of an open watch: its events until it is quiet.
    pub(crate) collect: Option<String>,
    /// Targets whose lists are to stay the same for a while: controllers have nothing left to do.
    pub(crate) settle: Vec<String>,
    /// `anonymous`, or a token; the administrator if it is not said.
    #[serde(rename = "as")]
    pub(crate) identity: Option<String>,
    /// `table`, `partial`, `partial-list`, or a media type.
    pub(crate) accept: Option<String>,
    /// `json`, `json-patch`, `merge`, `strategic`, `apply`, or a media type.
    #[serde(rename = "type")]
    pub(crate) media: Option<String>,
    /// More headers.
    pub(crate) headers: BTreeMap<String, String>,
    /// The body, which is sent as JSON.
    pub(crate) body: Option<Value>,
    /// The body as it is sent.
    pub(crate) raw: Option<String>,
    /// `${filler}` in the body is that long.
    pub(crate) filler: usize,
    /// The step is done once for each of these, which is `${each}`.
    pub(crate) each: Vec<String>,
    /// What of the answer later steps need: a name, and where it is in the body.
    pub(crate) keep: BTreeMap<String, String>,
    /// The step is repeated until the answer is like this: `status`, or where in the body, and what.
    pub(crate) until: BTreeMap<String, Value>,
    /// What of the body is not compared.
    pub(crate) without: Vec<String>,
    /// Lists in the body whose order is chance.
    pub(crate) sort: Vec<String>,
    /// Milliseconds without an event that end a watch.
    pub(crate) quiet: Option<u64>,
    /// Only the kinds of events are compared, runs of the same one as one, and each object's last state.
    pub(crate) fold: bool,
}

/// All scripts of a directory, in the order of their names.
pub fn read_all(dir: &Path) -> Result<Vec<Script>, Error> {
    let failed = |source| Error::File { path: dir.display().to_string(), source };
    let entries = std::fs::read_dir(dir).map_err(failed)?;
    let mut paths: Vec<_> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    paths.iter().map(|path| Script::read(path)).collect()
}

impl Script {
    fn read(path: &Path) -> Result<Self, Error> {
        let place = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::File { path: place.clone(), source })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self::parse(&name, &text)
    }

    /// Reads a script from its text.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let wrong = |place: String, what: String| Error::Wrong { place, what };
        let mut script: Self = serde_saphyr::from_str_with_options(text, yaml())
            .map_err(|error| wrong(name.to_owned(), error.to_string()))?;
        script.name = name.to_owned();
        for (index, step) in script.steps.iter().enumerate() {
            if let Some(what) = step.fault() {
                return Err(wrong(format!("{name}, step {}", index + 1), what.to_owned()));
            }
        }
        Ok(script)
    }

    /// How many requests it sends, repetitions until something is so not counted.
    pub fn requests(&self) -> usize {
        let sends = |step: &&Step| step.request.is_some() || step.watch.is_some();
        self.steps.iter().filter(sends).map(|step| step.each.len().max(1)).sum()
    }
}

/// `n` and `off` are words, as everywhere but in YAML 1.1.
fn yaml() -> serde_saphyr::Options {
    serde_saphyr::options! { strict_booleans: true }
}

impl Step {
    fn fault(&self) -> Option<&'static str> {
        let verbs =
            [self.request.is_some(), self.watch.is_some(), self.collect.is_some(), !self.settle.is_empty()];
        if verbs.iter().filter(|is_there| **is_there).count() != 1 {
            return Some("a step has exactly one of do, watch, collect and settle");
        }
        if self.request.as_ref().is_some_and(|request| !request.contains(' ') && request != "${each}") {
            return Some("do is a method and a target");
        }
        if self.body.is_some() && self.raw.is_some() {
            return Some("a step has a body or a raw body");
        }
        let is_patch = self.request.as_ref().is_some_and(|request| request.starts_with("PATCH "));
        if is_patch && self.media.is_none() && !self.headers.contains_key("Content-Type") {
            return Some("a PATCH says its type");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Result<usize, String> {
        let script = Script::parse("s", &format!("about: it\nsteps:\n{text}"));
        script.map(|script| script.requests()).map_err(|error| error.to_string())
    }

    #[test]
    fn requests_are_counted_with_their_repetitions() {
        assert_eq!(
            steps("- do: GET /a\n- do: GET /${each}\n  each: [b, c]\n- watch: /d\n- settle: [/e]\n"),
            Ok(4)
        );
    }

    #[test]
    fn a_step_that_makes_no_sense_is_refused() {
        for bad in [
            "- name: x\n",
            "- do: GET /a\n  watch: /b\n",
            "- do: GET\n",
            "- do: PATCH /a\n  body: {}\n",
            "- do: POST /a\n  body: {}\n  raw: ''\n",
            "- do: GET /a\n  nonsense: 1\n",
        ] {
            assert!(steps(bad).is_err(), "{bad}");
        }
        assert!(steps("- do: GET\n").is_err_and(|error| error.contains("s, step 1")));
    }
}
