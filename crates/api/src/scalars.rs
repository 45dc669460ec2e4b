//! Names and numbers that must not be taken for each other, each with the form that the schema holds it to.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Names of objects: DNS subdomains.
const SUBDOMAIN: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

/// A text of a certain form. The server holds objects to it, so that it is not looked at again here: what an older
/// schema let in must still be readable.
macro_rules! text {
    ($(#[$meta:meta])* $name:ident, $pattern:expr, $longest:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "minLength": 1, "maxLength": $longest, "pattern": $pattern})
            }
        }
    };
}

text!(
    /// The name of an object of any kind.
    Name,
    SUBDOMAIN,
    253
);
text!(
    /// A name that is put into labels and into longer names, where more than 63 characters would be cut.
    ShortName,
    SUBDOMAIN,
    63
);
text!(
    /// The name of a namespace.
    Namespace,
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    63
);
text!(
    /// The name of a version of a software.
    VersionName,
    "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
    63
);
text!(
    /// What content is known by: `sha256:` and 64 hexadecimal digits.
    Digest,
    "^sha256:[0-9a-f]{64}$",
    71
);
text!(
    /// The name of something in AWS.
    Arn,
    "^arn:[a-z0-9-]+:[a-z0-9-]+:[a-z0-9-]*:([0-9]{12}|aws)?:.+$",
    2048
);

/// A number that only grows.
macro_rules! count {
    ($(#[$meta:meta])* $name:ident, $least:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "integer", "format": "int64", "minimum": $least, "maximum": 9_007_199_254_740_991_u64})
            }
        }
    };
}

count!(
    /// Who acts now: what carries a smaller epoch comes from somebody whose turn is over. 0: nobody yet.
    Epoch,
    0
);
count!(
    /// The number of an update in its stack, in the order of submission from 1.
    Version,
    1
);
