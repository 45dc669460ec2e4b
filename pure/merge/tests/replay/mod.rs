//! The parts of an API server that lie around this crate, as far as the cases need them.

use std::sync::Arc;

use bowline_merge::apply::{self, ApplyError, Manager, Operation};
use bowline_merge::fields::FieldSet;
use bowline_merge::{Definitions, FieldError, FieldPath, Schema, json, strategic};
use serde_json::{Value, json};

type Checked = Result<(), String>;

/// Metadata that the server writes: it is taken from the answer.
const SERVERS: &[&str] = &["uid", "resourceVersion", "generation", "creationTimestamp", "name", "namespace"];

pub(crate) fn structural(schema: &Value) -> Schema {
    Schema::structural(schema, &FieldPath::Root).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Checked {
    if ours == theirs { Ok(()) } else { Err(format!("{what}\n  ours   {ours}\n  theirs {theirs}")) }
}

/// Causes without an order: that of Go's maps differs from run to run.
fn causes(errors: &[FieldError]) -> Value {
    let one = |error: &FieldError| json!({"field": error.path, "message": error.message(), "reason": error.reason()});
    sorted(errors.iter().map(one).collect())
}

fn sorted(mut causes: Vec<Value>) -> Value {
    causes.sort_by_cached_key(ToString::to_string);
    causes.dedup();
    Value::Array(causes)
}

fn their_causes(case: &Value) -> Value {
    sorted(case["error"]["causes"].as_array().cloned().unwrap_or_default())
}

pub(crate) fn admission(case: &Value) -> Checked {
    let root = FieldPath::Root;
    let (spec, schema) = (root.field("spec"), "schema.openAPIV3Schema");
    let versions = spec.field("versions");
    let version = versions.index(0);
    // With a single version, Kubernetes keeps the schema of all versions at the top.
    let single = spec.field("validation.openAPIV3Schema");
    let errors = Schema::structural(&case["schema"], &single).err().unwrap_or_default();
    let elsewhere = Schema::structural(&case["schema"], &version.field(schema)).err().unwrap_or_default();
    let theirs = their_causes(case);
    let ours = [causes(&errors), causes(&elsewhere)];
    if ours.contains(&theirs) { Ok(()) } else { same("causes", &ours[0], &theirs) }
}

/// What a server does with the object of a request before it stores it.
fn accept(schema: &Schema, object: &mut Value) {
    schema.prune(object);
    schema.default(object);
}

pub(crate) fn check(schema: &Schema, case: &Value) -> Checked {
    let (mut object, _) = json::parse(json!({"spec": case["spec"]}).to_string().as_bytes()).unwrap();
    accept(schema, &mut object);
    let errors = schema.validate(&object);
    same("causes", &causes(&errors), &their_causes(case))?;
    if errors.is_empty() { same("spec", &object["spec"], &case["result"]) } else { Ok(()) }
}

pub(crate) fn ratchet(schema: &Schema, case: &Value) -> Checked {
    let mut new = json!({"spec": case["old"]});
    merge_patch(&mut new, &json!({"spec": case["new"]}));
    let errors = schema.validate_update(&FieldPath::Root, &new, Some(&json!({"spec": case["old"]})));
    same("causes", &causes(&errors), &their_causes(case))
}

pub(crate) fn decode(schema: &Schema, case: &Value) -> Checked {
    let message = case["error"]["message"].as_str().unwrap_or_default();
    let (mut object, duplicates) = match json::parse(case["text"].as_str().unwrap().as_bytes()) {
        Ok(parsed) => parsed,
        Err(error) => {
            return if message.contains(&error.to_string()) {
                Ok(())
            } else {
                Err(format!("{error} / {message}"))
            };
        }
    };
    let unknown = schema.prune(&mut object);
    let mut told: Vec<String> = duplicates.iter().map(ToString::to_string).collect();
    told.extend(unknown.iter().map(|path| format!("unknown field {path:?}")));
    let theirs = message.split_once("strict decoding error: ").map_or("", |(_, told)| told);
    if told.join(", ") != theirs {
        return Err(format!("ours {told:?} theirs {theirs}"));
    }
    let warnings: Vec<_> = case["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let ours: Vec<_> = told.iter().map(|warning| format!("{warning:?}")).collect();
    if warnings != ours {
        return Err(format!("warnings: ours {ours:?} theirs {warnings:?}"));
    }
    same("spec", &object["spec"], &case["pruned"])
}

/// What a server says of a text that it cannot take for a built-in kind.
pub(crate) fn kind(schema: &Schema, case: &Value) -> Checked {
    let text = case["text"].as_str().unwrap().as_bytes();
    let (mut object, duplicates) = json::parse(text).unwrap();
    let kind = object["kind"].as_str().unwrap().to_owned();
    let ours = schema.decode_error(&object).or_else(|| {
        let unknown = schema.prune(&mut object);
        let told = json::strict(text, &duplicates, &unknown);
        (!told.is_empty()).then(|| format!("strict decoding error: {}", told.join(", ")))
    });
    let ours = ours.map_or(String::new(), |why| {
        format!("{kind} in version \"v1\" cannot be handled as a {kind}: {why}")
    });
    same("message", &json!(ours), &case["message"])
}

pub(crate) fn steps(case: &Value, check: impl Fn(&Value) -> Checked) -> Checked {
    let steps = case["steps"].as_array().unwrap();
    for (index, step) in steps.iter().enumerate() {
        check(step).map_err(|fault| format!("step {index}: {fault}"))?;
    }
    Ok(())
}

/// A case whose steps were not each in a second of its own: all times are one, and entries in the order that this
/// gives them. An entry has none if its manager never changed anything.
pub(crate) fn timeless(case: &Value) -> Value {
    let mut case = case.clone();
    for step in case["steps"].as_array_mut().unwrap() {
        let time = step["time"].clone();
        for key in ["live", "result"] {
            let Some(entries) = step.pointer_mut(&format!("/{key}/metadata/managedFields")) else { continue };
            let entries = entries.as_array_mut().unwrap();
            for entry in entries.iter_mut().filter(|entry| entry.get("time").is_some()) {
                entry["time"] = time.clone();
            }
            let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            entries.sort_by_key(|entry| {
                ["operation", "time", "manager", "apiVersion", "subresource"].map(|key| text(entry, key))
            });
        }
    }
    case
}

/// The request of a step, read as a server reads it.
struct Request<'a> {
    live: Option<&'a Value>,
    body: Value,
    manager: Manager<'a>,
    ignored: FieldSet,
}

impl<'a> Request<'a> {
    fn of(step: &'a Value, ignored: FieldSet) -> Self {
        let text = |key: &str| step[key].as_str().unwrap_or_default();
        let live = Some(&step["live"]).filter(|live| live.is_object());
        let object = live.or_else(|| step.get("result")).unwrap_or(&step["request"]);
        let manager = Manager {
            name: text("manager"),
            operation: if text("op") == "apply" { Operation::Apply } else { Operation::Update },
            api_version: step["served"].as_str().or(object["apiVersion"].as_str()).unwrap_or_default(),
            subresource: text("subresource"),
            time: text("time"),
        };
        let (body, _) = json::parse(step["request"].to_string().as_bytes()).unwrap();
        Self { live, body, manager, ignored }
    }
}

/// What only the server knows of metadata is taken over; the rest must be equal.
fn adopt(ours: &mut Value, theirs: &Value) {
    for name in SERVERS {
        if let Some(value) = theirs["metadata"].get(name) {
            ours["metadata"][name] = value.clone();
        }
    }
}

fn error(error: &ApplyError, theirs: &Value) -> Checked {
    let (code, causes) = match error {
        ApplyError::Conflict(conflicts) => {
            let one = |conflict: &apply::Conflict| json!({"reason": "FieldManagerConflict", "message": conflict.message(), "field": conflict.field()});
            (409, conflicts.iter().map(one).collect())
        }
        ApplyError::BadRequest(_) => (400, Vec::new()),
        ApplyError::Untyped(_) => (500, Vec::new()),
    };
    let ours = json!({"code": code, "message": error.to_string(), "causes": sorted(causes)});
    let theirs = json!({"code": theirs["code"], "message": theirs["message"],
        "causes": sorted(theirs["causes"].as_array().cloned().unwrap_or_default())});
    same("error", &ours, &theirs)
}

/// One step with a custom resource: its server is simple enough to be all here.
pub(crate) fn custom(schema: &Schema, step: &Value) -> Checked {
    let status = step["subresource"] == "status";
    let request = Request::of(step, FieldSet::of(&[if status { "spec" } else { "status" }]));
    let made = if step["op"] == "apply" {
        let force = step["force"] == true;
        let Request { live, body, manager, ignored } = &request;
        apply::apply(schema, *live, body, manager, force, ignored)
    } else {
        Ok(written(schema, step, &request))
    };
    let (mut object, theirs) = match (made, step.get("result"), step.get("error")) {
        (Ok(object), Some(theirs), _) => (object, theirs),
        (Err(fault), _, Some(theirs)) => return error(&fault, theirs),
        (Err(fault), _, None) => return Err(format!("refused: {fault}")),
        (Ok(_), None, theirs) => return refused_later(step, theirs),
    };
    schema.default(&mut object);
    // The endpoint resets what is not its own.
    let reset = if status { "spec" } else { "status" };
    match request.live.and_then(|live| live.get(reset)) {
        Some(value) => object[reset] = value.clone(),
        None => drop(object.as_object_mut().unwrap().remove(reset)),
    }
    if let (true, Some(live)) = (status, request.live) {
        let fields = object["metadata"]["managedFields"].clone();
        object["metadata"] = live["metadata"].clone();
        object["metadata"]["managedFields"] = fields;
    }
    adopt(&mut object, theirs);
    if let Some(live) = request.live {
        apply::settle(live, &mut object);
    }
    same("object", &object, theirs)
}

/// Validation of the object as a whole is not what these cases are about.
fn refused_later(step: &Value, theirs: Option<&Value>) -> Checked {
    match theirs.map(|error| &error["code"]) {
        Some(code) if code == 422 => Ok(()),
        _ => Err(format!("not refused, but {}", step["error"])),
    }
}

fn written(schema: &Schema, step: &Value, request: &Request<'_>) -> Value {
    let mut object = match step["op"].as_str() {
        Some("merge") => {
            let mut object = request.live.unwrap().clone();
            merge_patch(&mut object, &request.body);
            object
        }
        _ => request.body.clone(),
    };
    accept(schema, &mut object);
    apply::track(schema, request.live, &mut object, &request.manager, &request.ignored);
    object
}

/// RFC 7396.
fn merge_patch(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            target.as_object_mut().unwrap().remove(key);
        } else {
            merge_patch(&mut target[key], value);
        }
    }
}

