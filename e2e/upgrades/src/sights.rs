//! What is seen of groups and their members.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bowline_e2e_up::until;
use serde_json::Value;

use crate::bed::{Bed, PATIENCE};

/// How soon it is looked again. To look is a process of kubectl, and costs more than it is waited for here.
const AGAIN: Duration = Duration::from_millis(250);

impl Bed {
    /// What is known of a group.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn status(&self, group: &str) -> Result<Value> {
        let read: Value =
            serde_json::from_str(&self.kubectl()?.ok(&format!("get nodegroup {group} -o json"), "")?)?;
        Ok(read["status"].clone())
    }

    /// Waits until a group is so.
    ///
    /// # Errors
    /// If it never is.
    pub fn is(&self, group: &str, what: &str, is: impl Fn(&Value) -> bool) -> Result<Value> {
        let began = Instant::now();
        loop {
            let status = self.status(group)?;
            if is(&status) {
                return Ok(status);
            }
            if began.elapsed() > PATIENCE {
                let members = self.kubectl()?.ok("get members,leases -o wide", "").unwrap_or_default();
                bail!("{group}: {what}: {status:#}\n{members}");
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// Waits until a group rests with this version, and no upgrade is under way.
    ///
    /// # Errors
    /// If it never does.
    pub fn rests_at(&self, group: &str, version: &str) -> Result<Value> {
        self.is(group, &format!("it rests at {version}"), |status| {
            let all =
                status["members"].as_array().into_iter().flatten().all(|member| member["version"] == version);
            status["upgradeState"] == "Inactive" && status["servingVersion"] == version && all
        })
    }

    /// What the agent of a member says.
    ///
    /// # Errors
    /// If there is no such member.
    pub fn member(&self, group: &str, member: &str) -> Result<Value> {
        let read = self.kubectl()?.ok(&format!("get member {group}-{member} -o json"), "")?;
        Ok(serde_json::from_str::<Value>(&read)?["status"].clone())
    }

    /// Waits until the software of a member is in this phase, by what its agent says.
    ///
    /// # Errors
    /// If it never is.
    pub fn is_in(&self, group: &str, member: &str, phase: &str) -> Result<Value> {
        let mut last = Value::Null;
        until(&format!("{member} of {group} is {phase}"), || {
            last = self.member(group, member)?;
            Ok(if last["phase"] == phase { Ok(()) } else { Err(last.to_string()) })
        })?;
        Ok(last)
    }
}

/// Sees that something stays so for a while.
///
/// # Errors
/// If it does not.
pub fn stays(long: Duration, mut is: impl FnMut() -> Result<Result<(), String>>) -> Result<()> {
    let began = Instant::now();
    while began.elapsed() < long {
        if let Err(instead) = is()? {
            bail!("after {:?}: {instead}", began.elapsed());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Who is master of what, of devices that have one.
pub fn masters(status: &Value) -> BTreeMap<String, String> {
    let devices = status["devices"].as_array().into_iter().flatten();
    let has_one = devices.filter(|device| device["leaving"] != true);
    let pair =
        |device: &Value| Some((device["name"].as_str()?.to_owned(), device["master"].as_str()?.to_owned()));
    has_one.filter_map(pair).collect()
}

/// A member's entry in the status of its group.
///
/// # Errors
/// If it has none.
pub fn seat(status: &Value, member: &str) -> Result<Value> {
    let mut members = status["members"].as_array().into_iter().flatten();
    members.find(|one| one["name"] == member).cloned().with_context(|| format!("no {member} in {status}"))
}
