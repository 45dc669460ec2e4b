//! What policies say of a write.

use std::sync::Arc;

use http::StatusCode;
use serde_json::Value;

use super::policies::{Binding, Policies, Policy, Validation, is_exempt};
use super::{Attempt, params, remarks, request};
use crate::authorize;
use crate::crd::policy::{Evaluation, Given, Said};
use crate::key::Key;
use crate::kinds::Kind;
use crate::status::{Cause, Status};
use crate::versions;

/// What the expressions of a policy may cost together, for one binding and one object that it is told of.
const BUDGET: u64 = 10_000_000;
/// The same of its conditions.
const CONDITIONS_BUDGET: u64 = 2_500_000;
/// The longest message that an expression may make.
const LONGEST_MESSAGE: usize = 5 * 1024;

/// Why a write is refused.
struct Denied {
    message: String,
    reason: String,
    /// Which validation says so; the first, if none could be asked.
    index: usize,
}

impl Denied {
    /// Because something could not be evaluated.
    fn error(message: impl Into<String>) -> Denied {
        Denied { message: message.into(), reason: String::new(), index: 0 }
    }
}

impl Policies {
    /// Judges a write.
    ///
    /// # Errors
    /// If a policy stands against it.
    pub(crate) fn judge(&self, attempt: &Attempt<'_>) -> Result<(), Status> {
        if is_exempt(attempt.kind) {
            return Ok(());
        }
        let mut first = None;
        for policy in &self.0 {
            policy.judge(attempt, &mut first);
        }
        match first {
            None => Ok(()),
            Some((said, reason)) => Err(refusal(attempt, said, &reason)),
        }
    }
}

/// The first thing that stands against a write, and for what reason.
type First = Option<(String, String)>;

impl Policy {
    fn judge(&self, attempt: &Attempt<'_>, first: &mut First) {
        let Some(meant) = self.matching.means(attempt) else { return };
        let mut deny = |binding: Option<&Binding>, denied: Denied| {
            let by = binding.map(|binding| format!(" with binding '{}'", binding.name)).unwrap_or_default();
            let message =
                format!("ValidatingAdmissionPolicy '{}'{by} denied request: {}", self.name, denied.message);
            first.get_or_insert((message, denied.reason));
        };
        let told = match self.params.as_ref().map(|params| params.find(attempt.api.kinds().all())).transpose()
        {
            Ok(told) => told,
            Err(_) if !self.fails => return,
            Err(why) => return deny(None, Denied::error(format!("failed to configure policy: {why}"))),
        };
        for binding in &self.bindings {
            if binding.matching.as_ref().is_some_and(|matching| matching.means(attempt).is_none()) {
                continue;
            }
            let params = match &told {
                None => Ok(vec![None]),
                Some(kind) => params::collect(attempt, kind, binding.params.as_ref()),
            };
            match params {
                Err(_) if !self.fails => {}
                Err(why) => deny(Some(binding), Denied::error(format!("failed to configure binding: {why}"))),
                Ok(params) => {
                    for params in params {
                        self.evaluate(attempt, meant.as_ref(), binding, params.as_ref(), &mut deny);
                    }
                }
            }
        }
    }

    /// Evaluates the policy for one object that it is told of, if any.
    fn evaluate(
        &self,
        attempt: &Attempt<'_>,
        meant: Option<&Arc<Kind>>,
        binding: &Binding,
        params: Option<&Value>,
        deny: &mut dyn FnMut(Option<&Binding>, Denied),
    ) {
        let shown = |object: Option<&crate::document::Json>| {
            object.map(|object| match meant {
                Some(kind) => Value::Object(versions::converted(attempt.kind, kind, object)),
                None => Value::Object(object.clone()),
            })
        };
        let (object, old) = (shown(attempt.object), shown(attempt.old));
        let request = request::of(attempt, meant.map(|kind| &**kind));
        let namespace = namespace_of(attempt);
        let given = |namespace| Given {
            object: object.as_ref(),
            old: old.as_ref(),
            request: &request,
            params,
            namespace,
            subject: request::subject(attempt),
        };
        match self.conditions(&Evaluation::new(given(None), &self.variables, attempt)) {
            Ok(true) => {}
            Ok(false) => return,
            Err(why) => return self.act(attempt, binding, vec![Denied::error(why)], deny),
        }
        let evaluation = Evaluation::new(given(namespace.as_ref()), &self.variables, attempt);
        let denied = self.validations(&evaluation).unwrap_or_else(|why| self.on_error(why));
        self.act(attempt, binding, denied, deny);
        for why in self.notes(attempt, &evaluation) {
            deny(Some(binding), Denied::error(why));
        }
    }

    /// What an error comes to.
    fn on_error(&self, why: impl Into<String>) -> Vec<Denied> {
        if self.fails { vec![Denied::error(why)] } else { Vec::new() }
    }

