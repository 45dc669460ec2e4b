//! The query of a request.

use crate::status::Status;

/// The parameters of a request: names and values, decoded, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a query. What cannot be decoded is taken as it is, as Go does.
    pub(crate) fn parse(query: &str) -> Query {
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        });
        Query(pairs.collect())
    }

    /// The first value by this name; empty if there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    /// All values by this name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Whether the parameter is there and set.
    ///
    /// Go reads anything but `false` and `0` as true, also nothing.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.optional_flag(name).unwrap_or(false)
    }

    /// Like [`Query::flag`]; `None` if the parameter is not there.
    pub(crate) fn optional_flag(&self, name: &str) -> Option<bool> {
        let (_, value) = self.0.iter().find(|(other, _)| other == name)?;
        Some(!matches!(value.to_ascii_lowercase().as_str(), "false" | "0"))
    }

    /// The number by this name; 0 if there is none.
    ///
    /// # Errors
    /// If it is not one, in the words of Go.
    pub(crate) fn number(&self, name: &str) -> Result<i64, Status> {
        let text = self.get(name);
        if text.is_empty() {
            return Ok(0);
        }
        text.parse().map_err(|error: std::num::ParseIntError| {
            let why = match error.kind() {
                std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                    "value out of range"
                }
                _ => "invalid syntax",
            };
            Status::bad_request(format!("strconv.ParseInt: parsing {text:?}: {why}"))
        })
    }
}

fn decode(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_really_send_is_read() {
        let query =
            Query::parse("&limit=500&fieldSelector=metadata.name%3Da&watch=1&a=b+c&dryRun=All&dryRun=x");
        assert_eq!(query.number("limit").ok(), Some(500));
        assert_eq!(query.get("fieldSelector"), "metadata.name=a");
        assert!(query.flag("watch") && !query.flag("other"));
        assert_eq!(query.get("a"), "b c");
        assert_eq!(query.all("dryRun").collect::<Vec<_>>(), ["All", "x"]);
        assert_eq!(Query::parse("watch=0").optional_flag("watch"), Some(false));
    }

    #[test]
    fn a_number_that_is_none_is_refused_as_go_does() {
        let status = Query::parse("limit=x").number("limit").unwrap_err();
        assert_eq!(status.message, r#"strconv.ParseInt: parsing "x": invalid syntax"#);
    }
}
