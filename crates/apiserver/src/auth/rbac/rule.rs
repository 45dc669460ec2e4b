//! One rule of a role: what it allows, and what it covers of another rule.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::auth::words::quote_all;
use crate::authorize::What;

const ALL: &str = "*";

/// One rule of a role.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Rule {
    /// What may be done; `*` is everything.
    #[serde(deserialize_with = "or_nothing")]
    pub verbs: Vec<String>,
    /// In which groups; `*` is all.
    #[serde(deserialize_with = "or_nothing", skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// To what: `pods`, `pods/log`, `*/scale`, `*`.
    #[serde(deserialize_with = "or_nothing", skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// To which objects; none means all.
    #[serde(deserialize_with = "or_nothing", skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    /// At which other paths; `/healthz/*` is all below.
    #[serde(
        rename = "nonResourceURLs",
        deserialize_with = "or_nothing",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub paths: Vec<String>,
}

/// `null` is what Go writes for a list that is not there.
fn or_nothing<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

impl Rule {
    /// The rules of a role. What is not a rule allows nothing.
    pub(crate) fn of_role(role: &Value) -> Vec<Rule> {
        let rules = role.get("rules").and_then(Value::as_array).into_iter().flatten();
        rules.map(|rule| Rule::deserialize(rule).unwrap_or_default()).collect()
    }

    /// Whether it allows the verb on what is asked.
    pub(crate) fn allows(&self, verb: &str, what: &What<'_>) -> bool {
        has_or_all(&self.verbs, verb)
            && match what {
                What::Path(path) => self.paths.iter().any(|own| path_covers(own, path)),
                What::Resource { group, plural, subresource, name, .. } => {
                    has_or_all(&self.api_groups, group)
                        && self.resources.iter().any(|own| resource_matches(own, plural, subresource))
                        && (self.resource_names.is_empty() || has(&self.resource_names, name))
                }
            }
    }

    /// The same rule as rules of one group, resource, name and verb, or one path and verb.
    fn broken_down(&self) -> impl Iterator<Item = Rule> {
        let one = |text: &String| vec![text.clone()];
        let mut simple = Vec::new();
        let names: Vec<Vec<String>> = if self.resource_names.is_empty() {
            vec![Vec::new()]
        } else {
            self.resource_names.iter().map(one).collect()
        };
        for group in &self.api_groups {
            for resource in &self.resources {
                for verb in &self.verbs {
                    simple.extend(names.iter().map(|name| Rule {
                        verbs: one(verb),
                        api_groups: one(group),
                        resources: one(resource),
                        resource_names: name.clone(),
                        paths: Vec::new(),
                    }));
                }
            }
        }
        for path in &self.paths {
            simple.extend(self.verbs.iter().map(|verb| Rule {
                verbs: one(verb),
                paths: one(path),
                ..Rule::default()
            }));
        }
        simple.into_iter()
    }

    /// Whether it allows all that `simple` allows, which is broken down.
    fn covers(&self, simple: &Rule) -> bool {
        let each = |own: &[String], wanted: &[String]| wanted.iter().all(|wanted| has_or_all(own, wanted));
        let names = self.resource_names.is_empty()
            || (!simple.resource_names.is_empty()
                && simple.resource_names.iter().all(|name| has(&self.resource_names, name)));
        names
            && each(&self.verbs, &simple.verbs)
            && each(&self.api_groups, &simple.api_groups)
            && simple.resources.iter().all(|wanted| {
                let (plural, subresource) = wanted.split_once('/').unwrap_or((wanted, ""));
                self.resources.iter().any(|own| own == wanted || resource_matches(own, plural, subresource))
            })
            && simple.paths.iter().all(|wanted| self.paths.iter().any(|own| path_covers(own, wanted)))
    }

    /// As messages write it.
    pub(crate) fn describe(&self) -> String {
        let parts = [
            ("APIGroups", &self.api_groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.paths),
            ("ResourceNames", &self.resource_names),
            ("Verbs", &self.verbs),
        ];
        let parts = parts.iter().filter(|(_, list)| !list.is_empty());
        let parts =
            parts.map(|(name, list)| format!("{name}:{}", quote_all(list.iter().map(String::as_str))));
        format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
    }
}

/// What of `wanted` no rule of `owned` allows, broken down.
pub(crate) fn missing<'a>(
    owned: impl IntoIterator<Item = &'a Rule> + Clone,
    wanted: impl IntoIterator<Item = &'a Rule>,
) -> Vec<Rule> {
    let simple = wanted.into_iter().flat_map(Rule::broken_down);
    simple.filter(|simple| !owned.clone().into_iter().any(|own| own.covers(simple))).collect()
}

/// The same rules, with one for all verbs on the same.
pub(super) fn compact(rules: Vec<Rule>) -> Vec<Rule> {
    let mut compact: Vec<Rule> = Vec::new();
    for rule in rules {
        let like = compact.iter_mut().find(|other| {
            rule.paths.is_empty()
                && other.paths.is_empty()
                && other.api_groups == rule.api_groups
                && other.resources == rule.resources
                && other.resource_names == rule.resource_names
        });
        match like {
            Some(other) => other.verbs.extend(rule.verbs),
            None => compact.push(rule),
        }
    }
    compact
}

fn has(list: &[String], text: &str) -> bool {
    list.iter().any(|other| other == text)
}

fn has_or_all(list: &[String], text: &str) -> bool {
    list.iter().any(|other| other == text || other == ALL)
}

