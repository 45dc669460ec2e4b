//! `anyOf`, `oneOf`, `allOf` and `not`.

use serde_json::Value;

use super::verdict::{Failure, Verdict};
use super::{Old, judge};
use crate::go;
use crate::path::FieldPath;
use crate::schema::node::Node;

/// Checks a value against the schemas that a schema combines.
pub(super) fn check(path: &FieldPath<'_>, node: &Node, value: &Value, old: Old<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    if !node.any_of.is_empty() {
        any_of(path, node, value, old, &mut verdict);
    }
    if !node.one_of.is_empty() {
        one_of(path, node, value, old, &mut verdict);
    }
    if !node.all_of.is_empty() {
        all_of(path, node, value, old, &mut verdict);
    }
    if let Some(not) = node.not.as_deref()
        && judge(path, not, value, old).is_valid()
    {
        verdict.add(say(path, "must not validate the schema (not)"));
    }
    verdict.count();
    verdict
}

fn say(path: &FieldPath<'_>, what: &str) -> Failure {
    Failure::combined(format!("{} {what}", go::quote(&path.relative())))
}

fn any_of(path: &FieldPath<'_>, node: &Node, value: &Value, old: Old<'_>, verdict: &mut Verdict) {
    let mut best: Option<Verdict> = None;
    for choice in &node.any_of {
        let found = judge(path, choice, value, old);
        if found.is_valid() {
            verdict.merge(found);
            return;
        }
        best = further(best, found);
    }
    verdict.add(say(path, "must validate at least one schema (anyOf)"));
    verdict.merge(best.unwrap_or_default());
}

fn one_of(path: &FieldPath<'_>, node: &Node, value: &Value, old: Old<'_>, verdict: &mut Verdict) {
    let mut best: Option<Verdict> = None;
    let mut valid = Vec::new();
    for choice in &node.one_of {
        let found = judge(path, choice, value, old);
        if found.is_valid() {
            valid.push(found);
        } else if valid.is_empty() {
            best = further(best, found);
        }
    }
    match valid.len() {
        1 => valid.into_iter().for_each(|found| verdict.merge(found)),
        0 => {
            verdict.add(say(path, "must validate one and only one schema (oneOf). Found none valid"));
            verdict.merge(best.unwrap_or_default());
        }
        several => {
            let what =
                format!("must validate one and only one schema (oneOf). Found {several} valid alternatives");
            verdict.add(say(path, &what));
        }
    }
}

fn all_of(path: &FieldPath<'_>, node: &Node, value: &Value, old: Old<'_>, verdict: &mut Verdict) {
    let mut valid = 0;
    for part in &node.all_of {
        let found = judge(path, part, value, old);
        valid += usize::from(found.is_valid());
        verdict.merge(found);
    }
    if valid != node.all_of.len() {
        let none = if valid == 0 { ". None validated" } else { "" };
        verdict.add(say(path, &format!("must validate all the schemas (allOf){none}")));
    }
}

/// The alternative that got further is the one that was meant; the first of equals.
fn further(best: Option<Verdict>, found: Verdict) -> Option<Verdict> {
    match best {
        Some(best) if found.checks <= best.checks => Some(best),
        _ => Some(found),
    }
}
