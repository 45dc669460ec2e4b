//! The bodies of requests: JSON, YAML or protobuf in, JSON out.

use bytes::Bytes;
use http::StatusCode;
use serde_json::Value;

use crate::builtin;
use crate::document::Json;
use crate::field_validation::Text;
use crate::kinds::{Kind, Kinds};
use crate::protobuf;
use crate::status::Status;
use crate::yaml;

/// An object that was sent.
#[derive(Debug)]
pub(crate) struct Body {
    /// The object, with its `apiVersion` and `kind`.
    pub object: Json,
    /// The text that it was read from.
    pub text: Text,
}

/// How a body is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Media {
    Json,
    Yaml,
    Protobuf,
}

impl Media {
    fn of(header: &str) -> Result<Media, Status> {
        match header.split(';').next().unwrap_or_default().trim() {
            "" | "application/json" => Ok(Media::Json),
            "application/yaml" => Ok(Media::Yaml),
            "application/vnd.kubernetes.protobuf" => Ok(Media::Protobuf),
            _ => Err(Status::failure(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: \
                 application/json, application/yaml, application/vnd.kubernetes.protobuf",
            )),
        }
    }
}

/// An object of a kind.
///
/// # Errors
/// If it cannot be read, or is of another kind.
pub(crate) fn decode(media: &str, bytes: &Bytes, kind: &Kind, kinds: &Kinds) -> Result<Body, Status> {
    let (value, text) = read(Media::of(media)?, bytes).map_err(|why| unrecognised(kind, bytes, &why))?;
    let mut object = typed(value).map_err(|why| unrecognised(kind, bytes, &why))?;
    check_types(kind, kinds, &mut object).map_err(|misfit| misfit.refused(kind, bytes))?;
    Ok(Body { object, text })
}

/// An object of a kind that the path does not say: options, a scale, a token request.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn any(media: &str, bytes: &Bytes) -> Result<Json, Status> {
    let media = Media::of(media)?;
    let read = read(media, bytes).and_then(|(value, _)| typed(value));
    // The real server takes the blame for this.
    read.map_err(|why| Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "", why))
}

/// A configuration that is applied. Nothing is an empty one.
///
/// # Errors
/// If it cannot be read, or is no object.
pub(crate) fn applied(bytes: &[u8]) -> Result<Body, Status> {
    let undecodable = |why: String| Status::bad_request(format!("error decoding YAML: {why}"));
    let (value, text) =
        yaml_text(bytes).map_err(|why| undecodable(format!("error converting YAML to JSON: {why}")))?;
    match value {
        Value::Object(object) => Ok(Body { object, text }),
        Value::Null => Ok(Body { object: Json::new(), text }),
        other => Err(undecodable(format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value of type \
             map[string]interface {{}}",
            sort(&other)
        ))),
    }
}

/// A value, and its text; or what Go would say.
fn read(media: Media, bytes: &Bytes) -> Result<(Value, Text), String> {
    match media {
        Media::Json => {
            json(bytes).map_err(|why| format!("couldn't get version/kind; json parse error: {why}"))
        }
        Media::Yaml => yaml_text(bytes),
        Media::Protobuf => {
            let object = protobuf::read(bytes).map_err(|malformed| malformed.to_string())?;
            Ok((Value::Object(object), Text::default()))
        }
    }
}

fn json(bytes: &Bytes) -> Result<(Value, Text), String> {
    let (value, repeated) = bowline_merge::json::parse(bytes).map_err(|error| error.to_string())?;
    Ok((value, Text { json: bytes.clone(), repeated, yaml: None }))
}

/// Most YAML that clients send is JSON, in which nothing is there twice. What is, is YAML's to tell.
fn yaml_text(bytes: &[u8]) -> Result<(Value, Text), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "yaml: invalid UTF-8".to_owned())?;
    let (value, repeated) = match bowline_merge::json::parse(bytes) {
        Ok((value, repeated)) if repeated.is_empty() => (value, None),
        Ok((value, _)) => (value, yaml::repeated(text)),
        Err(_) => (yaml::parse(text).map_err(|why| format!("yaml: {why}"))?, yaml::repeated(text)),
    };
    let json = serde_json::to_vec(&value).map_err(|error| error.to_string())?;
    Ok((value, Text { json: json.into(), repeated: Vec::new(), yaml: repeated }))
}