/// `*` is everything, `*/scale` that subresource of everything.
fn resource_matches(own: &str, plural: &str, subresource: &str) -> bool {
    if own == ALL {
        return true;
    }
    match own.split_once('/') {
        None => subresource.is_empty() && own == plural,
        Some((own_plural, own_subresource)) => {
            !subresource.is_empty()
                && own_subresource == subresource
                && (own_plural == plural || own_plural == ALL)
        }
    }
}

fn path_covers(own: &str, path: &str) -> bool {
    own == path || (own.ends_with(ALL) && path.starts_with(own.trim_end_matches(ALL)))
}

/// `pods/log`, or `pods` if there is no subresource.
pub(super) fn combined<'a>(plural: &'a str, subresource: &str) -> Cow<'a, str> {
    if subresource.is_empty() { plural.into() } else { format!("{plural}/{subresource}").into() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(json: Value) -> Vec<Rule> {
        Rule::of_role(&json!({ "rules": json }))
    }

    fn resource(text: &'static str) -> What<'static> {
        // group|plural|subresource|name
        let parts: Vec<&str> = text.split('|').collect();
        What::Resource {
            group: parts[0],
            plural: parts[1],
            subresource: parts[2],
            namespace: "",
            name: parts[3],
        }
    }

    #[test]
    fn a_rule_allows_what_it_says() {
        let pods = json!([{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "pods/log"]}]);
        let scale = json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*/scale"]}]);
        let named =
            json!([{"verbs": ["get"], "apiGroups": [""], "resources": ["*"], "resourceNames": ["a"]}]);
        let none = json!([{"verbs": ["get"], "apiGroups": null}]);
        for (rule, verb, what, expected) in [
            (&pods, "get", "|pods||", true),
            (&pods, "get", "|pods||x", true),
            (&pods, "get", "|pods|log|x", true),
            (&pods, "get", "|pods|exec|x", false),
            (&pods, "get", "apps|pods||", false),
            (&pods, "watch", "|pods||", false),
            (&scale, "x", "apps|deployments|scale|", true),
            (&scale, "x", "apps|deployments||", false),
            (&scale, "x", "apps|deployments|xscale|", false),
            (&named, "get", "|pods||a", true),
            (&named, "get", "|pods|log|a", true),
            (&named, "get", "|pods||b", false),
            (&named, "get", "|pods||", false),
            (&none, "get", "|pods||", false),
        ] {
            let rule = rules(rule.clone()).remove(0);
            assert_eq!(rule.allows(verb, &resource(what)), expected, "{rule:?} {verb} {what}");
        }
    }

    #[test]
    fn a_rule_allows_paths() {
        let rule = rules(json!([{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/api/*"]}])).remove(0);
        for (path, expected) in
            [("/healthz", true), ("/healthz/x", false), ("/api/", true), ("/api/v1", true), ("/api", false)]
        {
            assert_eq!(rule.allows("get", &What::Path(path)), expected, "{path}");
        }
        assert!(!rule.allows("get", &resource("|pods||")));
    }

    #[test]
    fn what_is_missing_is_said_as_kubernetes_says_it() {
        let owned = rules(json!([{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]));
        let wanted = rules(json!([
            {"verbs": ["get", "list", "watch"], "apiGroups": ["", "apps"], "resources": ["pods", "secrets"]},
            {"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a", "b"]},
            {"verbs": ["get", "post"], "nonResourceURLs": ["/foo", "/bar/*"]},
        ]));
        let mut missing: Vec<_> = compact(missing(&owned, &wanted)).iter().map(Rule::describe).collect();
        missing.sort();
        assert_eq!(
            missing.join("\n"),
            r#"{APIGroups:[""], Resources:["configmaps"], ResourceNames:["a"], Verbs:["get"]}
{APIGroups:[""], Resources:["configmaps"], ResourceNames:["b"], Verbs:["get"]}
{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}
{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}
{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list" "watch"]}
{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list" "watch"]}
{NonResourceURLs:["/bar/*"], Verbs:["get"]}
{NonResourceURLs:["/bar/*"], Verbs:["post"]}
{NonResourceURLs:["/foo"], Verbs:["get"]}
{NonResourceURLs:["/foo"], Verbs:["post"]}"#
        );
    }

    #[test]
    fn covering_follows_stars_but_not_backwards() {
        let check = |owned: Value, wanted: Value, covered: bool| {
            let (owned, wanted) = (rules(json!([owned])), rules(json!([wanted])));
            assert_eq!(missing(&owned, &wanted).is_empty(), covered, "{owned:?} {wanted:?}");
        };
        let all = json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]});
        let pods = json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]});
        let named =
            json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"]});
        let logs = json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods/log"]});
        let star_logs = json!({"verbs": ["get"], "apiGroups": [""], "resources": ["*/log"]});
        let path = json!({"verbs": ["get"], "nonResourceURLs": ["/x"]});
        check(all.clone(), pods.clone(), true);
        check(pods.clone(), all.clone(), false);
        check(pods.clone(), named.clone(), true);
        check(named, pods.clone(), false);
        check(star_logs.clone(), logs.clone(), true);
        check(logs, star_logs.clone(), false);
        check(star_logs.clone(), star_logs, true);
        check(all, path.clone(), false);
        check(json!({"verbs": ["*"], "nonResourceURLs": ["*"]}), path, true);
    }
}
