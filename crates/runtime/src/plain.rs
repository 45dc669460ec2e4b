//! Numbers as people write them.

use serde_json::{Number, Value};

/// Bounds are floating point to the types of a schema: `1.0` is written as the `1` that it was. Readers of `9007199254740991.0`
/// may come to another number; of `9007199254740991` they do not.
#[must_use]
pub fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(&number).unwrap_or(number)),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}

/// The whole number that a floating point number is.
fn whole(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    format!("{float:.0}").parse::<i64>().ok().filter(|_| float.fract() == 0.0).map(Number::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_are_written_as_whole_numbers_and_all_else_as_it_is() {
        let value = json!({"maximum": 9_007_199_254_740_991.0, "minimum": -1.0, "half": 0.5, "list": [1.0, "1.0", true]});
        let expected = json!({"maximum": 9_007_199_254_740_991_i64, "minimum": -1, "half": 0.5, "list": [1, "1.0", true]});
        assert_eq!(plain(value), expected);
    }
}
