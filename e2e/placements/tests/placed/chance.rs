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
    moves_under(Bed::start(&["east", "west"])?, hub_or_syncer)
}

#[test]
fn the_same_with_controllers_that_are_killed_and_paused_apart_from_their_hub() -> Result<()> {
    moves_under(Bed::start_apart(&["east", "west"])?, |bed, dice| {
        if dice.below(2) == 0 { controllers(bed, dice) } else { hub_or_syncer(bed, dice) }
    })
}

fn moves_under(mut bed: Bed, disturb: impl Fn(&mut Bed, &mut Dice) -> Result<()>) -> Result<()> {
    let mut dice = Dice::new()?;
    bed.place(
        "shop",
        "east",
        &[claim("shop", "data"), deployment("shop", "web", Some("data")), set("shop", "db", 1)],
    )?;
    bed.is_up("shop", "east")?;
    for number in 0..MOVES {
        let to = if number % 2 == 0 { "west" } else { "east" };
        // Whoever was paused may not be heard of for a moment yet: then it is waited for, and by kubectl nobody refuses it.
        let wanted = format!("{{\"spec\":{{\"target\":\"{to}\"}}}}");
        bed.kubectl()?.ok(&format!("-n shop patch placement placement --type=merge -p {wanted}"), "")?;
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

/// For a moment, or for longer than a lease of a syncer.
fn a_while(dice: &mut Dice) -> Duration {
    let most = if dice.below(3) == 0 { 8_000 } else { 2_000 };
    Duration::from_millis(dice.below(most))
}

fn hub_or_syncer(bed: &mut Bed, dice: &mut Dice) -> Result<()> {
    let target = if dice.below(2) == 0 { "east" } else { "west" };
    match dice.below(5) {
        0 => {
            bed.kill_hub()?;
            bed.live_again()?;
            bed.is_ready()
        }
        1 => {
            bed.signal_hub(Signal::SIGSTOP)?;
            std::thread::sleep(a_while(dice));
            bed.signal_hub(Signal::SIGCONT)
        }
        2 => {
            bed.syncer(target).signal(Signal::SIGSTOP)?;
            std::thread::sleep(a_while(dice));
            bed.syncer(target).signal(Signal::SIGCONT)
        }
        _ => {
            bed.syncer(target).kill()?;
            bed.syncer(target).live()
        }
    }
}

fn controllers(bed: &mut Bed, dice: &mut Dice) -> Result<()> {
    if dice.below(2) == 0 {
        bed.kill_controllers()?;
        return bed.controllers_live();
    }
    bed.signal_controllers(Signal::SIGSTOP)?;
    std::thread::sleep(a_while(dice));
    bed.signal_controllers(Signal::SIGCONT)
}
