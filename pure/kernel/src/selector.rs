//! Label and field selectors.

/// A selector of objects by their labels: `a=b,c!=d,e in (f,g),h,!i`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {}

/// A selector of objects by their fields: `metadata.name=a,spec.nodeName!=b`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fields {}
