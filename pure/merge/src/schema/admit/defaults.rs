//! Defaults must themselves be valid, and hold nothing that the schema does not name.

use serde_json::Value;

use crate::error::FieldError;
use crate::path::FieldPath;
use crate::schema::node::{Additional, Node};
use crate::schema::{embedded, prune, validate};

/// What is wrong with defaults, anywhere in a schema.
pub(super) fn check(root: &Value, at: &FieldPath<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut node = Node::parse(root);
    forget_int_or_string(&mut node);
    node.embedded = true;
    walk(&node, at, &mut errors);
    errors
}

/// Kubernetes checks defaults against the structural schema, in which such a value has no type.
fn forget_int_or_string(node: &mut Node) {
    node.int_or_string = false;
    node.items.as_deref_mut().into_iter().chain(node.properties.values_mut()).for_each(forget_int_or_string);
    if let Additional::Of(entry) = &mut node.additional {
        forget_int_or_string(entry);
    }
}

fn walk(node: &Node, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    if let Some(default) = &node.default {
        one(node, default, &at.field("default"), errors);
    }
    // Not below additionalProperties: a default there has no place to go to.
    if let Some(item) = node.items.as_deref() {
        walk(item, &at.field("items"), errors);
    }
    for (name, property) in &node.properties {
        walk(property, &at.field("properties").key(name), errors);
    }
}

fn one(node: &Node, default: &Value, at: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    if !prune::is_pruned(node, default) {
        errors.push(FieldError::invalid(at, default.clone(), "must not have unknown fields"));
    }
    let mut metadata = Vec::new();
    embedded::check(at, node, default, false, &mut metadata);
    if metadata.is_empty() {
        errors.extend(validate::check(at, node, default, None));
    } else {
        errors.extend(metadata);
    }
}
