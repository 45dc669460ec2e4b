//! A namespace is moved in some hours only.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use bowline_e2e_placements::{Bed, claim, deployment, stays};
use bowline_e2e_up::until;

/// From so many hours after now to so many, in UTC.
fn hours(from: u64, to: u64) -> Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 60;
    let at = |hours: u64| {
        let minute = now + hours * 60;
        format!("{:02}:{:02}", minute / 60 % 24, minute % 60)
    };
    Ok(format!("{}-{}", at(from), at(to)))
}

#[test]
fn outside_its_window_nothing_is_stopped_but_for_who_is_in_a_hurry() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    let pods = bed.at("east")?.ok("get pods -n shop -o name", "")?;
    bed.says("place window shop 25:00-01:00", 2, &["HH:MM-HH:MM"])?;
    bed.says(&format!("place window shop {}", hours(2, 4)?), 0, &["is taken from where it runs"])?;
    bed.says("place move shop --to west", 0, &["in its window"])?;
    until("it waits for its window", || {
        let message = bed.placement("shop")?["message"].to_string();
        Ok(if message.contains("its window, which opens on") { Ok(()) } else { Err(message) })
    })?;
    bed.says("place status shop", 0, &["its window, which opens on"])?;
    stays(Duration::from_secs(3), || {
        let now = bed.at("east")?.ok("get pods -n shop -o name", "")?;
        Ok(if now == pods { Ok(()) } else { Err(now) })
    })?;
    bed.writes("east", 3)?;
    bed.says("place move shop --to west --now --wait", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 3)?;
    // It was in a hurry for west, and not for what comes after that.
    bed.says("place move shop --to east", 0, &["in its window"])?;
    until("it waits for its window again", || {
        let message = bed.placement("shop")?["message"].to_string();
        Ok(if message.contains("to go to east") { Ok(()) } else { Err(message) })
    })?;
    bed.says(&format!("place window shop {}", hours(23, 25)?), 0, &[])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    bed.clean().map(drop)
}
