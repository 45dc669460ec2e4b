//! What all writes share: who writes, what was sent, what becomes of it, and what is answered.

use std::sync::Arc;

use bowline_kernel::Object;
use http::StatusCode;
use serde_json::Value;

use super::Asked;
use super::options::WriteOptions;
use crate::admission::{self, Admitted};
use crate::api::Api;
use crate::authorize::{Attributes, What};
use crate::body::{self, Body};
use crate::builtin::Reservation;
use crate::document::{Counting, Document, Json};
use crate::hub::{BIG_BYTES, off_thread};
use crate::key::Key;
use crate::kinds::Kind;
use crate::negotiate::{Form, Wanted};
use crate::part::Part;
use crate::query::Query;
use crate::render;
use crate::reply::Reply;
use crate::status::{Details, Status};
use crate::time::Moment;
use crate::user::User;
use crate::versions;
use crate::warnings::Warnings;

/// A write, as far as it does not depend on what is there.
pub(crate) struct Write {
    /// What all requests share.
    pub api: Arc<Api>,
    /// Of what kind.
    pub kind: Arc<Kind>,
    /// Which part of the object.
    pub part: Part,
    /// Where.
    pub namespace: String,
    /// Which; empty if the object says it itself.
    pub name: String,
    /// Who, as `managedFields` names it.
    pub manager: String,
    /// Who.
    pub user: User,
    /// How.
    pub options: WriteOptions,
    /// Whether what is there is written over also where the object says no version: patches mean what is there.
    pub unconditional: bool,
    /// Whether that it may create was asked already: it is what the request says.
    pub creates: bool,
    /// Whether admission policies have a say: not in what the server does by itself.
    pub judged: bool,
    /// When.
    pub now: Moment,
    /// Whether it takes long already to read what was sent.
    pub big: bool,
    /// What it took for a service.
    pub addresses: Reservation,
    /// What the client is told beside the answer.
    pub warnings: Warnings,
}

/// Whether a body may be more than it looks like: what YAML has once, it may say again and again.
fn may_grow(asked: &Asked) -> bool {
    asked.media_type().contains("yaml") && asked.body.contains(&b'&')
}

impl Write {
    /// A write to a part of an object.
    pub(crate) fn new(
        api: &Arc<Api>,
        kind: &Arc<Kind>,
        asked: &Asked,
        options: WriteOptions,
        part: Part,
    ) -> Write {
        let manager = match options.manager.as_str() {
            "" => asked.agent().to_owned(),
            manager => manager.to_owned(),
        };
        Write {
            api: Arc::clone(api),
            kind: Arc::clone(kind),
            part,
            namespace: asked.path.namespace.clone(),
            name: asked.path.name.clone(),
            manager,
            user: asked.user.clone(),
            unconditional: asked.verb == "patch",
            creates: asked.verb == "create",
            judged: true,
            big: asked.body.len() > BIG_BYTES || may_grow(asked),
            options,
            now: Moment::now(),
            addresses: Reservation::new(&api.addresses),
            warnings: asked.warnings.clone(),
        }
    }

    /// A write of the server itself.
    pub(crate) fn by_server(api: &Arc<Api>, kind: Arc<Kind>, key: &Key) -> Write {
        Write {
            api: Arc::clone(api),
            kind,
            part: Part::Main,
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            manager: "kube-apiserver".to_owned(),
            user: User::server(),
            options: WriteOptions::default(),
            unconditional: true,
            creates: true,
            judged: false,
            big: false,
            now: Moment::now(),
            addresses: Reservation::new(&api.addresses),
            warnings: Warnings::default(),
        }
    }

    /// Where the object is that the path names.
    pub(crate) fn key(&self) -> Key {
        self.kind.key(&self.namespace, &self.name)
    }

    /// Drops or refuses the fields that the kind does not have.
    ///
    /// # Errors
    /// If there are such fields and the client wants none.
    pub(crate) fn accept(&self, body: Body) -> Result<Json, Status> {
        self.accept_as(&self.kind, body)
    }

