//! What a client is told beside the answer, whatever that is: `Warning` headers.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use http::header::{HeaderMap, HeaderValue, WARNING};

/// So many characters of warnings are sent in full.
const ALL: usize = 4096;
/// If there are more, so many of each.
const EACH: usize = 256;

/// The warnings of one request. What is computed twice is said once. Clients give up on long headers: as in the real
/// server, if they are too long, each is cut, and at some point there are no more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings(Arc<Mutex<Said>>);

#[derive(Debug, Default)]
struct Said {
    texts: Vec<String>,
    seen: HashSet<String>,
    characters: usize,
    cutting: bool,
    remarks: BTreeMap<String, Vec<String>>,
}

impl Said {
    fn add(&mut self, text: &str) {
        if text.is_empty() || (self.cutting && self.characters >= ALL) || self.seen.contains(text) {
            return;
        }
        self.seen.insert(text.to_owned());
        self.texts.push(text.to_owned());
        if self.cutting {
            self.characters += self.texts.last_mut().map_or(0, cut);
            return;
        }
        self.characters += text.chars().count();
        if self.characters > ALL {
            self.cutting = true;
            self.characters = self.texts.iter_mut().map(cut).sum();
        }
    }
}

/// Cuts a text, and says how long it is then.
fn cut(text: &mut String) -> usize {
    if let Some((end, _)) = text.char_indices().nth(EACH) {
        text.truncate(end);
        // It may have been a whole request.
        text.shrink_to_fit();
    }
    text.chars().count()
}

impl Warnings {
    /// Adds a warning.
    pub(crate) fn add(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(text);
    }

    /// Adds several.
    pub(crate) fn extend(&self, texts: &[String]) {
        texts.iter().for_each(|text| self.add(text));
    }

    /// Adds what is not for the client, but for the audit log: what is said twice of one thing stands there once.
    pub(crate) fn remark(&self, key: &str, value: &str) {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let values = said.remarks.entry(key.to_owned()).or_default();
        if !values.iter().any(|there| there == value) {
            values.push(value.to_owned());
        }
    }

    /// What is for the audit log.
    pub(crate) fn remarks(&self) -> BTreeMap<String, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remarks.clone()
    }

    /// Appends them to the headers of the answer.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        for text in &self.0.lock().unwrap_or_else(PoisonError::into_inner).texts {
            let text: String = text.chars().filter(|character| !character.is_control()).collect();
            if let Ok(value) = HeaderValue::from_bytes(header(&text).as_bytes()) {
                headers.append(WARNING, value);
            }
        }
    }
}

/// One header.
pub(crate) fn header(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("299 - \"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts that are sent of these.
    fn sent(texts: impl IntoIterator<Item = String>) -> Vec<String> {
        let warnings = Warnings::default();
        texts.into_iter().for_each(|text| warnings.add(&text));
        let mut headers = HeaderMap::new();
        warnings.write(&mut headers);
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        headers.get_all(WARNING).iter().map(text).collect()
    }

    #[test]
    fn what_is_too_long_is_cut() {
        // Characters are counted, not bytes.
        let long = |sign: char, count: usize| sign.to_string().repeat(count);
        let header = |sign: char, count: usize| header(&long(sign, count));
        assert_eq!(sent([long('ä', 4000), long('b', 96)]), [header('ä', 4000), header('b', 96)]);
        assert_eq!(
            sent([long('ä', 4000), long('b', 97), long('c', 300)]),
            [header('ä', 256), header('b', 97), header('c', 256)]
        );
    }

    #[test]
    fn at_some_point_there_are_no_more() {
        let said = sent((0..100_000).map(|number| format!("{number:0256}")));
        assert_eq!(said.len(), 17);
        // The one that was too much is cut, if it is too long, and sent all the same.
        let said = sent((0..100_000).map(|number| format!("{number:0100}")));
        assert_eq!(said.len(), 41);
    }

    #[test]
    fn each_is_said_once_in_its_order() {
        let warnings = Warnings::default();
        warnings.extend(&[r#"unknown field "b""#.to_owned(), "a".to_owned(), "a".to_owned()]);
        let mut headers = HeaderMap::new();
        warnings.write(&mut headers);
        let said: Vec<_> = headers.get_all(WARNING).iter().collect();
        assert_eq!(said, [r#"299 - "unknown field \"b\"""#, r#"299 - "a""#]);
    }
}
