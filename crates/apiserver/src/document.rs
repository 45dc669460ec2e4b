//! An object as it is kept: its JSON, written once, and what the kernel decides by.

use std::ops::Range;
use std::sync::Arc;

use bowline_kernel::{Deletion, Finalizer, MetaOf, Object, Owner, Version};
use bytes::Bytes;
use serde_json::{Map, Value};

use crate::key::{Key, NAMESPACES, PODS};
use crate::store::Kept;
use crate::time::Moment;
use crate::{builtin, crd};

mod layout;
mod metadata;

pub(crate) use metadata::Malformed;

/// A JSON object.
pub(crate) type Json = Map<String, Value>;

/// Where owners live: from apiVersion, kind and name of an owner reference, and the namespace of what it owns.
pub(crate) type FindOwner<'a> = &'a dyn Fn(&str, &str, &str, &str) -> Option<Key>;

/// An object of the API.
///
/// Its JSON is kept without `apiVersion` and `kind` (the version is the reader's choice) and without
/// `resourceVersion` (so that the kernel can give it one without writing the JSON anew). `status` comes last.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    key: Key,
    meta: MetaOf<Document>,
    labels: metadata::Labels,
    parts: Parts,
}

/// The JSON of a document, and where its parts are.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// `"metadata":{…},…}`
    pub body: Bytes,
    /// Where `resourceVersion` belongs.
    pub cut: u32,
    /// What counts a generation if it changes.
    pub wanted: Range<u32>,
    /// What that is.
    pub counting: Counting,
}

impl Document {
    /// The object of this JSON.
    ///
    /// # Errors
    /// If its metadata is not what metadata must be.
    pub(crate) fn new(
        key: Key,
        json: &Json,
        counting: Counting,
        owner: FindOwner<'_>,
    ) -> Result<Document, Malformed> {
        let metadata = json.get("metadata").and_then(Value::as_object).ok_or(Malformed("metadata"))?;
        let mut meta = metadata::read(metadata, &key, owner)?;
        if counting == Counting::Nothing {
            meta.generation = None;
        } else {
            meta.generation = meta.generation.or(Some(1));
        }
        if key.resource == *NAMESPACES {
            meta.finalizers.extend(metadata::contents_finalizer(json));
        }
        let labels = metadata::labels(metadata)?;
        Ok(Document { key, meta, labels, parts: layout::write(json, counting) })
    }

    /// The object that was kept.
    ///
    /// # Errors
    /// If its metadata is not what metadata must be.
    pub(crate) fn kept(key: Key, kept: Kept, owner: FindOwner<'_>) -> Result<Document, Malformed> {
        let Kept { version, parts } = kept;
        let metadata = layout::metadata_of(&parts).ok_or(Malformed("metadata"))?;
        let mut meta = metadata::read(&metadata, &key, owner)?;
        meta.version = version;
        let labels = metadata::labels(&metadata)?;
        let mut document = Document { key, meta, labels, parts };
        if document.key.resource == *NAMESPACES {
            let json = document.try_json().map_err(|_| Malformed("spec"))?;
            document.meta.finalizers.extend(metadata::contents_finalizer(&json));
        }
        Ok(document)
    }

    /// Its labels, in the order of their names.
    pub(crate) fn label(&self, name: &str) -> Option<&str> {
        let found = self.labels.binary_search_by(|(label, _)| (**label).cmp(name)).ok()?;
        Some(&self.labels[found].1)
    }

    /// Its JSON and where its parts are.
    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// How many bytes [`Document::write`] adds, about.
    pub(crate) fn size(&self) -> usize {
        self.parts.body.len() + 96
    }

