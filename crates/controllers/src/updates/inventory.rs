//! Inventories as they are kept: JSON.

use std::collections::BTreeMap;

use bowline_updates::{Inventory, Origin};
use serde_json::{Value, json};

use super::names::{Place, Text};

/// An inventory as text. The same inventory is the same text.
pub(crate) fn text(Inventory(touched): &Inventory<Text>) -> Vec<u8> {
    let objects = touched.iter().map(|(place, origin)| {
        let Place { group, kind, namespace, name } = place;
        let mut told = json!({ "group": group, "kind": kind, "namespace": namespace, "name": name });
        if let Origin::Adopted(before) = origin {
            told["before"] = before.clone();
        }
        told
    });
    json!({ "objects": Value::from_iter(objects) }).to_string().into_bytes()
}

/// The inventory that a text is of.
///
/// # Errors
/// If it is none.
pub(crate) fn read(text: &[u8]) -> Result<Inventory<Text>, String> {
    let told: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let objects = told["objects"].as_array().ok_or("it lists no objects")?;
    let all: Option<BTreeMap<_, _>> = objects.iter().map(touched).collect();
    all.map(Inventory).ok_or_else(|| "an object in it has no name".into())
}

fn touched(told: &Value) -> Option<(Place, Origin<Text>)> {
    let field = |name: &str| told[name].as_str().map(ToOwned::to_owned);
    let place = Place {
        group: field("group")?,
        kind: field("kind")?,
        namespace: field("namespace")?,
        name: field("name")?,
    };
    let origin = told.get("before").map_or(Origin::Created, |before| Origin::Adopted(before.clone()));
    Some((place, origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inventory_comes_back() {
        let place = |name: &str| Place {
            group: String::new(),
            kind: "ConfigMap".into(),
            namespace: "a".into(),
            name: name.into(),
        };
        let adopted = Origin::Adopted(json!({ "data": { "x": "ü" } }));
        let inventory = Inventory(BTreeMap::from([(place("b"), Origin::Created), (place("a"), adopted)]));
        assert_eq!(read(&text(&inventory)), Ok(inventory));
        assert_eq!(read(&text(&Inventory::default())), Ok(Inventory::default()));
    }

    #[test]
    fn what_is_none_is_refused() {
        for bad in ["", "{}", "{\"objects\":[{\"kind\":\"Pod\"}]}"] {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
