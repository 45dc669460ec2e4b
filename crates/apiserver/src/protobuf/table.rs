//! The messages of the built-in kinds, from a generated table.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// All messages. The table is read when the first one is asked for.
pub(crate) struct Table {
    messages: Vec<Message>,
    by_name: BTreeMap<Box<str>, usize>,
}

/// The fields of a message, which are those of a JSON object, or what else its JSON is.
pub(crate) struct Message {
    /// The name of the Go type.
    pub name: Box<str>,
    /// The name of the Go type with its package: `v1.PodSpec`.
    pub qualified: Box<str>,
    /// The fields, in the order of their numbers.
    pub fields: Vec<Field>,
    /// What its JSON is, if it is no object of the fields.
    pub special: Option<Special>,
    /// The fields by the names in JSON, those of what is inlined among them.
    pub by_name: BTreeMap<Box<str>, (usize, usize)>,
}

/// A field of a message.
pub(crate) struct Field {
    /// Its number on the wire.
    pub number: u32,
    /// Where in its Go struct it is declared.
    pub place: usize,
    /// Its name in JSON.
    pub name: Box<str>,
    /// What one value is.
    pub kind: Type,
    /// How many there are.
    pub count: Count,
    /// The fields of the message stand in place of it.
    pub inline: bool,
    /// Zero is another thing than nothing.
    pub pointer: bool,
    /// It is written even if it is empty.
    pub always: bool,
    /// It is a struct, and left out if all of it is empty.
    pub omitzero: bool,
}

/// How many values a field has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Count {
    /// One at most.
    One,
    /// A list.
    List,
    /// A map by strings.
    Map,
}

/// What one value of a field is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    /// A text.
    String,
    /// Yes or no.
    Bool,
    /// A number with 32 bits.
    Int32,
    /// A number with 64 bits.
    Int64,
    /// A number with 32 bits and no sign.
    Uint32,
    /// A number with 64 bits and no sign.
    Uint64,
    /// A floating-point number with 64 bits.
    Double,
    /// A floating-point number with 32 bits.
    Float,
    /// Bytes; in JSON as base64.
    Bytes,
    /// A message, by its place in the table.
    Message(usize),
}

/// Messages whose JSON is not an object of their fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(crate) enum Special {
    /// A list of texts.
    StringList,
    /// Any JSON.
    #[serde(rename = "JSON")]
    Json,
    /// A schema, or a list of them.
    #[serde(rename = "JSONSchemaPropsOrArray")]
    SchemaOrArray,
    /// A schema, or a boolean.
    #[serde(rename = "JSONSchemaPropsOrBool")]
    SchemaOrBool,
    /// A schema, or a list of texts.
    #[serde(rename = "JSONSchemaPropsOrStringArray")]
    SchemaOrStringArray,
    /// A number with a unit, as a text.
    Quantity,
    /// `1h2m3s`
    Duration,
    /// The fields that a manager owns.
    FieldsV1,
    /// A moment to the microsecond.
    MicroTime,
    /// A moment to the second.
    Time,
    /// An object of any kind.
    RawExtension,
    /// A number or a text.
    IntOrString,
}

#[derive(Deserialize)]
struct Source<'a> {
    #[serde(borrow)]
    messages: BTreeMap<&'a str, SourceMessage<'a>>,
}

#[derive(Deserialize)]
struct SourceMessage<'a> {
    #[serde(borrow)]
    fields: Vec<SourceField<'a>>,
    special: Option<Special>,
}

#[derive(Deserialize)]
struct SourceField<'a> {
    number: u32,
    name: &'a str,
    r#type: &'a str,
    message: Option<&'a str>,
    #[serde(default)]
    repeated: bool,
    #[serde(default)]
    map: bool,
    #[serde(default)]
    inline: bool,
    #[serde(default)]
    pointer: bool,
    #[serde(default)]
    always: bool,
    #[serde(default)]
    omitzero: bool,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let source = serde_json::from_str(include_str!("../../data/messages.json"));
    Table::new(source.expect("the generated table is well formed"))
});

