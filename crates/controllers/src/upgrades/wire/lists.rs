//! The members of partitions, and epochs of devices.

use bowline_api::Epoch as ApiEpoch;
use bowline_api::upgrades::{ActingFor, Duty as WrittenDuty, Partition, SeenEpoch};
use bowline_upgrades::plain::Plain;
use bowline_upgrades::{Duty, Epoch, Lists};

/// By partition: its members. `None` if a partition is missing: who is in it is not known.
pub(super) fn read(written: &[Partition]) -> Option<Lists<Plain>> {
    let mut sorted: Vec<_> = written.iter().collect();
    sorted.sort_by_key(|partition| partition.partition);
    let numbered = (0..).zip(&sorted).all(|(number, partition)| partition.partition == number);
    let members = |partition: &Partition| partition.members.iter().map(ToString::to_string).collect();
    numbered.then(|| sorted.into_iter().map(members).collect())
}

pub(super) fn drawn(lists: &Lists<Plain>) -> Vec<Partition> {
    let partition = |(partition, members): (u32, &Vec<String>)| Partition {
        partition,
        members: members.iter().map(|member| member.as_str().into()).collect(),
    };
    (0..).zip(lists).map(partition).collect()
}

pub(super) fn duties(written: &[WrittenDuty]) -> Vec<Duty<Plain>> {
    let duty = |duty: &WrittenDuty| Duty {
        device: duty.name.to_string(),
        epoch: Epoch(duty.epoch.0),
        leaves: duty.leaving,
    };
    written.iter().map(duty).collect()
}

pub(super) fn written_duties(duties: &[Duty<Plain>]) -> Vec<WrittenDuty> {
    let written = |duty: &Duty<Plain>| WrittenDuty {
        name: duty.device.as_str().into(),
        epoch: ApiEpoch(duty.epoch.0),
        leaving: duty.leaves,
    };
    duties.iter().map(written).collect()
}

pub(super) fn acts(written: &[ActingFor]) -> Vec<(String, Epoch)> {
    written.iter().map(|one| (one.name.to_string(), Epoch(one.epoch.0))).collect()
}

pub(super) fn acting_for(acts: &[(String, Epoch)]) -> Vec<ActingFor> {
    let one =
        |(name, epoch): &(String, Epoch)| ActingFor { name: name.as_str().into(), epoch: ApiEpoch(epoch.0) };
    acts.iter().map(one).collect()
}

pub(super) fn epochs(written: &[SeenEpoch]) -> Vec<(String, Epoch)> {
    written.iter().map(|seen| (seen.name.to_string(), Epoch(seen.epoch.0))).collect()
}

pub(super) fn seen(epochs: &[(String, Epoch)]) -> Vec<SeenEpoch> {
    let seen =
        |(name, epoch): &(String, Epoch)| SeenEpoch { name: name.as_str().into(), epoch: ApiEpoch(epoch.0) };
    epochs.iter().map(seen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_come_back_by_their_numbers_and_none_is_missing() {
        let of = |partition: u32, members: &[&str]| Partition {
            partition,
            members: members.iter().map(|member| (*member).into()).collect(),
        };
        let lists: Lists<Plain> = vec![vec!["a".into(), "b".into()], vec![], vec!["b".into()]];
        assert_eq!(read(&drawn(&lists)), Some(lists.clone()));
        assert_eq!(read(&[of(2, &["b"]), of(0, &["a", "b"]), of(1, &[])]), Some(lists));
        assert_eq!(read(&[of(0, &[]), of(2, &[])]), None);
        assert_eq!(read(&[of(0, &["a"]), of(0, &["b"])]), None);
        assert_eq!(read(&[]), Some(Vec::new()));
    }
}
