//! From the `Accept` header to the form of the answer.

use http::StatusCode;

use crate::kinds::Kind;
use crate::status::{Details, Status};

mod accept;
mod encode;

use accept::Clause;
#[cfg(test)]
pub(crate) use encode::as_yaml;
pub(crate) use encode::{encode, indented};

/// How an answer is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// `application/json`
    Json,
    /// `application/yaml`
    Yaml,
}

impl Encoding {
    /// Its media type.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Encoding::Json => "application/json",
            Encoding::Yaml => "application/yaml",
        }
    }
}

/// A version of `meta.k8s.io`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MetaVersion {
    /// `meta.k8s.io/v1`
    V1,
    /// `meta.k8s.io/v1beta1`
    V1Beta1,
}

impl MetaVersion {
    /// As `apiVersion` says it.
    pub(crate) fn api_version(self) -> &'static str {
        match self {
            MetaVersion::V1 => "meta.k8s.io/v1",
            MetaVersion::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// What of an object is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// All of it.
    Whole,
    /// A row for each object.
    Table(MetaVersion),
    /// `PartialObjectMetadata`
    Metadata(MetaVersion),
    /// `PartialObjectMetadataList`
    MetadataList(MetaVersion),
}

/// The form of the answer that a client wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    /// How it is written.
    pub encoding: Encoding,
    /// What is written.
    pub form: Form,
    /// With line breaks, for people.
    pub pretty: bool,
}

/// What of a kind is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    /// One object, or the result of a write.
    Object,
    /// A list.
    List,
    /// A watch.
    Watch,
}

/// The parts of a request that decide the form of its answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wishes<'a> {
    /// The header `Accept`; kube-rs sends none.
    pub accept: Option<&'a str>,
    /// The query, as it is on the wire.
    pub query: &'a str,
    /// The header `User-Agent`.
    pub agent: &'a str,
}

