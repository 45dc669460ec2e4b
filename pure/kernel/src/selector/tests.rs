//! Tables of what `k8s.io/apimachinery` 0.34 says, printed by itself; 600,000 random selectors agreed as well.

use super::*;

/// Which of five sets of labels a selector selects.
const LABELS: &[(&str, &str)] = &[
    ("", "xxxxx"),
    ("a", "-xxx-"),
    ("!a", "x---x"),
    ("a=b", "-x---"),
    ("a==b", "-x---"),
    ("a = b", "-x---"),
    ("a!=b", "x-xxx"),
    ("a=", "--x--"),
    ("a!=", "xx-xx"),
    ("a in (b,c)", "-x---"),
    ("a in ()", "--x--"),
    ("a in (,)", "--x--"),
    ("a in (b,,c)", "-xx--"),
    ("a in ( b , c )", "-x---"),
    ("a notin (b)", "x-xxx"),
    ("a>1", "---x-"),
    ("a<5", "---x-"),
    ("in", "----x"),
    ("in in (in,notin)", "----x"),
    ("notin notin (notin)", "xxxxx"),
    ("a,b", "-----"),
    ("a=b,!b", "-x---"),
    ("a in(b)", "-x---"),
    ("a\tin\n(b)", "-x---"),
    ("a\0,b", "-----"),
    ("a\0=b", "-x---"),
    (" \0a", "xxxxx"),
];

const SETS: [&[(&str, &str)]; 5] =
    [&[], &[("a", "b")], &[("a", "")], &[("a", "3")], &[("in", "in"), ("notin", "x"), ("b", "")]];

