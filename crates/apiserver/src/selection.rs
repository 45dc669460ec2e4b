//! Which objects of a resource a list or a watch is about, and as of when.

use bowline_kernel::selector::{Fields, Labels, Requirement};
use bowline_kernel::{Object, Version};
use bowline_merge::FieldError;
use http::StatusCode;

use crate::auth::quote;
use crate::document::{self, Document};
use crate::fields;
use crate::kinds::Kind;
use crate::query::Query;
use crate::status::Status;

/// Which objects a list or a watch is about.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// Empty for all namespaces.
    pub namespace: String,
    /// Empty for any.
    name: String,
    labels: Labels,
    fields: Fields,
    /// How long the selectors are: about how long it takes to see whether an object is selected.
    length: usize,
}

/// As long as this is a selector that looks into the JSON of an object.
const READING: usize = 16 * 1024;

impl Selection {
    /// Reads the selectors.
    ///
    /// # Errors
    /// If one cannot be read, or names a field by which the kind is not selected.
    pub(crate) fn parse(kind: &Kind, namespace: &str, query: &Query) -> Result<Selection, Status> {
        let labels = Labels::parse(query.get("labelSelector")).map_err(Status::bad_request)?;
        let fields = Fields::parse(query.get("fieldSelector")).map_err(Status::bad_request)?;
        for requirement in fields.requirements() {
            fields::check(kind, &requirement.field)?;
        }
        let mut length = query.get("labelSelector").len() + query.get("fieldSelector").len();
        if fields.requirements().iter().any(|requirement| fields::is_read(&requirement.field)) {
            length += READING;
        }
        Ok(Selection { namespace: namespace.to_owned(), name: String::new(), labels, fields, length })
    }

    /// The same, less all but the object `name`; if that is empty, all of it.
    ///
    /// # Errors
    /// If another object is selected.
    pub(crate) fn only(mut self, name: &str) -> Result<Selection, Status> {
        if !name.is_empty() && !self.fields.is_empty() && by_name(&self.fields) != Some(name) {
            return Err(Status::bad_request("fieldSelector metadata.name doesn't match requested name"));
        }
        name.clone_into(&mut self.name);
        Ok(self)
    }

    /// Whether everything in the namespace is selected.
    pub(crate) fn is_everything(&self) -> bool {
        self.name.is_empty() && self.labels.is_empty() && self.fields.requirements().is_empty()
    }

    /// The name of the only object that may be selected.
    pub(crate) fn sole_name(&self) -> Option<&str> {
        if self.name.is_empty() { by_name(&self.fields) } else { Some(&self.name) }
    }

    /// Whether it takes long to see which of so many objects are selected.
    pub(crate) fn is_slow(&self, count: usize) -> bool {
        const QUICK: usize = 1 << 20;
        count.saturating_mul(self.length) > QUICK
    }

    /// About how many bytes are looked at to see whether the object is selected.
    pub(crate) fn effort_bytes(&self, document: &Document) -> usize {
        if self.length == 0 { 0 } else { self.length + document.size() }
    }

    /// Whether the object is selected.
    pub(crate) fn has(&self, document: &Document) -> bool {
        let key = document.key();
        (self.namespace.is_empty() || *self.namespace == *key.namespace)
            && (self.name.is_empty() || *self.name == *key.name)
            && (self.labels.is_empty() || self.labels.matches(|label| document.label(label)))
            && (self.fields.requirements().is_empty() || fields::matches(&self.fields, document))
    }
}

/// The one object that a field selector leaves.
pub(crate) fn by_name(fields: &Fields) -> Option<&str> {
    let exact = |requirement: &&Requirement| requirement.field == "metadata.name" && !requirement.negated;
    fields.requirements().iter().find(exact).map(|requirement| requirement.value.as_str())
}

/// As of when a list or a watch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AsOf {
    /// The newest.
    Newest,
    /// Anything: what is at hand.
    Any,
    /// At least this version.
    NotOlderThan(Version),
    /// This very version.
    Exact(Version),
}

