//! Objects as rows of a table, as `kubectl get` prints them, and objects without anything but their metadata.

use std::borrow::Cow;

use bowline_kernel::{Object as _, Version};
use serde_json::{Value, json};

use crate::document::{Document, Json};
use crate::kinds::Kind;
use crate::negotiate::MetaVersion;
use crate::status::Status;
use crate::time::Moment;

mod age;
mod cells;
mod columns;
mod custom;
mod jsonpath;
mod partial;

pub(crate) use partial::{metadata, metadata_list};

/// What of the object a row carries besides its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Include {
    /// Nothing.
    None,
    /// Its metadata.
    Metadata,
    /// All of it.
    Object,
}

impl Include {
    /// From the value of the query parameter `includeObject`.
    ///
    /// # Errors
    /// If it is none of the three.
    pub(crate) fn parse(value: Option<&str>) -> Result<Include, Status> {
        match value {
            None | Some("" | "Metadata") => Ok(Include::Metadata),
            Some("None") => Ok(Include::None),
            Some("Object") => Ok(Include::Object),
            Some(other) => Err(Status::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {}: must be \
                 'Metadata', 'Object', 'None', or empty",
                Value::from(other)
            ))),
        }
    }
}

/// What a list says of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListMeta<'a> {
    /// The version of the list.
    pub resource_version: Cow<'a, str>,
    /// Where the next chunk begins, if there is one.
    pub next: &'a str,
    /// How many objects come after this chunk, if that is known.
    pub remaining: Option<u64>,
}

impl ListMeta<'_> {
    /// The metadata of a list, as JSON.
    pub(crate) fn json(&self) -> Value {
        let mut meta = json!({"resourceVersion": self.resource_version});
        if !self.next.is_empty() {
            meta["continue"] = self.next.into();
        }
        if let Some(remaining) = self.remaining {
            meta["remainingItemCount"] = remaining.into();
        }
        meta
    }
}

/// The columns of a kind: a JSON array of `TableColumnDefinition`.
pub(crate) fn columns(kind: &Kind) -> Cow<'static, str> {
    match &kind.custom {
        Some(custom) => custom::columns(custom.declared()).into(),
        None => columns::of(kind).into(),
    }
}

/// The cells of an object, one for each column.
pub(crate) fn row(kind: &Kind, json: &Json, now: Moment) -> Vec<Value> {
    match &kind.custom {
        Some(custom) => custom::cells(custom.declared(), json, now),
        None => cells::of(kind, json, now),
    }
}

/// How tables of a kind are written, at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'a> {
    /// The kind.
    pub kind: &'a Kind,
    /// The version of the table itself.
    pub version: MetaVersion,
    /// What each row carries.
    pub include: Include,
    /// The time to which ages are.
    pub now: Moment,
}

impl Table<'_> {
    /// The table of a list.
    pub(crate) fn list<'d>(
        &self,
        meta: &ListMeta<'_>,
        documents: impl IntoIterator<Item = &'d Document>,
    ) -> Vec<u8> {
        let mut out = Vec::with_capacity(4096);
        self.open(&meta.json(), Some(&columns(self.kind)), &mut out);
        let mut documents = documents.into_iter().peekable();
        if documents.peek().is_none() && self.kind.custom.is_none() && columns::are_of_any(self.kind) {
            // What prints kinds without columns of their own makes no list before there is a row.
            out.pop();
            out.extend_from_slice(b"null}");
            return out;
        }
        for (index, document) in documents.enumerate() {
            if index > 0 {
                out.push(b',');
            }
            self.row(document, &mut out);
        }
        out.extend_from_slice(b"]}");
        out
    }

    /// The table of one object.
    pub(crate) fn one(&self, document: &Document) -> Vec<u8> {
        self.event(document, true)
    }

    /// The object of an event of a watch. Only the first event says what the columns are.
    pub(crate) fn event(&self, document: &Document, is_first: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(1024);
        let meta = json!({"resourceVersion": document.meta().version.to_string()});
        let columns = is_first.then(|| columns(self.kind));
        self.open(&meta, columns.as_deref(), &mut out);
        self.row(document, &mut out);
        out.extend_from_slice(b"]}");
        out
    }

    /// The object of a bookmark: a row of an object that has nothing but a version.
    pub(crate) fn bookmark(&self, version: Version, ends_initial_events: bool, is_first: bool) -> Vec<u8> {
        let version = version.to_string();
        let mut metadata = json!({"resourceVersion": version});
        if ends_initial_events {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let mut nothing = Json::new();
        nothing.insert("metadata".into(), metadata.clone());
        let mut row = json!({"cells": row(self.kind, &nothing, self.now)});
        if self.include == Include::Object {
            let types = json!({"kind": self.kind.kind, "apiVersion": self.kind.api_version()});
            row["object"] = types;
            row["object"]["metadata"] = metadata;
        } else if self.include == Include::Metadata || ends_initial_events {
            row["object"] =
                json!({"kind": "PartialObjectMetadata", "apiVersion": self.version.api_version()});
            row["object"]["metadata"] = metadata;
        } else {
            row["object"] = Value::Null;
        }
        let mut out = Vec::with_capacity(512);
        let columns = is_first.then(|| columns(self.kind));
        self.open(&json!({"resourceVersion": version}), columns.as_deref(), &mut out);
        out.extend_from_slice(row.to_string().as_bytes());
        out.extend_from_slice(b"]}");
        out
    }

    fn open(&self, meta: &Value, columns: Option<&str>, out: &mut Vec<u8>) {
        let head = format!(
            r#"{{"kind":"Table","apiVersion":"{}","metadata":{meta},"columnDefinitions":{},"rows":["#,
            self.version.api_version(),
            columns.unwrap_or("null"),
        );
        out.extend_from_slice(head.as_bytes());
    }

    fn row(&self, document: &Document, out: &mut Vec<u8>) {
        let json = document.json();
        let cells = Value::from(row(self.kind, &json, self.now));
        out.extend_from_slice(format!(r#"{{"cells":{cells}"#).as_bytes());
        if let Some(condition) = cells::condition(self.kind, &json) {
            out.extend_from_slice(format!(r#","conditions":[{condition}]"#).as_bytes());
        }
        out.extend_from_slice(br#","object":"#);
        match self.include {
            Include::None => out.extend_from_slice(b"null"),
            Include::Metadata => partial::write(document, self.version, out),
            Include::Object => document.write(Some((&self.kind.api_version(), &self.kind.kind)), out),
        }
        out.push(b'}');
    }
}

#[cfg(test)]
mod tests;
