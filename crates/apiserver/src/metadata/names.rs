//! What names may look like, and what is said of those that do not.

/// What is wrong with a name; nothing if it is right.
pub(crate) type Faults = Vec<String>;

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

fn regex(what: &str, regex: &str, examples: &[&str]) -> String {
    if examples.is_empty() {
        return format!("{what} (regex used for validation is '{regex}')");
    }
    let examples: Vec<_> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{what} (e.g. {}regex used for validation is '{regex}')", examples.join(" or "))
}

fn too_long(most: usize) -> String {
    format!("must be no more than {most} characters")
}

/// Characters between a first and a last one, each of a set of its own.
fn is_bracketed(text: &str, edge: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(first), Some(last)) => edge(*first) && edge(*last) && bytes.iter().all(|byte| inner(*byte)),
        _ => false,
    }
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_label(text: &str) -> bool {
    is_bracketed(text, is_lower, |byte| is_lower(byte) || byte == b'-')
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

fn is_qualified_part(text: &str) -> bool {
    is_bracketed(
        text,
        |byte| byte.is_ascii_alphanumeric(),
        |byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte),
    )
}

/// `example.com`: the names of most objects.
pub(crate) fn subdomain(value: &str) -> Faults {
    let mut faults = Vec::new();
    if value.len() > 253 {
        faults.push(too_long(253));
    }
    if !is_subdomain(value) {
        let what = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                    and must start and end with an alphanumeric character";
        faults.push(regex(what, &format!(r"{LABEL}(\.{LABEL})*"), &["example.com"]));
    }
    faults
}

/// `*.example.com`: hosts of ingresses.
pub(crate) fn wildcard_subdomain(value: &str) -> Faults {
    let mut faults = Vec::new();
    if value.len() > 253 {
        faults.push(too_long(253));
    }
    if !value.strip_prefix("*.").is_some_and(is_subdomain) {
        let what = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must \
                    consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
        faults.push(regex(what, &format!(r"\*\.{LABEL}(\.{LABEL})*"), &["*.example.com"]));
    }
    faults
}

/// `my-name`: namespaces, containers, volumes.
pub(crate) fn label(value: &str) -> Faults {
    let mut faults = Vec::new();
    if value.len() > 63 {
        faults.push(too_long(63));
    }
    if !is_label(value) {
        if is_subdomain(value) {
            faults.push("must not contain dots".into());
        } else {
            let what = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                        start and end with an alphanumeric character";
            faults.push(regex(what, LABEL, &["my-name", "123-abc"]));
        }
    }
    faults
}

/// `my-name`, which does not start with a digit: services.
pub(crate) fn label_1035(value: &str) -> Faults {
    let mut faults = Vec::new();
    if value.len() > 63 {
        faults.push(too_long(63));
    }
    if !is_label(value) || !value.starts_with(|first: char| first.is_ascii_lowercase()) {
        let what = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
                    alphabetic character, and end with an alphanumeric character";
        faults.push(regex(what, "[a-z]([-a-z0-9]*[a-z0-9])?", &["my-name", "abc-123"]));
    }
    faults
}

/// Whatever can stand in a path: names of RBAC's kinds.
pub(crate) fn path_segment(value: &str) -> Faults {
    if matches!(value, "." | "..") {
        return vec![format!("may not be '{value}'")];
    }
    path_prefix(value)
}

/// What a name that can stand in a path may begin with.
pub(crate) fn path_prefix(value: &str) -> Faults {
    let has = |part: &&str| value.contains(*part);
    ["/", "%"].iter().filter(|part| has(part)).map(|part| format!("may not contain '{part}'")).collect()
}

