//! What a token says.

use serde::{Deserialize, Deserializer, Serialize};

use super::LEEWAY_S;
use crate::time::Moment;

/// What a token says.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Claims {
    #[serde(rename = "aud", default, deserialize_with = "one_or_more")]
    pub(super) audiences: Vec<String>,
    #[serde(rename = "exp", default)]
    pub(super) expires: i64,
    #[serde(rename = "iat", default)]
    pub(super) issued: i64,
    #[serde(rename = "iss", default)]
    pub(super) issuer: String,
    #[serde(rename = "jti", default)]
    pub(super) id: String,
    #[serde(rename = "kubernetes.io", default)]
    pub(super) kubernetes: Bound,
    #[serde(rename = "nbf", default)]
    pub(super) not_before: i64,
    #[serde(rename = "sub", default)]
    pub(super) subject: String,
}

/// Which account, and what the token is bound to.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Bound {
    pub(super) namespace: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<Reference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pod: Option<Reference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<Reference>,
    #[serde(rename = "serviceaccount")]
    pub(super) account: Reference,
    /// From when on whoever still uses it should have got another.
    #[serde(rename = "warnafter", default, skip_serializing_if = "Option::is_none")]
    pub(super) warn_after: Option<i64>,
}

/// An object by its name, and which of those that had it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Reference {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) uid: String,
}

fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }
    Ok(match OneOrMore::deserialize(from)? {
        OneOrMore::One(one) => vec![one],
        OneOrMore::More(more) => more,
    })
}

impl Claims {
    /// Whether it counts at this moment.
    pub(super) fn check_time(&self, now: Moment) -> Result<(), String> {
        let now = now.unix_s();
        let why = if now.saturating_add(LEEWAY_S) < self.not_before {
            "service account token is not valid yet"
        } else if now.saturating_sub(LEEWAY_S) > self.expires {
            "service account token has expired"
        } else if now.saturating_add(LEEWAY_S) < self.issued {
            "service account token is issued in the future"
        } else {
            return Ok(());
        };
        Err(why.to_owned())
    }
}
