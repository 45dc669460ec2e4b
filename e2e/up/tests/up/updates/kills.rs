//! `kill -9` at any point of updates, rollbacks and takeovers: nothing is half-applied at rest, and everything ends.

use anyhow::{Context, Result};
use bowline_e2e_homes::Kind;
use bowline_e2e_hub::Hub;
use bowline_e2e_up::Place;

use super::dice::Dice;
use super::lives::{Gets, Line, Moment, Target, decisions};

/// How often it is killed, in all.
const KILLS: u64 = 20;

/// More decisions than this are made for no version.
const DECISIONS: u64 = 30;

#[test]
fn killed_at_any_decision_nothing_is_half_applied_at_rest() -> Result<()> {
    let mut dice = Dice::new("kills on the embedded home")?;
    let mut place = Place::start(Kind::Embedded)?;
    place.says("cluster add toy --embedded --allow-all", 0, &["It is ready"])?;
    let far = Hub::start(&place.path("far"))?;
    place.says(
        &format!("cluster add far --kubeconfig {}", far.kubeconfig().display()),
        0,
        &["It is ready"],
    )?;
    let at_far = Target::At(far.kubeconfig().to_owned());
    let mut lines = [
        Line::new(&place, "toy", Target::Embedded, "default")?,
        Line::new(&place, "far", at_far, "default")?,
    ];
    for life in 0..KILLS {
        let line = &mut lines[usize::try_from(life % 2)?];
        // What takes over from another version, and what follows one that has ended.
        if dice.below(2) == 0 {
            line.is_decided(&place)?;
        }
        let before = decisions(&place);
        for _ in 0..=dice.below(2) {
            let gets = if dice.below(3) == 0 { Gets::Stuck } else { Gets::Healthy };
            line.submit(&place, gets)?;
        }
        let moment = Moment::Decisions(usize::try_from(dice.below(DECISIONS))?);
        line.comes_to(&place, &moment, before)?;
        for line in &lines {
            line.is_whole_at_rest(&place).with_context(|| format!("{} in life {life}", line.name))?;
        }
        place = place.live_again()?;
        for line in &lines {
            line.is_whole_at_rest(&place).with_context(|| format!("{} after life {life}", line.name))?;
        }
    }
    lines.iter().try_for_each(|line| line.ends_well(&place).with_context(|| line.name.clone()))
}
