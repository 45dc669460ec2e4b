//! Whoever has to do with a move is killed or paused in it, by chance.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, claim, deployment, set};
use nix::sys::signal::Signal;

/// The seed, if it is to be one that was printed.
const SEED: &str = "BOWLINE_SEED";
/// So many moves.
const MOVES: usize = 5;

/// Numbers by chance.
struct Dice(u64);

impl Dice {
    fn new() -> Result<Dice> {
        let seed = match std::env::var(SEED) {
            Ok(named) => named.parse()?,
            Err(_) => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
        };
        println!("{SEED}={seed}");
        // Zero would stay so.
        Ok(Dice(seed | 1))
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % end
    }
}

#[test]
fn kills_and_pauses_at_any_moment_lose_nothing() -> Result<()> {
    let mut dice = Dice::new()?;
    let mut bed = Bed::start(&["east", "west"])?;
    bed.place(
        "shop",
        "east",
        &[claim("shop", "data"), deployment("shop", "web", Some("data")), set("shop", "db", 1)],
    )?;
    bed.is_up("shop", "east")?;
    for number in 0..MOVES {
        let to = if number % 2 == 0 { "west" } else { "east" };
        bed.says(&format!("place move shop --to {to}"), 0, &[])?;
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(dice.below(900)));
            disturb(&mut bed, &mut dice)?;
        }
        bed.is_up("shop", to)?;
        bed.writes(to, 4)?;
    }
    let verdict = bed.clean()?;
    // One of the two may have been moved on before its pod had come to write.
    ensure!(verdict.volumes == 2 && verdict.moves >= MOVES, "{verdict}");
    Ok(())
}

fn disturb(bed: &mut Bed, dice: &mut Dice) -> Result<()> {
    let target = if dice.below(2) == 0 { "east" } else { "west" };
    match dice.below(4) {
        0 => {
            bed.kill_hub()?;
            bed.live_again()?;
            bed.is_ready()
        }
        1 => {
            bed.syncer(target).signal(Signal::SIGSTOP)?;
            std::thread::sleep(Duration::from_millis(dice.below(3_000)));
            bed.syncer(target).signal(Signal::SIGCONT)
        }
        _ => {
            bed.syncer(target).kill()?;
            bed.syncer(target).live()
        }
    }
}
