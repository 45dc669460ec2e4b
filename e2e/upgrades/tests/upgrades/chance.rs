//! Whatever is killed, and whenever: by chance, from a seed that is printed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use bowline_e2e_homes::Kind;
use bowline_e2e_upgrades::Bed;
use serde_json::Value;

use crate::killed::{everywhere, steady};

/// Names a seed to go on from; else it is another one each time.
const SEED: &str = "BOWLINE_SEED";
/// So often is something killed,
const KILLS: usize = 14;
/// each time after less than this.
const LONGEST_MS: u64 = 1_500;
const MEMBERS: [&str; 3] = ["n1", "n2", "n3"];

/// Splitmix64.
struct Dice(u64);

impl Dice {
    fn new() -> Result<Dice> {
        let seed = match std::env::var(SEED) {
            Ok(seed) => seed.parse().with_context(|| format!("{SEED} is no number"))?,
            Err(_) => u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?,
        };
        println!("{SEED}={seed}: who is killed when follows from it; who is faster does not");
        Ok(Dice(seed))
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let index = self.below(of.len() as u64);
        of[usize::try_from(index).unwrap_or(0)]
    }
}

#[test]
fn whatever_is_killed_by_chance_in_an_upgrade_it_ends_and_nothing_is_lost() -> Result<()> {
    let mut dice = Dice::new()?;
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = steady();
    // Longer than the hub takes to come back: who is master goes on meanwhile.
    bed.leases("15s");
    bed.serve(&group, 3)?;
    let load = bed.load(&group, 3)?;
    bed.goes_on(&group, &load)?;
    bed.says("upgrade start kv --to v2", 0, &[])?;
    for _ in 0..KILLS {
        std::thread::sleep(Duration::from_millis(dice.below(LONGEST_MS)));
        let (whom, member) =
            (dice.one(&["software", "software", "agent", "agent", "shim", "hub"]), dice.one(&MEMBERS));
        println!("kill -9: {whom} ({member})");
        match whom {
            // It may be between two lives, which is a moment like any other.
            "software" => drop(bed.agent("kv", member).kill_software()),
            "shim" => drop(bed.agent("kv", member).kill_shim()),
            "agent" => {
                bed.agent("kv", member).kill()?;
                bed.agent("kv", member).live()?;
            }
            _ => {
                bed.kill_hub()?;
                bed.live_again()?;
            }
        }
    }
    // If nobody of the new version is left for a moment, and somebody of the old one is, the old one serves again: that is an
    // end as well, and the group says so.
    let status = bed.is("kv", "the upgrade ends", |status| everywhere(status) || is_back(status))?;
    if everywhere(&status) {
        println!("it ends upgraded");
        bed.commits(&group, load)?;
    } else {
        println!("it ends rolled back");
        bed.rests_at("kv", "v1")?;
        bed.says("upgrade status kv", 0, &["v2 was rolled back"])?;
        bed.goes_on(&group, &load)?;
        bed.clean(&group, load)?;
    }
    Ok(())
}

/// The old version serves, on all members, and the group has noted which one failed.
fn is_back(status: &Value) -> bool {
    status["upgradeState"] == "Inactive"
        && status["servingVersion"] == "v1"
        && status["failedVersion"] == "v2"
}
