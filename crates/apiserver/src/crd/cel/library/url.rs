//! Addresses of the web, read as Go's `ParseRequestURI` does: absolute, or an absolute path.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::eval::{Evaluated, Failure};
use super::super::value::{Key, Value};

/// The parts of an address.
#[derive(Clone, PartialEq, Debug)]
pub(in super::super) struct Url {
    scheme: String,
    host: String,
    path: String,
    query: String,
}

/// Calls one of their functions; nothing if it is none.
pub(super) fn call(function: &str, values: &[Value]) -> Option<Evaluated> {
    Some(match (function, values) {
        ("isURL", [Value::String(text)]) => Ok(Value::Bool(Url::parse(text).is_ok())),
        ("url", [Value::String(text)]) => match Url::parse(text) {
            Ok(url) => Ok(Value::Url(Arc::new(url))),
            Err(why) => Err(Failure::error(format!("URL parse error during conversion from string: {why}"))),
        },
        ("getScheme", [Value::Url(url)]) => Ok(Value::text(&url.scheme)),
        ("getHost", [Value::Url(url)]) => Ok(Value::text(&url.host)),
        ("getHostname", [Value::Url(url)]) => Ok(Value::text(url.split_host().0)),
        ("getPort", [Value::Url(url)]) => Ok(Value::text(url.split_host().1)),
        ("getEscapedPath", [Value::Url(url)]) => Ok(Value::text(&url.escaped_path())),
        ("getQuery", [Value::Url(url)]) => Ok(url.query()),
        _ => return None,
    })
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Url, String> {
        let failed = |why: &str| Err(format!("parse {text:?}: {why}"));
        if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
            return failed("net/url: invalid control character in URL");
        }
        if text.is_empty() {
            return failed("empty url");
        }
        let (scheme, rest) = match scheme(text) {
            Ok(split) => split,
            Err(why) => return failed(why),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let query = query.to_owned();
        if !rest.starts_with('/') {
            // What has a scheme and no slash is opaque.
            let opaque =
                Url { scheme: scheme.to_ascii_lowercase(), host: String::new(), path: String::new(), query };
            return if scheme.is_empty() { failed("invalid URI for request") } else { Ok(opaque) };
        }
        let (host, path) = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None => ("", rest),
        };
        let host = match host.rsplit_once('@') {
            Some((_, host)) => host,
            None => host,
        };
        if let Err(why) = check_host(host) {
            return failed(&why);
        }
        if let Some(escape) = bad_escape(path) {
            return failed(&format!("invalid URL escape {escape:?}"));
        }
        let host = unescape(host, false);
        Ok(Url { scheme: scheme.to_ascii_lowercase(), host, path: path.to_owned(), query })
    }

    /// The name and the port.
    fn split_host(&self) -> (&str, &str) {
        let end = self.host.rfind(']').unwrap_or(0);
        let (name, port) = match self.host[end..].rfind(':') {
            Some(colon) => (&self.host[..end + colon], &self.host[end + colon + 1..]),
            None => (self.host.as_str(), ""),
        };
        (name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name), port)
    }

    fn escaped_path(&self) -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:@/[]%".contains(&byte);
        if self.path.bytes().all(plain) {
            return self.path.clone();
        }
        let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte);
        let path = unescape(&self.path, false);
        let escape =
            |byte: u8| if kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
        path.bytes().map(escape).collect()
    }

    fn query(&self) -> Value {
        let mut found: BTreeMap<Key, Vec<Value>> = BTreeMap::new();
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
        for pair in pairs.filter(|pair| bad_escape(pair).is_none()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let key = Key::String(unescape(name, true).into());
            found.entry(key).or_default().push(Value::text(&unescape(value, true)));
        }
        Value::Map(Arc::new(found.into_iter().map(|(key, values)| (key, Value::list(values))).collect()))
    }
}

fn scheme(text: &str) -> Result<(&str, &str), &'static str> {
    for (index, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if index > 0 => {}
            ':' if index == 0 => return Err("missing protocol scheme"),
            ':' => return Ok((&text[..index], &text[index + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn check_host(host: &str) -> Result<(), String> {
    let port = match host.strip_prefix('[') {
        Some(rest) => rest.rsplit_once(']').ok_or("missing ']' in host")?.1,
        None => host.rfind(':').map_or("", |colon| &host[colon..]),
    };
    let is_port = |port: &str| {
        port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if !port.is_empty() && !is_port(port) {
        return Err(format!("invalid port {port:?} after host"));
    }
    if let Some(escape) = bad_escape(host) {
        return Err(format!("invalid URL escape {escape:?}"));
    }
    let known = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"%".contains(c);
    match host.chars().find(|c| !known(*c)) {
        Some(c) => Err(format!("invalid character {:?} in host name", c.to_string())),
        None => Ok(()),
    }
}

/// The first percent sign that encodes nothing, with what follows it.
fn bad_escape(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let bad = |at: usize| !(1..3).all(|ahead| bytes.get(at + ahead).is_some_and(u8::is_ascii_hexdigit));
    let at = (0..bytes.len()).find(|at| bytes[*at] == b'%' && bad(*at))?;
    Some(text[at..].chars().take(3).collect())
}

fn unescape(text: &str, query: bool) -> String {
    let text = if query { text.replace('+', " ") } else { text.to_owned() };
    percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned()
}
