//! What a client is told beside the answer, whatever that is: `Warning` headers.

use std::sync::{Arc, Mutex, PoisonError};

use http::header::{HeaderMap, HeaderValue, WARNING};

/// The warnings of one request. What is computed twice is said once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    /// Adds a warning.
    pub(crate) fn add(&self, text: &str) {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !said.iter().any(|other| other == text) {
            said.push(text.to_owned());
        }
    }

    /// Adds several.
    pub(crate) fn extend(&self, texts: &[String]) {
        texts.iter().for_each(|text| self.add(text));
    }

    /// Appends them to the headers of the answer.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        for text in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
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
