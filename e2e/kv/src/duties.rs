//! What Bowline's agent tells the software: the contract between both, as its reader has it.
//!
//! The agent starts the declared command with the variables [`GROUP`], [`MEMBER`], [`VERSION`] and [`FILE`] beside those that are
//! declared. [`FILE`] is the path of a JSON file, replaced by rename, that holds the [`Duties`]. The software acts for the devices
//! that the file names, in their epochs, and for no others; a file that is missing, or cannot be read, or is another's, names none.
//! After `deadline`, in milliseconds of `CLOCK_BOOTTIME`, it acts for no device any more, whatever else it may know; later files
//! move the deadline. Without one the member is not fenced.
//!
//! `revision` grows with every change but that of the deadline, and never falls while a process lives: what comes with a smaller
//! one is late, and not done. The agent may also POST the same JSON, after the file is in its place, so that nobody waits for a
//! look at the file. The answer comes when the software acts accordingly, and has stopped to act where it is to stop: it is 200,
//! with the revision that is in force and the devices that it acts for ([`Acting`]).

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::clock::Micros;

/// The variable with the group's name.
pub const GROUP: &str = "BOWLINE_GROUP";
/// The variable with the member's name.
pub const MEMBER: &str = "BOWLINE_MEMBER";
/// The variable with the name of the version.
pub const VERSION: &str = "BOWLINE_VERSION";
/// The variable with the path of the file.
pub const FILE: &str = "BOWLINE_DUTIES";

/// All that a process is told.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Duties {
    /// The group.
    pub group: String,
    /// The member of it that is told.
    pub member: String,
    /// The version that is told: a process of another one has no part in it.
    pub version: String,
    /// Which of all files of the member this is.
    pub revision: u64,
    /// What it is master of.
    #[serde(default)]
    pub devices: Vec<Grant>,
    /// The partitions of its version, with their members.
    #[serde(default)]
    pub partitions: Vec<Partition>,
    /// Until when it may act: milliseconds of `CLOCK_BOOTTIME`. `None`: it is not fenced.
    #[serde(default)]
    pub deadline: Option<u64>,
}

/// A device that a member is master of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Grant {
    /// The device.
    pub name: String,
    /// In which epoch.
    pub epoch: u64,
}

/// A partition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Partition {
    /// Its name.
    pub name: String,
    /// Who is in it.
    pub members: Vec<String>,
}

/// The answer to duties: what is done now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Acting {
    /// The revision in force.
    pub revision: u64,
    /// What the process acts for.
    pub devices: Vec<Grant>,
}

/// Who a process is, as it was told when it was started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Who {
    /// The group.
    pub group: String,
    /// The member.
    pub member: String,
    /// The version's name in the group.
    pub version: String,
}

impl Duties {
    /// Reads them from the file.
    ///
    /// # Errors
    /// If there is no file, or no duties in it.
    pub fn read(path: &Path) -> io::Result<Duties> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }

    /// Puts them in the file's place in one step, as the agent does.
    ///
    /// # Errors
    /// If the directory cannot be written to.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let next = path.with_extension("next");
        std::fs::write(&next, serde_json::to_vec(self)?)?;
        std::fs::rename(&next, path)
    }

    /// Whether they are meant for this process.
    pub fn are_of(&self, who: &Who) -> bool {
        (&self.group, &self.member, &self.version) == (&who.group, &who.member, &who.version)
    }

    /// The epoch in which they name a device, whatever the time is.
    pub fn epoch(&self, device: &str) -> Option<u64> {
        self.devices.iter().find(|grant| grant.name == device).map(|grant| grant.epoch)
    }

    /// The epoch in which the device may be acted for at this moment.
    pub fn may(&self, device: &str, now: Micros) -> Option<u64> {
        let over = self.deadline.is_some_and(|deadline| now >= Micros::of_millis(deadline));
        if over { None } else { self.epoch(device) }
    }

    /// The same duties, but for nothing.
    #[must_use]
    pub fn nothing(&self) -> Duties {
        Duties { devices: Vec::new(), partitions: Vec::new(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"group":"kv","member":"n1","version":"v1","revision":12,"devices":[{"name":"d0","epoch":7}],"partitions":[{"name":"p0","members":["n1","n2"]}],"deadline":123456}"#;

    #[test]
    fn the_contract_is_read_and_written_to_the_letter() -> serde_json::Result<()> {
        let duties: Duties = serde_json::from_str(TEXT)?;
        assert_eq!(serde_json::to_string(&duties)?, TEXT);
        assert_eq!(duties.epoch("d0"), Some(7));
        assert_eq!(duties.epoch("d1"), None);
        Ok(())
    }

    #[test]
    fn after_the_deadline_nothing_may_be_done() -> serde_json::Result<()> {
        let mut duties: Duties = serde_json::from_str(TEXT)?;
        assert_eq!(duties.may("d0", Micros::of_millis(123_455)), Some(7));
        assert_eq!(duties.may("d0", Micros::of_millis(123_456)), None);
        duties.deadline = None;
        assert_eq!(duties.may("d0", Micros(u64::MAX)), Some(7));
        let absent = TEXT.replace(r#","deadline":123456"#, "");
        assert_eq!(serde_json::from_str::<Duties>(&absent)?.deadline, None);
        let null = TEXT.replace("123456", "null");
        assert_eq!(serde_json::from_str::<Duties>(&null)?.deadline, None);
        Ok(())
    }

    #[test]
    fn duties_of_another_are_not_ours() -> serde_json::Result<()> {
        let duties: Duties = serde_json::from_str(TEXT)?;
        let who = Who { group: "kv".into(), member: "n1".into(), version: "v1".into() };
        assert!(duties.are_of(&who));
        for other in [
            Who { group: "other".into(), ..who.clone() },
            Who { member: "n2".into(), ..who.clone() },
            Who { version: "v2".into(), ..who },
        ] {
            assert!(!duties.are_of(&other));
        }
        Ok(())
    }
}
