//! Where a list in chunks goes on. Clients hand it back as it is; it looks as the real server's does.

use base64::DecodeError;
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use bowline_kernel::Version;
use serde_json::Value;

use crate::key::Key;
use crate::kinds::Kind;
use crate::selection::Selection;
use crate::status::Status;

const VERSION: &str = "meta.k8s.io/v1";
/// Go does not care for bits that are left over.
const BASE64: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

/// Where a list goes on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The version of the whole list; less than zero if it goes on at whatever version there is then.
    pub version: i64,
    /// The path after that of the last object, below what is listed.
    start: String,
}

impl Token {
    /// After an object of a list of a version.
    pub(super) fn after(key: &Key, version: Version, selection: &Selection) -> Token {
        // What is the same for all of the list does not stand in it, so it leads nowhere else (CVE-2022-3162).
        let start = if key.namespace.is_empty() || !selection.namespace.is_empty() {
            format!("/{}\0", key.name)
        } else {
            format!("/{}/{}\0", key.namespace, key.name)
        };
        Token { version: i64::try_from(version.0).unwrap_or(i64::MAX), start }
    }

    /// The same place, at whatever version there is.
    pub(super) fn inconsistent(&self) -> Token {
        Token { version: -1, start: self.start.clone() }
    }

    /// As clients see it.
    pub(super) fn write(&self) -> String {
        // Go writes the fields in this order.
        let (version, start) = (self.version, Value::from(self.start.as_str()));
        BASE64.encode(format!(r#"{{"v":"{VERSION}","rv":{version},"start":{start}}}"#))
    }

    /// Reads what a client hands back.
    ///
    /// # Errors
    /// If it is not one.
    pub(super) fn parse(text: &str) -> Result<Token, Status> {
        Token::read(text).map_err(|why| {
            Status::bad_request(format!("invalid continue token: continue key is not valid: {why}"))
        })
    }

    fn read(text: &str) -> Result<Token, String> {
        let bytes = BASE64.decode(text).map_err(|error| {
            let at = match error {
                DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => at,
                // Nobody pads: the first sign of it is the first that is too much.
                DecodeError::InvalidPadding => text.find('=').unwrap_or(text.len()),
                DecodeError::InvalidLength(_) => text.len().saturating_sub(1),
            };
            format!("illegal base64 data at input byte {at}")
        })?;
        let (value, _) = bowline_merge::json::parse(&bytes).map_err(|error| error.to_string())?;
        let null = Value::Null;
        let field = |name: &str| value.get(name).unwrap_or(&null);
        let wrong = |value: &Value, place: &str| {
            let sort = crate::body::sort(value);
            format!("json: cannot unmarshal {sort} into Go {place}")
        };
        if !value.is_object() && !value.is_null() {
            return Err(wrong(&value, "value of type storage.continueToken"));
        }
        let text = |name: &str| match field(name) {
            Value::Null => Ok(""),
            Value::String(text) => Ok(text.as_str()),
            other => Err(wrong(other, &format!("struct field continueToken.{name} of type string"))),
        };
        let version = match field("rv") {
            Value::Null => 0,
            other => {
                other.as_i64().ok_or_else(|| wrong(other, "struct field continueToken.rv of type int64"))?
            }
        };
        match (text("v")?, text("start")?) {
            (VERSION, _) if version == 0 => {
                Err(format!("incorrect encoded start resourceVersion (version {VERSION})"))
            }
            (VERSION, "") => Err(format!("encoded start key empty (version {VERSION})")),
            (VERSION, start) => Ok(Token { version, start: clean(start)? }),
            (other, _) => Err(format!("server does not recognize this encoded version {other}")),
        }
    }

    /// The first key that the list may go on with.
    pub(super) fn key(&self, kind: &Kind, selection: &Selection) -> Key {
        let start = self.start.trim_start_matches('/');
        let (namespace, name) = if kind.namespaced && selection.namespace.is_empty() {
            start.split_once('/').unwrap_or((start, ""))
        } else {
            (selection.namespace.as_str(), start)
        };
        Key::new(kind.resource.clone(), namespace, name)
    }
}

/// The path, if it is one that leads down and nowhere else.
fn clean(start: &str) -> Result<String, String> {
    let path = format!("/{}", start.strip_prefix('/').unwrap_or(start));
    if path.split('/').skip(1).any(|part| matches!(part, "" | "." | "..")) {
        return Err(path);
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tokens_are_read_as_they_were_written() {
        let token = Token { version: 346, start: "/d\0".to_owned() };
        let text = token.write();
        assert_eq!(text, "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MzQ2LCJzdGFydCI6Ii9kXHUwMDAwIn0");
        assert_eq!(Token::read(&text), Ok(token));
    }

    #[test]
    fn what_is_no_token_is_refused_in_the_words_of_the_real_server() {
        let of = |json: Value| BASE64.encode(json.to_string());
        for (text, why) in [
            ("a!b".to_owned(), "illegal base64 data at input byte 1"),
            ("abcde".to_owned(), "illegal base64 data at input byte 4"),
            ("YQ==".to_owned(), "illegal base64 data at input byte 2"),
            ("nonsense".to_owned(), r"invalid character '\u009e' looking for beginning of value"),
            ("eyJ".to_owned(), "unexpected end of JSON input"),
            ("e30x".to_owned(), "invalid character '1' after top-level value"),
            (of(json!({})), "server does not recognize this encoded version "),
            (of(json!([])), "json: cannot unmarshal array into Go value of type storage.continueToken"),
            (
                of(json!({"v": 1})),
                "json: cannot unmarshal number into Go struct field continueToken.v of type string",
            ),
            (of(json!({"v": VERSION})), "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"),
            (of(json!({"v": VERSION, "rv": 1})), "encoded start key empty (version meta.k8s.io/v1)"),
            (of(json!({"v": VERSION, "rv": 1, "start": "/../x"})), "/../x"),
        ] {
            assert_eq!(Token::read(&text), Err(why.to_owned()), "{text}");
        }
    }
}
