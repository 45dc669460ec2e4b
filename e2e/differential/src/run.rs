//! Sends the requests of a script, and notes the answers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bowline_realkube::{Client, Identity, Request, Response, Stream};
use serde_json::{Map, Value, json};

use crate::Error;
use crate::normal::Normal;
use crate::script::{Script, Step};
use crate::vars::Vars;
use crate::watch::{QUIET, collect};

/// What a server answered to one script.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// The script.
    pub script: String,
    /// One for each request.
    pub answers: Vec<Answer>,
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The step as the script calls it.
    pub step: Option<String>,
    /// The step's number, and what was asked.
    pub request: String,
    /// What was answered, without what differs by nature.
    pub said: Value,
}

/// Headers that are a part of the answer. The rest is about the connection, or about the one server.
const HEADERS: &[&str] = &["allow", "content-type", "location", "retry-after", "warning", "www-authenticate"];
/// How long something may take to become so.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);
/// Lists that are the same for so long are taken to stay so.
const SETTLED: Duration = Duration::from_millis(1200);

/// Runs a script. That a server does not answer as expected is no error, but an answer like any other.
pub fn run(script: &Script, client: &Client) -> Result<Transcript, Error> {
    let mut session = Session {
        client,
        normal: Normal::new(client.authority()),
        vars: Vars::default(),
        watches: BTreeMap::new(),
        answers: Vec::new(),
    };
    for (index, step) in script.steps.iter().enumerate() {
        let once = [String::new()];
        let each = if step.each.is_empty() { &once[..] } else { &step.each };
        for (turn, each) in each.iter().enumerate() {
            // Like 12, or 12.3: the third of those that step 12 is done for.
            let turn = if step.each.is_empty() { String::new() } else { format!(".{}", turn + 1) };
            let number = format!("{}{turn}", index + 1);
            session.vars.set("each", each.clone());
            session.vars.set("filler", "x".repeat(step.filler));
            session.step(&number, step).map_err(|what| {
                let place = format!("{}, step {number}", script.name);
                Error::Wrong { place, what }
            })?;
        }
    }
    Ok(Transcript { script: script.name.clone(), answers: session.answers })
}

struct Session<'a> {
    client: &'a Client,
    normal: Normal,
    vars: Vars,
    watches: BTreeMap<String, Stream>,
    answers: Vec<Answer>,
}

