//! Who may call, how often, and what was called.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::query::{Form, is_sts};
use super::refusal::Refusal;
use super::tokens::SESSION_KEY;

/// The one access key that the fake knows.
pub const ACCESS_KEY: &str = "AKIA0000000000000001";

/// A call as the fake saw it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Like `CreateRole`.
    pub action: String,
    /// The role's or policy's name, or the policy's ARN.
    pub target: String,
    /// The policy that a role is given, or that is taken from it.
    pub policy: Option<String>,
    /// The permissions that it takes, like `iam:CreateRole` and `iam:TagRole`.
    pub permissions: Vec<String>,
    /// AWS's word for why not, if it was refused.
    pub refused: Option<&'static str>,
}

impl Call {
    /// A call that has arrived.
    pub(super) fn of(form: &Form) -> Call {
        let action = form.action().to_owned();
        let about = ["RoleName", "RoleArn", "PolicyArn", "PolicyName", "PathPrefix"];
        let target = about.iter().find_map(|field| form.get(field)).unwrap_or_default().to_owned();
        let policy = form.get("RoleName").and(form.get("PolicyArn")).map(str::to_owned);
        let service = if is_sts(&action) { "sts" } else { "iam" };
        let mut permissions = vec![format!("{service}:{action}")];
        // Making something with tags takes the permission to tag as well.
        if let Some(kind) = action.strip_prefix("Create").filter(|_| !form.tags().is_empty()) {
            permissions.push(format!("iam:Tag{kind}"));
        }
        Call { action, target, policy, permissions, refused: None }
    }

    /// Everybody may: AWS asks nobody's policy.
    fn is_free(&self) -> bool {
        self.action == "GetCallerIdentity" || self.action == "AssumeRoleWithWebIdentity"
    }
}

/// What is counted, and what is forbidden.
#[derive(Default)]
pub(super) struct Account {
    pub(super) calls: Vec<Call>,
    pub(super) counts: BTreeMap<String, u64>,
    pub(super) denied: BTreeSet<String>,
    pub(super) rate: Option<Rate>,
}

impl Account {
    /// Whether a call is let in. The header is `AWS4-HMAC-SHA256 Credential=KEY/DATE/REGION/SERVICE/aws4_request, …`; that
    /// the signature itself is right is the SDK's business.
    pub(super) fn admit(&mut self, call: &Call, signature: Option<&str>) -> Result<(), Refusal> {
        if self.rate.as_mut().is_some_and(|rate| !rate.take()) {
            return Err(Refusal::throttled());
        }
        // Its token is its proof. Nobody's policy allows it, but one of the whole organisation may forbid it.
        if call.action == "AssumeRoleWithWebIdentity" {
            let is_denied = self.denied.contains("sts:AssumeRoleWithWebIdentity");
            return if is_denied { Err(Refusal::not_authorized()) } else { Ok(()) };
        }
        let credential = signature.and_then(|text| text.split_once("Credential=")).map(|(_, rest)| rest);
        let mut scope = credential.ok_or_else(Refusal::no_signature)?.split(['/', ',']);
        let (key, service) = (scope.next(), scope.nth(2));
        if key != Some(ACCESS_KEY) && key != Some(SESSION_KEY) {
            return Err(Refusal::unknown_key());
        }
        if service != Some(if is_sts(&call.action) { "sts" } else { "iam" }) {
            return Err(Refusal::denied("Credential should be scoped to correct service."));
        }
        let missing = call.permissions.iter().find(|permission| self.denied.contains(*permission));
        match missing.filter(|_| !call.is_free()) {
            None => Ok(()),
            Some(missing) => Err(Refusal::denied(format!(
                "User: {USER} is not authorized to perform: {missing} on resource: {} because no identity-based \
                 policy allows the {missing} action",
                call.target
            ))),
        }
    }

    /// Keeps a call in mind.
    pub(super) fn note(&mut self, call: Call) {
        *self.counts.entry(call.action.clone()).or_default() += 1;
        self.calls.push(call);
    }
}

/// Whom the access key belongs to.
pub(super) const USER: &str = "arn:aws:iam::123456789012:user/bowline";

/// Calls a second that are borne.
pub(super) struct Rate {
    per_second: f64,
    tokens: f64,
    at: Instant,
}

impl Rate {
    /// As many may come at once as in a second.
    pub(super) fn new(per_second: u32) -> Rate {
        let per_second = f64::from(per_second);
        Rate { per_second, tokens: per_second, at: Instant::now() }
    }

    fn take(&mut self) -> bool {
        let now = Instant::now();
        let gained = now.duration_since(self.at).as_secs_f64() * self.per_second;
        self.tokens = (self.tokens + gained).min(self.per_second);
        self.at = now;
        let may = self.tokens >= 1.0;
        if may {
            self.tokens -= 1.0;
        }
        may
    }
}
