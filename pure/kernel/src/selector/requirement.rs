//! One requirement of a label selector.

use super::go;
use crate::names;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    /// `=`, `==` and `in`: they differ in what they are told, and mean the same.
    Equals,
    In,
    NotEquals,
    NotIn,
    Exists,
    DoesNotExist,
    Greater,
    Less,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Requirement {
    pub(super) key: String,
    operator: Operator,
    values: Vec<String>,
}

impl Requirement {
    /// A requirement that makes sense.
    ///
    /// # Errors
    /// Everything that does not.
    pub(super) fn new(key: &str, operator: Operator, values: Vec<String>) -> Result<Requirement, String> {
        let mut wrong: Vec<String> = key_error("key", key).into_iter().collect();
        let mut of_values = |what: &str| {
            wrong.push(format!("values: Invalid value: {}: {what}", go::json_list(&values)));
        };
        match operator {
            Operator::In | Operator::NotIn if values.is_empty() => {
                of_values("for 'in', 'notin' operators, values set can't be empty");
            }
            Operator::Exists | Operator::DoesNotExist if !values.is_empty() => {
                of_values("values set must be empty for exists and does not exist");
            }
            Operator::Greater | Operator::Less => {
                let is_number = |value: &&String| value.parse::<i64>().is_ok();
                wrong.extend(values.iter().filter(|value| !is_number(value)).map(|value| {
                    let what = "for 'Gt', 'Lt' operators, the value must be an integer";
                    invalid("values[0]", value, what)
                }));
            }
            _ => {}
        }
        for (index, value) in values.iter().enumerate() {
            let what = names::label_value(value);
            if !what.is_empty() {
                wrong.push(invalid(&format!("values[{index}][{key}]"), value, &what.join("; ")));
            }
        }
        match wrong.as_slice() {
            [] => Ok(Requirement { key: key.to_owned(), operator, values }),
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }

    pub(super) fn matches(&self, value: Option<&str>) -> bool {
        let is_listed = |value: &str| self.values.iter().any(|other| other == value);
        match self.operator {
            Operator::Equals | Operator::In => value.is_some_and(is_listed),
            Operator::NotEquals | Operator::NotIn => !value.is_some_and(is_listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Greater => self.bound().zip(number(value)).is_some_and(|(bound, n)| n > bound),
            Operator::Less => self.bound().zip(number(value)).is_some_and(|(bound, n)| n < bound),
        }
    }

    fn bound(&self) -> Option<i64> {
        number(self.values.first().map(String::as_str))
    }
}

fn number(value: Option<&str>) -> Option<i64> {
    value?.parse().ok()
}

/// What is wrong with the key of a label, said of the field at `path`.
pub(super) fn key_error(path: &str, key: &str) -> Option<String> {
    let wrong = names::qualified_name(key);
    (!wrong.is_empty()).then(|| invalid(path, key, &wrong.join("; ")))
}

fn invalid(path: &str, value: &str, what: &str) -> String {
    format!("{path}: Invalid value: {}: {what}", go::quoted(value))
}