impl Table {
    /// The table.
    pub(crate) fn get() -> &'static Table {
        &TABLE
    }

    /// The message of a kind, if it is built in.
    pub(crate) fn kind(&self, group: &str, version: &str, kind: &str) -> Option<&Message> {
        let package = match group {
            "apiextensions.k8s.io" => "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions".to_owned(),
            "apiregistration.k8s.io" => "io.k8s.kube-aggregator.pkg.apis.apiregistration".to_owned(),
            "internal.apiserver.k8s.io" => "io.k8s.api.apiserverinternal".to_owned(),
            "meta.k8s.io" => META.to_owned(),
            "" => "io.k8s.api.core".to_owned(),
            _ => format!("io.k8s.api.{}", group.split('.').next().unwrap_or_default()),
        };
        let name = format!("{package}.{version}.{kind}");
        // Options of requests are served by every group.
        self.named(&name).or_else(|| self.named(&format!("{META}.v1.{kind}")))
    }

    /// The message by this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Message> {
        self.by_name.get(name).map(|index| &self.messages[*index])
    }

    /// The message at this place: that of a [`Type::Message`].
    pub(crate) fn at(&self, index: usize) -> &Message {
        &self.messages[index]
    }

    /// The metadata of objects.
    pub(crate) fn object_meta(&self) -> &Message {
        self.named(&format!("{META}.v1.ObjectMeta")).expect("the table has the metadata")
    }

    fn new(source: Source<'_>) -> Table {
        let by_name: BTreeMap<Box<str>, usize> =
            source.messages.keys().enumerate().map(|(index, name)| ((*name).into(), index)).collect();
        let messages = source.messages.into_iter().map(|(name, message)| {
            let mut fields: Vec<_> = message
                .fields
                .into_iter()
                .enumerate()
                .map(|(place, field)| field.read(place, &by_name))
                .collect();
            fields.sort_by_key(|field| field.number);
            let short = name.rsplit('.').next().unwrap_or(name);
            let package = name.rsplit('.').nth(1).unwrap_or_default();
            let qualified = format!("{package}.{short}").into();
            Message {
                name: short.into(),
                qualified,
                fields,
                special: message.special,
                by_name: BTreeMap::new(),
            }
        });
        let mut table = Table { messages: messages.collect(), by_name };
        for index in 0..table.messages.len() {
            let mut names = BTreeMap::new();
            table.names_of(index, &mut names);
            table.messages[index].by_name = names;
        }
        table
    }

    fn names_of(&self, message: usize, names: &mut BTreeMap<Box<str>, (usize, usize)>) {
        for (index, field) in self.messages[message].fields.iter().enumerate() {
            match field.kind {
                Type::Message(inlined) if field.inline => self.names_of(inlined, names),
                _ => drop(names.insert(field.name.clone(), (message, index))),
            }
        }
    }

    /// The field of a message by its name in JSON.
    pub(crate) fn field(&self, message: &Message, name: &str) -> Option<&Field> {
        message.by_name.get(name).map(|(message, field)| &self.messages[*message].fields[*field])
    }
}

const META: &str = "io.k8s.apimachinery.pkg.apis.meta";

impl SourceField<'_> {
    fn read(self, place: usize, by_name: &BTreeMap<Box<str>, usize>) -> Field {
        let kind = match (self.r#type, self.message) {
            ("string", _) => Type::String,
            ("bool", _) => Type::Bool,
            ("int32", _) => Type::Int32,
            ("int64", _) => Type::Int64,
            ("uint32", _) => Type::Uint32,
            ("uint64", _) => Type::Uint64,
            ("double", _) => Type::Double,
            ("float", _) => Type::Float,
            ("bytes", _) => Type::Bytes,
            (_, message) => {
                let message = message.and_then(|message| by_name.get(message));
                Type::Message(*message.expect("the generated table has all messages that it names"))
            }
        };
        let count = match (self.repeated, self.map) {
            (true, _) => Count::List,
            (_, true) => Count::Map,
            _ => Count::One,
        };
        let SourceField { number, name, inline, pointer, always, omitzero, .. } = self;
        Field { number, place, name: name.into(), kind, count, inline, pointer, always, omitzero }
    }
}
