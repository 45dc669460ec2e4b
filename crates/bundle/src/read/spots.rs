//! Where a field stands in a text. That is read again, and only when something is wrong with the field.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use super::yaml::{Yaml, options, written_out};

/// A step from a value to one in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Field(String),
    Item(usize),
}

/// The line and the column of what these steps lead to, from 1. `None` if it is not there, or cannot be told.
pub(super) fn spot(text: &str, steps: &[Step]) -> Option<(u64, u64)> {
    let mut spot: Spanned<Tree> = serde_saphyr::from_str_with_options(text, options()).ok()?;
    for step in steps {
        let next = match (step, spot.value) {
            (Step::Field(name), Tree::Map(fields)) => {
                fields.into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            (Step::Item(index), Tree::List(items)) => items.into_iter().nth(*index),
            _ => None,
        };
        spot = next?;
    }
    let (line, column) = (spot.referenced.line(), spot.referenced.column());
    (line > 0).then_some((line, column))
}

/// The steps of a field as it is told: `metadata.labels["a.b/c"]`.
pub(super) fn steps(field: &str) -> Vec<Step> {
    let (path, key) = match field.split_once('[') {
        Some((path, key)) => (path, key.strip_suffix(']').and_then(|key| serde_json::from_str(key).ok())),
        None => (field, None),
    };
    path.split('.').map(str::to_owned).chain(key).map(Step::Field).collect()
}

/// What a value consists of, without what it says.
enum Tree {
    Map(Vec<(String, Spanned<Tree>)>),
    List(Vec<Spanned<Tree>>),
    Leaf,
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_str<E>(self, _: &str) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut map = Vec::new();
        while let Some(Yaml(key)) = entries.next_key()? {
            let value = entries.next_value()?;
            // Without a name it is not what is looked for.
            map.extend(written_out(key).ok().map(|key| (key, value)));
        }
        Ok(Tree::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_where_they_stand() {
        let text = "a: 1\nmetadata:\n  name: 5\n  labels:\n    x.y/z: yes\nitems:\n- b: c\n- {d: e}\n";
        let at = |field: &str| spot(text, &steps(field));
        assert_eq!(at("a"), Some((1, 4)));
        assert_eq!(at("metadata.name"), Some((3, 9)));
        assert_eq!(at("metadata.labels[\"x.y/z\"]"), Some((5, 12)));
        assert_eq!(at("metadata.nothing"), None);
        assert_eq!(at("a.b"), None);
        let item = [Step::Field("items".into()), Step::Item(1), Step::Field("d".into())];
        assert_eq!(spot(text, &item), Some((8, 7)));
        assert_eq!(spot("{\"a\":\n  {\"b\": 1}}", &steps("a.b")), Some((2, 9)));
        assert_eq!(spot("a: [", &steps("a")), None);
    }
}
