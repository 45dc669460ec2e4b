//! `up` is killed again and again while clusters come and go: nothing is lost, nothing is there twice, nothing stays.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::{Place, until};

const LIVES: usize = 8;

/// How many decisions the journal has.
fn decisions(place: &Place) -> usize {
    let journal = std::fs::read_to_string(place.path("data/journal.jsonl"));
    journal.map_or(0, |journal| journal.lines().count())
}

#[test]
fn killed_at_any_decision_it_goes_on_where_it_was() -> Result<()> {
    let mut place = Place::start(Kind::Embedded)?;
    for life in 0..LIVES {
        let before = decisions(&place);
        place.says(&format!("cluster add c{life} --embedded --no-wait"), 0, &["is added"])?;
        if life % 2 == 1 {
            place.says(&format!("cluster remove c{} --no-wait", life - 1), 0, &["is being removed"])?;
        }
        // Each ends somewhere else.
        let more = 1 + life % 5;
        until("decisions are made", || {
            let made = decisions(&place) - before;
            Ok(if made >= more { Ok(()) } else { Err(format!("{made} of {more}")) })
        })?;
        place = place.live_again()?;
    }
    for life in (1..LIVES).step_by(2) {
        place.stands(&format!("c{life}"), "Usable")?;
    }
    let clusters = || place.kubectl()?.ok("get clusters -o name", "");
    until("the others are gone", || {
        let there = clusters()?;
        Ok(if there.lines().count() == LIVES / 2 { Ok(()) } else { Err(there) })
    })?;
    let kept = std::fs::read_dir(place.path("data/clusters"))?.count();
    ensure!(kept == LIVES / 2, "each has one directory, and nobody else: {kept}");
    Ok(())
}
