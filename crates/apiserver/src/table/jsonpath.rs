//! Paths into objects, as columns of definitions name them: `.status.conditions[?(@.type=="Ready")].status`.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;

use serde_json::Value;

mod parse;

/// A step of a path.
#[derive(Clone, PartialEq, Debug)]
enum Step {
    /// `.name`
    Field(String),
    /// `.*`
    Wildcard,
    /// `..`
    Recursive,
    /// `[1]`, `[1:3]`, `[-1:]`, `[::2]`
    Slice(Slice),
    /// `['a','b']`
    Union(Vec<Vec<Step>>),
    /// `[?(@.a)]`
    Exists(Vec<Step>),
    /// `[?(@.a==1)]`
    Compare(Vec<Step>, Operator, Vec<Step>),
    /// `1`, `"a"`, `true`
    Constant(Value),
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Slice {
    start: i64,
    end: Option<i64>,
    /// The end follows from the start: one item is meant.
    is_item: bool,
    step: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Operator {
    Less,
    Greater,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
}

/// A path that makes no sense, or that does not fit an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unfit;

/// A path into an object.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Path(Vec<Step>);

impl Path {
    /// Reads a path, without braces.
    pub(super) fn parse(text: &str) -> Result<Path, Unfit> {
        parse::steps(text).map(Path)
    }

    /// The first value that it leads to.
    pub(super) fn first(&self, object: &Value, seen: &Seen) -> Option<Value> {
        let found = walk(vec![Cow::Borrowed(object)], &self.0, seen).ok()?;
        found.into_iter().next().map(Cow::into_owned)
    }
}

/// So many values may be seen of an object. Each `..` comes to many, and several of them to more than fit into memory.
const MOST: usize = 20_000;

type Values<'a> = Vec<Cow<'a, Value>>;

/// How many values of an object have been seen, by all paths together.
#[derive(Default)]
pub(super) struct Seen(Cell<usize>);

impl Seen {
    /// Counts them.
    fn took<'a>(&self, values: Values<'a>) -> Result<Values<'a>, Unfit> {
        self.0.set(self.0.get() + values.len());
        if self.0.get() > MOST { Err(Unfit) } else { Ok(values) }
    }
}

fn walk<'a>(mut values: Values<'a>, steps: &[Step], seen: &Seen) -> Result<Values<'a>, Unfit> {
    for step in steps {
        values = seen.took(take(values, step, seen)?)?;
    }
    Ok(values)
}

fn take<'a>(values: Values<'a>, step: &Step, seen: &Seen) -> Result<Values<'a>, Unfit> {
    match step {
        Step::Field(name) => {
            Ok(values.iter().filter_map(|value| child(value, |all| all.get(name))).collect())
        }
        Step::Wildcard => Ok(values.iter().flat_map(children).collect()),
        Step::Recursive => {
            let mut found = Vec::new();
            for value in &values {
                found.extend(seen.took(descendants(value))?);
            }
            Ok(found)
        }
        Step::Constant(constant) => Ok(values.iter().map(|_| Cow::Owned(constant.clone())).collect()),
        Step::Slice(slice) => {
            let mut found = Vec::new();
            for value in values.iter().filter(|value| !value.is_null()) {
                let items = children(value);
                let range = value.as_array().ok_or(Unfit).and_then(|all| slice.of(all.len()))?;
                found.extend(range.filter_map(|index| items.get(index).cloned()));
            }
            Ok(found)
        }
        Step::Union(branches) => {
            let mut found = Vec::new();
            for branch in branches {
                found.extend(walk(values.clone(), branch, seen)?);
            }
            Ok(found)
        }
        Step::Exists(condition) => filter(&values, |item| {
            Ok(walk(vec![item.clone()], condition, seen).is_ok_and(|found| !found.is_empty()))
        }),
        Step::Compare(left, operator, right) => filter(&values, |item| {
            let left = only(walk(vec![item.clone()], left, seen)?)?;
            let right = only(walk(vec![item.clone()], right, seen)?)?;
            match (left, right) {
                (Some(left), Some(right)) => operator.holds(&left, &right),
                _ => Ok(false),
            }
        }),
    }
}

fn filter<'a>(
    values: &Values<'a>,
    passes: impl Fn(&Cow<'a, Value>) -> Result<bool, Unfit>,
) -> Result<Values<'a>, Unfit> {
    let mut found = Vec::new();
    for value in values {
        if !value.is_array() {
            return Err(Unfit);
        }
        for item in children(value) {
            if passes(&item)? {
                found.push(item);
            }
        }
    }
    Ok(found)
}

/// A comparison is of one value with one.
fn only(mut values: Values<'_>) -> Result<Option<Cow<'_, Value>>, Unfit> {
    if values.len() > 1 { Err(Unfit) } else { Ok(values.pop()) }
}

fn child<'a>(value: &Cow<'a, Value>, get: impl Fn(&Value) -> Option<&Value>) -> Option<Cow<'a, Value>> {
    match value {
        Cow::Borrowed(value) => get(value).map(Cow::Borrowed),
        Cow::Owned(value) => get(value).cloned().map(Cow::Owned),
    }
}

fn children<'a>(value: &Cow<'a, Value>) -> Values<'a> {
    let of = |value: &'a Value| -> Values<'a> {
        match value {
            Value::Object(fields) => fields.values().map(Cow::Borrowed).collect(),
            Value::Array(items) => items.iter().map(Cow::Borrowed).collect(),
            _ => Vec::new(),
        }
    };
    match value {
        Cow::Borrowed(value) => of(value),
        // Constants, which have no parts.
        Cow::Owned(_) => Vec::new(),
    }
}