    /// Appends the JSON of the object: at `apiVersion` and `kind`, or without both, as in lists of built-in kinds.
    pub(crate) fn write(&self, types: Option<(&str, &str)>, out: &mut Vec<u8>) {
        out.push(b'{');
        if let Some((api_version, kind)) = types {
            // Neither has a character that JSON escapes: the registry sees to that.
            out.extend_from_slice(br#""apiVersion":""#);
            out.extend_from_slice(api_version.as_bytes());
            out.extend_from_slice(br#"","kind":""#);
            out.extend_from_slice(kind.as_bytes());
            out.extend_from_slice(br#"","#);
        }
        let (body, cut) = (&self.parts.body, self.parts.cut as usize);
        out.extend_from_slice(&body[..cut]);
        out.extend_from_slice(br#""resourceVersion":""#);
        out.extend_from_slice(self.meta.version.to_string().as_bytes());
        out.extend_from_slice(br#"","#);
        out.extend_from_slice(&body[cut..]);
    }

    /// The JSON of the object, without `apiVersion` and `kind`.
    pub(crate) fn json(&self) -> Json {
        self.try_json().expect("a document is a JSON object")
    }

    fn try_json(&self) -> serde_json::Result<Json> {
        let mut text = Vec::with_capacity(self.size());
        self.write(None, &mut text);
        layout::read(&text)
    }

    /// Whether what was kept can have been written here: nobody has looked at what comes from elsewhere.
    pub(crate) fn is_sound(key: &Key, kept: &Kept) -> bool {
        let (body, cut) = (&kept.parts.body, kept.parts.cut as usize);
        let text = [b"{", &body[..cut], br#""resourceVersion":"0","#, &body[cut..]].concat();
        // How deep it is has to be known before anybody else reads it.
        bowline_merge::json::parse(&text).is_ok()
            && layout::read(&text).is_ok()
            && Document::kept(key.clone(), kept.clone(), &|_, _, _, _| None).is_ok()
    }

    /// The same object at another version: that of its end.
    #[must_use]
    pub(crate) fn at(&self, version: Version) -> Document {
        let mut document = self.clone();
        document.meta.version = version;
        document
    }

    /// The same object with another JSON.
    #[must_use]
    pub(crate) fn rewritten(&self, json: &Json) -> Document {
        Document { parts: layout::write(json, self.parts.counting), ..self.clone() }
    }

    fn wanted(&self) -> &[u8] {
        &self.parts.body[self.parts.wanted.start as usize..self.parts.wanted.end as usize]
    }
}

/// What counts a generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counting {
    /// The kind has none.
    Nothing,
    /// All but metadata and status.
    Spec,
    /// All but metadata.
    SpecAndStatus,
    /// All but metadata and status, and the annotations: deployments.
    SpecAndAnnotations,
    /// All but metadata and status, and the labels: slices of endpoints.
    SpecAndLabels,
}

/// A change that depends on what is there; see `hub::modify`.
pub(crate) type Edit =
    Arc<dyn Fn(Option<&Document>) -> Result<Document, crate::status::Status> + Send + Sync>;

/// An [`Edit`], which cannot be printed.
#[derive(Clone)]
pub(crate) struct Change(pub Edit);

impl std::fmt::Debug for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Change")
    }
}

impl Object for Document {
    type Key = Key;
    type Uid = Arc<str>;
    type Mark = Box<str>;
    type Time = Moment;
    type Change = Change;
    type Refusal = Box<crate::status::Status>;

    fn key(&self) -> &Key {
        &self.key
    }

    fn meta(&self) -> &MetaOf<Self> {
        &self.meta
    }

    fn stamp(&mut self, meta: MetaOf<Self>) {
        let version = meta.version;
        self.meta.version = version;
        if self.meta == meta {
            return;
        }
        // Rare: the writer has guessed right what the kernel would say, but for deletions and the collector.
        let mut json = self.json();
        metadata::edit(&mut json, &self.key, &self.meta, &meta);
        self.parts = layout::write(&json, self.parts.counting);
        self.meta = meta;
    }

    /// Definitions stay until their objects are gone.
    fn holder(&self) -> Option<DocumentFinalizer> {
        (self.key.resource == crd::definitions()).then(|| Finalizer::Named(crd::lifecycle::FINALIZER.into()))
    }

    fn end(&self, now: &Moment) -> DocumentDeletion {
        let grace_s = builtin::grace_s(self, None);
        DocumentDeletion { at: now.plus_s(grace_s), grace_s }
    }

    fn is_run(&self) -> bool {
        self.key.resource == *PODS
    }

    fn same(&self, other: &Self) -> bool {
        self.parts.body == other.parts.body
    }

    fn spec_differs(&self, other: &Self) -> bool {
        let differs = |name: &str| {
            let of = |document: &Document| {
                layout::metadata_of(&document.parts).and_then(|mut all| all.remove(name))
            };
            of(self) != of(other)
        };
        self.wanted() != other.wanted()
            || match self.parts.counting {
                Counting::SpecAndAnnotations => differs("annotations"),
                Counting::SpecAndLabels => differs("labels"),
                Counting::Nothing | Counting::Spec | Counting::SpecAndStatus => false,
            }
    }

    fn apply(current: Option<&Self>, change: &Change) -> Result<Self, Self::Refusal> {
        change.0(current).map_err(Box::new)
    }
}

/// The owner of a document.
pub(crate) type DocumentOwner = Owner<Key, Arc<str>>;
/// The deletion of a document.
pub(crate) type DocumentDeletion = Deletion<Moment>;
/// A finalizer of a document.
pub(crate) type DocumentFinalizer = Finalizer<Box<str>>;

/// The version that a text names, if it is one.
pub(crate) fn version(text: &str) -> Option<Version> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok().map(Version)).flatten()
}