/// The definitions of built-in kinds.
pub(crate) struct Kinds(Arc<Definitions>);

impl Kinds {
    pub(crate) fn new(definitions: &Value) -> Kinds {
        Kinds(Arc::new(Definitions::parse(definitions)))
    }

    pub(crate) fn schema(&self, case: &Value) -> Schema {
        Schema::builtin(&self.0, case["definition"].as_str().unwrap()).unwrap()
    }
}

/// One step with a built-in kind. The defaults of its Go code are not here: what we make is to be found in the
/// answer, and what the answer adds is taken over before ownership is noted.
pub(crate) fn builtin(schema: &Schema, step: &Value) -> Checked {
    let request = Request::of(step, FieldSet::of(&["status"]));
    let theirs = step.get("result");
    if step["op"] == "apply" {
        let force = step["force"] == true;
        let Request { live, body, manager, ignored } = &request;
        return match (apply::apply(schema, *live, body, manager, force, ignored), theirs, step.get("error")) {
            (Ok(ours), Some(theirs), _) => {
                within("object", &ours, theirs)?;
                fields(&ours, theirs)
            }
            (Err(fault), _, Some(theirs)) => error(&fault, theirs),
            (Err(fault), _, None) => Err(format!("refused: {fault}")),
            (Ok(_), None, error) => refused_later(step, error),
        };
    }
    if step["op"] == "strategic" {
        let patched = strategic::patch(schema, request.live.unwrap(), &request.body);
        match (patched, theirs, step.get("error")) {
            (Ok(mut ours), Some(theirs), _) => {
                schema.prune(&mut ours);
                within("object", &ours, theirs)?;
            }
            (Err(fault), _, Some(theirs)) => {
                let ours = json!({"message": fault.to_string(), "code": code(fault.fault)});
                return same("error", &ours, &json!({"message": theirs["message"], "code": theirs["code"]}));
            }
            (Err(fault), _, None) => return Err(format!("refused: {fault}")),
            (Ok(_), None, error) => return refused_later(step, error).or_else(|_| undecodable(error)),
        }
    }
    let theirs = theirs.ok_or("no answer to compare with")?;
    if step["op"] == "create" {
        let mut defaulted = request.body.clone();
        accept(schema, &mut defaulted);
        within("object", &defaulted, theirs)?;
        return_empties(schema, &defaulted, theirs)?;
    }
    let mut written = theirs.clone();
    written["metadata"].as_object_mut().unwrap().remove("managedFields");
    // A service gets its addresses after it was noted who created it.
    if let Some(spec) =
        written.get_mut("spec").and_then(Value::as_object_mut).filter(|_| request.live.is_none())
    {
        spec.retain(|name, _| {
            !["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"].contains(&name.as_str())
        });
    }
    apply::track(schema, request.live, &mut written, &request.manager, &request.ignored);
    fields(&written, theirs)
}