impl Session<'_> {
    /// An error is one of the script.
    fn step(&mut self, number: &str, step: &Step) -> Result<(), String> {
        self.normal.begin(self.answers.len() + 1);
        let (request, said) = if let Some(request) = &step.request {
            let request = self.vars.fill(request)?;
            let (method, target) = request.split_once(' ').ok_or("do is a method and a target")?;
            let request = self.request(method, target, step)?;
            let said = self.ask(&request, step)?;
            (format!("{method} {}", self.normal.text(&request.target)), said)
        } else if let Some(target) = &step.watch {
            let (sign, target) = if target.contains('?') { ('&', target) } else { ('?', target) };
            let request = self.request("GET", &format!("{target}{sign}watch=true"), step)?;
            (format!("WATCH {}", self.normal.text(&request.target)), self.watch(&request, step)?)
        } else if let Some(name) = &step.collect {
            let quiet = step.quiet.map_or(QUIET, Duration::from_millis);
            let said = match self.watches.get_mut(name) {
                Some(stream) => collect(stream, quiet, step.fold, &mut self.normal),
                None => json!("it was not opened"),
            };
            (format!("COLLECT {name}"), said)
        } else {
            let targets: Vec<_> =
                step.settle.iter().map(|target| self.vars.fill(target)).collect::<Result<_, _>>()?;
            if self.settle(&targets) {
                return Ok(());
            }
            let targets: Vec<_> = targets.iter().map(|target| self.normal.text(target)).collect();
            (format!("SETTLE {}", targets.join(" ")), json!({"never": "settled"}))
        };
        let said = step.without.iter().fold(said, |said, place| without(said, place));
        self.answers.push(Answer { step: step.name.clone(), request: format!("{number} {request}"), said });
        Ok(())
    }

    fn client(&self, step: &Step) -> Result<Client, String> {
        let Some(identity) = &step.identity else { return Ok(self.client.clone()) };
        let identity = match identity.as_str() {
            "anonymous" => Identity::default(),
            token => Identity { token: Some(self.vars.fill(token)?), ..Identity::default() },
        };
        self.client.with_identity(&identity).map_err(|error| error.to_string())
    }

    fn request(&self, method: &str, target: &str, step: &Step) -> Result<Request, String> {
        let mut request = Request::new(method, &self.vars.fill(target)?.replace(' ', "%20"));
        for (name, value) in &step.headers {
            request = request.header(name, &self.vars.fill(value)?);
        }
        if let Some(accept) = &step.accept {
            request = request.header("Accept", accepted(&self.vars.fill(accept)?));
        }
        let body = match (&step.body, &step.raw) {
            (Some(body), _) => Some(self.vars.fill_body(body)?.to_string()),
            (None, Some(raw)) => Some(self.vars.fill(raw)?),
            (None, None) => None,
        };
        let media = step.media.as_deref().or(body.as_ref().map(|_| "json"));
        if let Some(media) = media.filter(|_| !step.headers.contains_key("Content-Type")) {
            request = request.header("Content-Type", sent(&self.vars.fill(media)?));
        }
        Ok(Request { body: body.unwrap_or_default().into_bytes(), ..request })
    }

    /// Asks, again and again where the script waits for something.
    fn ask(&mut self, request: &Request, step: &Step) -> Result<Value, String> {
        let client = self.client(step)?;
        let limit = Instant::now() + PATIENCE;
        loop {
            let response = match client.send(request) {
                Ok(response) => response,
                Err(error) => return Ok(json!({"broken": self.normal.text(&error.to_string())})),
            };
            let body = parsed(&response);
            let reached = step.until.iter().all(|(place, wanted)| {
                let found = if place == "status" {
                    Some(json!(response.status))
                } else {
                    body.pointer(place).cloned()
                };
                found.unwrap_or(Value::Null) == *wanted
            });
            if !reached && Instant::now() < limit {
                std::thread::sleep(PAUSE);
                continue;
            }
            // Taken out before ids are numbered: what is not compared may have some.
            let mut compared =
                step.without.iter().fold(json!({"body": body}), |body, place| without(body, place));
            for place in &step.sort {
                if let Some(Value::Array(items)) = compared.pointer_mut(place) {
                    items.sort_by_key(Value::to_string);
                }
            }
            let mut said = self.said(&response, compared.get("body").unwrap_or(&Value::Null));
            if !reached {
                said["never"] = json!(step.until);
            }
            self.keep(step, &body, &mut said);
            return Ok(said);
        }
    }

    fn keep(&mut self, step: &Step, body: &Value, said: &mut Value) {
        for (name, place) in &step.keep {
            let found = body.pointer(place);
            if found.is_none() {
                // Later steps go on with something, so that all that differs is seen in one run.
                said["not kept"] = json!(name);
            }
            let text = match found {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => format!("no-{name}"),
            };
            self.vars.set(name, text);
        }
    }

    fn said(&mut self, response: &Response, body: &Value) -> Value {
        let mut headers = Map::new();
        for name in HEADERS {
            let values = response.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
            let values: Vec<_> = values.map(|(_, value)| Value::from(self.normal.text(value))).collect();
            if !values.is_empty() {
                headers.insert((*name).to_owned(), Value::Array(values));
            }
        }
        json!({"status": response.status, "headers": headers, "body": self.normal.value(body)})
    }

    fn watch(&mut self, request: &Request, step: &Step) -> Result<Value, String> {
        let mut stream = match self.client(step)?.open(request) {
            Ok(stream) => stream,
            Err(error) => return Ok(json!({"broken": self.normal.text(&error.to_string())})),
        };
        let head = stream.response().clone();
        if head.status != 200 {
            return self.ask(request, step);
        }
        let head = Response { body: Vec::new(), ..head };
        let mut said = self.said(&head, &Value::Null);
        if let Some(name) = &step.open {
            self.watches.insert(name.clone(), stream);
        } else {
            let quiet = step.quiet.map_or(QUIET, Duration::from_millis);
            said["body"] = collect(&mut stream, quiet, step.fold, &mut self.normal);
        }
        Ok(said)
    }

    /// Waits until lists stay the same, and says whether they did.
    fn settle(&self, targets: &[String]) -> bool {
        let limit = Instant::now() + PATIENCE;
        let mut last = Vec::new();
        let mut since = Instant::now();
        while since.elapsed() < SETTLED {
            if Instant::now() >= limit {
                return false;
            }
            let lists: Vec<_> = targets.iter().map(|target| self.items(target)).collect();
            if lists != last {
                last = lists;
                since = Instant::now();
            }
            std::thread::sleep(PAUSE);
        }
        true
    }

    fn items(&self, target: &str) -> Value {
        let response = self.client.send(&Request::new("GET", target));
        response.map_or(Value::Null, |response| parsed(&response)["items"].clone())
    }
}

