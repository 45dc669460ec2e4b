//! Objects, lists and events on the wire, in the form that the client wants.

use std::sync::Arc;

use bowline_kernel::Version;
use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};

use crate::document::{Document, Json};
use crate::events;
use crate::kinds::Kind;
use crate::negotiate::{Form, MetaVersion, Wanted, encode};
use crate::query::Query;
use crate::reply::{self, Reply};
use crate::status::Status;
use crate::table::{self, Include, ListMeta};
use crate::time::Moment;
use crate::verbs::Listed;

/// An object as it is kept.
///
/// # Errors
/// If the query asks for a form that there is not.
pub fn document(
    code: StatusCode,
    kind: &Kind,
    document: &Document,
    wanted: &Wanted,
    query: &Query,
) -> Result<Reply, Status> {
    let mut out = Vec::with_capacity(document.size());
    match wanted.form {
        Form::Whole => write(kind, document, None, true, &mut out),
        _ => return object(code, kind, json_of(kind, document, None), wanted, query),
    }
    Ok(reply(code, out, wanted))
}

/// An object that is not kept: a dry run, or a part of one.
///
/// # Errors
/// If the query asks for a form that there is not.
pub fn object(
    code: StatusCode,
    kind: &Kind,
    object: Json,
    wanted: &Wanted,
    query: &Query,
) -> Result<Reply, Status> {
    let bytes = match wanted.form {
        Form::Whole => to_vec(&Value::Object(object)),
        Form::Table(version) => {
            let include = Include::parse(query)?;
            let meta = ListMeta::of_object(&object);
            to_vec(&table::table(kind, &[object], &meta, version, include, true, Moment::now()))
        }
        Form::Metadata(version) | Form::MetadataList(version) => to_vec(&partial(&object, version)),
    };
    Ok(reply(code, bytes, wanted))
}

/// A list.
///
/// # Errors
/// If the query asks for a form that there is not.
pub fn list(kind: &Kind, listed: &Listed, wanted: &Wanted, query: &Query) -> Result<Reply, Status> {
    let meta = ListMeta {
        version: listed.version.to_string(),
        continues: listed.continues.clone(),
        remaining: listed.remaining,
    };
    let objects = || listed.documents.iter().map(|document| json_of(kind, document, None));
    let bytes = match wanted.form {
        Form::Whole => whole_list(kind, &listed.documents, &meta),
        Form::Table(version) => {
            let include = Include::parse(query)?;
            let objects: Vec<_> = objects().collect();
            to_vec(&table::table(kind, &objects, &meta, version, include, true, Moment::now()))
        }
        Form::Metadata(version) | Form::MetadataList(version) => {
            let items: Vec<_> = objects().map(|object| partial(&object, version)).collect();
            to_vec(&json!({
                "kind": "PartialObjectMetadataList",
                "apiVersion": version.api_version(),
                "metadata": meta.json(),
                "items": items,
            }))
        }
    };
    Ok(reply(StatusCode::OK, bytes, wanted))
}

fn reply(code: StatusCode, bytes: Vec<u8>, wanted: &Wanted) -> Reply {
    let media = HeaderValue::from_static(wanted.encoding.media_type());
    reply::typed(code, media, encode(Bytes::from(bytes), *wanted))
}

/// Moves the bytes of the objects; parses none of them.
fn whole_list(kind: &Kind, documents: &[Arc<Document>], meta: &ListMeta) -> Vec<u8> {
    let size: usize = documents.iter().map(|document| document.size()).sum();
    let mut out = Vec::with_capacity(size + 256);
    let head = json!({ "kind": &*kind.list_kind, "apiVersion": kind.api_version(), "metadata": meta.json() });
    out.extend(to_vec(&head));
    // All but the closing brace.
    out.pop();
    out.extend_from_slice(br#","items":["#);
    for (index, document) in documents.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        // The real server says what the items of a built-in list are once, at its head.
        write(kind, document, None, kind.custom.is_some(), &mut out);
    }
    out.extend_from_slice(b"]}");
    out
}

/// Appends the JSON of an object: at its own version, or at another.
fn write(kind: &Kind, document: &Document, at: Option<Version>, typed: bool, out: &mut Vec<u8>) {
    if events::is_converted(kind) {
        let mut object = json_of(kind, document, at);
        if !typed {
            object.remove("apiVersion");
            object.remove("kind");
        }
        out.extend(to_vec(&Value::Object(object)));
        return;
    }
    let api_version = kind.api_version();
    document.write_at(typed.then_some((&api_version, &kind.kind)), at, out);
}

/// The JSON of an object in a version of its kind.
pub fn json_of(kind: &Kind, document: &Document, at: Option<Version>) -> Json {
    let mut object = document.json();
    if let (Some(at), Some(Value::Object(metadata))) = (at, object.get_mut("metadata")) {
        metadata.insert("resourceVersion".into(), at.to_string().into());
    }
    if events::is_converted(kind) {
        events::to_new(&mut object);
    }
    object.insert("apiVersion".into(), kind.api_version().into());
    object.insert("kind".into(), Value::from(&*kind.kind));
    object
}

fn partial(object: &Json, version: MetaVersion) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": version.api_version(),
        "metadata": object.get("metadata"),
    })
}

fn to_vec(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).expect("a value is written to memory")
}

/// The events of a watch.
pub struct Frames {
    kind: Arc<Kind>,
    form: Form,
    include: Include,
    /// Tables say what their columns are once.
    columns_sent: bool,
}

impl Frames {
    /// Events in the form that is wanted.
    ///
    /// # Errors
    /// If the query asks for a form that there is not.
    pub fn new(kind: &Arc<Kind>, wanted: &Wanted, query: &Query) -> Result<Frames, Status> {
        let include = Include::parse(query)?;
        Ok(Frames { kind: Arc::clone(kind), form: wanted.form, include, columns_sent: false })
    }

    /// What the events are called on the wire.
    pub fn media_type(&self) -> HeaderValue {
        HeaderValue::from_static("application/json")
    }

    /// Appends an event.
    pub fn event(&mut self, sort: &str, document: &Document, at: Option<Version>, out: &mut Vec<u8>) {
        open(sort, out);
        match self.form {
            Form::Whole => write(&self.kind, document, at, true, out),
            _ => out.extend(to_vec(&self.shaped(json_of(&self.kind, document, at)))),
        }
        out.extend_from_slice(b"}\n");
    }

    fn shaped(&mut self, object: Json) -> Value {
        match self.form {
            Form::Whole => Value::Object(object),
            Form::Table(version) => {
                let columns = !std::mem::replace(&mut self.columns_sent, true);
                let meta = ListMeta::of_object(&object);
                table::table(&self.kind, &[object], &meta, version, self.include, columns, Moment::now())
            }
            Form::Metadata(version) | Form::MetadataList(version) => partial(&object, version),
        }
    }

    /// How far the watch is; `initial` if it has just sent all that was there.
    pub fn bookmark(&mut self, version: Version, initial: bool) -> Vec<u8> {
        let mut metadata = json!({ "resourceVersion": version.to_string(), "creationTimestamp": null });
        if initial {
            metadata["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        let object = json!({
            "kind": &*self.kind.kind,
            "apiVersion": self.kind.api_version(),
            "metadata": metadata,
        });
        let mut out = Vec::new();
        open("BOOKMARK", &mut out);
        if let Value::Object(object) = object {
            out.extend(to_vec(&self.shaped(object)));
        }
        out.extend_from_slice(b"}\n");
        out
    }

    /// Why the watch ends.
    pub fn error(&self, status: &Status, out: &mut Vec<u8>) {
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
