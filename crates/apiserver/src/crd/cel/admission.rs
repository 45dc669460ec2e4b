//! Rules of a new schema: do they compile, and what could they cost?

use bowline_merge::{Cause, FieldError};
use serde_json::Value as Json;

use super::cost;
use super::declared::{Declared, is_embedded};
use super::rules::Rule;

/// The most that one expression may cost, for all places where it can be evaluated.
const MOST_A_RULE: u64 = 10_000_000;
/// The most that all of a schema may cost together.
const MOST_IN_ALL: u64 = 100_000_000;
const TRY: &str = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and \
    strings are declared)";

/// What is wrong with the rules of a schema at a path. What one costs is not looked at if the schema did not change.
pub(in crate::crd) fn admit(
    schema: &Json,
    at: &str,
    unchanged: bool,
    print: &dyn Fn(&Json) -> String,
    errors: &mut Vec<FieldError>,
) {
    let mut admission = Admission { unchanged, print, errors, total: 0, expensive: Vec::new() };
    let place = Place { times: Some(1), uncorrelated: None, root: true };
    admission.walk(schema, at, &place);
    let Admission { total, mut expensive, .. } = admission;
    if total > MOST_IN_ALL {
        expensive.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
        for (path, _) in expensive.into_iter().take(4) {
            let why =
                "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            errors.push(FieldError::forbidden(path, why));
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        errors.push(FieldError::forbidden(at, too_much(what, total, MOST_IN_ALL)));
    }
}

struct Admission<'a> {
    unchanged: bool,
    print: &'a dyn Fn(&Json) -> String,
    errors: &'a mut Vec<FieldError>,
    total: u64,
    expensive: Vec<(String, u64)>,
}

/// Where in a schema the walk is.
#[derive(Clone)]
struct Place {
    /// How often it can be in one object, if anything bounds that.
    times: Option<u64>,
    /// The list around it whose items cannot be found again in the object before.
    uncorrelated: Option<String>,
    root: bool,
}

impl Admission<'_> {
    fn walk(&mut self, schema: &Json, at: &str, place: &Place) {
        let below = Place {
            times: place.times.zip(most(schema)).map(|(a, b)| a.saturating_mul(b)),
            root: false,
            ..place.clone()
        };
        if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
            self.walk(values, &format!("{at}.additionalProperties"), &below);
        }
        for (name, property) in schema.get("properties").and_then(Json::as_object).into_iter().flatten() {
            self.walk(property, &format!("{at}.properties[{name}]"), &below);
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            let mut below = below;
            if schema.get("x-kubernetes-list-type").and_then(Json::as_str) != Some("map") {
                below.uncorrelated = below.uncorrelated.or_else(|| Some(at.to_owned()));
            }
            self.walk(items, &format!("{at}.items"), &below);
        }
        let rules = schema.get("x-kubernetes-validations").and_then(Json::as_array);
        if let Some(rules) = rules.filter(|rules| !rules.is_empty()) {
            self.rules(schema, rules, &format!("{at}.x-kubernetes-validations"), place);
        }
    }

    fn rules(&mut self, schema: &Json, rules: &[Json], at: &str, place: &Place) {
        let Some(declared) = Declared::of(schema, place.root || is_embedded(schema)) else {
            let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: \
                          unable to convert structural schema to CEL declarations";
            let error = FieldError {
                kind: Cause::Internal,
                path: at.to_owned(),
                value: None,
                detail: detail.to_owned(),
            };
            self.errors.push(error);
            return;
        };
        for (index, raw) in rules.iter().enumerate() {
            let at = format!("{at}[{index}]");
            let rule = Rule::compile(raw, schema, &declared);
            let times = place.times.unwrap_or_else(|| declared.most_times());
            match &rule.program {
                Ok(program) => {
                    let once = cost::most(&program.expr, &program.checked, &declared);
                    self.price(&format!("{at}.rule"), "estimated rule cost", once.saturating_mul(times));
                }
                Err(why) => self.invalid(format!("{at}.rule"), raw, why),
            }
            match &rule.message_program {
                None => {}
                Some(Err(why)) => self.invalid(format!("{at}.messageExpression"), raw, why),
                Some(Ok(program)) => {
                    let once = cost::most(&program.expr, &program.checked, &declared);
                    self.price(&format!("{at}.messageExpression"), "estimated messageExpression cost", once);
                }
            }
            self.transition(raw, &rule, &at, place);
        }
    }

    fn transition(&mut self, raw: &Json, rule: &Rule, at: &str, place: &Place) {
        let uses_old = rule.program.as_ref().is_ok_and(|program| program.checked.uses_old);
        match (&place.uncorrelated, raw.get("optionalOldSelf")) {
            (Some(list), _) if uses_old => {
                let why = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {list}"
                );
                self.errors.push(FieldError::invalid(format!("{at}.rule"), rule.source.as_str(), why));
            }
            (_, Some(Json::Bool(flag))) if !uses_old => {
                let why = "may not be set if oldSelf is not used in rule";
                self.errors.push(FieldError::invalid(format!("{at}.optionalOldSelf"), *flag, why));
            }
            _ => {}
        }
    }

    fn invalid(&mut self, path: String, raw: &Json, why: &str) {
        let detail = format!("{}: {why}", (self.print)(raw));
        self.errors.push(FieldError { kind: Cause::Invalid, path, value: None, detail });
    }

    fn price(&mut self, path: &str, what: &str, cost: u64) {
        if cost > MOST_A_RULE && !self.unchanged {
            self.errors.push(FieldError::forbidden(path, too_much(what, cost, MOST_A_RULE)));
        }
        self.total = self.total.saturating_add(cost);
        if cost >= MOST_IN_ALL / 100 {
            self.expensive.push((path.to_owned(), cost));
        }
    }
}

/// How many there can be below one: items, entries, or one of each field.
fn most(schema: &Json) -> Option<u64> {
    let bound =
        |name: &str| schema.get(name).and_then(Json::as_i64).map(|most| u64::try_from(most).unwrap_or(0));
    match schema.get("type").and_then(Json::as_str) {
        Some("object") if schema.get("additionalProperties").is_some() => bound("maxProperties"),
        Some("array") => bound("maxItems"),
        _ => Some(1),
    }
}

fn too_much(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = match factor {
        factor if factor > 100.0 => "more than 100x".to_owned(),
        factor if factor < 1.5 => format!("{factor:.6}x"),
        factor => format!("{factor:.1}x"),
    };
    format!("{what} exceeds budget by factor of {factor} {TRY}")
}
