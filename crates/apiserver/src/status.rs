//! Errors, as the API says them: a `Status` with a code, a reason and details.

use http::StatusCode;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::auth::quote;

mod about;

/// What went wrong, for the client.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Status {
    /// What happened, in a sentence.
    pub message: String,
    /// What clients decide by.
    pub reason: &'static str,
    /// Of what.
    pub details: Option<Box<Details>>,
    /// The HTTP status.
    pub code: u16,
    /// How a list can go on.
    continues: Option<Box<str>>,
    /// Said in plain text: it comes before anybody has looked at what the client understands.
    pub is_plain: bool,
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("kind", "Status")?;
        fields.serialize_entry("apiVersion", "v1")?;
        fields.serialize_entry("metadata", &ListMeta { continues: self.continues.as_deref() })?;
        fields.serialize_entry("status", "Failure")?;
        fields.serialize_entry("message", &self.message)?;
        if !self.reason.is_empty() {
            fields.serialize_entry("reason", self.reason)?;
        }
        if let Some(details) = &self.details {
            fields.serialize_entry("details", details)?;
        }
        fields.serialize_entry("code", &self.code)?;
        fields.end()
    }
}

#[derive(Serialize)]
struct ListMeta<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    continues: Option<&'a str>,
}

/// Of what a [`Status`] speaks.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Details {
    /// The name of the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Its resource, or its kind where it is not valid.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Which object of that name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Each thing that is wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// When to try again.
    #[serde(skip_serializing_if = "is_zero")]
    pub retry_after_seconds: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Cause {
    /// What sort.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// In a sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Where.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
}

impl Status {
    /// A failure.
    pub(crate) fn failure(code: StatusCode, reason: &'static str, message: impl Into<String>) -> Status {
        Status {
            message: message.into(),
            reason,
            details: None,
            code: code.as_u16(),
            continues: None,
            is_plain: false,
        }
    }

    /// The same, of something.
    #[must_use]
    pub(crate) fn of(mut self, details: Details) -> Status {
        self.details = Some(Box::new(details));
        self
    }

    /// The same in other words.
    #[must_use]
    pub(crate) fn with_message(mut self, message: String) -> Status {
        self.message = message;
        self
    }

    /// The HTTP status.
    pub(crate) fn code(&self) -> StatusCode {
        StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The request makes no sense.
    pub(crate) fn bad_request(message: impl Into<String>) -> Status {
        Status::failure(StatusCode::BAD_REQUEST, "BadRequest", message)
    }

    /// There is nothing at this path.
    pub(crate) fn no_such_path() -> Status {
        Status::failure(StatusCode::NOT_FOUND, "NotFound", "the server could not find the requested resource")
            .of(Details::default())
    }

    /// There is something at this path, but not for this method.
    pub(crate) fn not_allowed() -> Status {
        let message = "the server does not allow this method on the requested resource";
        Status::failure(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message).of(Details::default())
    }

    /// The server is at fault.
    pub(crate) fn internal(message: impl Into<String>) -> Status {
        let message = message.into();
        let cause = Cause { message: message.clone(), ..Cause::default() };
        Status::failure(
            StatusCode::INTERNAL_SERVER_ERROR,
            "InternalError",
            format!("Internal error occurred: {message}"),
        )
        .of(Details { causes: vec![cause], ..Details::default() })
    }

    /// A request to `uri` makes no sense in a way for which the real server blames itself.
    pub(crate) fn senseless(uri: &http::Uri, why: &str) -> Status {
        let message = format!("Internal Server Error: {}: {why}\n", quote(&uri.to_string()));
        // What the user sent comes back to them: it must not look like HTML to anybody.
        let message = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let status = Status::failure(StatusCode::INTERNAL_SERVER_ERROR, "InternalError", message);
        Status { is_plain: true, ..status }
    }

    /// The same, with a token by which a list can go on.
    #[must_use]
    pub(crate) fn continues(mut self, token: String) -> Status {
        self.continues = Some(token.into());
        self
    }

    /// History that was asked for is gone.
    pub(crate) fn expired(message: impl Into<String>) -> Status {
        Status::failure(StatusCode::GONE, "Expired", message)
    }

    /// A write could not be made durable; nothing is changed.
    pub(crate) fn not_durable(why: &str) -> Status {
        let message = format!("the hub cannot write to its disk, nothing was changed: {why}");
        // Nothing is said of trying again: clients would, for a minute, and say nothing to who waits.
        Status::failure(StatusCode::INSUFFICIENT_STORAGE, "InsufficientStorage", message)
    }

    /// The hub is stopping.
    pub(crate) fn stopping() -> Status {
        Status::failure(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable", "the hub is stopping")
            .of(Details { retry_after_seconds: 1, ..Details::default() })
    }
}
