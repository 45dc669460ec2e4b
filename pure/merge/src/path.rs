//! Where in an object something is.

use std::fmt;

/// A place in an object, as Kubernetes prints it: `spec.list[0].labels[a/b]`. It is a chain on the stack: a
/// walk that finds nothing wrong builds no strings.
#[derive(Clone, Copy, Debug)]
pub enum FieldPath<'a> {
    /// The object itself. Errors say `<nil>` there, as Go does.
    Root,
    /// A field by name: `.spec`.
    Field(&'a FieldPath<'a>, &'a str),
    /// An item of a list: `[0]`.
    Index(&'a FieldPath<'a>, usize),
    /// An entry of a map: `[key]`.
    Key(&'a FieldPath<'a>, &'a str),
}

impl<'a> FieldPath<'a> {
    /// A field of what is here. Several names may be joined by dots.
    pub fn field(&'a self, name: &'a str) -> FieldPath<'a> {
        FieldPath::Field(self, name)
    }

    /// An item of the list that is here.
    pub fn index(&'a self, index: usize) -> FieldPath<'a> {
        FieldPath::Index(self, index)
    }

    /// An entry of the map that is here.
    pub fn key(&'a self, key: &'a str) -> FieldPath<'a> {
        FieldPath::Key(self, key)
    }

    /// The path, where nothing stands for the object itself.
    pub(crate) fn relative(&self) -> String {
        match self {
            FieldPath::Root => String::new(),
            other => other.to_string(),
        }
    }

    fn is_root(&self) -> bool {
        matches!(self, FieldPath::Root)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldPath::Root => Ok(()),
            FieldPath::Field(parent, name) if parent.is_root() => f.write_str(name),
            FieldPath::Field(parent, name) => {
                parent.write(f)?;
                write!(f, ".{name}")
            }
            FieldPath::Index(parent, index) => {
                parent.write(f)?;
                write!(f, "[{index}]")
            }
            FieldPath::Key(parent, key) => {
                parent.write(f)?;
                write!(f, "[{key}]")
            }
        }
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() { f.write_str("<nil>") } else { self.write(f) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_printed_as_kubernetes_does() {
        let root = FieldPath::Root;
        assert_eq!(root.to_string(), "<nil>");
        assert_eq!(root.relative(), "");
        let (spec, list) = (root.field("spec"), "list");
        let list = spec.field(list);
        let item = list.index(3);
        let labels = item.field("labels");
        assert_eq!(labels.key("a/b").to_string(), "spec.list[3].labels[a/b]");
    }
}
