//! Names of the DNS, and what Kubernetes says of those that are none.

const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
    alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
    validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
    '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// What is wrong with a label (DNS-1035), joined by commas.
pub(super) fn label_fault(label: &str) -> Option<String> {
    let mut faults = Vec::new();
    if label.len() > 63 {
        faults.push("must be no more than 63 characters".to_owned());
    }
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let begins = label.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || label.ends_with('-') || !label.bytes().all(inner) {
        faults.push(LABEL.to_owned());
    }
    (!faults.is_empty()).then(|| faults.join(","))
}

/// What is wrong with a subdomain (RFC 1123), joined by commas.
pub(super) fn subdomain_fault(name: &str) -> Option<String> {
    let mut faults = Vec::new();
    if name.len() > 253 {
        faults.push("must be no more than 253 characters".to_owned());
    }
    let edge = |part: &str| {
        let edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        part.starts_with(edge) && part.ends_with(edge)
    };
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.split('.').all(|part| edge(part) && part.chars().all(inner)) {
        faults.push(SUBDOMAIN.to_owned());
    }
    (!faults.is_empty()).then(|| faults.join(","))
}
