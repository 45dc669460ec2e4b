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

/// As what they are, and not as the nearest float, where that is another: else what equals what would depend on what is
/// asked first, and nothing could be looked up.
fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    let float = |number: &Number| number.as_f64().unwrap_or(f64::NAN);
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        // A float that is no integer is far from where integers are rounded.
        _ => float(left).total_cmp(&float(right)),
    }
}

/// The integer that it is. Minus zero is none: it is written in another way.
fn whole(number: &Number) -> Option<i128> {
    // All integers of JSON are below this, and all whole floats below it are integers of this width.
    const WIDEST: f64 = 1e30;
    // What does not fit into 64 bits with a sign is a float to Go.
    if let Some(integer) = number.as_i64() {
        return Some(integer.into());
    }
    let float = number.as_f64()?;
    let is_whole =
        float.fract() == 0.0 && float.abs() < WIDEST && !(float == 0.0 && float.is_sign_negative());
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and not that large")]
    is_whole.then_some(float as i128)
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
    fn the_order_is_total_also_where_floats_are_coarse() {
        let two_to_53 = 9_007_199_254_740_992_i64;
        let sorted = [
            json!(-1e300),
            json!(i64::MIN),
            json!(-1),
            json!(-0.5),
            json!(-0.0),
            json!(0),
            json!(0.5),
            json!(1),
            json!(2),
            json!(two_to_53),
            json!(two_to_53 + 1),
            json!(i64::MAX),
            json!(u64::MAX),
            json!(1e40),
            json!("a"),
            json!("b"),
            json!(false),
            json!(true),
            json!([1, 2]),
            json!([2]),
            json!({"a": two_to_53}),
            json!({"a": two_to_53 + 1}),
            json!(null),
        ];
        for (i, left) in sorted.iter().enumerate() {
            for (j, right) in sorted.iter().enumerate() {
                assert_eq!(compare(left, right), i.cmp(&j), "{left} {right}");
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "this one is exact")]
        let float = json!(two_to_53 as f64);
        assert!(equal(&json!(u64::MAX), &json!(u64::MAX - 1)), "both are the same float");
        assert!(equal(&float, &json!(two_to_53)));
        assert!(!equal(&float, &json!(two_to_53 + 1)));
        assert!(equal(&json!({"a": [1]}), &json!({"a": [1.0]})));
    }
}
