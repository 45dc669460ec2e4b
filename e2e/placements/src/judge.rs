//! Whether the log of the volume server can be that of volumes of which each had one user at a time, and lost nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::log::{Entry, Log, What, line};

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// What must not be, in words; nothing, if all is well.
    pub faults: Vec<String>,
    /// How many volumes there were.
    pub volumes: usize,
    /// How many records were written and kept.
    pub writes: usize,
    /// How often a volume went from one cluster to another.
    pub moves: usize,
    /// How many writes a fence has kept out.
    pub refused: usize,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { faults, volumes, writes, moves, refused } = self;
        write!(
            f,
            "{volumes} volumes, {writes} writes, {moves} moves, {refused} refused: {} faults",
            faults.len()
        )
    }
}

/// One volume, as far as the log was read.
#[derive(Default)]
struct Volume {
    /// Several may use it at once.
    shared: bool,
    /// Who can write to it: in which epoch it came last, and with how many pods.
    attached: BTreeMap<String, (u64, u64)>,
    /// Who was attached last.
    last: Option<String>,
    /// The epoch in which each cluster came last.
    epochs: BTreeMap<u64, String>,
    greatest: u64,
    lines: Vec<String>,
    deleted: bool,
}

/// Who is kept from volumes.
#[derive(Default)]
struct Kept {
    fenced: BTreeSet<String>,
    /// Whoever has a smaller epoch than another.
    enforces: bool,
}

impl Kept {
    /// Whether somebody who is attached in an epoch can write while another one comes in a greater one, or in this.
    fn lets_in(&self, cluster: &str, epoch: u64, greater: u64) -> bool {
        let is_late = self.enforces && epoch < greater;
        !is_late && !self.fenced.contains(cluster)
    }
}

/// Reads a log, and what is on the disk.
pub fn judge(log: &Log) -> Verdict {
    let mut verdict = Verdict::default();
    let mut volumes: BTreeMap<String, Volume> = BTreeMap::new();
    let mut kept = Kept::default();
    let (entries, there) = log.at_once();
    for entry in entries {
        match entry.what {
            What::Fenced => drop(kept.fenced.insert(entry.cluster.clone())),
            What::Unfenced => drop(kept.fenced.remove(&entry.cluster)),
            What::Enforced => kept.enforces = true,
            _ => {
                let volume = volumes.entry(entry.handle.clone()).or_default();
                read(&entry, volume, &kept, &mut verdict);
            }
        }
    }
    verdict.volumes = volumes.len();
    for (handle, volume) in volumes.iter().filter(|(_, volume)| !volume.deleted) {
        match there.get(handle) {
            Some(lines) if *lines == volume.lines => {}
            Some(lines) => verdict.faults.push(format!(
                "{handle} has {} records, and {} were acknowledged",
                lines.len(),
                volume.lines.len()
            )),
            None => verdict.faults.push(format!("{handle} is lost")),
        }
    }
    verdict
}

fn read(entry: &Entry, volume: &mut Volume, kept: &Kept, verdict: &mut Verdict) {
    let Entry { handle, cluster, epoch, what } = entry;
    let mut fault = |what: String| verdict.faults.push(format!("{handle}: {what}"));
    if volume.deleted && !matches!(what, What::Detached | What::Refused) {
        fault(format!("{cluster}: {what:?} after its data was deleted"));
    }
    match what {
        What::Attached => {
            for wrong in volume.comes(cluster, *epoch, kept) {
                fault(wrong);
            }
            if volume.last.as_ref().is_some_and(|last| last != cluster) {
                verdict.moves += 1;
            }
            volume.last = Some(cluster.clone());
        }
        What::Wrote(number) => {
            if !volume.attached.contains_key(cluster) {
                fault(format!("{cluster} wrote, and was not attached"));
            }
            let is_other = volume.last.as_ref().is_some_and(|last| last != cluster);
            if is_other && !volume.shared && *epoch < volume.greatest {
                fault(format!("{cluster} wrote in epoch {epoch} after {}", volume.greatest));
            }
            volume.lines.push(line(cluster, *number));
            verdict.writes += 1;
        }
        What::Detached => {
            if let Some((_, pods)) = volume.attached.get_mut(cluster) {
                *pods = pods.saturating_sub(1);
            }
            volume.attached.retain(|_, (_, pods)| *pods > 0);
        }
        What::Refused => verdict.refused += 1,
        What::Deleted => {
            if volume.attached.keys().any(|other| !kept.fenced.contains(other)) {
                fault("its data was deleted while somebody could write".to_owned());
            }
            volume.deleted = true;
        }
        What::Shared => volume.shared = true,
        What::Made | What::Fenced | What::Unfenced | What::Enforced => {}
    }
}

