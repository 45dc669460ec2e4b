//! What the Go types say about a field beyond its proto: its name in JSON, and whether it is a pointer.

use std::collections::BTreeMap;

/// What a struct's field says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// Its name in JSON; none if its own fields stand in its place.
    pub(super) json: Option<String>,
    /// A value of zero is not the same as none.
    pub(super) pointer: bool,
    /// It is left out of JSON when it is empty, unless it is a struct.
    pub(super) omitempty: bool,
    /// The same, also if it is a struct.
    pub(super) omitzero: bool,
}

/// The tags of all structs of a package, by the struct's name and the field's number.
pub(super) type Tags = BTreeMap<(String, u32), Tag>;

/// Reads the structs of a file that gofmt has formatted.
pub(super) fn parse(text: &str, tags: &mut Tags) {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("type ").and_then(|rest| rest.strip_suffix(" struct {")) {
            open = Some(name);
        } else if line == "}" {
            open = None;
        } else if let (Some(name), Some((number, tag))) = (open, field(line)) {
            tags.insert((name.to_owned(), number), tag);
        }
    }
}

fn field(line: &str) -> Option<(u32, Tag)> {
    let line = line.trim();
    if line.starts_with("//") {
        return None;
    }
    let (declared, rest) = line.split_once('`')?;
    let tags = rest.split('`').next()?;
    let json = value(tags, "json")?;
    let number = value(tags, "protobuf")?.split(',').nth(1)?.parse().ok()?;
    let mut options = json.split(',');
    let name = options.next().unwrap_or_default();
    let options: Vec<_> = options.collect();
    let inline = name.is_empty() || options.contains(&"inline");
    let tag = Tag {
        json: (!inline).then(|| name.to_owned()),
        pointer: declared.split_whitespace().last()?.starts_with('*'),
        omitempty: options.contains(&"omitempty"),
        omitzero: options.contains(&"omitzero"),
    };
    Some((number, tag))
}

fn value<'a>(tags: &'a str, key: &str) -> Option<&'a str> {
    let rest = tags.split(&format!("{key}:\"")).nth(1)?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
type Thing struct {
    metav1.TypeMeta `json:",inline"`
    // +optional
    metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

    Handler  `json:",inline" protobuf:"bytes,2,opt,name=handler"`
    Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,3,opt,name=replicas"` // why
    Ref      string `protobuf:"bytes,4,opt,name=ref" json:"$ref"`
    At       Time   `json:"at,omitempty,omitzero" protobuf:"bytes,5,opt,name=at"`
    // Old *int32 `json:"old" protobuf:"varint,9,opt,name=old"`
}

type Other string
"#;

    #[test]
    fn names_pointers_and_inlined_fields_are_read() {
        let mut tags = Tags::new();
        parse(TEXT, &mut tags);
        let tag = |number: u32| {
            tags.get(&("Thing".to_owned(), number))
                .map(|tag| (tag.json.as_deref(), tag.pointer, tag.omitempty))
        };
        assert_eq!(tag(1), Some((Some("metadata"), false, true)));
        assert_eq!(tag(2), Some((None, false, false)));
        assert_eq!(tag(3), Some((Some("replicas"), true, true)));
        assert_eq!(tag(4), Some((Some("$ref"), false, false)));
        assert_eq!(tag(5), Some((Some("at"), false, true)));
        let zero: Vec<_> =
            tags.iter().filter(|(_, tag)| tag.omitzero).map(|((_, number), _)| *number).collect();
        assert_eq!((tags.len(), zero), (5, vec![5]));
    }
}