/// What says of itself what it is, or might.
///
/// # Errors
/// If it is something else, in the words of Go.
pub(crate) fn typed(value: Value) -> Result<Json, String> {
    const FIND: &str = "couldn't get version/kind; json parse error: json: cannot unmarshal";
    let object = match value {
        Value::Object(object) => object,
        // Go leaves empty what it reads null into.
        Value::Null => Json::new(),
        _ => {
            return Err(format!(
                "{FIND} {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
             Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                sort(&value)
            ));
        }
    };
    for field in ["apiVersion", "kind"] {
        if let Some(value) = object.get(field).filter(|value| !value.is_string() && !value.is_null()) {
            return Err(format!("{FIND} {} into Go struct field .{field} of type string", sort(value)));
        }
    }
    Ok(object)
}

/// An object is not of the kind that it should be.
pub(crate) enum Misfit {
    /// It does not say of which kind it is.
    Untyped(Json),
    /// It cannot be made one of the kind: why, and its kind and version.
    Kind(String, String, String),
}

impl Misfit {
    fn refused(self, kind: &Kind, bytes: &[u8]) -> Status {
        match self {
            Misfit::Untyped(_) => {
                let why = format!("Object 'Kind' is missing in '{}'", String::from_utf8_lossy(bytes));
                unrecognised(kind, bytes, &why)
            }
            Misfit::Kind(why, name, version) => Status::bad_request(format!(
                "{name} in version {version:?} cannot be handled as a {}: {why}",
                kind.kind
            )),
        }
    }

    /// Why, in short.
    pub(crate) fn why(self) -> String {
        match self {
            Misfit::Untyped(object) => format!("Object 'Kind' is missing in '{}'", Value::Object(object)),
            Misfit::Kind(why, ..) => why,
        }
    }
}

/// The object is of the kind; one that does not say is taken to be, if the kind is built in.
///
/// # Errors
/// If it is of another.
pub(crate) fn check_types(kind: &Kind, kinds: &Kinds, object: &mut Json) -> Result<(), Misfit> {
    let expected = kind.api_version();
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (api_version, name) = (text("apiVersion"), text("kind"));
    if kind.custom.is_some() {
        if name.is_empty() {
            return Err(Misfit::Untyped(object.clone()));
        }
        // Another version or kind is found out after the rest.
        return Ok(());
    }
    if (api_version.is_empty() || api_version == expected) && (name.is_empty() || *name == *kind.kind) {
        object.insert("apiVersion".into(), expected.into());
        object.insert("kind".into(), (*kind.kind).into());
        return Ok(());
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let other = kinds.all().iter().find(|other| {
        (&*other.group, &*other.version) == (group, version)
            && [&*other.kind, &*other.list_kind].contains(&name.as_str())
    });
    let is_list = other.is_some_and(|other| *other.kind != *name);
    let why = match other.map(|other| builtin::read(other, &mut object.clone())) {
        Some(Err(mistyped)) if !is_list => mistyped.to_string(),
        Some(_) => {
            let internal =
                if kind.group.is_empty() { "core" } else { kind.group.split('.').next().unwrap_or_default() };
            format!("converting ({version}.{name}) to ({internal}.{}): unknown conversion", kind.kind)
        }
        None => format!(
            "no kind {name:?} is registered for version {api_version:?} in scheme \"pkg/runtime/scheme.go:110\""
        ),
    };
    Err(Misfit::Kind(why, name, version.to_owned()))
}

fn unrecognised(kind: &Kind, bytes: &[u8], why: &str) -> Status {
    let shown = if kind.is_secret() { "a Secret is not shown".to_owned() } else { excerpt(bytes) };
    Status::bad_request(format!(
        "the object provided is unrecognized (must be of type {}): {why} ({shown})",
        kind.kind,
    ))
}

/// The beginning of a body as the real server shows it: text if it looks like JSON, else its bytes.
fn excerpt(bytes: &[u8]) -> String {
    const LENGTH: usize = 30;
    if bytes.is_empty() {
        return "<empty>".to_owned();
    }
    let cut = &bytes[..bytes.len().min(LENGTH)];
    let more = if bytes.len() > LENGTH { " ..." } else { "" };
    if bytes.first() == Some(&b'{') {
        return format!("{}{more}", String::from_utf8_lossy(cut));
    }
    let hex: String = cut.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}{more}")
}

/// How Go calls what a value is.
pub(crate) fn sort(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
