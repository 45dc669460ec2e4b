//! What is wrong with manifests, where, and what to do.

use std::fmt;

use crate::{MAX_OBJECT_BYTES, MAX_OBJECTS, MAX_TEXT_BYTES};

/// Where something was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The file, as the user would name it.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The column, from 1.
    pub column: Option<u64>,
    /// Which item of a list it is, from 1.
    pub item: Option<usize>,
    /// Whether there are other documents in the file.
    pub is_one_of_several: bool,
}

impl Place {
    /// The line and the column of something in it, where these are known.
    pub(crate) fn at(self, spot: Option<(u64, u64)>) -> Place {
        match spot {
            Some((line, column)) => Place { line: Some(line), column: Some(column), ..self },
            None => self,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            match self.column {
                Some(column) => write!(f, ":{column}")?,
                None if self.is_one_of_several => f.write_str(" (the document that begins there)")?,
                None => {}
            }
        }
        match self.item {
            Some(item) => write!(f, ", item {item}"),
            None => Ok(()),
        }
    }
}

/// What is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct BadManifest {
    /// Where.
    pub place: Box<Place>,
    /// What.
    pub fault: Box<Fault>,
}

impl BadManifest {
    pub(crate) fn new(place: Place, fault: Fault) -> BadManifest {
        BadManifest { place: Box::new(place), fault: Box::new(fault) }
    }

    /// Something that is wrong with a whole file.
    pub(crate) fn of_file(file: &str, fault: Fault) -> BadManifest {
        BadManifest::new(Place { file: file.to_owned(), ..Place::default() }, fault)
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// The file, or the directory, cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// A link that would take somebody else's files.
    #[error("it is a link out of the directory, to {0}: put the file itself there, or name that directory")]
    LeadsOut(String),
    /// There is no object.
    #[error("there is no object in it: manifests are in files *.yaml, *.yml and *.json that are not hidden")]
    Nothing,
    /// There is no object in what was piped.
    #[error("there is no object in it: did the command before the pipe print any?")]
    NothingPiped,
    /// There is too much to read.
    #[error("there are more than {most} MiB of text: split it into several stacks", most = MAX_TEXT_BYTES >> 20)]
    TooMuchText,
    /// There are too many objects.
    #[error("there are more than {MAX_OBJECTS} objects: split them into several stacks")]
    TooManyObjects,
    /// It is no YAML, or no JSON.
    #[error("it does not parse: {0}")]
    Syntax(String),
    /// It is no YAML, and looks like what YAML is made of.
    #[error("it does not parse: {0}. If it is a template of Helm: helm template DIR")]
    Template(String),
    /// It is something else than an object.
    #[error("it is {0}, not an object with apiVersion, kind and metadata")]
    NotAnObject(&'static str),
    /// A field has to be there.
    #[error("it has no {0}: every object has apiVersion, kind and metadata.name")]
    Missing(&'static str),
    /// A field is something else than a text.
    #[error("{field} is {found}, and has to be a text: put it in quotes")]
    NotText {
        /// The field.
        field: String,
        /// What it is.
        found: &'static str,
    },
    /// A field is something else than a map.
    #[error("{field} is {found}, and has to be a map of names and values")]
    NotAMap {
        /// The field.
        field: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// What has to be base64 is not. Its value may be a secret, and is not told.
    #[error(
        "{field} is not base64: {why}. Put a text in quotes under {instead}, where it stands as it is, or put here what \
         `base64 -w0 FILE` prints"
    )]
    NotBase64 {
        /// The field.
        field: String,
        /// Why it is none.
        why: String,
        /// The field that takes texts.
        instead: &'static str,
    },
    /// A field has the wrong form.
    #[error("{field} is {found:?}, and has to be {wanted}")]
    Malformed {
        /// The field.
        field: &'static str,
        /// What it is.
        found: String,
        /// What it has to be.
        wanted: &'static str,
    },
    /// It would be another object each time.
    #[error(
        "it has metadata.generateName and no name: each submission would make another object. Give it a metadata.name"
    )]
    GenerateName,
    /// It is for a program that makes objects.
    #[error("{what}, not an object: {command} {directory}")]
    Source {
        /// What it is.
        what: &'static str,
        /// What makes objects of it.
        command: &'static str,
        /// Where it is, as the user would name it.
        directory: String,
    },
    /// It goes with an object of the cluster that it was taken from.
    #[error(
        "it belongs to the {0} (metadata.ownerReferences), and would be collected where that is not: submit the owner \
         instead, or take ownerReferences out"
    )]
    Owned(String),
    /// It is Bowline's.
    #[error(
        "it is of Bowline's own kinds, which are for the hub and not for the clusters that it acts on: \
         use kubectl on the hub"
    )]
    OurKind,
    /// It is in Bowline's namespace.
    #[error(
        "the namespace {0} is Bowline's own, with the credentials of clusters in it: no update may write there. \
         Use another namespace"
    )]
    OurNamespace(&'static str),
    /// It says something that only Bowline says.
    #[error(
        "{field} is one of Bowline's own marks, by which it knows whose an object is and what may be done to it: take it \
         out, or call it otherwise"
    )]
    OurMark {
        /// The label or annotation.
        field: String,
    },
    /// It is too large.
    #[error("it has {0} bytes as JSON; no server takes more than {MAX_OBJECT_BYTES}: split it")]
    TooLarge(usize),
    /// It is there already.
    #[error("{what} is there twice, also in {first}: take one of them out")]
    Twice {
        /// The object.
        what: String,
        /// Where it is too.
        first: Place,
    },
}

impl Fault {
    /// Whether it ends with a command that prints what can be submitted instead.
    pub fn ends_with_command(&self) -> bool {
        matches!(self, Fault::Template(_) | Fault::Source { .. })
    }

    /// The field that is wrong, if it is one that is there.
    pub(crate) fn field(&self) -> Option<&str> {
        match self {
            Fault::NotText { field, .. } | Fault::NotBase64 { field, .. } | Fault::OurMark { field } => {
                Some(field)
            }
            Fault::NotAMap { field, .. } | Fault::Malformed { field, .. } => Some(field),
            Fault::GenerateName => Some("metadata.generateName"),
            Fault::Owned(_) => Some("metadata.ownerReferences"),
            _ => None,
        }
    }

    /// A file for kustomize, which need not say so but by its name.
    pub(crate) fn kustomization(directory: &str) -> Fault {
        let directory = directory.to_owned();
        Fault::Source { what: "it is for kustomize", command: "kubectl kustomize", directory }
    }

    /// A file of a chart.
    pub(crate) fn chart(directory: &str) -> Fault {
        let directory = directory.to_owned();
        Fault::Source { what: "it is part of a Helm chart", command: "helm template", directory }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_written_so_that_editors_find_it() {
        let mut place = Place { file: "app/web.yaml".into(), ..Place::default() };
        assert_eq!(place.to_string(), "app/web.yaml");
        place.line = Some(12);
        assert_eq!(place.to_string(), "app/web.yaml:12");
        place.is_one_of_several = true;
        assert_eq!(place.to_string(), "app/web.yaml:12 (the document that begins there)");
        place.column = Some(3);
        assert_eq!(place.to_string(), "app/web.yaml:12:3");
        place.item = Some(4);
        assert_eq!(place.to_string(), "app/web.yaml:12:3, item 4");
    }
}