/// The empty structs that Go writes are all declared: without them, nobody could know who owns them.
fn return_empties(schema: &Schema, ours: &Value, theirs: &Value) -> Checked {
    let mut again = theirs.clone();
    schema.default(&mut again);
    same("empty structs", &again, theirs)?;
    if ours["status"].is_object() == theirs["status"].is_object() { Ok(()) } else { Err("status".to_owned()) }
}

fn code(fault: strategic::Fault) -> u16 {
    match fault {
        strategic::Fault::BadRequest => 400,
        strategic::Fault::Unprocessable => 422,
        strategic::Fault::Internal => 500,
    }
}

/// A patch that makes what the Go type cannot hold is refused when it is read.
fn undecodable(error: Option<&Value>) -> Checked {
    match error {
        Some(error) if error["message"].as_str().unwrap_or_default().contains("unmarshal") => Ok(()),
        _ => Err(format!("not refused, but {error:?}")),
    }
}

fn fields(ours: &Value, theirs: &Value) -> Checked {
    same("managedFields", &ours["metadata"]["managedFields"], &theirs["metadata"]["managedFields"])
}

/// All that is in ours is in theirs; lists are as long.
fn within(path: &str, ours: &Value, theirs: &Value) -> Checked {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for (name, value) in ours {
                let server = path == "object.metadata"
                    && (SERVERS.contains(&name.as_str()) || name == "managedFields");
                if server || path == "object" && name == "status" {
                    continue;
                }
                let empty = value.as_object().is_some_and(serde_json::Map::is_empty);
                match theirs.get(name) {
                    Some(theirs) => within(&format!("{path}.{name}"), value, theirs)?,
                    None if empty || value.is_null() => {}
                    None => return Err(format!("{path}.{name} is not theirs: {value}")),
                }
            }
            Ok(())
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => ours
            .iter()
            .zip(theirs)
            .enumerate()
            .try_for_each(|(index, (ours, theirs))| within(&format!("{path}[{index}]"), ours, theirs)),
        _ => same(path, ours, theirs),
    }
}