/// `example.com/name` or `name`: keys of labels and annotations, finalizers.
pub(crate) fn qualified(value: &str) -> Faults {
    const WHAT: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                        alphanumeric character";
    const EXAMPLES: &[&str] = &["MyName", "my.name", "123-abc"];
    let mut faults = Vec::new();
    let parts: Vec<_> = value.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                faults.push("prefix part must be non-empty".into());
            } else {
                faults.extend(subdomain(prefix).iter().map(|fault| format!("prefix part {fault}")));
            }
            name
        }
        _ => {
            let said = regex(WHAT, QUALIFIED, EXAMPLES);
            faults.push(format!(
                "a qualified name {said} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ));
            return faults;
        }
    };
    if name.is_empty() {
        faults.push("name part must be non-empty".into());
    } else if name.len() > 63 {
        faults.push(format!("name part {}", too_long(63)));
    }
    if !is_qualified_part(name) {
        faults.push(format!("name part {}", regex(WHAT, QUALIFIED, EXAMPLES)));
    }
    faults
}

/// The value of a label.
pub(crate) fn label_value(value: &str) -> Faults {
    let mut faults = Vec::new();
    if value.len() > 63 {
        faults.push(too_long(63));
    }
    if !value.is_empty() && !is_qualified_part(value) {
        let what = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
                    must start and end with an alphanumeric character";
        faults.push(regex(what, &format!("({QUALIFIED})?"), &["MyValue", "my_value", "12345"]));
    }
    faults
}

/// A key of a config map or secret.
pub(crate) fn config_key(value: &str) -> Faults {
    let mut faults = Vec::new();
    if value.len() > 253 {
        faults.push(too_long(253));
    }
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if value.is_empty() || !value.bytes().all(valid) {
        let what = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
        faults.push(regex(what, "[-._a-zA-Z0-9]+", &["key.name", "KEY_NAME", "key-name"]));
    }
    match value {
        "." | ".." => faults.push(format!("must not be '{value}'")),
        _ if value.starts_with("..") => faults.push("must not start with '..'".into()),
        _ => {}
    }
    faults
}

/// The name of an environment variable.
pub(crate) fn variable(value: &str) -> Faults {
    let mut faults = Vec::new();
    if value.is_empty() {
        faults.push("environment variable name must be non-empty".into());
    }
    if value.bytes().any(|byte| !(b' '..=b'~').contains(&byte) || byte == b'=') {
        faults.push(
            "a valid environment variable name must consist only of printable ASCII characters other than '='".into(),
        );
    }
    faults
}

/// The name of a port.
pub(crate) fn port(value: &str) -> Faults {
    let mut faults = Vec::new();
    if value.len() > 15 {
        faults.push(too_long(15));
    }
    if value.is_empty() || !value.bytes().all(|byte| is_lower(byte) || byte == b'-') {
        faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".into());
    }
    if !value.bytes().any(|byte| byte.is_ascii_lowercase()) {
        faults.push("must contain at least one letter (a-z)".into());
    }
    if value.contains("--") {
        faults.push("must not contain consecutive hyphens".into());
    }
    if value.starts_with('-') || value.ends_with('-') {
        faults.push("must not begin or end with a hyphen".into());
    }
    faults
}

/// `25%`
pub(crate) fn percent(value: &str) -> Faults {
    let digits = value.strip_suffix('%');
    if digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return Vec::new();
    }
    let what = "a valid percent string must be a numeric string followed by an ending '%'";
    vec![regex(what, "[0-9]+%", &["1%", "93%"])]
}

/// The name of a header of HTTP.
pub(crate) fn header(value: &str) -> Faults {
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Vec::new();
    }
    let what = "a valid HTTP header must consist of alphanumeric characters or '-'";
    vec![regex(what, "[-A-Za-z0-9]+", &["X-Header-Name"])]
}

/// A port is 1 to 65535.
pub(crate) fn port_number(value: i64) -> Faults {
    within(value, 1, 65535)
}

/// A number is in a range.
pub(crate) fn within(value: i64, least: i64, most: i64) -> Faults {
    if (least..=most).contains(&value) {
        Vec::new()
    } else {
        vec![format!("must be between {least} and {most}, inclusive")]
    }
}

/// What a name looks like that something is appended to: a dash at its end is as good as a letter.
pub(crate) fn masked(value: &str) -> String {
    match value.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut masked = rest.to_owned();
            masked.pop();
            masked.push('a');
            masked
        }
        _ => value.to_owned(),
    }
}