impl Volume {
    /// Somebody can write from now on. Says what must not be about that.
    fn comes(&mut self, cluster: &str, epoch: u64, kept: &Kept) -> Vec<String> {
        let mut wrong = Vec::new();
        if !self.shared {
            let mut others = self.attached.iter().filter(|(other, _)| *other != cluster);
            if let Some((other, _)) = others.find(|(other, (its, _))| kept.lets_in(other, *its, epoch)) {
                wrong.push(format!("{cluster} could write while {other} could"));
            }
            if epoch < self.greatest {
                wrong.push(format!("{cluster} came in epoch {epoch} after {}", self.greatest));
            }
        }
        match self.epochs.get(&epoch) {
            Some(other) if other != cluster && epoch > 0 => {
                wrong.push(format!("epoch {epoch} was given to {other} and to {cluster}"));
            }
            _ => drop(self.epochs.insert(epoch, cluster.to_owned())),
        }
        self.greatest = self.greatest.max(epoch);
        let its = self.attached.entry(cluster.to_owned()).or_default();
        *its = (epoch, its.1 + 1);
        wrong
    }
}

#[cfg(test)]
mod tests {
    use bowline_e2e_hub::Scratch;

    use super::*;
    use crate::log::append;

    fn judged(entries: &[(&str, u64, What)]) -> anyhow::Result<Verdict> {
        let scratch = Scratch::new("judge")?;
        let log = Log::new(&scratch.join("v"))?;
        std::fs::create_dir_all(log.directory("a"))?;
        std::fs::write(log.directory("a").join("data"), "")?;
        for (cluster, epoch, what) in entries {
            let entry =
                Entry { handle: "a".into(), cluster: (*cluster).into(), epoch: *epoch, what: what.clone() };
            log.note(entry, |directory, _| {
                if let What::Wrote(number) = what {
                    append(directory, &line(cluster, *number))?;
                }
                Ok(true)
            })?;
        }
        Ok(judge(&log))
    }

    #[test]
    fn a_move_is_fine() -> anyhow::Result<()> {
        use What::{Attached, Detached, Wrote};
        let moved = [
            ("east", 1, Attached),
            ("east", 1, Wrote(1)),
            ("east", 1, Detached),
            ("west", 2, Attached),
            ("west", 2, Wrote(2)),
        ];
        let verdict = judged(&moved)?;
        assert_eq!((verdict.faults.len(), verdict.writes, verdict.moves), (0, 2, 1), "{verdict:?}");
        Ok(())
    }

    /// Each is a way to lose data, and has to be found.
    #[test]
    fn what_must_not_be_is_found() -> anyhow::Result<()> {
        use What::{Attached, Deleted, Detached, Enforced, Fenced, Shared, Wrote};
        let wrong: [&[(&str, u64, What)]; 8] = [
            &[("east", 1, Attached), ("west", 2, Attached)],
            &[("", 0, Enforced), ("east", 2, Attached), ("east", 2, Detached), ("west", 1, Attached)],
            &[("", 0, Enforced), ("east", 1, Attached), ("west", 2, Attached), ("east", 1, Wrote(1))],
            &[("east", 2, Attached), ("east", 2, Detached), ("west", 1, Attached)],
            &[("east", 1, Attached), ("east", 1, Detached), ("west", 1, Attached)],
            &[("east", 1, Attached), ("east", 1, Detached), ("east", 1, Wrote(1))],
            &[("east", 1, Attached), ("east", 1, Deleted)],
            &[("east", 1, Attached), ("east", 1, Detached), ("east", 1, Deleted), ("west", 2, Attached)],
        ];
        for entries in wrong {
            assert_eq!(judged(entries)?.faults.len(), 1, "{entries:?}");
        }
        // Who is fenced cannot write, whatever it has.
        let fenced = [("east", 1, Attached), ("east", 0, Fenced), ("west", 2, Attached)];
        assert_eq!(judged(&fenced)?.faults.len(), 0);
        // And so is who has a smaller epoch, where these are enforced; a shared volume is for both.
        let late = [("", 0, Enforced), ("east", 1, Attached), ("west", 2, Attached)];
        assert_eq!(judged(&late)?.faults.len(), 0);
        let both = [("east", 1, Shared), ("east", 1, Attached), ("west", 2, Attached), ("east", 1, Wrote(1))];
        assert_eq!(judged(&both)?.faults.len(), 0);
        Ok(())
    }

    #[test]
    fn a_record_that_is_gone_is_missed() -> anyhow::Result<()> {
        let scratch = Scratch::new("judge")?;
        let log = Log::new(&scratch.join("v"))?;
        for what in [What::Attached, What::Wrote(1)] {
            let entry = Entry { handle: "a".into(), cluster: "east".into(), epoch: 1, what };
            log.note(entry, |_, _| Ok(true))?;
        }
        assert_eq!(judge(&log).faults.len(), 1);
        Ok(())
    }
}