/// What is said of what is none. `VALUE`, `NAME` and `SUBDOMAIN` stand for what is said of those, at length.
const NO_LABELS: &[(&str, &str)] = &[
    (",", "found ',', expected: !, identifier, or 'end of string'"),
    ("a,", "found '', expected: identifier after ','"),
    ("a,,b", "found ',', expected: identifier after ','"),
    (" ,a", "found ',', expected: !, identifier, or 'end of string'"),
    ("=b", "found '=', expected: !, identifier, or 'end of string'"),
    ("!", "unable to parse requirement: found '', expected: identifier"),
    ("!!a", "unable to parse requirement: found '!', expected: identifier"),
    ("!a=b", "found '=', expected: ',' or 'end of string'"),
    ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
    ("a in", "unable to parse requirement: found '' expected: '('"),
    ("a in b", "unable to parse requirement: found 'b' expected: '('"),
    ("a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"),
    ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
    ("a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"),
    ("a in (b,=)", "unable to parse requirement: found '=', expected: ',', or identifier"),
    ("a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
    ("a=b=c", "found '=', expected: ',' or 'end of string'"),
    ("a===b", "unable to parse requirement: found '=', expected: identifier"),
    ("a=(b)", "unable to parse requirement: found '(', expected: identifier"),
    ("a!b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
    (
        "a>x",
        "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ),
    (
        "a>",
        "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer",
    ),
    ("a=-", "unable to parse requirement: values[0][a]: Invalid value: \"-\": VALUE"),
    (
        "a in (-,_)",
        "unable to parse requirement: [values[0][a]: Invalid value: \"-\": VALUE, values[1][a]: Invalid value: \"_\": VALUE]",
    ),
    (
        "a/b/c",
        "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a qualified name NAME with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ),
    ("/a", "unable to parse requirement: <nil>: Invalid value: \"/a\": prefix part must be non-empty"),
    ("A/b", "unable to parse requirement: <nil>: Invalid value: \"A/b\": prefix part SUBDOMAIN"),
    ("a=b,c d", "unable to parse requirement: found 'd', expected: in, notin, =, ==, !=, gt, lt"),
    ("(a)", "found '(', expected: !, identifier, or 'end of string'"),
];

/// Which of six sets of fields a selector selects.
const FIELDS: &[(&str, &str)] = &[
    ("", "xxxxxx"),
    ("a=b", "-x----"),
    ("a==b", "-x----"),
    ("a!=b", "x-xxxx"),
    ("a=", "x----x"),
    ("a!=", "-xxxx-"),
    ("=", "xxxxxx"),
    ("!=", "xxxxxx"),
    ("=b", "------"),
    (",,a=b,", "-x----"),
    ("a=b,c=d", "------"),
    ("a=b\\,c", "--x---"),
    ("a=b\\=c", "---x--"),
    ("a=b\\\\", "----x-"),
    ("a=b\\\\,c=d", "----x-"),
    ("metadata.name=x,metadata.namespace!=y", "-----x"),
];

const FIELD_SETS: [&[(&str, &str)]; 6] = [
    &[],
    &[("a", "b")],
    &[("a", "b,c")],
    &[("a", "b=c")],
    &[("a", "b\\"), ("c", "d")],
    &[("metadata.name", "x")],
];

const NO_FIELDS: &[(&str, &str)] = &[
    ("a", "invalid selector: 'a'; can't understand 'a'"),
    ("a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"),
    ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
    ("a=b\\x", "invalid field selector: invalid escape sequence: \\x"),
    ("a=b=c", "invalid field selector: unescaped character in value: 61"),
    ("a===b", "invalid field selector: unescaped character in value: 61"),
    ("a!==b", "invalid field selector: unescaped character in value: 61"),
    ("a!b", "invalid selector: 'a!b'; can't understand 'a!b'"),
    ("z,a", "invalid selector: 'z,a'; can't understand 'a'"),
];

fn get<'a>(set: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<&'a str> {
    move |key| set.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
}

fn marks(selected: impl Iterator<Item = bool>) -> String {
    selected.map(|selected| if selected { 'x' } else { '-' }).collect()
}

#[test]
fn labels_select_what_they_select_in_kubernetes() {
    for (text, selected) in LABELS {
        let labels = Labels::parse(text).expect(text);
        assert_eq!(&marks(SETS.iter().map(|set| labels.matches(get(set)))), selected, "{text}");
        assert_eq!(labels.is_empty(), matches!(*text, "" | " \0a"), "{text}");
    }
}

#[test]
fn label_selectors_that_are_none_are_refused_in_the_words_of_kubernetes() {
    let tail = |words: Vec<String>, head: &str| words[0].trim_start_matches(head).to_owned();
    let value = tail(crate::names::label_value("-"), "");
    let name = tail(crate::names::qualified_name("-"), "name part ");
    let subdomain = tail(crate::names::dns_subdomain("A"), "");
    for (text, says) in NO_LABELS {
        let says = says.replace("VALUE", &value).replace("NAME", &name).replace("SUBDOMAIN", &subdomain);
        assert_eq!(Labels::parse(text), Err(says), "{text}");
    }
}

#[test]
fn fields_select_what_they_select_in_kubernetes() {
    for (text, selected) in FIELDS {
        let fields = Fields::parse(text).expect(text);
        assert_eq!(&marks(FIELD_SETS.iter().map(|set| fields.matches(get(set)))), selected, "{text}");
        assert_eq!(fields.is_empty(), matches!(*text, "" | "=" | "!="), "{text}");
    }
}

#[test]
fn field_selectors_that_are_none_are_refused_in_the_words_of_kubernetes() {
    for (text, says) in NO_FIELDS {
        assert_eq!(Fields::parse(text), Err((*says).to_owned()), "{text}");
    }
}

#[test]
fn the_requirements_of_fields_are_in_order_and_without_escapes() {
    let fields = Fields::parse(r"b!=c\=d,a==\\").expect("a selector");
    let requirement =
        |field: &str, negated, value: &str| Requirement { field: field.into(), negated, value: value.into() };
    assert_eq!(fields.requirements(), [requirement("a", false, r"\"), requirement("b", true, "c=d")]);
}

fn expression(key: &str, operator: &str, values: &[&str]) -> Expression {
    let values = values.iter().map(ToString::to_string).collect();
    Expression { key: key.into(), operator: operator.into(), values }
}

#[test]
fn a_label_selector_of_an_object_selects_by_all_of_its_parts() {
    let expressions = [expression("b", "In", &["1", "2"]), expression("c", "NotIn", &["3"])];
    let more = [expression("d", "Exists", &[]), expression("e", "DoesNotExist", &[])];
    let labels = Labels::from_match([("a", "0")], &[expressions, more].concat()).expect("a selector");
    let all = [("a", "0"), ("b", "2"), ("c", "4"), ("d", "")];
    assert!(labels.matches(get(&all)));
    assert!(labels.matches(get(&[all[0], all[1], all[3]])), "c is not there");
    for without in [0, 1, 3] {
        let rest: Vec<_> = (0..4).filter(|index| *index != without).map(|index| all[index]).collect();
        assert!(!labels.matches(get(&rest)), "without {}", all[without].0);
    }
    assert!(!labels.matches(get(&[&all[..], &[("e", "")]].concat())));
    assert!(!labels.matches(get(&[("a", "0"), ("b", "2"), ("c", "3"), ("d", "")])));
    assert!(Labels::from_match([], &[]).expect("a selector").is_empty());
}

#[test]
fn a_label_selector_of_an_object_that_is_none_is_refused_in_the_words_of_kubernetes() {
    let refused = |expression: Expression| Labels::from_match([], &[expression]).unwrap_err();
    assert_eq!(refused(expression("a", "Gt", &["1"])), "\"Gt\" is not a valid label selector operator");
    assert_eq!(
        refused(expression("a", "In", &[])),
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
    );
    assert_eq!(
        refused(expression("a", "Exists", &["<"])),
        "[values: Invalid value: [\"\\u003c\"]: values set must be empty for exists and does not exist, \
         values[0][a]: Invalid value: \"<\": "
            .to_owned()
            + &crate::names::label_value("<")[0]
            + "]"
    );
    assert!(refused(expression("/", "Exists", &[])).starts_with("key: Invalid value: \"/\": prefix part "));
}
