//! What a line says, in the words of `audit.k8s.io/v1`: who, what, and what was answered. Never what was sent or given: no
//! body, no query, no message of an error.

use std::collections::BTreeMap;

use bowline_kernel::{Change, Object};
use serde::Serialize;

use super::trail::{Known, Made};
use crate::document::Document;
use crate::random;
use crate::time::Micros;
use crate::user::User;

/// So many bytes are written down of what a client makes up: paths, names, what it calls itself.
const LONGEST: usize = 512;
/// So many are named of what somebody may have many of: groups, and what else is said of a user.
const MOST: usize = 32;

/// How every line begins.
pub(super) const BEGIN: &str = r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","#;

/// A line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event<'a> {
    kind: &'static str,
    api_version: &'static str,
    level: &'static str,
    #[serde(rename = "auditID")]
    audit_id: &'a str,
    stage: &'static str,
    #[serde(rename = "requestURI")]
    request_uri: &'a str,
    verb: &'a str,
    user: Who<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impersonated_user: Option<Who<'a>>,
    #[serde(rename = "sourceIPs", skip_serializing_if = "Vec::is_empty")]
    source_ips: Vec<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    user_agent: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    object_ref: Option<Reference<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_status: Option<Answer<'a>>,
    request_received_timestamp: String,
    stage_timestamp: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<&'a str, &'a str>,
}

#[derive(Serialize, Default)]
struct Who<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    username: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    uid: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    extra: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Who<'a> {
    fn of(user: &'a User) -> Who<'a> {
        let some = |texts: &'a [String]| texts.iter().take(MOST).map(|text| cut(text)).collect();
        let extra = user.extra.iter().take(MOST).map(|(name, values)| (cut(name), some(values))).collect();
        Who { username: cut(&user.name), uid: cut(&user.uid), groups: some(&user.groups), extra }
    }
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Reference<'a> {
    resource: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    uid: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    api_group: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    api_version: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    resource_version: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    subresource: &'a str,
}

#[derive(Serialize)]
struct Answer<'a> {
    metadata: Empty,
    #[serde(skip_serializing_if = "str::is_empty")]
    status: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    code: u16,
}

#[derive(Serialize)]
struct Empty {}

/// A request and its answer.
pub(crate) struct Request<'a> {
    /// The number of the request.
    pub id: &'a str,
    /// Its path, as it was sent.
    pub path: &'a str,
    /// What the client calls itself.
    pub agent: &'a str,
    /// Where it came from; `None` if it came from this process.
    pub source: Option<std::net::IpAddr>,
    /// When.
    pub received: Micros,
    /// What was learned on the way.
    pub known: &'a Known,
    /// What is answered.
    pub code: u16,
    /// Why, if it is a failure.
    pub reason: &'a str,
    /// Of which object the failure is, if it says so.
    pub about: &'a str,
}

impl Request<'_> {
    /// Whether something has happened, which has to have a line: who was turned away has done nothing.
    pub(super) fn is_owed(&self) -> bool {
        self.code < 400 || !self.known.versions.is_empty()
    }
}

impl Event<'_> {
    /// As it is written.
    fn write(&self) -> String {
        serde_json::to_string(self).expect("it is written to memory")
    }
}

/// The line of a request.
pub(super) fn request(request: &Request<'_>) -> String {
    let known = request.known;
    let mut annotations: BTreeMap<_, _> =
        known.remarks.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    if let Some(allowed) = known.allowed {
        let decision = if allowed { "allow" } else { "forbid" };
        annotations.insert("authorization.k8s.io/decision", decision);
    }
    if known.dry_run {
        annotations.insert("bowline.dev/dry-run", "true");
    }
    let event = Event {
        stage: if known.verb == "watch" { "ResponseStarted" } else { "ResponseComplete" },
        request_uri: cut(request.path),
        verb: known.verb,
        user: known.user.as_ref().map(Who::of).unwrap_or_default(),
        impersonated_user: known.acts_as.as_ref().map(Who::of),
        source_ips: request.source.iter().map(ToString::to_string).collect(),
        user_agent: cut(request.agent),
        object_ref: reference(request),
        response_status: Some(Answer {
            metadata: Empty {},
            status: if request.code < 400 { "" } else { "Failure" },
            reason: request.reason,
            code: request.code,
        }),
        request_received_timestamp: request.received.to_string(),
        annotations,
        ..blank(request.id)
    };
    event.write()
}

fn reference<'a>(request: &Request<'a>) -> Option<Reference<'a>> {
    let path = request.known.path.as_ref()?;
    let made = request.known.last.as_ref().filter(|made| {
        *made.key.resource.group() == *path.group && *made.key.resource.plural() == *path.plural
    });
    // Which it was is known by its name in the path, or by what became of it, or by what is wrong with it.
    let name = match (path.name.as_str(), made, request.known.verb) {
        ("", Some(made), "create") => &made.key.name,
        ("", None, "create") => request.about,
        (name, ..) => name,
    };
    Some(Reference {
        resource: cut(&path.plural),
        namespace: cut(&path.namespace),
        name: cut(name),
        uid: made.map_or("", |made| &*made.uid),
        api_group: cut(&path.group),
        api_version: cut(&path.version),
        resource_version: made.map_or_else(String::new, |made| made.version.to_string()),
        subresource: cut(&path.subresource),
    })
}

/// The line of a change that nobody asked for: the hub does its chores.
pub(super) fn own(change: &Change<Document>) -> String {
    let (id, user, key) = (random::uid(), User::server(), &change.key);
    let verb = match (&change.before, change.removed) {
        (_, true) => "delete",
        (None, false) => "create",
        (Some(_), false) => "update",
    };
    let event = Event {
        verb,
        user: Who::of(&user),
        object_ref: Some(Reference {
            resource: key.resource.plural(),
            namespace: &key.namespace,
            name: &key.name,
            uid: &change.after.meta().uid,
            api_group: key.resource.group(),
            resource_version: change.version.to_string(),
            ..Reference::default()
        }),
        annotations: BTreeMap::from([("bowline.dev/note", "done by the hub itself")]),
        ..blank(&id)
    };
    event.write()
}

/// A line that says something of the log.
pub(super) fn note(note: &str, objects: &[Made]) -> String {
    let (id, user) = (random::uid(), User::server());
    let mut annotations = BTreeMap::from([("bowline.dev/note", note)]);
    let named;
    if !objects.is_empty() {
        let name = |made: &Made| {
            let key = &made.key;
            format!("{} {}/{} at {}", key.resource.as_str(), key.namespace, key.name, made.version)
        };
        named = objects.iter().map(name).collect::<Vec<_>>().join(", ");
        annotations.insert("bowline.dev/objects", &named);
    }
    Event { verb: "note", user: Who::of(&user), annotations, ..blank(&id) }.write()
}

fn blank(audit_id: &str) -> Event<'_> {
    let now = Micros::now().to_string();
    Event {
        kind: "Event",
        api_version: "audit.k8s.io/v1",
        level: "Metadata",
        audit_id,
        stage: "ResponseComplete",
        request_uri: "",
        verb: "",
        user: Who::default(),
        impersonated_user: None,
        source_ips: Vec::new(),
        user_agent: "",
        object_ref: None,
        response_status: None,
        request_received_timestamp: now.clone(),
        stage_timestamp: now,
        annotations: BTreeMap::new(),
    }
}

/// What anybody may send is not written down at any length.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}
