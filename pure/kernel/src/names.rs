//! What Kubernetes takes for a name, and what it says of what is none.
//!
//! Texts are those of `k8s.io/apimachinery/pkg/util/validation`: people search for them.

const NAME: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const NAME_SAYS: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const SUBDOMAIN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SUBDOMAIN_SAYS: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const LONGEST_NAME: usize = 63;
const LONGEST_SUBDOMAIN: usize = 253;

/// What is wrong with a qualified name (`example.com/name`): the key of a label or an annotation.
pub fn qualified_name(text: &str) -> Vec<String> {
    let says = || format!("{NAME_SAYS} (e.g. 'MyName',  or 'my.name',  or '123-abc', {})", regex(NAME));
    let mut wrong = Vec::new();
    let mut parts = text.split('/');
    let name = match (parts.next(), parts.next(), parts.next()) {
        (Some(name), None, _) => name,
        (Some(prefix), Some(name), None) => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".to_owned());
            }
            let of_prefix = if prefix.is_empty() { Vec::new() } else { dns_subdomain(prefix) };
            wrong.extend(of_prefix.into_iter().map(|what| format!("prefix part {what}")));
            name
        }
        _ => {
            let optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a qualified name {} {optional}", says())];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > LONGEST_NAME {
        wrong.push(format!("name part {}", too_long(LONGEST_NAME)));
    }
    if !is_name(name) {
        wrong.push(format!("name part {}", says()));
    }
    wrong
}

/// What is wrong with the value of a label.
pub fn label_value(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > LONGEST_NAME {
        wrong.push(too_long(LONGEST_NAME));
    }
    if !text.is_empty() && !is_name(text) {
        let regex = regex(&format!("({NAME})?"));
        wrong.push(format!(
            "a valid label must be an empty string or {} (e.g. 'MyValue',  or 'my_value',  or '12345', {regex})",
            NAME_SAYS.trim_start_matches("must ")
        ));
    }
    wrong
}

/// What is wrong with a DNS subdomain: the name of most objects.
pub fn dns_subdomain(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > LONGEST_SUBDOMAIN {
        wrong.push(too_long(LONGEST_SUBDOMAIN));
    }
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        !label.starts_with('-') && !label.ends_with('-') && !label.is_empty() && label.bytes().all(is_inner)
    };
    if !text.split('.').all(is_label) {
        wrong.push(format!("{SUBDOMAIN_SAYS} (e.g. 'example.com', {})", regex(SUBDOMAIN)));
    }
    wrong
}

fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    is_end(bytes.first()) && is_end(bytes.last()) && bytes.iter().all(is_inner)
}

fn regex(regex: &str) -> String {
    format!("regex used for validation is '{regex}'")
}

fn too_long(most: usize) -> String {
    format!("must be no more than {most} characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_names_are_good() {
        for name in ["a", "A.b-c_9", "example.com/a", &"a".repeat(63)] {
            assert_eq!(qualified_name(name), Vec::<String>::new(), "{name}");
        }
        for value in ["", "a", "A.b-c_9", &"a".repeat(63)] {
            assert_eq!(label_value(value), Vec::<String>::new(), "{value}");
        }
        for name in ["a", "a.b-c.9", &["a".repeat(126), "b".repeat(126)].join(".")] {
            assert_eq!(dns_subdomain(name), Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn every_fault_of_a_name_is_said() {
        let faults = |name: &str| qualified_name(name).len();
        assert_eq!(faults(""), 2, "empty, and not of the form");
        assert_eq!(faults("/"), 3, "so is the prefix");
        assert_eq!(faults("a/b/c"), 1);
        assert_eq!(faults(&"-".repeat(64)), 2, "too long, and not of the form");
        assert_eq!(faults(&format!("{}./a", "a".repeat(253))), 2, "so is the prefix");
        assert_eq!(label_value(&"-".repeat(64)).len(), 2);
        assert_eq!(dns_subdomain("a..b").len(), 1);
        assert_eq!(dns_subdomain("é").len(), 1);
    }

    #[test]
    fn it_is_said_in_the_words_of_kubernetes() {
        assert_eq!(
            label_value("-"),
            [
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            ]
        );
        assert_eq!(
            qualified_name("X/y"),
            [
                "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            ]
        );
    }
}