/// What a body says: JSON and YAML as such, all else as text.
fn parsed(response: &Response) -> Value {
    let text = response.text();
    if text.is_empty() {
        return Value::Null;
    }
    if response.header("content-type").is_some_and(|media| media.starts_with("application/yaml"))
        && let Ok(value) = serde_saphyr::from_str(&text)
    {
        return value;
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

fn accepted(short: &str) -> &str {
    match short {
        "table" => "application/json;as=Table;v=v1;g=meta.k8s.io",
        "partial" => "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        "partial-list" => "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        "discovery" => "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        other => other,
    }
}

fn sent(short: &str) -> &str {
    match short {
        "json" => "application/json",
        "yaml" => "application/yaml",
        "json-patch" => "application/json-patch+json",
        "merge" => "application/merge-patch+json",
        "strategic" => "application/strategic-merge-patch+json",
        "apply" => "application/apply-patch+yaml",
        other => other,
    }
}

/// The value without what is at that place; `*` is every name there.
fn without(mut value: Value, place: &str) -> Value {
    let parts: Vec<_> = place.trim_start_matches('/').split('/').collect();
    remove(&mut value, &parts);
    value
}

fn remove(value: &mut Value, parts: &[&str]) {
    let [part, rest @ ..] = parts else { return };
    match value {
        Value::Object(entries) if rest.is_empty() => drop(entries.remove(&part.replace("~1", "/"))),
        Value::Object(entries) => {
            let part = part.replace("~1", "/");
            let chosen = entries.iter_mut().filter(|(key, _)| part == "*" || **key == part);
            chosen.for_each(|(_, value)| remove(value, rest));
        }
        Value::Array(items) => {
            let chosen = items.iter_mut().enumerate();
            let chosen = chosen.filter(|(index, _)| *part == "*" || part.parse() == Ok(*index));
            chosen.for_each(|(_, value)| remove(value, rest));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_taken_out_by_their_place() {
        let value = json!({"body": {"items": [{"a": 1, "b": 2}, {"a": 3}], "x/y": 1}});
        assert_eq!(
            without(value.clone(), "/body/items/*/a"),
            json!({"body": {"items": [{"b": 2}, {}], "x/y": 1}})
        );
        assert_eq!(
            without(value.clone(), "/body/items/1/a"),
            json!({"body": {"items": [{"a": 1, "b": 2}, {}], "x/y": 1}})
        );
        assert_eq!(without(value.clone(), "/body/x~1y")["body"].get("x/y"), None);
        assert_eq!(without(value.clone(), "/nothing/here"), value);
    }

    #[test]
    fn bodies_are_read_by_their_type() {
        let body = |media: &str, text: &str| {
            let headers = vec![("Content-Type".to_owned(), media.to_owned())];
            parsed(&Response { status: 200, headers, body: text.as_bytes().to_vec() })
        };
        assert_eq!(body("application/json", "{\"a\": 1}"), json!({"a": 1}));
        assert_eq!(body("application/yaml", "a: \"1\"\n"), json!({"a": "1"}));
        assert_eq!(body("text/plain", "404 page not found\n"), json!("404 page not found\n"));
        assert_eq!(body("text/plain", ""), Value::Null);
    }
}