fn descendants<'a>(value: &Cow<'a, Value>) -> Values<'a> {
    let parts = children(value);
    if parts.is_empty() {
        return Vec::new();
    }
    let mut all = vec![value.clone()];
    all.extend(parts.iter().flat_map(descendants));
    all
}

impl Slice {
    fn of(self, length: usize) -> Result<impl Iterator<Item = usize>, Unfit> {
        let length = i64::try_from(length).map_err(|_| Unfit)?;
        let start = if self.start < 0 { self.start + length } else { self.start };
        let end = match self.end {
            None => length,
            Some(end) if end < 0 || (end == 0 && self.is_item) => end + length,
            Some(end) => end,
        };
        let step = self.step.unwrap_or(1);
        if start != end && (!(0..length).contains(&start) || !(start..=length).contains(&end) || step <= 0) {
            return Err(Unfit);
        }
        let step = usize::try_from(step).unwrap_or(1);
        let all = if start == end { 0..0 } else { start..end };
        Ok(all.filter_map(|index| usize::try_from(index).ok()).step_by(step.max(1)))
    }
}

impl Operator {
    /// Whether two values stand like this; values of two types cannot be compared.
    fn holds(self, left: &Value, right: &Value) -> Result<bool, Unfit> {
        let order = match (left, right) {
            (Value::String(left), Value::String(right)) => left.cmp(right),
            (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
                (Some(left), Some(right)) => left.cmp(&right),
                (None, None) => left.as_f64().partial_cmp(&right.as_f64()).ok_or(Unfit)?,
                _ => return Err(Unfit),
            },
            (Value::Bool(left), Value::Bool(right)) => match self {
                Operator::Equal | Operator::NotEqual => left.cmp(right),
                _ => return Err(Unfit),
            },
            _ => return Err(Unfit),
        };
        Ok(match self {
            Operator::Less => order == Ordering::Less,
            Operator::Greater => order == Ordering::Greater,
            Operator::Equal => order == Ordering::Equal,
            Operator::NotEqual => order != Ordering::Equal,
            Operator::LessOrEqual => order != Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn find(path: &str) -> String {
        let object = json!({
            "metadata": {"annotations": {"a.b/c": "esc"}, "labels": {"x.y": "quoted"}},
            "spec": {"list": [{"k": 1}, {"k": "two"}, {"k": 3}], "arr": ["p", "q", "r"], "empty": [], "n": 5,
                     "nil": null},
            "status": {"conditions": [
                {"type": "Other", "status": "False"},
                {"type": "Ready", "status": "True", "n": 2},
            ]},
        });
        match Path::parse(path) {
            Err(Unfit) => "unfit".to_owned(),
            Ok(path) => {
                path.first(&object, &Seen::default()).map_or("-".to_owned(), |value| value.to_string())
            }
        }
    }

    #[test]
    fn what_comes_to_very_many_values_finds_nothing() {
        let deep = (0..60).fold(json!({ "l": 1 }), |below, _| json!({ "l": below }));
        let found = |times: usize| {
            Path::parse(&"..l".repeat(times)).expect("a path").first(&deep, &Seen::default()).is_some()
        };
        assert!(found(2) && !found(5) && !found(50));
        let wide = json!({ "all": vec![1; 5_000] });
        let seen = Seen::default();
        assert_eq!(Path::parse(".all[-1]").expect("a path").first(&wide, &seen), Some(json!(1)));
        let often = format!(".all[{}]", vec!["*"; 100].join(","));
        assert_eq!(Path::parse(&often).ok().and_then(|path| path.first(&wide, &seen)), None);
        assert_eq!(
            Path::parse(".all[-1]").expect("a path").first(&wide, &seen),
            None,
            "others have seen enough"
        );
    }

    #[test]
    fn each_path_finds_what_the_real_server_finds() {
        for (path, expected) in [
            (".spec.n", "5"),
            ("$.spec.n", "5"),
            (".spec.missing.deeper", "-"),
            (".spec.n.deeper", "-"),
            (".spec.nil", "null"),
            (r".metadata.annotations.a\.b/c", r#""esc""#),
            (r".metadata.labels['x\.y']", r#""quoted""#),
            (".spec.list[*].k", "1"),
            (".spec.list[1].k", r#""two""#),
            (".spec.arr[-1]", r#""r""#),
            (".spec.arr[-1:]", r#""r""#),
            (".spec.arr[1:]", r#""q""#),
            (".spec.arr[0:2:2]", r#""p""#),
            (".spec.arr[1,0]", r#""q""#),
            (".spec.arr[7]", "-"),
            (".spec.empty[0]", "-"),
            (".spec.n[0]", "-"),
            (".spec.*", "[\"p\",\"q\",\"r\"]"),
            ("..k", "1"),
            (r#".status.conditions[?(@.type=="Ready")].status"#, r#""True""#),
            (".status.conditions[?(@.type=='Ready')].status", r#""True""#),
            (".status.conditions[?(@.n>1)].type", r#""Ready""#),
            (".status.conditions[?(@.n>=3)].type", "-"),
            (".status.conditions[?(@.n)].type", r#""Ready""#),
            (r#".status.conditions[?(@.type!="Other")].type"#, r#""Ready""#),
            (r#".status.conditions[?(@.n=="2")].type"#, "-"),
            (r#".spec.n[?(@.type=="Ready")]"#, "-"),
            (".spec.arr[", "unfit"),
            (".spec.arr[x]", "unfit"),
            ("spec.n", "unfit"),
        ] {
            assert_eq!(find(path), expected, "{path}");
        }
    }
}