    /// The same for an object of another kind, which says something of ours.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn accept_as(&self, kind: &Kind, body: Body) -> Result<Json, Status> {
        let Body { mut object, text } = body;
        let expected = kind.api_version();
        let said = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default().to_owned();
        let of_other_version = kind.custom.is_some() && said != expected;
        let version = said.split_once('/').map_or(&*said, |(_, version)| version);
        let refused = |why: &str| {
            let name = &kind.kind;
            let what = format!("{name} in version {version:?} cannot be handled as a {name}");
            Status::bad_request(format!("{what}: {why}"))
        };
        let read = if of_other_version { admission::read_other } else { admission::read };
        let unknown = read(kind, &mut object).map_err(|mistyped| refused(&mistyped.to_string()))?;
        let odd = text.odd(kind.custom.is_some(), &unknown);
        self.options.validation.judge(&odd, &self.warnings).map_err(|why| refused(&why))?;
        if of_other_version {
            return Err(Status::bad_request(format!(
                "the API version in the data ({said}) does not match the expected API version ({expected})"
            )));
        }
        Ok(object)
    }

    /// Nothing is made in a namespace that is not there; that comes before everything that is wrong with it.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) async fn require_home(&self) -> Result<(), Status> {
        if self.has_home() {
            return Ok(());
        }
        // That it is not there is said when it is durable.
        let home = self.api.hub.settled(&Key::namespace(&self.namespace)).await.map_err(Status::from)?;
        home.map(|_| ()).ok_or_else(|| self.homeless())
    }

    /// Whether its namespace is there, if it has one.
    pub(crate) fn has_home(&self) -> bool {
        !self.kind.namespaced || self.api.hub.ahead(&Key::namespace(&self.namespace)).is_some()
    }

    /// Its namespace is not there.
    pub(crate) fn homeless(&self) -> Status {
        let message = format!("namespaces {:?} not found", self.namespace);
        let details =
            Details { name: self.namespace.clone(), kind: "namespaces".to_owned(), ..Details::default() };
        Status::failure(StatusCode::NOT_FOUND, "NotFound", message).of(details)
    }

    /// Who may change an object may not therefore make one, though the same request does both.
    ///
    /// # Errors
    /// If the writer may not.
    pub(crate) fn authorize_create(&self) -> Result<(), Status> {
        if self.creates {
            return Ok(());
        }
        let what = What::Resource {
            group: &self.kind.group,
            plural: &self.kind.plural,
            subresource: self.part.subresource(),
            namespace: &self.namespace,
            name: &self.name,
        };
        let attributes = Attributes { user: &self.user, verb: "create", what };
        self.api.auth.authorize(&self.api.hub, &attributes)
    }

    /// Whether the end of the object's name is left to the server.
    pub(crate) fn leaves_name(&self, object: &Json) -> bool {
        let text =
            |name| object.get("metadata").and_then(|metadata| metadata.get(name)).and_then(Value::as_str);
        text("name").unwrap_or_default().is_empty() && !text("generateName").unwrap_or_default().is_empty()
    }

    /// The object as it is when it is new.
    ///
    /// # Errors
    /// If it is not valid.
    pub(crate) fn created(&self, object: Json, applied: bool) -> Result<Document, Status> {
        let asked = object.get("metadata").and_then(|metadata| metadata["name"].as_str());
        let asked = asked.unwrap_or_default().to_owned();
        let Admitted { object, warnings } = admission::create(self, object, applied)?;
        self.warnings.extend(&warnings);
        self.judge(&asked, &object, None)?;
        self.document(&object)
    }

    /// The object as it is when it takes the place of `old`.
    ///
    /// # Errors
    /// If it is not valid, or not meant for what is there.
    pub(crate) fn updated(&self, object: Json, old: &Document, applied: bool) -> Result<Document, Status> {
        let was = self.shown(old);
        let Admitted { mut object, warnings } = admission::update(self, object, &was, applied)?;
        self.warnings.extend(&warnings);
        // Of these, policies see what was sent and not what becomes of it.
        if !matches!(self.part, Part::Scale | Part::Binding) {
            self.judge(&self.name, &object, Some(&was))?;
        }
        let document = self.document(&object)?;
        // The kernel would count this too, but it would have to write the JSON anew while all others wait.
        if let Some(generation) = old.meta().generation.filter(|_| document.spec_differs(old))
            && let Some(Value::Object(metadata)) = object.get_mut("metadata")
        {
            metadata.insert("generation".into(), (generation + 1).into());
            return self.document(&object);
        }
        Ok(document)
    }

    /// The object with a note of who changed it, for a change that needs no admission.
    pub(crate) fn tracked(&self, mut object: Json, old: &Document) -> Json {
        admission::track(self, Some(&self.shown(old)), &mut object);
        object
    }

    /// The JSON of an object that is there, in the version of the request.
    pub(crate) fn shown(&self, document: &Document) -> Json {
        versions::shown(&self.kind, document)
    }

    /// The document of an object that has been admitted.
    ///
    /// # Errors
    /// If its metadata cannot be.
    pub(crate) fn document(&self, object: &Json) -> Result<Document, Status> {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let key = self.kind.key(&self.namespace, name);
        let kinds = self.api.kinds();
        let owner = |api_version: &str, kind: &str, name: &str, namespace: &str| {
            kinds.owner(api_version, kind, name, namespace)
        };
        let kept = versions::kept(&self.kind, object.clone());
        // Controllers note on a deployment how far they are: that is not wanted of it.
        let counting = match (self.part, self.kind.counting) {
            (Part::Status, Counting::SpecAndAnnotations) => Counting::Spec,
            (_, counting) => counting,
        };
        Document::new(key, &kept, counting, &owner)
            .map_err(|malformed| Status::bad_request(malformed.to_string()))
    }

    /// Computes something that may take long: rules, policies and what is big are not for the async threads.
    ///
    /// # Errors
    /// Those of `compute`.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        compute: impl FnOnce() -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        off_thread(self.is_slow(), compute).await
    }

    /// The object that was sent.
    ///
    /// # Errors
    /// If it cannot be read, is of another kind, or has fields that the kind does not have and the client wants none.
    pub(crate) async fn sent(self: &Arc<Self>, asked: &Asked) -> Result<Json, Status> {
        let (write, media, body) = (Arc::clone(self), asked.media_type().to_owned(), asked.body.clone());
        let read = move || write.accept(body::decode(&media, &body, &write.kind, &write.api.kinds())?);
        off_thread(self.big, read).await
    }

    /// Whether much was sent, or admission evaluates rules or policies.
    pub(crate) fn is_slow(&self) -> bool {
        self.big || self.kind.custom.as_ref().is_some_and(|custom| custom.has_rules()) || self.may_be_judged()
    }

    /// The answer to a write that was done.
    ///
    /// # Errors
    /// If the query asks for a form that there is not.
    pub(crate) fn show(
        &self,
        code: StatusCode,
        document: &Document,
        wanted: &Wanted,
        query: &Query,
    ) -> Result<Reply, Status> {
        render::document(code, &self.kind, document, wanted, query)
    }

    /// The answer to a write that was only tried.
    ///
    /// # Errors
    /// If the query asks for a form that there is not.
    pub(crate) fn would_be(
        &self,
        code: StatusCode,
        document: &Document,
        wanted: &Wanted,
        query: &Query,
    ) -> Result<Reply, Status> {
        if wanted.form != Form::Whole {
            return self.show(code, document, wanted, query);
        }
        let mut object = self.shown(document);
        if code == StatusCode::CREATED
            && let Some(Value::Object(metadata)) = object.get_mut("metadata")
        {
            // It has no version: it is not there.
            metadata.remove("resourceVersion");
        }
        render::object(code, &self.kind, object, wanted)
    }
}