impl<'a> Wishes<'a> {
    /// Those of a request.
    pub(crate) fn of(request: &'a http::request::Parts) -> Wishes<'a> {
        let header = |name| request.headers.get(name).and_then(|value| value.to_str().ok());
        Wishes {
            accept: header(http::header::ACCEPT),
            query: request.uri.query().unwrap_or_default(),
            agent: header(http::header::USER_AGENT).unwrap_or_default(),
        }
    }

    /// The form of the answer to what is asked of a kind.
    ///
    /// Protobuf is never answered: a client that asks for it takes something else too, or is refused.
    ///
    /// # Errors
    /// 406 if no form that is wanted is to be had.
    pub(crate) fn form(&self, kind: &Kind, asked: Asked) -> Result<Wanted, Status> {
        if kind.custom.is_none() {
            self.route(if asked == Asked::Object { WRITTEN } else { LISTED })?;
        }
        let wanted = self.choose(meta_form).ok_or_else(|| not_acceptable(WRITTEN))?;
        if asked == Asked::Watch && wanted.encoding == Encoding::Yaml {
            return Err(not_acceptable(WATCHED));
        }
        Ok(wanted)
    }

    /// The form of the answer to what is created and not kept: nobody prints that as a table.
    ///
    /// # Errors
    /// 406 if no form that is wanted is to be had.
    pub(crate) fn form_of_unkept(&self) -> Result<Wanted, Status> {
        self.route(WRITTEN)?;
        let wanted = self.choose(|target| meta_form(target).filter(|form| !matches!(form, Form::Table(_))));
        wanted.ok_or_else(|| not_acceptable(WRITTEN))
    }

    /// How a `Status` is written, also one that says that nothing is acceptable.
    pub(crate) fn of_status(&self) -> Wanted {
        self.plain().unwrap_or(Wanted { encoding: Encoding::Json, form: Form::Whole, pretty: true })
    }

    /// How something is written that has one form only.
    pub(crate) fn plain(&self) -> Option<Wanted> {
        self.choose(|target| target.is_none().then_some(Form::Whole))
    }

    /// How something is written whose one form has a name.
    pub(crate) fn named(&self, group: &str, version: &str, kind: &str) -> Option<Wanted> {
        self.choose(|target| (target? == (group, version, kind)).then_some(Form::Whole))
    }

    /// What the real server's router says before anybody looks closer: it knows types, not parameters.
    pub(crate) fn route(&self, produced: &[&str]) -> Result<(), Status> {
        let accept = self.accept.filter(|accept| !accept.is_empty()).unwrap_or("*/*");
        let fits = accept.split(',').any(|part| {
            let part = part.split(';').next().unwrap_or_default().trim();
            part == "*/*" || produced.contains(&part)
        });
        if fits {
            return Ok(());
        }
        let message = format!("406: Not Acceptable\n\nAvailable representations: {}", produced.join(", "));
        Err(Status::failure(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message).of(Details::default()))
    }

    fn choose(&self, form: impl Fn(Option<(&str, &str, &str)>) -> Option<Form>) -> Option<Wanted> {
        let pretty = self.is_for_people();
        let accept = self.accept.unwrap_or_default();
        if accept.is_empty() {
            return Some(Wanted { encoding: Encoding::Json, form: form(None)?, pretty });
        }
        let clauses = accept::parse(accept);
        clauses.iter().find_map(|clause| {
            let encoding = [Encoding::Json, Encoding::Yaml].into_iter().find(|&way| clause.takes(way))?;
            if clause.has_bad_option() {
                return None;
            }
            let pretty = pretty || clause.param("pretty") == Some("1");
            Some(Wanted { encoding, form: form(clause.target())?, pretty })
        })
    }

    fn is_for_people(&self) -> bool {
        let asked = self.query.split('&').find_map(|pair| pair.strip_prefix("pretty="));
        match asked {
            Some(value) if !value.is_empty() => {
                matches!(value, "1" | "t" | "T" | "true" | "TRUE" | "True")
            }
            _ => ["curl", "Wget", "Mozilla/5.0"].iter().any(|tool| self.agent.starts_with(tool)),
        }
    }
}

impl Wanted {
    /// Whether the form fits what is answered.
    ///
    /// # Errors
    /// 406 if the metadata of one object are wanted and there is a list, or the other way round.
    pub(crate) fn fits(&self, kind: &Kind, is_list: bool) -> Result<(), Status> {
        let message = match self.form {
            Form::Metadata(_) if is_list => format!(
                "you requested PartialObjectMetadata, but the requested object is a list ({})",
                go_type(kind, true)
            ),
            Form::MetadataList(_) if !is_list => format!(
                "you requested PartialObjectMetadataList, but the requested object is not a list ({})",
                go_type(kind, false)
            ),
            _ => return Ok(()),
        };
        Err(Status::failure(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message))
    }
}

/// What the real server writes.
pub(crate) const WRITTEN: &[&str] =
    &["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const WATCHED: &[&str] =
    &["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
const LISTED: &[&str] = &[WRITTEN[0], WRITTEN[1], WRITTEN[2], WATCHED[0], WATCHED[1]];

pub(crate) fn not_acceptable(accepted: &[&str]) -> Status {
    let message = format!("only the following media types are accepted: {}", accepted.join(", "));
    Status::failure(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message)
}

fn meta_form(target: Option<(&str, &str, &str)>) -> Option<Form> {
    let Some((group, version, kind)) = target else { return Some(Form::Whole) };
    let version = match (group, version) {
        ("meta.k8s.io", "v1") => MetaVersion::V1,
        ("meta.k8s.io", "v1beta1") => MetaVersion::V1Beta1,
        _ => return None,
    };
    match kind {
        "Table" => Some(Form::Table(version)),
        "PartialObjectMetadata" => Some(Form::Metadata(version)),
        "PartialObjectMetadataList" => Some(Form::MetadataList(version)),
        _ => None,
    }
}

/// What the scales of custom objects are called here, to tell them from others.
pub(crate) const CUSTOM_SCALES: &str = "customscales";

/// What the real server calls the type inside: its message says it.
fn go_type(kind: &Kind, is_list: bool) -> String {
    if kind.custom.is_some() {
        return format!("*unstructured.Unstructured{}", if is_list { "List" } else { "" });
    }
    let package = match &*kind.group {
        "" | "events.k8s.io" => "core",
        // The scale of a custom object is not converted into anything inside.
        _ if &*kind.plural == CUSTOM_SCALES => "v1",
        group => group.split('.').next().unwrap_or(group),
    };
    format!("*{package}.{}", if is_list { &kind.list_kind } else { &kind.kind })
}

impl Clause<'_> {
    fn takes(&self, encoding: Encoding) -> bool {
        let (kind, subtype) = encoding.media_type().split_once('/').unwrap_or_default();
        match (self.kind, self.subtype) {
            ("*", "*") => true,
            (asked, "*") => asked == kind,
            (asked, asked_subtype) => asked == kind && asked_subtype == subtype,
        }
    }

    /// Parameters of which the real server knows some values only.
    fn has_bad_option(&self) -> bool {
        let bad = |name, good: &[&str]| self.param(name).is_some_and(|value| !good.contains(&value));
        bad("stream", &["", "watch"]) || bad("sv", &[""])
    }

    fn target(&self) -> Option<(&str, &str, &str)> {
        let [group, version, kind] = ["g", "v", "as"].map(|name| self.param(name));
        (group.is_some() || version.is_some() || kind.is_some())
            .then(|| (group.unwrap_or_default(), version.unwrap_or_default(), kind.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests;
