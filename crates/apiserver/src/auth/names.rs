//! Which names may be: each function says what is wrong with one.

const QUALIFIED: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                         alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for \
                         validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
                     and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or \
                     '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
                         '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex \
                         used for validation is \
                         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// The key of a label.
pub(super) fn qualified(name: &str) -> Vec<String> {
    let parts: Vec<&str> = name.split('/').collect();
    let mut wrong = Vec::new();
    let name = match parts.as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".to_owned());
            } else {
                wrong.extend(subdomain(prefix).into_iter().map(|why| format!("prefix part {why}")));
            }
            *name
        }
        _ => {
            let why = QUALIFIED.replace("must consist", "a qualified name must consist");
            return vec![format!(
                "{why} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        wrong.push("name part must be no more than 63 characters".to_owned());
    }
    if !is_word(name) {
        wrong.push(format!("name part {QUALIFIED}"));
    }
    wrong
}

/// The value of a label.
pub(super) fn label_value(value: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if value.len() > 63 {
        wrong.push("must be no more than 63 characters".to_owned());
    }
    if !value.is_empty() && !is_word(value) {
        wrong.push(LABEL.to_owned());
    }
    wrong
}

/// The name of most objects.
pub(super) fn subdomain(name: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if name.len() > 253 {
        wrong.push("must be no more than 253 characters".to_owned());
    }
    if !name.split('.').all(is_dns_label) {
        wrong.push(SUBDOMAIN.to_owned());
    }
    wrong
}

/// Whether it may be the name of a namespace.
pub(super) fn is_namespace(name: &str) -> bool {
    name.len() <= 63 && is_dns_label(name)
}

/// A name that may stand in a path: of roles and bindings.
pub(super) fn path_segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    let wrong = ['/', '%'].into_iter().filter(|letter| name.contains(*letter));
    wrong.map(|letter| format!("may not contain '{letter}'")).collect()
}

fn is_word(text: &str) -> bool {
    let edges = [text.bytes().next(), text.bytes().last()];
    edges.iter().all(|byte| byte.is_some_and(|byte| byte.is_ascii_alphanumeric()))
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn is_dns_label(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let edges = [text.bytes().next(), text.bytes().last()];
    edges.iter().all(|byte| byte.is_some_and(plain)) && text.bytes().all(|byte| plain(byte) || byte == b'-')
}
