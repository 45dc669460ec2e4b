//! The messages of a `generated.proto`, as Kubernetes writes them: flat, proto2, one field a line.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

/// A field's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// `string`, `int64`, …
    Scalar(String),
    /// By its full name, with the package.
    Message(String),
}

/// How many values a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    One,
    Many,
    /// By a string.
    Map,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) kind: Type,
    pub(super) count: Count,
}

/// A file: its package and its messages by their short names.
#[derive(Debug)]
pub(super) struct File {
    pub(super) package: String,
    pub(super) messages: BTreeMap<String, Vec<Field>>,
}

const SCALARS: &[&str] =
    &["string", "bool", "int32", "int64", "uint32", "uint64", "double", "float", "bytes"];

/// Reads a file.
pub(super) fn parse(text: &str) -> Result<File> {
    let mut package = String::new();
    let mut messages: BTreeMap<String, Vec<Field>> = BTreeMap::new();
    let mut open: Option<String> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
        if let Some(name) = line.strip_prefix("package ") {
            package = name.trim_end_matches(';').to_owned();
        } else if let Some(name) = line.strip_prefix("message ") {
            let name = name.trim_end_matches('{').trim().to_owned();
            messages.insert(name.clone(), Vec::new());
            open = Some(name);
        } else if line == "}" {
            open = None;
        } else if let Some(fields) = open.as_ref().and_then(|name| messages.get_mut(name)) {
            fields.push(field(line, &package).with_context(|| format!("`{line}` in {package}"))?);
        }
    }
    Ok(File { package, messages })
}

fn field(line: &str, package: &str) -> Result<Field> {
    let (left, number) = line.trim_end_matches(';').split_once(" = ").context("not a field")?;
    let number = number.parse().context("not a number")?;
    let (count, kind, name) = if let Some(rest) = left.strip_prefix("map<string, ") {
        let (kind, name) = rest.split_once("> ").context("not a map")?;
        (Count::Map, kind, name)
    } else {
        let (label, rest) = left.split_once(' ').context("no label")?;
        let (kind, name) = rest.split_once(' ').context("no type")?;
        let count = match label {
            "optional" => Count::One,
            "repeated" => Count::Many,
            _ => anyhow::bail!("the label `{label}` is not known"),
        };
        (count, kind, name)
    };
    Ok(Field { number, name: name.to_owned(), kind: kind_of(kind, package), count })
}

fn kind_of(text: &str, package: &str) -> Type {
    if SCALARS.contains(&text) {
        Type::Scalar(text.to_owned())
    } else if let Some(full) = text.strip_prefix('.') {
        Type::Message(full.to_owned())
    } else if text.contains('.') {
        Type::Message(text.to_owned())
    } else {
        Type::Message(format!("{package}.{text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
syntax = "proto2";
package k8s.io.api.x.v1;
import "other.proto";
option go_package = "k8s.io/api/x/v1";

// A thing.
message Thing {
  // Standard { braces }
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;

  repeated Other others = 2;
  map<string, bytes> data = 12;
  map<string, .k8s.io.api.core.v1.Quantity> most = 13;
  optional int64 count = 4;
}

message Empty {
}
"#;

    #[test]
    fn all_forms_of_fields_are_read() -> Result<()> {
        let file = parse(TEXT)?;
        assert_eq!(file.package, "k8s.io.api.x.v1");
        let fields: Vec<_> = file.messages["Thing"]
            .iter()
            .map(|field| format!("{} {} {:?} {:?}", field.number, field.name, field.count, field.kind))
            .collect();
        assert_eq!(
            fields,
            [
                r#"1 metadata One Message("k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta")"#,
                r#"2 others Many Message("k8s.io.api.x.v1.Other")"#,
                r#"12 data Map Scalar("bytes")"#,
                r#"13 most Map Message("k8s.io.api.core.v1.Quantity")"#,
                r#"4 count One Scalar("int64")"#,
            ]
        );
        assert!(file.messages["Empty"].is_empty());
        Ok(())
    }

    #[test]
    fn what_is_not_understood_is_not_passed_over() {
        for bad in ["  required string a = 1;", "  map<int32, string> a = 1;", "  oneof x {", "  reserved 4;"]
        {
            assert!(parse(&format!("message A {{\n{bad}\n}}\n")).is_err(), "{bad}");
        }
    }
}
