use super::*;
use crate::device::{Act, Entry, Mode};

/// A directory that is gone when this is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn duties(revision: u64, devices: &[(&str, u64)]) -> Duties {
    let grant = |(name, epoch): &(&str, u64)| Grant { name: (*name).to_owned(), epoch: *epoch };
    Duties {
        group: "kv".to_owned(),
        member: "n1".to_owned(),
        version: "v1".to_owned(),
        revision,
        devices: devices.iter().map(grant).collect(),
        ..Duties::default()
    }
}

fn standing(name: &str) -> anyhow::Result<(Scratch, Standing)> {
    let scratch = Scratch(std::env::temp_dir().join(format!("bowline-{name}-{}", std::process::id())));
    device::make(&scratch.0, &["d0"], Mode::Enforces)?;
    let who = Who { group: "kv".into(), member: "n1".into(), version: "v1".into() };
    let actor = Actor { member: "n1".into(), version: "v1".into(), pid: 1, refuses_newer: false };
    let standing = Standing::open(&scratch.0, who, scratch.0.join("duties"), &actor)?;
    Ok((scratch, standing))
}

fn acts(scratch: &Scratch) -> std::io::Result<Vec<Act>> {
    let entries = device::read(&scratch.0.join("d0"))?;
    Ok(entries.iter().filter_map(Entry::record).map(|record| record.act.clone()).collect())
}

#[test]
fn after_its_end_a_process_claims_nothing() -> anyhow::Result<()> {
    let (scratch, standing) = standing("standing-end")?;
    duties(1, &[("d0", 1)]).write(&standing.file)?;
    standing.look();
    assert_eq!(standing.acts().len(), 1);
    standing.end();
    // Somebody looked at the file before, and has waited for its turn.
    standing.look();
    assert_eq!(standing.told(duties(2, &[("d0", 1)])).devices, []);
    assert_eq!(acts(&scratch)?, [Act::Claim, Act::Release]);
    Ok(())
}

#[test]
fn a_file_of_an_older_revision_is_not_followed() -> anyhow::Result<()> {
    let (_scratch, standing) = standing("standing-old")?;
    standing.told(duties(5, &[]));
    duties(4, &[("d0", 1)]).write(&standing.file)?;
    standing.look();
    assert_eq!(standing.acts(), []);
    duties(6, &[("d0", 1)]).write(&standing.file)?;
    standing.look();
    assert_eq!(standing.acts().len(), 1);
    Ok(())
}
