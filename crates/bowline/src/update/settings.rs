//! What a stack is told about all versions that come: with a submission, or by `bowline update set`.

use std::time::Duration;

use bowline_api::updates::{Drift, Stack, StackSpec};
use serde_json::{Map, Value, json};

use super::{Scope, Team};
use crate::exit::Exit;
use crate::figures::counted;
use crate::output;

/// What is to be so from now on; what is not said stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) health_timeout: Option<Duration>,
    pub(crate) max_deletions: Option<u32>,
    pub(crate) drift: Option<Drift>,
    pub(crate) drift_interval: Option<Duration>,
}

impl Settings {
    /// A spec in which it is so.
    pub(super) fn in_spec(&self, spec: StackSpec) -> StackSpec {
        StackSpec {
            timeout_seconds: self.health_timeout.map_or(spec.timeout_seconds, seconds),
            max_deletions: self.max_deletions.unwrap_or(spec.max_deletions),
            drift: self.drift.unwrap_or(spec.drift),
            drift_interval_seconds: self.drift_interval.map_or(spec.drift_interval_seconds, seconds),
            ..spec
        }
    }

    /// What has to be changed in a spec for it to be so; nothing else is written, for somebody else may change that meanwhile.
    fn changes(&self, spec: &StackSpec) -> Map<String, Value> {
        let wanted = self.in_spec(spec.clone());
        let fields = [
            ("timeoutSeconds", json!(spec.timeout_seconds), json!(wanted.timeout_seconds)),
            ("maxDeletions", json!(spec.max_deletions), json!(wanted.max_deletions)),
            ("drift", json!(spec.drift), json!(wanted.drift)),
            (
                "driftIntervalSeconds",
                json!(spec.drift_interval_seconds),
                json!(wanted.drift_interval_seconds),
            ),
        ];
        let differs = fields.into_iter().filter(|(_, is, wanted)| is != wanted);
        differs.map(|(field, _, wanted)| (field.to_owned(), wanted)).collect()
    }
}

/// What is longer than any may be, the server refuses.
fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX)
}

impl Team {
    /// Has a stack be told so, and says whether that is new to it.
    pub(super) async fn tell(
        &self,
        stack: Stack,
        name: &str,
        settings: &Settings,
    ) -> anyhow::Result<(Stack, bool)> {
        let changes = settings.changes(&stack.spec);
        if changes.is_empty() {
            return Ok((stack, false));
        }
        Ok((self.change(name, &Value::Object(changes)).await?, true))
    }
}

/// Sets how a stack does its work.
pub(crate) async fn set(scope: &Scope, name: &str, settings: &Settings) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    let stack = team.stack(Some(name)).await?;
    let (stack, is_new) = team.tell(stack, name, settings).await?;
    let now = if is_new { "changed" } else { "so already" };
    output::note(&format!("The stack {name} is {now}: {}", told(&stack.spec)));
    Ok(Exit::Done)
}

/// How a stack does its work.
fn told(spec: &StackSpec) -> String {
    let StackSpec { timeout_seconds, max_deletions, drift, drift_interval_seconds, .. } = spec;
    let deletions = counted(u64::from(*max_deletions), "object");
    let drift = match drift {
        Drift::Report => "told",
        Drift::Repair => "put right",
    };
    format!(
        "a version has {timeout_seconds} s to become healthy, and may delete {deletions}; what others change is {drift}, and \
         looked for every {drift_interval_seconds} s."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_stays_and_only_what_differs_is_written() {
        let spec = StackSpec { max_deletions: 3, ..StackSpec::default() };
        assert_eq!(Settings::default().in_spec(spec.clone()), spec);
        assert_eq!(Settings::default().changes(&spec), Map::new());
        let some = Settings {
            health_timeout: Some(Duration::from_secs(300)),
            drift: Some(Drift::Repair),
            ..Settings::default()
        };
        assert_eq!(Value::Object(some.changes(&spec)), json!({ "drift": "Repair" }));
        let all = Settings {
            health_timeout: Some(Duration::from_secs(60)),
            max_deletions: Some(0),
            drift: Some(Drift::Repair),
            drift_interval: Some(Duration::MAX),
        };
        let written = json!({ "timeoutSeconds": 60, "maxDeletions": 0, "drift": "Repair", "driftIntervalSeconds": u32::MAX });
        assert_eq!(Value::Object(all.changes(&spec)), written);
        assert_eq!(all.changes(&all.in_spec(spec)), Map::new());
    }

    #[test]
    fn how_a_stack_works_is_a_sentence() {
        let spec = StackSpec { max_deletions: 1, drift: Drift::Repair, ..StackSpec::default() };
        assert_eq!(
            told(&spec),
            "a version has 300 s to become healthy, and may delete 1 object; what others change is put right, and looked for every \
             600 s."
        );
    }
}