    /// Whether all conditions hold.
    ///
    /// # Errors
    /// If one cannot be evaluated, and that is not to be passed over.
    fn conditions(&self, evaluation: &Evaluation<'_>) -> Result<bool, String> {
        let mut budget = CONDITIONS_BUDGET;
        let mut errors = Vec::new();
        for read in &self.conditions {
            let result = match &read.expression {
                Ok(expression) => match evaluation.evaluate(expression, &mut budget) {
                    Ok(result) => result.map_err(|why| failed(&read.source, &why)),
                    Err(_) if !self.fails => return Ok(false),
                    Err(spent) => return Err(spent.to_owned()),
                },
                Err(why) => Err(format!("compilation error: {why}")),
            };
            match result {
                Ok(Said::Bool(false)) => return Ok(false),
                Ok(_) => {}
                Err(why) => errors.push(why),
            }
        }
        match errors.as_slice() {
            [] => Ok(true),
            _ if !self.fails => Ok(false),
            [only] => Err(only.clone()),
            _ => Err(format!("[{}]", errors.join(", "))),
        }
    }

    /// What stands against a write.
    ///
    /// # Errors
    /// If it costs too much to find out.
    fn validations(&self, evaluation: &Evaluation<'_>) -> Result<Vec<Denied>, &'static str> {
        let mut budget = BUDGET;
        let mut results = Vec::with_capacity(self.validations.len());
        for validation in &self.validations {
            results.push(match &validation.read.expression {
                Ok(expression) => evaluation
                    .evaluate(expression, &mut budget)?
                    .map_err(|why| failed(&validation.read.source, &why)),
                Err(why) => Err(format!("compilation error: {why}")),
            });
        }
        let mut denied = Vec::new();
        for (index, (validation, result)) in self.validations.iter().zip(results).enumerate() {
            match result {
                Ok(Said::Bool(true)) => {}
                Ok(_) => denied.push(Denied {
                    message: validation.complaint(evaluation, &mut budget),
                    reason: validation.reason.clone(),
                    index,
                }),
                Err(why) => {
                    denied.extend(self.on_error(why).into_iter().map(|error| Denied { index, ..error }));
                }
            }
        }
        Ok(denied)
    }

    /// Notes in the audit log what the policy wants there; says what of it could not be evaluated.
    fn notes(&self, attempt: &Attempt<'_>, evaluation: &Evaluation<'_>) -> Vec<String> {
        let mut budget = BUDGET;
        let failures = self.notes.iter().filter_map(|(key, note)| match &note.expression {
            Ok(expression) => match evaluation.evaluate(expression, &mut budget) {
                Ok(Ok(said)) => {
                    if let Said::Text(text) = said {
                        let key = format!("{}/{key}", self.name);
                        attempt.warnings.remark(&key, remarks::shown(attempt, text.trim()));
                    }
                    None
                }
                Ok(Err(why)) => Some(failed(&note.source, &why)),
                Err(spent) => Some(spent.to_owned()),
            },
            Err(why) => Some(format!("compilation error: {why}")),
        });
        let failures: Vec<_> = failures.collect();
        if self.fails { failures } else { Vec::new() }
    }

    /// Does what a binding says is to be done.
    fn act(
        &self,
        attempt: &Attempt<'_>,
        binding: &Binding,
        all: Vec<Denied>,
        deny: &mut dyn FnMut(Option<&Binding>, Denied),
    ) {
        for denied in all {
            for action in &binding.actions {
                match action.as_str() {
                    "Warn" => attempt.warnings.add(&format!(
                        "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
                        self.name, binding.name, denied.message
                    )),
                    "Audit" => {
                        remarks::violated(attempt, &self.name, binding, (&denied.message, denied.index))
                    }
                    _ => {}
                }
            }
            if binding.actions.iter().any(|action| action == "Deny") {
                deny(Some(binding), denied);
            }
        }
    }
}

fn failed(source: &str, why: &str) -> String {
    format!("expression '{source}' resulted in error: {why}")
}

impl Validation {
    /// What is said when it does not hold.
    fn complaint(&self, evaluation: &Evaluation<'_>, budget: &mut u64) -> String {
        let made = match &self.message_expression {
            Some(Ok(expression)) => match evaluation.evaluate(expression, budget) {
                Ok(Ok(Said::Text(text))) => Some(text.trim().to_owned()),
                _ => None,
            },
            _ => None,
        };
        let fit = |text: &String| !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n');
        match made.filter(fit) {
            Some(made) => made,
            None if !self.message.is_empty() => self.message.clone(),
            None => format!("failed expression: {}", self.read.source.trim()),
        }
    }
}

fn namespace_of(attempt: &Attempt<'_>) -> Option<Value> {
    if attempt.namespace.is_empty() {
        return None;
    }
    let found = attempt.api.hub.view().get(&Key::namespace(attempt.namespace)).map(|found| found.json());
    found.map(Value::Object)
}

fn refusal(attempt: &Attempt<'_>, message: String, reason: &str) -> Status {
    let (group, plural) = (&attempt.kind.group, &attempt.kind.plural);
    let name = match attempt.named() {
        "" => "Unknown/errorGettingName",
        name => name,
    };
    let mut status = authorize::refusal(group, plural, name, &message);
    let (code, reason) = match reason {
        "Forbidden" => (StatusCode::FORBIDDEN, "Forbidden"),
        "Unauthorized" => (StatusCode::UNAUTHORIZED, "Unauthorized"),
        "RequestEntityTooLarge" => (StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge"),
        _ => (StatusCode::UNPROCESSABLE_ENTITY, "Invalid"),
    };
    status.code = code.as_u16();
    status.reason = reason;
    if let Some(details) = &mut status.details {
        details.causes.push(Cause { message, ..Cause::default() });
    }
    status
}
