//! What tells the items of a list apart, with an order: who looks an item up does not pass by all the others.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Number, Value};

/// The value of an item's merge key; of a set, the item itself. Whole floats equal integers.
#[derive(Clone, Debug)]
pub(super) struct Identity<'a>(Cow<'a, Value>);

impl<'a> Identity<'a> {
    /// Of an item; none if it is not a map with the key. The key of a set is empty.
    pub(super) fn of(item: &'a Value, key: &str) -> Option<Identity<'a>> {
        if key.is_empty() { Some(Identity::by(item)) } else { item.get(key).map(Identity::by) }
    }

    /// With this value of the key.
    pub(super) fn by(value: &'a Value) -> Identity<'a> {
        Identity(Cow::Borrowed(value))
    }

    /// The same, for longer than the value is there.
    pub(super) fn owned<'b>(self) -> Identity<'b> {
        Identity(Cow::Owned(self.0.into_owned()))
    }
}

impl Ord for Identity<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        #[cfg(test)]
        super::tests::COMPARED.set(super::tests::COMPARED.get() + 1);
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for Identity<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Identity<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Identity<'_> {}

/// Where the first item of each identity is in a list.
pub(super) struct Places<'a> {
    first: BTreeMap<Identity<'a>, usize>,
    key: &'a str,
}

impl<'a> Places<'a> {
    pub(super) fn of(list: &'a [Value], key: &'a str) -> Places<'a> {
        let mut first = BTreeMap::new();
        for (index, item) in list.iter().enumerate() {
            if let Some(identity) = Identity::of(item, key) {
                first.entry(identity).or_insert(index);
            }
        }
        Places { first, key }
    }

    /// The place of the first item that is the same.
    pub(super) fn get(&self, item: &Value) -> Option<usize> {
        self.first.get(&Identity::of(item, self.key)?).copied()
    }
}

/// As [`crate::value::compare`], but with numbers that compare as what they are and not as the nearest float: else what
/// equals what would depend on what is asked first.
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        (Value::Array(left), Value::Array(right)) => {
            let pairs = left.iter().zip(right);
            let different = pairs.map(|(left, right)| compare(left, right)).find(|order| order.is_ne());
            different.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => {
            let pairs = left.iter().zip(right);
            let different = pairs
                .map(|((a, left), (b, right))| a.cmp(b).then_with(|| compare(left, right)))
                .find(|order| order.is_ne());
            different.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (left, right) => crate::value::compare(left, right),
    }
}

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
    if let Some(integer) = number.as_i128() {
        return Some(integer);
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
    fn the_order_is_total_also_where_floats_are_coarse() {
        let two_to_53 = 9_007_199_254_740_992_i64;
        let sorted = [
            json!(-1e300),
            json!(i64::MIN),
            json!(-0.5),
            json!(-0.0),
            json!(0),
            json!(0.5),
            json!(1),
            json!(two_to_53),
            json!(two_to_53 + 1),
            json!(i64::MAX),
            json!(u64::MAX - 1),
            json!(u64::MAX),
            json!(1e40),
            json!("a"),
            json!("b"),
            json!(false),
            json!([1, 2]),
            json!([2]),
            json!({"a": two_to_53}),
            json!({"a": two_to_53 + 1}),
            json!(null),
        ];
        for (i, left) in sorted.iter().enumerate() {
            for (j, right) in sorted.iter().enumerate() {
                assert_eq!(Identity::by(left).cmp(&Identity::by(right)), i.cmp(&j), "{left} {right}");
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "this one is exact")]
        let float = json!(two_to_53 as f64);
        assert_eq!(Identity::by(&float), Identity::by(&json!(two_to_53)));
        assert_ne!(Identity::by(&float), Identity::by(&json!(two_to_53 + 1)));
        assert_eq!(Identity::by(&json!({"a": [1]})), Identity::by(&json!({"a": [1.0]})));
    }
}