/// What a list or a watch asks for beside the selection.
#[derive(Clone, Debug)]
pub(crate) struct ListOptions {
    /// As of when.
    pub as_of: AsOf,
    /// How many at once; 0 for all.
    pub limit: usize,
    /// Where the last chunk ended.
    pub continues: String,
    /// For a watch: whether to begin with what is there.
    pub initial_events: Option<bool>,
    /// For a watch: whether to say from time to time how far it is.
    pub bookmarks: bool,
    /// For a watch: when to end.
    pub timeout_s: Option<u64>,
}

impl ListOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// If they are malformed, or contradict each other.
    pub(crate) fn parse(query: &Query, watch: bool) -> Result<ListOptions, Status> {
        let limit = query.number("limit")?;
        let timeout = query.number("timeoutSeconds")?;
        let initial_events = query.optional_flag("sendInitialEvents");
        let errors = contradictions(query, watch, initial_events);
        if !errors.is_empty() {
            return Err(Status::invalid_as("meta.k8s.io", "ListOptions", "", &errors));
        }
        Ok(ListOptions {
            as_of: as_of(query, watch)?,
            limit: usize::try_from(limit).unwrap_or(0),
            continues: query.get("continue").to_owned(),
            initial_events,
            bookmarks: query.flag("allowWatchBookmarks"),
            timeout_s: u64::try_from(timeout).ok().filter(|timeout| *timeout > 0),
        })
    }
}

/// The version that somebody writes.
///
/// # Errors
/// If it is none: what Go says.
pub(crate) fn version(text: &str) -> Result<Version, String> {
    document::version(text).ok_or_else(|| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let why = if is_number { "value out of range" } else { "invalid syntax" };
        let text = quote(text);
        format!("resourceVersion: Invalid value: {text}: strconv.ParseUint: parsing {text}: {why}")
    })
}

/// The real server finds it out late and takes the blame for it, but for lists.
pub(crate) fn malformed_version(why: String) -> Status {
    Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "", why)
}

fn as_of(query: &Query, watch: bool) -> Result<AsOf, Status> {
    let text = query.get("resourceVersion");
    let version = || {
        version(text).map_err(|why| match watch {
            true => malformed_version(why),
            false => Status::bad_request(format!("invalid resource version: {why}")),
        })
    };
    Ok(match (text, query.get("resourceVersionMatch")) {
        ("", _) => AsOf::Newest,
        ("0", _) => AsOf::Any,
        (_, "Exact") => AsOf::Exact(version()?),
        // A list in chunks at a version has always meant that version.
        (_, "") if query.number("limit")? > 0 && !watch => AsOf::Exact(version()?),
        (_, _) => AsOf::NotOlderThan(version()?),
    })
}

fn contradictions(query: &Query, watch: bool, initial_events: Option<bool>) -> Vec<FieldError> {
    const MATCH: &str = "resourceVersionMatch";
    let matching = query.get(MATCH);
    let version = query.get("resourceVersion");
    let mut errors = Vec::new();
    if watch {
        if initial_events.is_some() && matching != "NotOlderThan" {
            let text = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
            errors.push(FieldError::forbidden(MATCH, text));
        }
        if !matching.is_empty() {
            if initial_events.is_none() {
                let text = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
                errors.push(FieldError::forbidden(MATCH, text));
            }
            if matching != "NotOlderThan" {
                errors.push(FieldError::not_supported(MATCH, matching, &["NotOlderThan"]));
            }
            if !query.get("continue").is_empty() {
                let text = "resourceVersionMatch is forbidden when continue is provided";
                errors.push(FieldError::forbidden(MATCH, text));
            }
        }
        return errors;
    }
    if initial_events.is_some() {
        errors.push(FieldError::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    }
    if !matching.is_empty() {
        if version.is_empty() {
            let text = "resourceVersionMatch is forbidden unless resourceVersion is provided";
            errors.push(FieldError::forbidden(MATCH, text));
        }
        if !query.get("continue").is_empty() {
            let text = "resourceVersionMatch is forbidden when continue is provided";
            errors.push(FieldError::forbidden(MATCH, text));
        }
        if !matches!(matching, "Exact" | "NotOlderThan") {
            errors.push(FieldError::not_supported(MATCH, matching, &["Exact", "NotOlderThan", ""]));
        }
        if matching == "Exact" && version == "0" {
            let text = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            errors.push(FieldError::forbidden(MATCH, text));
        }
    }
    errors
}
