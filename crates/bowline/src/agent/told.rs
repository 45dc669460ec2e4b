//! What the software of a node was told, in the words of the protocol and in those of the file.

use std::fs;
use std::path::Path;

use bowline_agent::{Device, Duties as Written, Partition};
use bowline_upgrades::Epoch;
use bowline_upgrades::agent::Duties;
use bowline_upgrades::plain::Plain;

/// What the file is to say beside this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Head<'a> {
    pub(super) group: &'a str,
    pub(super) member: &'a str,
    pub(super) version: &'a str,
    pub(super) revision: u64,
}

/// What the file says then; until when is said by who fences.
pub(super) fn written(duties: &Duties<Plain>, head: &Head<'_>) -> Written {
    let device = |(name, epoch): &(String, Epoch)| Device { name: name.clone(), epoch: epoch.0 };
    let partition = |(number, members): (usize, &Vec<String>)| Partition {
        name: number.to_string(),
        members: members.clone(),
    };
    Written {
        group: head.group.to_owned(),
        member: head.member.to_owned(),
        version: head.version.to_owned(),
        revision: head.revision,
        devices: duties.devices.iter().map(device).collect(),
        partitions: duties.partitions.iter().enumerate().map(partition).collect(),
        deadline: None,
    }
}

/// What a file says.
pub(super) fn said(written: &Written) -> Duties<Plain> {
    Duties {
        devices: written.devices.iter().map(|device| (device.name.clone(), Epoch(device.epoch))).collect(),
        partitions: written.partitions.iter().map(|partition| partition.members.clone()).collect(),
    }
}

/// What the file says that an agent before this one has left. One that cannot be read says nothing, to the software neither.
pub(super) fn found(path: &Path) -> Option<Written> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duties(devices: &[(&str, u64)]) -> Duties<Plain> {
        let devices = devices.iter().map(|(name, epoch)| ((*name).to_owned(), Epoch(*epoch))).collect();
        Duties { devices, partitions: vec![vec!["n1".into(), "n2".into()], Vec::new()] }
    }

    #[test]
    fn what_is_written_is_found_again() {
        let head = Head { group: "kv", member: "n1", version: "v1", revision: 3 };
        let there = written(&duties(&[("d0", 7)]), &head);
        assert_eq!(said(&there), duties(&[("d0", 7)]));
        assert_eq!((there.revision, there.partitions[1].name.as_str(), there.deadline), (3, "1", None));
        let path = std::env::temp_dir().join(format!("bowline-told-{}.json", std::process::id()));
        assert_eq!(found(&path), None);
        there.write(&path).expect("it is written");
        assert_eq!(found(&path), Some(there));
        fs::write(&path, "{").expect("it is spoiled");
        assert_eq!(found(&path), None);
        fs::remove_file(path).expect("it is removed");
    }
}
