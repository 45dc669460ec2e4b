//! JSON values compared as structured-merge-diff compares them: an integer equals the same number as a float.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// The two are the same value.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right) == Ordering::Equal,
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|((a, left), (b, right))| a == b && equal(left, right))
        }
        (left, right) => left == right,
    }
}

/// A total order: numbers, strings, booleans, lists, maps, null.
pub(crate) fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => {
            let different =
                left.iter().zip(right).map(|(left, right)| compare(left, right)).find(|o| o.is_ne());
            different.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => {
            let pairs = left.iter().zip(right);
            let different = pairs
                .map(|((a, left), (b, right))| a.cmp(b).then_with(|| compare(left, right)))
                .find(|o| o.is_ne());
            different.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (left, right) => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => {
            let float = |number: &Number| number.as_f64().unwrap_or(f64::NAN);
            float(left).total_cmp(&float(right))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_floats_equal_integers() {
        assert!(equal(&json!(1), &json!(1.0)));
        assert!(equal(&json!([{"a": 1}]), &json!([{"a": 1.0}])));
        assert!(!equal(&json!(1), &json!(1.5)));
        assert!(!equal(&json!(1), &json!("1")));
        assert!(!equal(&json!({"a": 1}), &json!({"b": 1})));
    }

    #[test]
    fn the_order_is_total() {
        let sorted = [json!(-1), json!(0.5), json!(2), json!("a"), json!("b"), json!(false), json!(true)];
        for (i, left) in sorted.iter().enumerate() {
            for (j, right) in sorted.iter().enumerate() {
                assert_eq!(compare(left, right), i.cmp(&j), "{left} {right}");
            }
        }
    }
}
