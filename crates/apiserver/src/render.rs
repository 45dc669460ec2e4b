//! Objects, lists and events on the wire, in the form that the client wants.

use std::sync::Arc;

use bowline_kernel::Version;
use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};

use crate::document::{Document, Json};
use crate::kinds::Kind;
use crate::negotiate::{Form, MetaVersion, Wanted, encode};
use crate::query::Query;
use crate::reply::{self, Reply};
use crate::status::Status;
use crate::table::{self, Include, ListMeta, Table};
use crate::time::Moment;
use crate::verbs::Listed;
use crate::versions::viewed;

/// One object.
///
/// # Errors
/// If the query asks for a form that there is not.
pub(crate) fn document(
    code: StatusCode,
    kind: &Kind,
    document: &Document,
    wanted: &Wanted,
    query: &Query,
) -> Result<Reply, Status> {
    wanted.fits(kind, false)?;
    let document = &*viewed(kind, document);
    let bytes = match wanted.form {
        Form::Whole => {
            let mut out = Vec::with_capacity(document.size());
            document.write(Some((&kind.api_version(), &kind.kind)), &mut out);
            out
        }
        Form::Table(version) => table(kind, version, include(query)?).one(document),
        Form::Metadata(version) | Form::MetadataList(version) => table::metadata(document, version),
    };
    Ok(reply(code, bytes, wanted))
}

/// An object that is not kept, which has no tables.
///
/// # Errors
/// If a form is wanted that it does not have.
pub(crate) fn object(
    code: StatusCode,
    kind: &Kind,
    mut object: Json,
    wanted: &Wanted,
) -> Result<Reply, Status> {
    wanted.fits(kind, false)?;
    if let Form::Metadata(version) = wanted.form {
        object.retain(|name, _| name == "metadata");
        object.insert("kind".into(), "PartialObjectMetadata".into());
        object.insert("apiVersion".into(), version.api_version().into());
    }
    Ok(reply(code, to_vec(&Value::Object(object)), wanted))
}

/// A list.
///
/// # Errors
/// If the query asks for a form that there is not.
pub(crate) fn list(kind: &Kind, listed: &Listed, wanted: &Wanted, query: &Query) -> Result<Reply, Status> {
    wanted.fits(kind, true)?;
    let meta = ListMeta {
        resource_version: listed.version.to_string().into(),
        next: listed.continues.as_deref().unwrap_or_default(),
        remaining: listed.remaining.map(|remaining| remaining as u64),
    };
    let viewed: Vec<_> = listed.documents.iter().map(|document| viewed(kind, document)).collect();
    let documents = viewed.iter().map(|document| &**document);
    let bytes = match wanted.form {
        Form::Whole => whole_list(kind, documents, &meta),
        Form::Table(version) => table(kind, version, include(query)?).list(&meta, documents),
        Form::Metadata(version) | Form::MetadataList(version) => {
            table::metadata_list(&meta, documents, version)
        }
    };
    Ok(reply(StatusCode::OK, bytes, wanted))
}

fn reply(code: StatusCode, bytes: Vec<u8>, wanted: &Wanted) -> Reply {
    let media = HeaderValue::from_static(wanted.encoding.media_type());
    reply::typed(code, media, encode(Bytes::from(bytes), *wanted))
}

fn table(kind: &Kind, version: MetaVersion, include: Include) -> Table<'_> {
    Table { kind, version, include, now: Moment::now() }
}

fn include(query: &Query) -> Result<Include, Status> {
    Include::parse(Some(query.get("includeObject")))
}

/// Moves the bytes of the objects; parses none of them.
fn whole_list<'d>(
    kind: &Kind,
    documents: impl Iterator<Item = &'d Document> + Clone,
    meta: &ListMeta<'_>,
) -> Vec<u8> {
    let size: usize = documents.clone().map(Document::size).sum();
    let mut out = Vec::with_capacity(size + 256);
    let mut head =
        json!({ "kind": &*kind.list_kind, "apiVersion": kind.api_version(), "metadata": meta.json() });
    if kind.custom.is_some() {
        // Lists of custom kinds are maps in the real server, which leaves nothing out.
        head["metadata"]["continue"] = meta.next.into();
    }
    out.extend(to_vec(&head));
    // All but the closing brace.
    out.pop();
    out.extend_from_slice(br#","items":["#);
    let api_version = kind.api_version();
    // The real server says what the items of a built-in list are once, at its head.
    let types = kind.custom.is_some().then_some((api_version.as_str(), &*kind.kind));
    for (index, document) in documents.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        document.write(types, &mut out);
    }
    out.extend_from_slice(b"]}");
    out
}

fn to_vec(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).expect("a value is written to memory")
}

/// The events of a watch.
pub(crate) struct Frames {
    kind: Arc<Kind>,
    api_version: String,
    form: Form,
    include: Include,
    /// Tables say what their columns are once.
    is_first: bool,
}

impl Frames {
    /// Events in the form that is wanted.
    ///
    /// # Errors
    /// If the query asks for a form that there is not.
    pub(crate) fn new(kind: &Arc<Kind>, wanted: &Wanted, query: &Query) -> Result<Frames, Status> {
        Ok(Frames {
            kind: Arc::clone(kind),
            api_version: kind.api_version(),
            form: wanted.form,
            include: include(query)?,
            is_first: true,
        })
    }

    /// What the events are called on the wire.
    pub(crate) fn media_type(&self) -> HeaderValue {
        HeaderValue::from_static("application/json")
    }

    /// Appends an event.
    pub(crate) fn event(&mut self, sort: &str, document: &Document, out: &mut Vec<u8>) {
        let document = &*viewed(&self.kind, document);
        open(sort, out);
        match self.form {
            Form::Whole => document.write(Some((&self.api_version, &self.kind.kind)), out),
            Form::Table(version) => {
                let table = table(&self.kind, version, self.include);
                out.extend(table.event(document, std::mem::replace(&mut self.is_first, false)));
            }
            Form::Metadata(version) | Form::MetadataList(version) => {
                out.extend(table::metadata(document, version));
            }
        }
        out.extend_from_slice(b"}\n");
    }

    /// How far the watch is; `initial` if it has just sent all that was there.
    pub(crate) fn bookmark(&mut self, version: Version, initial: bool) -> Vec<u8> {
        let mut out = Vec::new();
        open("BOOKMARK", &mut out);
        let (api_version, kind) = match self.form {
            Form::Table(meta) => {
                let table = table(&self.kind, meta, self.include);
                out.extend(table.bookmark(version, initial, std::mem::replace(&mut self.is_first, false)));
                out.extend_from_slice(b"}\n");
                return out;
            }
            Form::Whole => (self.api_version.as_str(), &*self.kind.kind),
            Form::Metadata(version) | Form::MetadataList(version) => {
                (version.api_version(), "PartialObjectMetadata")
            }
        };
        let mut metadata = json!({ "resourceVersion": version.to_string() });
        if initial {
            metadata["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        out.extend(to_vec(&json!({ "kind": kind, "apiVersion": api_version, "metadata": metadata })));
        out.extend_from_slice(b"}\n");
        out
    }

    /// Why the watch ends.
    pub(crate) fn error(status: &Status, out: &mut Vec<u8>) {
        open("ERROR", out);
        serde_json::to_writer(&mut *out, status).expect("a status is written to memory");
        out.extend_from_slice(b"}\n");
    }
}

fn open(sort: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"type":""#);
    out.extend_from_slice(sort.as_bytes());
    out.extend_from_slice(br#"","object":"#);
}
