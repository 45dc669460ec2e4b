//! `check --list`: what models there are.

use bowline_models::{Claim, Entry, SizeKey, Value, catalogue};
use serde::Serialize;

use super::outcome::size_text;
use super::request;
use crate::columns::Columns;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::palette;

/// Prints the catalogue.
pub(crate) fn run(format: Format) -> anyhow::Result<Exit> {
    let models = catalogue().iter().map(Model::new).collect::<anyhow::Result<Vec<_>>>()?;
    output::print(&match format {
        Format::Table => table(&models),
        Format::Wide => wide(&models),
        Format::Json | Format::Yaml => output::document(format, &models)?,
    })?;
    Ok(Exit::Done)
}

/// A model of the catalogue.
#[derive(Serialize)]
struct Model {
    name: &'static str,
    about: &'static str,
    size: Vec<Key>,
    faults: &'static [&'static str],
    properties: Vec<Property>,
}

/// A size key. A switch has no least and no greatest value.
#[derive(Serialize)]
struct Key {
    name: &'static str,
    default: Scalar,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u32>,
    about: &'static str,
}

#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Scalar {
    Number(u32),
    Flag(bool),
}

#[derive(Serialize)]
struct Property {
    name: String,
    kind: &'static str,
    about: String,
}

impl Model {
    /// The properties are those of the default size.
    fn new(entry: &'static Entry) -> anyhow::Result<Model> {
        let subject = entry.build(&request::size(entry, "")?)?;
        Ok(Model {
            name: entry.name,
            about: entry.about,
            size: entry.sizes.iter().map(Key::new).collect(),
            faults: entry.faults,
            properties: subject.claims().into_iter().map(Property::new).collect(),
        })
    }

    fn defaults(&self) -> String {
        let keys: Vec<_> = self.size.iter().map(|key| (key.name, key.default.value())).collect();
        size_text(&keys)
    }
}

impl Key {
    fn new(key: &SizeKey) -> Key {
        let (default, range) = match key.default {
            Value::Number(number) => (Scalar::Number(number), Some(key.range)),
            Value::Flag(flag) => (Scalar::Flag(flag), None),
        };
        Key {
            name: key.name,
            default,
            min: range.map(|(min, _)| min),
            max: range.map(|(_, max)| max),
            about: key.about,
        }
    }

    fn takes(&self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("{min}–{max}"),
            _ => "true, false".into(),
        }
    }
}

impl Scalar {
    fn value(self) -> Value {
        match self {
            Scalar::Number(number) => Value::Number(number),
            Scalar::Flag(flag) => Value::Flag(flag),
        }
    }
}

impl Property {
    fn new(claim: Claim) -> Property {
        Property { name: claim.name, kind: claim.kind.as_str(), about: claim.about }
    }
}

/// A line a model.
fn table(models: &[Model]) -> String {
    let mut columns = Columns::new(&["MODEL", "SIZE", "FAULTS", "PROPERTIES", "ABOUT"]);
    for model in models {
        columns.row(vec![
            (palette::STRONG, model.name.into()),
            (palette::PLAIN, model.defaults()),
            (palette::PLAIN, model.faults.len().to_string()),
            (palette::PLAIN, model.properties.len().to_string()),
            (palette::FAINT, model.about.into()),
        ]);
    }
    columns.render()
}

/// A line a size key and a line a property.
fn wide(models: &[Model]) -> String {
    let mut columns = Columns::new(&["MODEL", "HAS", "NAME", "VALUE", "ABOUT"]);
    let mut row = |model: &Model, has: &str, name: &str, value: &str, about: &str| {
        columns.row(vec![
            (palette::STRONG, model.name.into()),
            (palette::FAINT, has.into()),
            (palette::PLAIN, name.into()),
            (palette::PLAIN, value.into()),
            (palette::FAINT, about.into()),
        ]);
    };
    for model in models {
        for key in &model.size {
            let value = format!("{} ({})", key.default.value(), key.takes());
            row(model, "size", key.name, &value, key.about);
        }
        for fault in model.faults {
            row(model, "fault", fault, "", "");
        }
        for property in &model.properties {
            row(model, "property", &property.name, property.kind, &property.about);
        }
    }
    columns.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models() -> Vec<Model> {
        let number =
            SizeKey { name: "doors", about: "how many doors", default: Value::Number(2), range: (1, 8) };
        let flag = SizeKey { name: "fair", about: "whether fair", default: Value::Flag(true), range: (0, 0) };
        let shut = Property { name: "Shut".into(), kind: "always", about: "all doors are shut".into() };
        vec![Model {
            name: "seed/door",
            about: "doors",
            size: vec![Key::new(&number), Key::new(&flag)],
            faults: &["draught"],
            properties: vec![shut],
        }]
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn the_table_has_a_line_a_model() {
        assert_eq!(
            plain(&table(&models())),
            "MODEL      SIZE               FAULTS  PROPERTIES  ABOUT\n\
             seed/door  doors=2,fair=true  1       1           doors\n"
        );
    }

    #[test]
    fn the_wide_table_has_a_line_a_key_and_a_property() {
        assert_eq!(
            plain(&wide(&models())),
            "\
MODEL      HAS       NAME     VALUE               ABOUT
seed/door  size      doors    2 (1–8)             how many doors
seed/door  size      fair     true (true, false)  whether fair
seed/door  fault     draught
seed/door  property  Shut     always              all doors are shut
"
        );
    }

    #[test]
    fn the_document_has_keys_with_defaults_faults_and_properties() {
        assert_eq!(
            serde_json::to_value(models()).unwrap(),
            serde_json::json!([{
                "name": "seed/door", "about": "doors",
                "size": [
                    {"name": "doors", "default": 2, "min": 1, "max": 8, "about": "how many doors"},
                    {"name": "fair", "default": true, "about": "whether fair"},
                ],
                "faults": ["draught"],
                "properties": [{"name": "Shut", "kind": "always", "about": "all doors are shut"}],
            }])
        );
    }
}
