//! Strings and numbers.

use serde_json::{Number, Value};

use super::verdict::{Failure, Verdict};
use crate::error::{Cause, FieldError};
use crate::go;
use crate::path::FieldPath;
use crate::schema::formats;
use crate::schema::node::{Bounds, Node};

/// A float is an integer, or a little more than one: binary fractions do not divide evenly. Beyond 2⁵³ it no longer
/// tells one integer from the next, and is none.
pub(super) fn is_whole(float: f64) -> bool {
    let whole = float.trunc();
    let close = whole != 0.0 && (float - whole).abs() / (float.abs() + whole.abs()) < 1e-9;
    float.abs() <= 9_007_199_254_740_991.0 && (float == whole || close)
}

/// The format that counts: one that Kubernetes does not know is none.
pub(super) fn format_of(node: &Node) -> &str {
    if formats::is_known(&node.format) { &node.format } else { "" }
}

/// Strings are checked against the format.
pub(super) fn is_checked(node: &Node) -> bool {
    !format_of(node).is_empty()
}

/// Only the first fault of a string is told.
pub(super) fn string(path: &FieldPath<'_>, bounds: Option<&Bounds>, text: &str) -> Verdict {
    let mut verdict = Verdict::default();
    let Some(bounds) = bounds else { return verdict };
    let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if let Some(most) = bounds.max_length.filter(|most| length() > *most) {
        let message = format!("{} in body should be at most {most} chars long", path.relative());
        let detail = format!("may not be more than {most} byte{}", if most == 1 { "" } else { "s" });
        let error = FieldError::new(Cause::TooLong, path.relative(), None, detail);
        verdict.add(Failure::worded(error, message));
    } else if let Some(least) = bounds.min_length.filter(|least| length() < *least) {
        let what = format!("should be at least {least} chars long");
        verdict.add(Failure::invalid(path, Some(text.into()), &what));
    } else if let Some(pattern) = &bounds.pattern
        && !pattern.regex.as_ref().is_some_and(|regex| regex.is_match(text))
    {
        let what = format!("should match '{}'", pattern.text);
        verdict.add(Failure::invalid(path, Some(text.into()), &what));
    }
    verdict
}

pub(super) fn format(path: &FieldPath<'_>, node: &Node, text: &str) -> Verdict {
    let mut verdict = Verdict::default();
    let format = format_of(node);
    if !formats::matches(format, text) {
        let what = format!("{} in body must be of type {format}: {}", path.relative(), go::quote(text));
        let error = FieldError::new(Cause::TypeInvalid, path.relative(), Some(text.into()), what.clone());
        verdict.add(Failure::worded(error, what));
    }
    verdict
}

pub(super) fn number(path: &FieldPath<'_>, bounds: Option<&Bounds>, number: &Number) -> Verdict {
    let mut verdict = Verdict::default();
    verdict.count();
    let Some(bounds) = bounds else { return verdict };
    let find = |verdict: &mut Verdict, what: String| {
        verdict.add(Failure::invalid(path, Some(Value::Number(number.clone())), &what));
    };
    let compared = Compared::new(number);
    match bounds.multiple_of {
        // An integer sees a fraction as nothing, of which there are no multiples.
        Some(factor) if compared.limit(factor) <= 0.0 => {
            let shown = compared.show(factor);
            let what =
                format!("factor MultipleOf declared for {} must be positive: {shown}", path.relative());
            let error = FieldError::invalid(path.relative(), compared.limit(factor), what.clone());
            verdict.add(Failure::worded(error, what));
        }
        Some(factor) if !compared.is_multiple_of(factor) => {
            find(&mut verdict, format!("should be a multiple of {}", compared.show(factor)));
        }
        _ => {}
    }
    if let Some(least) = bounds.minimum {
        let order = compared.order(least);
        if order.is_lt() || (bounds.exclusive_minimum && order.is_eq()) {
            let or_equal = if bounds.exclusive_minimum { "" } else { " or equal to" };
            find(&mut verdict, format!("should be greater than{or_equal} {}", compared.show(least)));
        }
    }
    if let Some(most) = bounds.maximum {
        let order = compared.order(most);
        if order.is_gt() || (bounds.exclusive_maximum && order.is_eq()) {
            let or_equal = if bounds.exclusive_maximum { "" } else { " or equal to" };
            find(&mut verdict, format!("should be less than{or_equal} {}", compared.show(most)));
        }
    }
    verdict
}

/// A number beside a limit: an integer sees the limit as an integer, its fraction cut off, as in Go.
enum Compared {
    Whole(i64),
    Float(f64),
}

impl Compared {
    fn new(number: &Number) -> Self {
        match number.as_i64() {
            Some(whole) => Compared::Whole(whole),
            None => Compared::Float(number.as_f64().unwrap_or(f64::NAN)),
        }
    }

    fn order(&self, limit: f64) -> std::cmp::Ordering {
        match self {
            Compared::Whole(whole) => whole.cmp(&(limit as i64)),
            Compared::Float(float) => float.total_cmp(&limit),
        }
    }

    /// The limit as it is seen.
    fn limit(&self, limit: f64) -> f64 {
        match self {
            Compared::Whole(_) => limit.trunc(),
            Compared::Float(_) => limit,
        }
    }

    fn show(&self, limit: f64) -> String {
        match self {
            Compared::Whole(_) => (limit as i64).to_string(),
            Compared::Float(_) => go::float(limit),
        }
    }

    fn is_multiple_of(&self, factor: f64) -> bool {
        match self {
            Compared::Whole(whole) => {
                let factor = factor as i64;
                factor > 0 && whole % factor == 0
            }
            Compared::Float(float) => {
                let times = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
                factor > 0.0 && is_whole(times)
            }
        }
    }
}
